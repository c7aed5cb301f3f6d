// Which team solves which graph: a function of the graph's size alone, so that its answer has the same bits in every
// batch.
#pragma once

#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/tile.hpp"

#include <tuple>

namespace kirchhoff::cuda {

/// A shape, and how many blocks of threads of it a multiprocessor is to hold at once.
template <class ShapeType, int kBlockCount>
struct SizeClass {
  using S = ShapeType;
  static constexpr int kBlocks = kBlockCount;
};

/// The classes for numbers N, smallest first. Each has the graphs that are too large for those before it; the last has
/// its rows in memory and takes any. Extended range is rare, and has few classes.
template <class N>
struct Classes {
  using All = std::tuple<SizeClass<Shape<4, 8, 8, 4>, 4>, SizeClass<Shape<16, 32, 0, 1>, 1>>;
};
template <>
struct Classes<double> {
  using All =
      std::tuple<SizeClass<Shape<4, 8, 4, 2>, 16>, SizeClass<Shape<4, 8, 6, 3>, 12>, SizeClass<Shape<4, 8, 7, 4>, 12>,
                 SizeClass<Shape<4, 8, 8, 4>, 12>, SizeClass<Shape<8, 16, 7, 4>, 3>, SizeClass<Shape<8, 16, 8, 4>, 3>,
                 SizeClass<Shape<8, 16, 7, 7, 2>, 2>, SizeClass<Shape<16, 16, 4, 8, 2>, 1>,
                 SizeClass<Shape<16, 32, 0, 1>, 1>>;
};
template <>
struct Classes<Dual> {
  using All = std::tuple<SizeClass<Shape<4, 8, 4, 2>, 8>, SizeClass<Shape<8, 8, 4, 4>, 4>,
                         SizeClass<Shape<8, 16, 7, 4>, 2>, SizeClass<Shape<8, 16, 8, 4>, 1>,
                         SizeClass<Shape<16, 16, 4, 7, 2>, 1>, SizeClass<Shape<16, 32, 0, 1>, 1>>;
};

/// The classes in which inverses are tried.
using FastClasses =
    std::tuple<SizeClass<Tile<2, 1, 2>, 20>, SizeClass<Tile<3, 1, 3>, 16>, SizeClass<Tile<4, 1, 4>, 12>,
               SizeClass<Tile<3, 2, 5>, 6>, SizeClass<Tile<3, 2, 6>, 6>, SizeClass<Tile<2, 4, 7>, 4>,
               SizeClass<Tile<2, 4, 8>, 4>, SizeClass<Tile<2, 5, 10>, 2>, SizeClass<Tile<1, 12, 12>, 1>,
               SizeClass<Tile<1, 13, 13>, 1>, SizeClass<Tile<1, 14, 14>, 1>, SizeClass<Tile<1, 16, 16>, 1>>;
using LargestTile = std::tuple_element_t<std::tuple_size_v<FastClasses> - 1, FastClasses>::S;

/// f(class, words of the next smaller class) for every class.
template <class All, class F>
void for_each_of(F f) {
  int below = 0;
  std::apply([&](auto... classes) { (..., (f(classes, below), below = decltype(classes)::S::kMostWords)); }, All{});
}
template <class N, class F>
void for_each_class(F f) {
  for_each_of<typename Classes<N>::All>(f);
}

}  // namespace kirchhoff::cuda
