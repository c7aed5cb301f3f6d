// Cross-entropy and KL of every pair of graphs of two batches, and their gradients, from what the batches' lanes give,
// for the files that instantiate them.
//
// With share = 1 for KL and 0 for cross-entropy and r = share theta - phi, the value is E_p[r] - share log Z_p + log
// Z_q, its gradient for p the marginals along r, and for q the difference of the marginals
// (docs/methods/expectations.md).
#pragma once

#include "base/check.hpp"
#include "base/stop.hpp"
#include "kirchhoff/expectation.hpp"
#include "numeric/sum.hpp"
#include "tree/batch/along.hpp"
#include "tree/batch/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kirchhoff {
namespace expectations {

// Beyond this a rounded log Z has fewer digits than centred scores would keep.
inline constexpr double kLargeLogZ = 1e4;
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

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

inline double score_at(const GraphView& graph, int head, int dependent) {
  return graph.scores[head * graph.head_stride + dependent * graph.dependent_stride];
}

// Writes r = share theta - phi, and 0 where there is no arc, to rows of n + 1. False when some arc of p is none of q.
inline bool write_direction(const GraphView& p, const GraphView& q, double share, double* out) {
  const int words = p.words;
  bool supported = true;
  for (int head = 0; head <= words; ++head) {
    double* const row = out + head * (words + 1);
    for (int dependent = 1; dependent <= words; ++dependent) {
      const double theta = score_at(p, head, dependent), phi = score_at(q, head, dependent);
      const bool arc = (theta != -HUGE_VAL) & (head != dependent);
      supported &= !arc | (phi != -HUGE_VAL);
      row[dependent] = arc ? share * theta - phi : 0.0;
    }
    row[0] = 0.0;
  }
  return supported;
}

// E_p[r], where r counts from the most probable arc into each word: numbers of the size of log-probabilities are added.
inline numeric::Sum mean_of(const double* r, const double* marginals, std::size_t stride, int words) {
  numeric::Sum sum;
  for (int dependent = 1; dependent <= words; ++dependent) {
    int best = 0;
    for (int head = 1; head <= words; ++head) {
      if (marginals[head * stride + dependent] > marginals[best * stride + dependent]) best = head;
    }
    const double middle = r[best * (words + 1) + dependent];
    double rest = 0.0;
    for (int head = 0; head <= words; ++head) {
      rest += marginals[head * stride + dependent] * (r[head * (words + 1) + dependent] - middle);
    }
    sum.add(middle);
    sum.add(rest);
  }
  return sum;
}

inline void subtract_spans(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = a[k] - b[k];
}

// Answers for all graphs that it can, and returns the others.
inline std::vector<std::size_t> pairs_in_lanes(const PairFunction<TreeDistribution>& f, const TreeBatch& p,
                                               const TreeBatch& q, std::span<double> values, const PairSpans& gradients,
                                               const Stop& stop) {
  std::vector<std::size_t> rest = tree::every_graph(p.size());
  bool alike = p.size() > 1 && p.root() == q.root();
  std::vector<std::size_t> offset(1, 0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    alike = alike && p.words(i) == q.words(i) && p.row_length(i) == q.row_length(i);
    offset.push_back(offset.back() + (p.words(i) + std::size_t{1}) * (p.words(i) + 1));
  }
  if (!alike) return rest;  // one by one they say what is wrong

  p.solve(stop);
  q.solve(stop);
  std::vector<double> directions(offset.back());
  std::vector<GraphView> views(p.size());
  std::vector<char> left(p.size(), 0);
  parallel_for(p.size(), p.options().threads, [&](std::size_t i) {
    double* const r = directions.data() + offset[i];
    views[i] = {r, p.words(i), p.words(i) + 1};
    const double log_zp = p.log_partition()[i], log_zq = q.log_partition()[i];
    left[i] = !write_direction(p.graphs()[i], q.graphs()[i], f.share, r) ||
              !(std::max(std::abs(log_zp), std::abs(log_zq)) <= kLargeLogZ);
    if (left[i]) return;
    numeric::Sum sum = mean_of(r, p.marginals(i).data(), p.row_length(i), p.words(i));
    sum.add(-f.share * log_zp);
    sum.add(log_zq);
    values[i] = numeric::not_negative(sum.value());
    if (!gradients.q.empty()) subtract_spans(q.marginals(i), p.marginals(i), q.part(gradients.q, i));
  });
  if (!gradients.p.empty()) {
    for (const std::size_t i : tree::along_in_lanes(p, {views, 1.0, gradients.p}, stop)) left[i] = 1;
  }
  std::erase_if(rest, [&](std::size_t i) { return !left[i]; });
  return rest;
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
  if constexpr (std::is_same_v<D, TreeDistribution>) rest = pairs_in_lanes(f, p, q, values, gradients, stop);
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
