// Where the numbers of a batch lie, in the layout that a test chooses.
#pragma once

#include "cuda/ask.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace kirchhoff::cuda {

inline constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();
/// What arrays of answers hold before they are asked for.
inline constexpr double kUnwritten = -7.0;

/// Where the numbers of a batch lie.
struct Places {
  ArcArray strides;
  std::vector<std::int64_t> offsets;  // of each graph, and of the end; used by the kernels if `ragged`
  std::vector<int> nodes;             // for which each graph has room
  bool ragged = false;

  std::size_t at(std::size_t graph, int head, int dependent, int label) const {
    const std::int64_t row = ragged ? nodes[graph] * strides.dependent_stride : strides.head_stride;
    return offsets[graph] + head * row + dependent * strides.dependent_stride + label * strides.label_stride;
  }
  std::size_t size() const { return static_cast<std::size_t>(offsets.back()); }
};

inline ArcArray strides_of(Layout layout, int words, int labels) {
  if (layout != Layout::strided) return contiguous({}, words, labels);
  const std::int64_t nodes = words + 1, dependent = 2 * nodes + 1, label = dependent * nodes + 3;
  return {{}, label * labels + 5, 2, dependent, label};
}

inline Places places_of(const Asked& asked) {
  int most = 0;
  for (const LabelledMatrix& scores : asked.scores) most = std::max(most, scores.words());
  const int labels = asked.scores[0].labels();
  Places places{strides_of(asked.layout, most, labels), {0}, {}, asked.layout == Layout::ragged};
  for (const LabelledMatrix& scores : asked.scores) {
    const std::int64_t gap = 3, room = places.ragged ? static_cast<std::int64_t>(scores.size()) + gap  //
                                                     : places.strides.graph_stride;
    places.offsets.push_back(places.offsets.back() + room);
    places.nodes.push_back((places.ragged ? scores.words() : most) + 1);
  }
  return places;
}

/// f(graph, head, dependent, label) for all that a batch has room for.
template <class F>
void for_each_number(const Asked& asked, const Places& places, F f) {
  for (std::size_t graph = 0; graph < asked.scores.size(); ++graph) {
    for (int head = 0; head < places.nodes[graph]; ++head) {
      for (int dependent = 0; dependent < places.nodes[graph]; ++dependent) {
        for (int label = 0; label < asked.scores[graph].labels(); ++label) f(graph, head, dependent, label);
      }
    }
  }
}

inline bool inside(const LabelledMatrix& scores, int head, int dependent) {
  return head <= scores.words() && dependent <= scores.words();
}

template <class Real>
std::vector<Real> packed(const Asked& asked, const Places& places, const std::vector<LabelledMatrix>& graphs) {
  std::vector<Real> numbers(places.size(), static_cast<Real>(kUnread));
  for_each_number(asked, places, [&](std::size_t graph, int head, int dependent, int label) {
    const bool is_arc = inside(graphs[graph], head, dependent) && dependent > 0 && head != dependent;
    if (!is_arc) return;
    numbers[places.at(graph, head, dependent, label)] = static_cast<Real>(graphs[graph](head, dependent, label));
  });
  return numbers;
}

inline std::vector<std::int32_t> words_of(const Asked& asked) {
  std::vector<std::int32_t> words;
  for (const LabelledMatrix& scores : asked.scores) words.push_back(scores.words());
  return words;
}

}  // namespace kirchhoff::cuda
