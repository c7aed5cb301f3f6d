// A pair of arcs as a 2 x 2 determinant: p(a and b) = w_a w_b ((K a)_j (K b)_l - (K b)_j (K a)_l),
// docs/methods/trees.md.
#include "tree/fast/pair_marginal.hpp"

#include <algorithm>

namespace kirchhoff::tree {
namespace {

// Entry (j, i) of K (tree/fast/fast.cpp), or a sum of entries, and the size of what it is computed from.
struct Term {
  double value, size;
};

/// Entries of K and products of K with the columns a_arc of the Laplacian (docs/methods/trees.md).
class KooEntries {
 public:
  explicit KooEntries(const TreeState& state)
      : weights_(state.weights),
        single_(state.weights.root == Root::single),
        t_(state.weights.n - 1),
        d_(state.inverse.x.data()),
        u_(state.inverse.small.data()),
        g_(u_ + state.weights.ld) {}

  Term entry(int j, int i) const {
    const double d = d_[j * weights_.ld + i];
    if (!single_) return {d, d};
    if (i == t_) return {g_[j], g_[j]};
    const double first_order = g_[j] * u_[i];
    return j == t_ ? Term{-first_order, first_order} : Term{d - first_order, d + first_order};
  }

  /// (K a_arc)_j.
  Term column(Arc arc, int j) const {
    const int head = weights_.node(arc.head) - 1, dependent = weights_.node(arc.dependent) - 1;
    if (arc.head == 0) return entry(j, single_ ? t_ : dependent);
    Term sum{0.0, 0.0};
    if (!single_ || dependent != t_) sum = entry(j, dependent);
    if (!single_ || head != t_) {
      const Term minus = entry(j, head);
      sum = {sum.value - minus.value, sum.size + minus.size};
    }
    return sum;
  }

  double weight(Arc arc) const {
    const int row = arc.head == 0 ? 0 : weights_.node(arc.head);
    return weights_.w.data()[row * weights_.ld + weights_.node(arc.dependent) - 1];
  }

 private:
  const Weights& weights_;
  bool single_;
  int t_;
  const double* d_;
  const double* u_;
  const double* g_;
};

/// |error| <= tolerance * max(p, floor), where the error's bound is this times the size of the terms.
double bound_scale(const TreeState& state) { return 2.0 * error_scale(state.weights.n); }

}  // namespace

double fast_pair_marginal(const TreeState& state, Arc a, Arc b) {
  if (state.report.method != Method::fast) return -1.0;
  const Weights& weights = state.weights;
  const KooEntries k(state);
  const int j = weights.node(a.dependent) - 1, l = weights.node(b.dependent) - 1;
  const Term aj = k.column(a, j), bl = k.column(b, l), bj = k.column(b, j), al = k.column(a, l);
  const double ww = k.weight(a) * k.weight(b);
  const double p = ww * (aj.value * bl.value - bj.value * al.value);
  const double error = bound_scale(state) * ww * (aj.size * bl.size + bj.size * al.size);
  const bool good = error <= state.accuracy.tolerance * std::max(p, state.accuracy.floor);
  if (good || state.accuracy.method == Method::fast) return std::clamp(p, 0.0, 1.0);
  return -1.0;
}

FastPairRows::FastPairRows(const TreeState& state) : state_(state), size_(state.words + 1) {
  const std::size_t arcs = static_cast<std::size_t>(size_) * size_;
  for (std::vector<double>* v : {&weight_, &own_, &own_size_, &other_, &other_size_}) v->assign(arcs, 0.0);
  for (std::vector<double>* v : {&first_, &first_size_}) v->assign(size_, 0.0);
  const KooEntries k(state);
  for_each_arc([&](Arc b, std::size_t at) {
    const Term own = k.column(b, state_.weights.node(b.dependent) - 1);
    weight_[at] = k.weight(b);
    own_[at] = own.value;
    own_size_[at] = own.size;
  });
}

template <class Visit>
void FastPairRows::for_each_arc(const Visit& visit) const {
  for (int head = 0; head < size_; ++head) {
    for (int dependent = 1; dependent < size_; ++dependent) {
      const std::size_t at = static_cast<std::size_t>(head) * size_ + dependent;
      if (state_.marginals[at] != 0.0) visit(Arc{head, dependent}, at);
    }
  }
}

void FastPairRows::into(int dependent) {
  dependent_ = dependent;
  const KooEntries k(state_);
  const int j = state_.weights.node(dependent) - 1;
  for_each_arc([&](Arc b, std::size_t at) {
    const Term other = k.column(b, j);
    other_[at] = other.value;
    other_size_[at] = other.size;
  });
}

bool FastPairRows::from(int head, double* row) {
  const KooEntries k(state_);
  for (int l = 1; l < size_; ++l) {
    const Term first = k.column({head, dependent_}, state_.weights.node(l) - 1);
    first_[l] = first.value;
    first_size_[l] = first.size;
  }
  const double scale = bound_scale(state_), tolerance = state_.accuracy.tolerance, floor = state_.accuracy.floor;
  const double weight = k.weight({head, dependent_}), own = first_[dependent_], own_size = first_size_[dependent_];
  bool allowed = true;
  for (int b = 0; b < size_ && (allowed || state_.accuracy.method == Method::fast); ++b) {
    const std::size_t at = static_cast<std::size_t>(b) * size_;
    for (int l = 1; l < size_; ++l) {
      const double ww = weight * weight_[at + l];
      const double p = ww * (own * own_[at + l] - other_[at + l] * first_[l]);
      const double error = scale * ww * (own_size * own_size_[at + l] + other_size_[at + l] * first_size_[l]);
      allowed &= l == dependent_ || error <= tolerance * std::max(p, floor);
      row[at + l] = std::min(std::max(p, 0.0), 1.0);
    }
    row[at + dependent_] = 0.0;
  }
  return allowed || state_.accuracy.method == Method::fast;
}

}  // namespace kirchhoff::tree
