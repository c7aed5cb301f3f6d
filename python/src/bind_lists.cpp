// Binds lists of trees that are made one by one: k best ones, distinct samples, and heads chosen one after the other.
#include "batch.hpp"
#include "names.hpp"
#include "trees.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/head_sequence.hpp>
#include <kirchhoff/sample.hpp>
#include <kirchhoff/unordered_set.hpp>

namespace kirchhoff::python {
namespace {

using OneTree = std::tuple<NumpyArray<std::int64_t>, NumpyArray<std::int64_t>, double>;

/// Heads, labels and log-probability of a tree, filled up with -1 to this many nodes; none is an end of iteration.
OneTree one_tree(const std::optional<Tree>& tree, std::size_t nodes) {
  if (!tree) throw nb::stop_iteration();
  const NewArray<std::int64_t> heads({nodes}, -1), labels({nodes}, -1);
  std::copy(tree->heads.begin(), tree->heads.end(), heads.data);
  std::copy(tree->labels.begin(), tree->labels.end(), labels.data);
  return {heads.array, labels.array, tree->log_prob.value_or(tree->score)};
}

template <class D>
using DistinctOf = std::conditional_t<kProjective<D>, DistinctProjectiveTrees, DistinctTrees>;
template <class D>
using BestOf = std::conditional_t<kProjective<D>, KBestProjectiveTrees, KBestTrees>;

template <class D>
struct DistinctList {
  DistinctOf<D> trees;
  std::size_t nodes;
};

/// The best trees of a distribution, with their log-probabilities.
template <class D>
struct BestList {
  D p;
  BestOf<D> trees;
  std::size_t nodes;

  std::optional<Tree> next() {
    std::optional<Tree> tree = trees.next();
    if (!tree) return tree;
    if constexpr (kHasLabels<D>) {
      tree->log_prob = p.log_prob(tree->heads, tree->labels);
    } else {
      tree->log_prob = p.log_prob(tree->heads);
    }
    return tree;
  }
};

/// Each row's numbers, where padding, which is -inf, has the number 0.
template <class F>
NumpyArray<double> of_rows(const Doubles& log_prob, F f) {
  const std::size_t rows = log_prob.shape(0), trees = log_prob.shape(1);
  const NewArray<double> out({rows, trees}, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> given;
    for (std::size_t t = 0; t < trees; ++t) {
      const double x = log_prob.data()[static_cast<std::ptrdiff_t>(i) * log_prob.stride(0) +
                                       static_cast<std::ptrdiff_t>(t) * log_prob.stride(1)];
      if (x == -HUGE_VAL) break;
      given.push_back(x);
    }
    const std::vector<double> found = f(i, given);
    std::copy(found.begin(), found.end(), out.data + i * trees);
  }
  return out.array;
}

}  // namespace

void bind_tree_lists(nb::module_& m) {
  m.def("unordered_set_weights", [](const Doubles& log_prob) {
    return of_rows(log_prob, [](std::size_t, const std::vector<double>& p) { return unordered_set_weights(p); });
  });
  m.def("unordered_set_gradient", [](const Doubles& log_prob, const Doubles& values) {
    return of_rows(log_prob, [&](std::size_t i, const std::vector<double>& p) {
      std::vector<double> f(p.size());
      for (std::size_t t = 0; t < f.size(); ++t) {
        f[t] = values.data()[static_cast<std::ptrdiff_t>(i) * values.stride(0) +
                             static_cast<std::ptrdiff_t>(t) * values.stride(1)];
      }
      return unordered_set_gradient(p, f);
    });
  });
  nb::class_<HeadSequence>(m, "HeadSequence")
      .def(nb::init<const HeadSequence&>())
      .def("words", &HeadSequence::words)
      .def("step", &HeadSequence::step)
      .def("done", &HeadSequence::done)
      .def("word", &HeadSequence::word)
      .def("heads", [](const HeadSequence& s) { return s.heads(); })
      .def("log_prob", &HeadSequence::log_prob)
      .def("log_probabilities", [](HeadSequence& s) { return array_of(s.log_probabilities()); })
      .def("choose", &HeadSequence::choose);
}

template <class D>
void bind_lists(BatchClass<D>& c) {
  using B = Batch<D>;
  nb::class_<DistinctList<D>>(c, "DistinctList")
      .def("next",
           [](DistinctList<D>& list) { return one_tree(unlocked([&] { return list.trees.next(); }), list.nodes); })
      .def("perturbed", [](const DistinctList<D>& list) { return list.trees.perturbed(); })
      .def("threshold", [](DistinctList<D>& list) { return unlocked([&] { return list.trees.threshold(); }); });
  nb::class_<BestList<D>>(c, "BestList").def("next", [](BestList<D>& list) {
    return one_tree(unlocked([&] { return list.next(); }), list.nodes);
  });
  c.def("distinct_list", [](const B& b, std::size_t i, std::uint64_t seed) {
    return DistinctList<D>{DistinctOf<D>(b[i], seed), b.nodes};
  });
  c.def("best_list", [](const B& b, std::size_t i) {
    return BestList<D>{b[i], BestOf<D>(b[i].scores(), b[i].root()), b.nodes};
  });
  if constexpr (!kProjective<D>) {
    c.def("expected_draws", [](const B& b, std::string_view method) {
      const Sampler sampler = named<Sampler>(method, "method");
      return numbers(b, [&](std::size_t i) { return TreeSampler(b[i], sampler).expected_draws(); });
    });
    c.def("head_sequence", [](const B& b, std::size_t i) {
      if constexpr (kHasLabels<D>) {
        return HeadSequence(b[i].tree());
      } else {
        return HeadSequence(b[i]);
      }
    });
  }
}

template void bind_lists(BatchClass<TreeDistribution>&);
template void bind_lists(BatchClass<LabelledTreeDistribution>&);
template void bind_lists(BatchClass<ProjectiveTreeDistribution>&);
template void bind_lists(BatchClass<LabelledProjectiveTreeDistribution>&);

}  // namespace kirchhoff::python
