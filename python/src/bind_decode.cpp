#include "batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace kirchhoff::python {
namespace {

double log_prob(const TreeDistribution& p, const Tree& tree) { return p.log_prob(tree.heads); }
double log_prob(const LabelledTreeDistribution& p, const Tree& tree) { return p.log_prob(tree.heads, tree.labels); }

/// As k_best_trees, one by one, so that Ctrl-C can end it: take(number, tree) for each.
template <class Scores, class F>
void take_best(const Scores& scores, Root root, int k, const Constraints& constraints, Interrupt& interrupt, F take) {
  if (k < 0) throw InputError("[k_best_trees] k is " + std::to_string(k) + ", must not be negative");
  KBestTrees trees(scores, root, constraints);
  for (int t = 0; t < k; ++t) {
    std::optional<Tree> tree = trees.next();
    if (!tree) return;
    take(static_cast<std::size_t>(t), std::move(*tree));
    interrupt.check();
  }
}

/// The k best trees of the scores alone, without a distribution.
template <class D>
auto decode(const Doubles& scores, bool single, const std::optional<Ints>& lengths, int k, const ArcLists& require,
            const ArcLists& forbid, int threads) {
  const std::size_t count = scores.shape(0), nodes = scores.shape(1);
  TreeArrays out(count, static_cast<std::size_t>(std::max(k, 0)), nodes);
  const Root root = single ? Root::single : Root::multi;
  Interrupt interrupt;
  run(count, threads, [&](std::size_t i) {
    naming(i, count, [&] {
      with_corner(part_of(scores, i), words_of(lengths, i, nodes), static_cast<const D*>(nullptr),
                  [&](const auto& graph) {
                    take_best(graph, root, k, constraints_of(require, forbid, i), interrupt,
                              [&](std::size_t t, const Tree& tree) { out.set(i, t, tree); });
                  });
    });
  });
  return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
}

}  // namespace

void bind_decoding(nb::module_& m) {
  m.def("decode", decode<TreeDistribution>, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg());
  m.def("decode_labelled", decode<LabelledTreeDistribution>, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg());
}

template <class D>
void bind_decode(BatchClass<D>& c) {
  using B = Batch<D>;
  c.def("topk", [](const B& b, int k) {
    TreeArrays out(b.size(), static_cast<std::size_t>(std::max(k, 0)), b.nodes);
    Interrupt interrupt;
    run(b.size(), b.threads, [&](std::size_t i) {
      take_best(b[i].scores(), b[i].root(), k, {}, interrupt, [&](std::size_t t, Tree tree) {
        tree.log_prob = log_prob(b[i], tree);
        out.set(i, t, tree);
      });
    });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
  });
  c.def("argmax", [](const B& b, bool mbr) {
    TreeArrays out(b.size(), 1, b.nodes);
    run(b.size(), b.threads, [&](std::size_t i) { out.set(i, 0, mbr ? mbr_tree(b[i]) : best_tree(b[i])); });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
  });
}

template void bind_decode(BatchClass<TreeDistribution>&);
template void bind_decode(BatchClass<LabelledTreeDistribution>&);

}  // namespace kirchhoff::python
