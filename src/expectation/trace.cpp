// T2 [Zmigrod21, fig. 3] in matrix form (docs/methods/expectations.md): with M_r = K L_r,  tr(K L_r K L_s) = sum_jl
// M_r[l,j] M_s[j,l].
//
// Column j of M_r is non-zero only for the features on arcs into j: at most Rbar = min(R, n R'). It is stored as a
// block [l][feature]:  M_r[:, j] = sum over arcs i->j of (K a_ij) (w_ij r_ij)^T.
#include "expectation/trace.hpp"

#include <algorithm>

namespace kirchhoff::expectations {
namespace {

// A column of M, restricted to the features that arcs into its word have.
struct FeatureColumn {
  std::vector<int> features;
  std::size_t ld = 0;
  std::size_t offset = 0;  // into Projection::values
};

struct Projection {
  std::vector<FeatureColumn> columns;  // one for each dependent, in elimination order
  base::Buffer values;
  double* row(const FeatureColumn& column, std::size_t l) { return values.data() + column.offset + l * column.ld; }
};

struct Entry {
  int head;   // elimination order, 0 = root
  int local;  // position in the column's feature list
  double weighted;
};

class Projector {
 public:
  Projector(const tree::TreeState& state, const double* kt, Projection& out)
      : weights_(state.weights), kt_(kt), n_(state.words), out_(out) {}

  void run(const std::vector<FeatureEntry>& entries, int num_features) {
    by_column_.assign(n_, {});
    out_.columns.assign(n_, {});
    std::vector<int> local(num_features, -1);
    std::size_t total = 0;
    for (std::size_t begin = 0; begin < entries.size();) {
      std::size_t end = begin;
      while (end < entries.size() && entries[end].dependent == entries[begin].dependent) ++end;
      gather(entries, begin, end, local);
      begin = end;
    }
    for (FeatureColumn& column : out_.columns) {
      column.ld = column.features.size();
      column.offset = total;
      total += column.ld * n_;
    }
    out_.values.take(std::max<std::size_t>(total, 1));
    for (int j = 0; j < n_; ++j) project(j);
  }

 private:
  void gather(const std::vector<FeatureEntry>& entries, std::size_t begin, std::size_t end, std::vector<int>& local) {
    const int j = weights_.node(entries[begin].dependent) - 1;
    FeatureColumn& column = out_.columns[j];
    for (std::size_t i = begin; i < end; ++i) {
      int& position = local[entries[i].feature];
      if (position < 0) {
        position = static_cast<int>(column.features.size());
        column.features.push_back(entries[i].feature);
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      const FeatureEntry& e = entries[i];
      const int head = e.head == 0 ? 0 : weights_.node(e.head);
      by_column_[j].push_back({head, local[e.feature], weights_.w.data()[head * weights_.ld + j] * e.value});
    }
    for (const int f : column.features) local[f] = -1;
  }

  // Multiplies K by column j of L_r, in O(n) per entry. Here a_ij = e_j - e_i; in single-root graphs row t belongs to
  // the root's arcs.
  void project(int j) {
    const FeatureColumn& column = out_.columns[j];
    double* values = out_.values.data() + column.offset;
    std::fill(values, values + n_ * column.ld, 0.0);
    const int t = n_ - 1;
    const bool single = weights_.root == Root::single;
    diagonal_.assign(column.features.size(), 0.0);
    for (const Entry& e : by_column_[j]) {
      if (e.head == 0 && single) {
        add(column, t, e.local, e.weighted);
        continue;
      }
      diagonal_[e.local] += e.weighted;
      if (e.head != 0 && !(single && e.head - 1 == t)) add(column, e.head - 1, e.local, -e.weighted);
    }
    if (single && j == t) return;
    for (std::size_t f = 0; f < diagonal_.size(); ++f) add(column, j, static_cast<int>(f), diagonal_[f]);
  }

  // Adds K[:, m] x to M[:, j] for one feature.
  void add(const FeatureColumn& column, int m, int feature, double x) {
    const double* k = kt_ + m * weights_.ld;
    double* values = out_.values.data() + column.offset + feature;
    for (int l = 0; l < n_; ++l) values[l * column.ld] += k[l] * x;
  }

  const tree::Weights& weights_;
  const double* kt_;
  int n_;
  Projection& out_;
  std::vector<std::vector<Entry>> by_column_;
  std::vector<double> diagonal_;
};

void subtract(int n, Projection& r, Projection& s, Matrix& covariance) {
  for (int j = 0; j < n; ++j) {
    const FeatureColumn& a = r.columns[j];
    for (int l = 0; l < n; ++l) {
      const FeatureColumn& b = s.columns[l];
      const double* x = r.row(a, l);
      const double* y = s.row(b, j);
      for (std::size_t f = 0; f < a.features.size(); ++f) {
        if (x[f] == 0.0) continue;
        double* row = covariance.data() + a.features[f] * covariance.cols();
        for (std::size_t g = 0; g < b.features.size(); ++g) row[b.features[g]] -= x[f] * y[g];
      }
    }
  }
}

}  // namespace

void subtract_traces(const tree::TreeState& state, const std::vector<FeatureEntry>& r,
                     const std::vector<FeatureEntry>& s, Matrix& covariance) {
  tree::KooInverse inverse;
  tree::koo_inverse(state.weights, state.inverse, inverse);
  const double* kt = inverse.transposed.data();
  Projection left, right;
  Projector(state, kt, left).run(r, static_cast<int>(covariance.rows()));
  const bool same = &r == &s;
  if (!same) Projector(state, kt, right).run(s, static_cast<int>(covariance.cols()));
  subtract(state.words, left, same ? left : right, covariance);
}

}  // namespace kirchhoff::expectations
