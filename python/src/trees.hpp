// Trees and arcs in arrays: what callers compare with or ask for, and what decoding and sampling give.
#pragma once

#include "arrays.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/expectation.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace kirchhoff::python {

/// Row i of (batch, nodes) integers: the heads, or the labels, of graph i.
inline Heads row_of(const Ints& heads, std::size_t i, int words) {
  const std::int64_t* row = heads.data() + i * heads.shape(1);
  if (heads.shape(1) < static_cast<std::size_t>(words) + 1) {
    throw InputError("[log_prob] heads: fewer than n + 1 columns");
  }
  Heads result(words + 1, -1);
  for (int d = 1; d <= words; ++d) result[d] = int_of(row[d], "heads");
  return result;
}

inline Gold gold_of(const Ints& heads, const std::optional<Ints>& labels, std::size_t i, int words) {
  Gold gold{row_of(heads, i, words), {}};
  if (labels) {
    gold.labels = row_of(*labels, i, words);
    gold.labels[0] = 0;
  }
  return gold;
}

using ArcList = std::vector<std::pair<int, int>>;  // head, dependent
using ArcLists = std::vector<ArcList>;             // one list for each graph

inline Constraints constraints_of(const ArcLists& require, const ArcLists& forbid, std::size_t i) {
  Constraints out;
  for (const auto& [head, dependent] : require[i]) out.require.push_back({head, dependent});
  for (const auto& [head, dependent] : forbid[i]) out.forbid.push_back({head, dependent});
  return out;
}

/// Number of words of graph i: lengths[i], or all.
inline int words_of(const std::optional<Ints>& lengths, std::size_t i, std::size_t nodes) {
  const std::int64_t words = lengths ? lengths->data()[i] : static_cast<std::int64_t>(nodes) - 1;
  if (words < 1 || words >= static_cast<std::int64_t>(nodes)) {
    throw InputError("lengths[" + std::to_string(i) + "] is " + std::to_string(words) + ", expected 1 to " +
                     std::to_string(nodes - 1) + " words");
  }
  return static_cast<int>(words);
}

/// f(), whose errors name graph i when there are several.
template <class F>
void naming(std::size_t i, std::size_t count, F f) {
  const auto named = [&](const std::exception& e) {
    return count == 1 ? std::string(e.what()) : "graph " + std::to_string(i) + ": " + e.what();
  };
  try {
    f();
  } catch (const InputError& e) {
    throw InputError(named(e));
  } catch (const Infeasible& e) {
    throw Infeasible(named(e));
  }
}

/// Sampled or decoded trees. Every graph has the same number of rows; missing trees are -1, with log-probability -inf.
struct TreeArrays {
  NewArray<std::int64_t> heads, labels;
  NewArray<double> log_prob;  ///< the score, for trees that were decoded from scores alone
  std::size_t count, nodes;

  TreeArrays(std::size_t graphs, std::size_t trees, std::size_t padded_nodes)
      : heads({graphs, trees, padded_nodes}, -1),
        labels({graphs, trees, padded_nodes}, -1),
        log_prob({graphs, trees}, -HUGE_VAL),
        count(trees),
        nodes(padded_nodes) {}

  template <class Tree>
  void set(std::size_t graph, std::size_t k, const Tree& tree) {
    const std::size_t at = graph * count + k;
    std::copy(tree.heads.begin(), tree.heads.end(), heads.data + at * nodes);
    std::copy(tree.labels.begin(), tree.labels.end(), labels.data + at * nodes);
    log_prob.data[at] = tree.log_prob ? *tree.log_prob : tree.score;
  }
};

}  // namespace kirchhoff::python
