// Elementwise last steps: from slopes (derivatives of log Z w.r.t. weights) to marginals, with the certificate.
#include "core/kernels.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/combine.cpp"
#include "core/highway.hpp"
#include "core/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::core::HWY_NAMESPACE {
bool CertifiedMarginals(std::size_t n, std::size_t cols, const MarginalTerms& terms, double scale, double tolerance,
                        double floor, double* HWY_RESTRICT p, std::size_t stride) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V scale_v = hn::Set(d, scale), tol = hn::Set(d, tolerance), low = hn::Set(d, floor), one = hn::Set(d, 1.0);
  auto good = hn::Eq(hn::Zero(d), hn::Zero(d));
  HWY_ALIGN double transposed[kRowBlock * kRowBlock];
  for (std::size_t first = 0; first < n; first += kRowBlock) {
    const std::size_t last = std::min(first + kRowBlock, n);
    for (std::size_t col = 0; col < cols; col += kRowBlock) {
      transpose_all(kRowBlock, kRowBlock, terms.d + col * cols + first, cols, transposed, kRowBlock);
      for (std::size_t part = 0; part < kRowBlock && col + part < n; part += lanes) {
        const std::size_t c = col + part;
        const bool whole = c + lanes <= n;
        const auto inside = hn::FirstN(d, n - c);
        const V g = hn::Load(d, terms.g + c), base = hn::Load(d, terms.base + c), a = hn::Load(d, terms.a + c);
        for (std::size_t i = first; i < last; ++i) {
          const V w = hn::Load(d, terms.w + i * cols + c);
          const V first_order = hn::Mul(hn::Set(d, terms.u[i]), g);
          const V keep = hn::Set(d, i == terms.bare ? 0.0 : 1.0);
          const V slope = hn::NegMulAdd(keep, hn::Load(d, transposed + (i - first) * kRowBlock + part), base);
          const V product = hn::Mul(w, hn::Add(slope, first_order));
          const V size = hn::Add(a, first_order);
          good = hn::And(good, hn::Le(hn::Mul(hn::Mul(w, scale_v), size), hn::Mul(tol, hn::Max(product, low))));
          const V clamped = hn::Min(hn::Max(product, hn::Zero(d)), one);
          double* const place = p + i * stride + c;
          if (whole) {
            hn::StoreU(clamped, d, place);
          } else {
            hn::BlendedStore(clamped, inside, d, place);
          }
        }
      }
    }
  }
  return hn::AllTrue(d, good);
}

Range AbsorptionSlopes(std::size_t n, std::size_t cols, const double* HWY_RESTRICT root,
                       const double* HWY_RESTRICT word, bool root_counts, double scale, double* HWY_RESTRICT g) {
  const D d;
  const V sv = hn::Set(d, scale), counts = hn::Set(d, root_counts ? 1.0 : 0.0);
  V least = hn::Set(d, std::numeric_limits<double>::infinity()), most = hn::Zero(d);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < cols; c += lanes) {
    const V a = hn::Load(d, root + c);
    const V total = hn::MulAdd(a, counts, hn::Load(d, word + c));
    hn::Store(hn::Mul(hn::Div(a, total), sv), d, g + c);
    const V inside = c + lanes <= n ? a : hn::IfThenElse(hn::FirstN(d, n > c ? n - c : 0), a, hn::Set(d, 1.0));
    least = hn::Min(least, inside);
    most = hn::Max(most, inside);
  }
  return {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most))};
}

}  // namespace kirchhoff::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::core {
HWY_EXPORT(CertifiedMarginals);
HWY_EXPORT(AbsorptionSlopes);

bool certified_marginals(std::size_t n, std::size_t cols, const MarginalTerms& terms, double scale, double tolerance,
                         double floor, double* p, std::size_t stride) {
  static const auto kernel = KIRCHHOFF_KERNEL(CertifiedMarginals);
  return kernel(n, cols, terms, scale, tolerance, floor, p, stride);
}

Range absorption_slopes(std::size_t n, std::size_t cols, const double* root, const double* word, bool root_counts,
                        double scale, double* g) {
  static const auto kernel = KIRCHHOFF_KERNEL(AbsorptionSlopes);
  return kernel(n, cols, root, word, root_counts, scale, g);
}
}  // namespace kirchhoff::core
#endif
