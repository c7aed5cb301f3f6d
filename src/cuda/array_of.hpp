// An array of the public interface as kernels take it.
#pragma once

#include "cuda/kernels/question.hpp"
#include "kirchhoff/cuda.hpp"

#include <type_traits>
#include <variant>

namespace kirchhoff::cuda {

inline Array array_of(const ArcArray& arcs) {
  Array array{nullptr, false, arcs.graph_stride, arcs.head_stride, arcs.dependent_stride, arcs.label_stride};
  std::visit(
      [&](auto values) {
        if constexpr (!std::is_same_v<decltype(values), std::monostate>) {
          array.values = values;
          array.single_precision = std::is_same_v<decltype(values), float*>;
        }
      },
      arcs.values);
  return array;
}

}  // namespace kirchhoff::cuda
