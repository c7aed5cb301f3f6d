// Cross-entropy and KL of every pair of graphs of two batches, and their gradients, for the files that instantiate
// them.
#pragma once

#include "base/check.hpp"
#include "base/stop.hpp"
#include "expectation/alike_pairs.hpp"
#include "kirchhoff/expectation.hpp"
#include "tree/batch/rows.hpp"

#include <cmath>
#include <type_traits>

namespace kirchhoff {
namespace expectations {

template <class D>
struct PairFunction {
  const char* name;
  double share;
  double (*value)(const D&, const D&);
  PairGradient<D> (*gradient)(const D&, const D&);
};

template <class D>
void check_pairs(const PairFunction<D>& f, const BatchOf<D>& p, const BatchOf<D>& q, const PairSpans& gradients) {
  if (p.size() != q.size()) {
    base::input_error(f.name, std::to_string(p.size()) + " graphs and " + std::to_string(q.size()));
  }
  const auto fits = [](std::span<double> out, const BatchOf<D>& batch) {
    return out.empty() || out.size() == batch.array_size();
  };
  if (fits(gradients.p, p) && fits(gradients.q, q)) return;
  base::input_error(f.name, "gradients need the size of the batches' marginals");
}

// Answers for all pairs that it can, and returns the others: one by one they say what is wrong.
inline std::vector<std::size_t> solve_alike(const PairFunction<TreeDistribution>& f, const TreeBatch& p,
                                            const TreeBatch& q, std::span<double> values, const PairSpans& gradients,
                                            const Stop& stop) {
  bool alike = p.size() > 1 && p.root() == q.root();
  for (std::size_t i = 0; i < p.size(); ++i) {
    alike = alike && p.words(i) == q.words(i) && p.row_length(i) == q.row_length(i);
  }
  if (!alike) return tree::every_graph(p.size());
  return AlikePairs(f.share, p, q, values, gradients).solve(stop);
}

template <class D>
void write_pair_gradient(const Array<D>& gradient, const BatchOf<D>& batch, std::span<double> out, std::size_t i) {
  if (out.empty()) return;
  tree::write_rows({gradient.data(), static_cast<std::size_t>(gradient.size())}, batch.words(i), batch.part(out, i),
                   batch.row_length(i));
}

template <class D>
std::vector<double> pairs(const PairFunction<D>& f, const BatchOf<D>& p, const BatchOf<D>& q,
                          const PairSpans& gradients, const Stop& stop) {
  check_pairs(f, p, q, gradients);
  std::vector<double> values(p.size(), kUnknown);
  std::vector<std::size_t> rest = tree::every_graph(p.size());
  if constexpr (std::is_same_v<D, TreeDistribution>) rest = solve_alike(f, p, q, values, gradients, stop);
  parallel_for(rest.size(), p.options().threads, [&](std::size_t k) {
    base::check_stop(stop);
    const std::size_t i = rest[k];
    if (std::isnan(values[i])) values[i] = f.value(p[i], q[i]);  // the lanes may have left the gradient alone
    if (gradients.p.empty() && gradients.q.empty()) return;
    const PairGradient<D> both = f.gradient(p[i], q[i]);
    write_pair_gradient(both.p, p, gradients.p, i);
    write_pair_gradient(both.q, q, gradients.q, i);
  });
  return values;
}

}  // namespace expectations

template <class D>
std::vector<double> cross_entropies(const BatchOf<D>& p, const BatchOf<D>& q, const PairSpans& gradients,
                                    const Stop& stop) {
  return expectations::pairs<D>({"cross_entropies", 0.0, cross_entropy<D>, cross_entropy_gradient<D>}, p, q, gradients,
                                stop);
}

template <class D>
std::vector<double> divergences(const BatchOf<D>& p, const BatchOf<D>& q, const PairSpans& gradients,
                                const Stop& stop) {
  return expectations::pairs<D>({"divergences", 1.0, kl<D>, kl_gradient<D>}, p, q, gradients, stop);
}

#define KIRCHHOFF_INSTANTIATE_PAIRS(D)                                                                               \
  template std::vector<double> cross_entropies(const BatchOf<D>&, const BatchOf<D>&, const PairSpans&, const Stop&); \
  template std::vector<double> divergences(const BatchOf<D>&, const BatchOf<D>&, const PairSpans&, const Stop&)

}  // namespace kirchhoff
