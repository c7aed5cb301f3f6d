// Elimination on lists, which chooses the cheapest state each time, and the solves with the factors it leaves.
#include "wfsm/solve/component_elimination.hpp"

#include "base/stop.hpp"

#include <Eigen/Core>

#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace kirchhoff::wfsm {
namespace {

constexpr std::size_t kLargestCore = 20000;  // states, which take 3 GB of doubles

bool is_positive(double x) { return x > 0.0; }
bool is_positive(const numeric::ExtendedWide& x) { return !x.is_zero(); }

template <class T>
T dot(std::size_t n, const T* a, const T* b) {
  T sum{};
  for (std::size_t i = 0; i < n; ++i) sum = sum + a[i] * b[i];
  return sum;
}
double dot(std::size_t n, const double* a, const double* b) {
  using Map = Eigen::Map<const Eigen::VectorXd>;
  return Map(a, static_cast<Eigen::Index>(n)).dot(Map(b, static_cast<Eigen::Index>(n)));
}

/// y += c x.
template <class T>
void add_row(std::size_t n, const T& c, const T* x, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = y[i] + c * x[i];
}
void add_row(std::size_t n, double c, const double* x, double* y) {
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::Map<Eigen::VectorXd>(y, size) += c * Eigen::Map<const Eigen::VectorXd>(x, size);
}

}  // namespace

template <class T>
ComponentElimination<T>::ComponentElimination(Rows rows, std::vector<T> side, Pivot rule)
    : rows_(std::move(rows)), side_(std::move(side)), rule_(rule) {
  eliminate_sparse();
  if (failed_ < 0) eliminate_core();
  rows_ = {};
  side_ = {};
  in_ = {};
  position_ = {};
}

template <class T>
void ComponentElimination<T>::solve_column(T* x) const {
  for (const Step& s : steps_) {
    for (std::size_t i = s.in; i < s.in_end; ++i) x[ins_[i].index] = x[ins_[i].index] + ins_[i].value * x[s.state];
  }
  on_core(x, [&](T* z) {
    const std::size_t n = core_.size();
    for (std::size_t i = 1; i < n; ++i) z[i] = z[i] + dot(i, dense_.row(i), z);
    for (std::size_t k = n; k-- > 0;) {
      z[k] = (z[k] + dot(n - k - 1, dense_.row(k) + k + 1, z + k + 1)) / pivots_[k];
    }
  });
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s) {
    T sum = x[s->state];
    for (std::size_t i = s->out; i < s->out_end; ++i) sum = sum + outs_[i].value * x[outs_[i].index];
    x[s->state] = sum / s->pivot;
  }
}

template <class T>
void ComponentElimination<T>::solve_row(T* x) const {
  for (const Step& s : steps_) {
    x[s.state] = x[s.state] / s.pivot;
    for (std::size_t i = s.out; i < s.out_end; ++i) {
      x[outs_[i].index] = x[outs_[i].index] + x[s.state] * outs_[i].value;
    }
  }
  on_core(x, [&](T* z) {
    const std::size_t n = core_.size();
    for (std::size_t k = 0; k < n; ++k) {
      z[k] = z[k] / pivots_[k];
      add_row(n - k - 1, z[k], dense_.row(k) + k + 1, z + k + 1);
    }
    for (std::size_t i = n; i-- > 1;) add_row(i, z[i], dense_.row(i), z);
  });
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s) {
    for (std::size_t i = s->in; i < s->in_end; ++i) {
      x[s->state] = x[s->state] + ins_[i].value * x[ins_[i].index];
    }
  }
}

template <class T>
void ComponentElimination<T>::eliminate_sparse() {
  const int n = static_cast<int>(rows_.size());
  in_.resize(n);
  position_.assign(n, -1);
  for (int i = 0; i < n; ++i) {
    for (const Entry& e : rows_[i]) in_[e.index].push_back(i);
  }
  using Priced = std::pair<std::size_t, int>;
  std::priority_queue<Priced, std::vector<Priced>, std::greater<>> queue;
  std::vector<char> left(n, 1);
  // Of equal states the last goes first: states tend to be numbered along the arcs, and the ends of lists are searched
  // first.
  const auto push = [&](int k) { queue.push({cost(k), -k}); };
  for (int k = 0; k < n; ++k) push(k);
  for (std::size_t remaining = n; remaining > 0 && failed_ < 0;) {
    StopScope::check();
    const auto [price, minus_k] = queue.top();
    const int k = -minus_k;
    queue.pop();
    if (!left[k] || price != cost(k)) continue;
    // An update on lists costs about as much as eight in a dense matrix.
    if (8 * price >= remaining * remaining && remaining <= kLargestCore) break;
    left[k] = 0;
    --remaining;
    eliminate(k);
    for (std::size_t i = steps_.back().in; i < ins_.size(); ++i) push(ins_[i].index);
    for (std::size_t i = steps_.back().out; i < outs_.size(); ++i) push(outs_[i].index);
  }
  for (int k = 0; k < n; ++k) {
    if (left[k]) core_.push_back(k);
  }
}

template <class T>
T ComponentElimination<T>::pivot(int k) const {
  if (rule_ == Pivot::closure) return numeric::one_minus(side_[k]);
  return std::accumulate(rows_[k].begin(), rows_[k].end(), side_[k],
                         [](const T& sum, const Entry& e) { return sum + e.value; });
}

template <class T>
void ComponentElimination<T>::eliminate(int k) {
  const T d = pivot(k);
  if (!is_positive(d)) {
    failed_ = k;
    steps_.push_back({k, d, ins_.size(), ins_.size(), outs_.size(), outs_.size()});
    return;
  }
  Step step{k, d, ins_.size(), 0, outs_.size(), 0};
  for (const int i : in_[k]) {
    std::vector<Entry>& row = rows_[i];
    const std::size_t at = find(row, k);
    const T c = row[at].value / d;
    row[at] = row.back();
    row.pop_back();
    ins_.push_back({i, c});
    add(k, c, i);
  }
  for (const Entry& e : rows_[k]) {
    std::vector<int>& in = in_[e.index];
    *std::find(in.rbegin(), in.rend(), k) = in.back();
    in.pop_back();
  }
  outs_.insert(outs_.end(), rows_[k].begin(), rows_[k].end());
  rows_[k] = {};
  in_[k] = {};
  step.in_end = ins_.size();
  step.out_end = outs_.size();
  steps_.push_back(step);
}

template <class T>
std::size_t ComponentElimination<T>::find(const std::vector<Entry>& row, int index) {
  std::size_t at = row.size() - 1;
  while (row[at].index != index) --at;
  return at;
}

/// Row i += c * row k. Marks where the columns of row i are, unless that row is by far the longer one, as a hub's is.
template <class T>
void ComponentElimination<T>::add(int k, const T& c, int i) {
  std::vector<Entry>& row = rows_[i];
  const bool marked = row.size() <= 8 * rows_[k].size();
  for (std::size_t at = 0; marked && at < row.size(); ++at) position_[row[at].index] = static_cast<int>(at);
  for (const Entry& e : rows_[k]) {
    const T value = c * e.value;
    std::vector<int>& in = in_[e.index];
    if (e.index == i) {
      if (rule_ == Pivot::closure) side_[i] = side_[i] + value;
    } else if (marked ? position_[e.index] >= 0 : std::find(in.rbegin(), in.rend(), i) != in.rend()) {
      Entry& entry = row[marked ? static_cast<std::size_t>(position_[e.index]) : find(row, e.index)];
      entry.value = entry.value + value;
    } else {
      row.push_back({e.index, value});
      in.push_back(i);
    }
  }
  for (const Entry& e : row) {
    if (!marked) break;
    position_[e.index] = -1;
  }
  if (rule_ == Pivot::exits) side_[i] = side_[i] + c * side_[k];
}

template <class T>
void ComponentElimination<T>::eliminate_core() {
  const std::size_t n = core_.size();
  dense_.resize(n);
  pivots_.resize(n);
  for (std::size_t i = 0; i < n; ++i) position_[core_[i]] = static_cast<int>(i);
  for (std::size_t i = 0; i < n; ++i) {
    T* row = dense_.data() + i * dense_.ld();
    for (const Entry& e : rows_[core_[i]]) row[position_[e.index]] = e.value;
    row[rule_ == Pivot::closure ? i : n] = side_[core_[i]];
  }
  const int failed = eliminate_dense(n, dense_.data(), dense_.ld(), rule_, pivots_.data());
  if (failed >= 0) failed_ = core_[failed];
}

/// Runs `solve` on the core's part of x.
template <class T>
template <class Solve>
void ComponentElimination<T>::on_core(T* x, Solve solve) const {
  if (steps_.empty()) return solve(x);
  std::vector<T> z(core_.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[core_[i]];
  solve(z.data());
  for (std::size_t i = 0; i < z.size(); ++i) x[core_[i]] = z[i];
}

template class ComponentElimination<double>;
template class ComponentElimination<numeric::ExtendedWide>;

}  // namespace kirchhoff::wfsm
