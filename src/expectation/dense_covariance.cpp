// Computes T2 for dense functions as a chain of matrix products (docs/methods/expectations.md).
//
// M_j[l, i] = w_ij (K a_ij)_l maps the features of the arcs into j to column j of K L_r: U_j = M_j r_j (n x R), V_j =
// M_j s_j. Then Cov(r, s) = sum_j ( sum_i p_ij r_ij s_ij^T - sum_l U_j[l]^T V_l[j] ). Feature rows are padded and
// aligned.
#include "base/buffer.hpp"
#include "expectation/dense_features.hpp"
#include "expectation/trace.hpp"
#include "numeric/simd/products.hpp"

#include <cstring>

namespace kirchhoff::expectations {
namespace {

using numeric::kRowBlock;
using numeric::packed_index;

// Packs the weighted K a_ij as a left factor: its rows are l, its depth the heads i = 0..n in elimination order.
void weighted_columns(const tree::TreeState& state, const double* kt, int j, double* packed, std::size_t stride) {
  const tree::Weights& weights = state.weights;
  const int n = weights.n, t = n - 1;
  const bool single = weights.root == Root::single;
  const double* own = kt + j * weights.ld;
  for (int i = 0; i <= n; ++i) {
    const double w = weights.w.data()[i * weights.ld + j];
    const double* plus = i == 0 ? (single ? kt + t * weights.ld : own) : (single && j == t ? nullptr : own);
    const double* minus = i == 0 || (single && i - 1 == t) ? nullptr : kt + (i - 1) * weights.ld;
    for (int l = 0; l < n; l += kRowBlock) {
      double* out = packed + packed_index(l, i, stride);
      for (std::size_t x = 0; x < kRowBlock; ++x) {
        out[x] = w * ((plus ? plus[l + x] : 0.0) - (minus ? minus[l + x] : 0.0));
      }
    }
  }
}

// The features of the arcs into each word, in elimination order, aligned: [j][head][feature].
double* in_elimination_order(const tree::TreeState& state, const Features& f, std::size_t ld, base::Buffer& storage) {
  const int n = state.words;
  const std::size_t block = (n + 1) * ld;
  double* out = storage.take(n * block);
  for (int j = 0; j < n; ++j) {
    const double* from = FeaturesAccess::dense(f).data() + (state.weights.node(j + 1) - 1) * block;
    for (int i = 0; i <= n; ++i) {
      const int head = i == 0 ? 0 : state.weights.node(i);
      std::memcpy(out + j * block + i * ld, from + head * ld, ld * sizeof(double));
    }
  }
  return out;
}

// Packs transposed rows as a left factor, in which element (feature, k) is scale[k] rows[k][feature].
void pack_features(std::size_t count, const double* rows, std::size_t ld, const double* scale, std::size_t scale_step,
                   double* packed, std::size_t stride) {
  for (std::size_t f = 0; f < ld; f += kRowBlock) {
    double* out = packed + packed_index(f, 0, stride);
    for (std::size_t k = 0; k < count; ++k) {
      const double s = scale ? scale[k * scale_step] : -1.0;
      for (std::size_t x = 0; x < kRowBlock; ++x) out[k * kRowBlock + x] = s * rows[k * ld + f + x];
    }
  }
}

}  // namespace

Matrix dense_covariance(const tree::TreeState& state, const Features& r, const Features& s) {
  const std::size_t n = state.words, depth = n + 1;
  thread_local tree::KooInverse inverse;
  tree::koo_inverse(state.weights, state.inverse, inverse);
  const std::size_t r_ld = base::padded(r.size()), s_ld = base::padded(s.size());
  const bool same = &r == &s;
  base::Buffer r_storage, s_storage, u_storage, v_storage, packed_storage, sum_storage;  // may be large: not kept
  const double* r_rows = in_elimination_order(state, r, r_ld, r_storage);
  const double* s_rows = same ? r_rows : in_elimination_order(state, s, s_ld, s_storage);
  double* u = u_storage.take(n * n * r_ld);
  double* v = same ? u : v_storage.take(n * n * s_ld);
  const std::size_t stride = kRowBlock * depth;
  double* packed = packed_storage.take(stride * base::padded(std::max(n, r_ld)) / kRowBlock);
  std::vector<double*> out(std::max(n, static_cast<std::size_t>(r.size())));

  const auto project = [&](std::size_t j, const double* rows, std::size_t ld, double* blocks) {
    for (std::size_t l = 0; l < n; ++l) out[l] = blocks + (j * n + l) * ld;
    numeric::multiply_rows({packed, n, stride}, {rows + j * depth * ld, depth, ld, ld}, nullptr, out.data());
  };
  for (std::size_t j = 0; j < n; ++j) {
    weighted_columns(state, inverse.transposed.data(), static_cast<int>(j), packed, stride);
    project(j, r_rows, r_ld, u);
    if (!same) project(j, s_rows, s_ld, v);
  }

  const numeric::PackedFactor factor{packed, static_cast<std::size_t>(r.size()), stride};
  double* sum = sum_storage.take(r.size() * s_ld);
  std::fill(sum, sum + r.size() * s_ld, 0.0);
  for (int f = 0; f < r.size(); ++f) out[f] = sum + f * s_ld;
  for (std::size_t j = 0; j < n; ++j) {
    pack_features(depth, r_rows + j * depth * r_ld, r_ld, state.p.data() + j, state.weights.ld, packed, stride);
    numeric::multiply_rows(factor, {s_rows + j * depth * s_ld, depth, s_ld, s_ld}, out.data(), out.data());
    // V_l[j] for l = 0, 1, ...: rows of v that lie n blocks apart.
    pack_features(n, u + j * n * r_ld, r_ld, nullptr, 0, packed, stride);
    numeric::multiply_rows(factor, {v + j * s_ld, n, s_ld, n * s_ld}, out.data(), out.data());
  }
  Matrix covariance(r.size(), s.size());
  for (int f = 0; f < r.size(); ++f) covariance.row(f) = Eigen::Map<Eigen::RowVectorXd>(out[f], s.size());
  return covariance;
}

}  // namespace kirchhoff::expectations
