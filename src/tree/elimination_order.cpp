// Exchanges the word that elimination puts last with word n, in rows and columns.
#include "tree/elimination_order.hpp"

#include <algorithm>
#include <cstring>

namespace kirchhoff::tree {

void to_elimination_order(const Weights& weights, const double* matrix, std::ptrdiff_t stride, double* rows) {
  for (int r = 0; r <= weights.n; ++r) {
    double* out = rows + r * weights.ld;
    const double* in = matrix + weights.node(r) * stride;
    std::memcpy(out, in + 1, weights.n * sizeof(double));
    std::swap(out[weights.last - 1], out[weights.n - 1]);
    std::fill(out + weights.n, out + weights.ld, 0.0);
  }
}

void from_elimination_order(const Weights& weights, const double* rows, double* matrix, std::ptrdiff_t stride) {
  for (int r = 0; r <= weights.n; ++r) {
    double* out = matrix + weights.node(r) * stride;
    out[0] = 0.0;
    std::memcpy(out + 1, rows + r * weights.ld, weights.n * sizeof(double));
    std::swap(out[weights.last], out[weights.n]);
    if (r > 0) out[weights.node(r)] = 0.0;
  }
}

void put_words_back(const Weights& weights, double* matrix, std::ptrdiff_t stride) {
  const std::ptrdiff_t last = weights.last, n = weights.n;
  if (last != n) std::swap_ranges(matrix + last * stride + 1, matrix + last * stride + 1 + n, matrix + n * stride + 1);
  for (std::ptrdiff_t r = 0; r <= n; ++r) {
    double* const row = matrix + r * stride;
    row[0] = 0.0;
    std::swap(row[last], row[n]);
    if (r > 0) row[r] = 0.0;
  }
}

}  // namespace kirchhoff::tree
