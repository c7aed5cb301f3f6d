// A pair of arcs as a 2 x 2 determinant: p(a and b) = w_a w_b ((K a)_j (K b)_l - (K b)_j (K a)_l), where j and l are
// the dependents of a and b (docs/methods/trees.md).
#include "tree/pair_marginal.hpp"

#include "tree/kernels/certified_marginals.hpp"

#include <algorithm>

namespace kirchhoff::tree {
namespace {

// A number, and the size of what it is computed from.
struct Term {
  double value, size;
};

/// Products (K a)_j of the inverse K with the columns a of the Laplacian, by the method that solved the graph: from
/// entries of K (tree/fast/fast.cpp), or from slopes, (K a)_j = G_ij - G_lj for an arc a from i to l. Where i is the
/// root and the only one with a child, there is no second term.
class Columns {
 public:
  explicit Columns(const TreeState& state)
      : weights_(state.weights),
        single_(state.weights.root == Root::single),
        t_(state.weights.n - 1),
        slopes_(state.report.method == Method::fast ? nullptr : &state.slopes),
        d_(state.inverse.x.data()),
        u_(state.inverse.small.data()),
        g_(slopes_ ? nullptr : u_ + state.weights.ld) {}

  /// (K a)_j, j in elimination order.
  Term operator()(Arc arc, int j) const {
    const int head = arc.head == 0 ? 0 : weights_.node(arc.head), dependent = weights_.node(arc.dependent);
    if (slopes_ != nullptr) return from_slopes(head, dependent, j);
    if (head == 0) return entry(j, single_ ? t_ : dependent - 1);
    Term sum{0.0, 0.0};
    if (!single_ || dependent - 1 != t_) sum = entry(j, dependent - 1);
    if (!single_ || head - 1 != t_) {
      const Term minus = entry(j, head - 1);
      sum = {sum.value - minus.value, sum.size + minus.size};
    }
    return sum;
  }

  double weight(Arc arc) const {
    const int row = arc.head == 0 ? 0 : weights_.node(arc.head);
    return weights_.w.data()[row * weights_.ld + weights_.node(arc.dependent) - 1];
  }

 private:
  Term entry(int j, int i) const {
    const double d = d_[j * weights_.ld + i];
    if (!single_) return {d, d};
    if (i == t_) return {g_[j], g_[j]};
    const double first_order = g_[j] * u_[i];
    return j == t_ ? Term{-first_order, first_order} : Term{d - first_order, d + first_order};
  }
  double slope(int node, int j) const {
    return node == 0 ? slopes_->root.data()[j] : slopes_->rows.data()[j * slopes_->stride() + node - 1];
  }
  Term from_slopes(int head, int dependent, int j) const {
    const double plus = slope(head, j);
    const double minus = dependent - 1 == j || (single_ && head == 0) ? 0.0 : slope(dependent, j);
    return {plus - minus, plus + minus};
  }

  const Weights& weights_;
  bool single_;
  int t_;
  const Slopes* slopes_;
  const double* d_;
  const double* u_;
  const double* g_;
};

/// |error| <= tolerance * max(p, floor), where the error's bound is this times the size of the terms.
double bound_scale(const TreeState& state) { return 2.0 * error_scale(state.weights.n); }

}  // namespace

bool has_pair_terms(const TreeState& state) {
  return state.report.method == Method::fast || !(state.slopes.extended || state.weights.underflowed);
}

double pair_marginal(const TreeState& state, Arc a, Arc b) {
  if (!has_pair_terms(state)) return -1.0;
  const Weights& weights = state.weights;
  const Columns k(state);
  const int j = weights.node(a.dependent) - 1, l = weights.node(b.dependent) - 1;
  const Term aj = k(a, j), bl = k(b, l), bj = k(b, j), al = k(a, l);
  const double ww = k.weight(a) * k.weight(b);
  const double p = ww * (aj.value * bl.value - bj.value * al.value);
  const double error = bound_scale(state) * ww * (aj.size * bl.size + bj.size * al.size);
  const bool good = error <= state.accuracy.tolerance * std::max(p, state.accuracy.floor);
  if (good || state.accuracy.method == Method::fast) return std::clamp(p, 0.0, 1.0);
  return -1.0;
}

PairRows::PairRows(const TreeState& state) : state_(state), size_(state.words + 1) {
  const std::size_t arcs = static_cast<std::size_t>(size_) * size_;
  for (std::vector<double>* v : {&weight_, &own_, &own_size_, &other_, &other_size_}) v->assign(arcs, 0.0);
  for (std::vector<double>* v : {&first_, &first_size_}) v->assign(size_, 0.0);
  const Columns k(state);
  for_each_arc([&](Arc b, std::size_t at) {
    const Term own = k(b, state_.weights.node(b.dependent) - 1);
    weight_[at] = k.weight(b);
    own_[at] = own.value;
    own_size_[at] = own.size;
  });
}

template <class Visit>
void PairRows::for_each_arc(const Visit& visit) const {
  for (int head = 0; head < size_; ++head) {
    for (int dependent = 1; dependent < size_; ++dependent) {
      const std::size_t at = static_cast<std::size_t>(head) * size_ + dependent;
      if (state_.marginals[at] != 0.0) visit(Arc{head, dependent}, at);
    }
  }
}

void PairRows::into(int dependent) {
  dependent_ = dependent;
  const Columns k(state_);
  const int j = state_.weights.node(dependent) - 1;
  for_each_arc([&](Arc b, std::size_t at) {
    const Term other = k(b, j);
    other_[at] = other.value;
    other_size_[at] = other.size;
  });
}

bool PairRows::from(int head, double* row) {
  const Columns k(state_);
  for (int l = 1; l < size_; ++l) {
    const Term first = k({head, dependent_}, state_.weights.node(l) - 1);
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
