// The inside and outside recursions of [Eisner96], a vector of spans of one width at a time.
//
//     S(a,b) = sum_k R(a,k) L(k+1,b)      IR(a,b) = w(a->b) S(a,b)      IL(a,b) = w(b->a) S(a,b)
//     R(a,b) = sum_k IR(a,k) R(k,b)       L(a,b) = sum_k L(a,k) IL(k,b)
// A bar marks the derivative of Z with respect to a quantity; each is the sum over the places where it is used:
//     R'(a,b) = sum_{i<a} R'(i,b) IR(i,a) + sum_{j>b} S'(a,j) L(b+1,j)     IR'(a,b) = sum_{j>=b} R'(a,j) R(b,j)
//     L'(a,b) = sum_{j>b} L'(a,j) IL(b,j) + sum_{i<a} S'(i,b) R(i,a-1)     IL'(a,b) = sum_{i<=a} L'(i,b) L(i,a)
//     S'(a,b) = w(a->b) IR'(a,b) + w(b->a) IL'(a,b)
#include "projective/kernels/spans.hpp"

#include "base/stop.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "projective/kernels/spans.cpp"
#include "numeric/simd/highway.hpp"
#include "tree/kernels/exponential-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::projective::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

constexpr std::size_t kLook = 16;  // widths from one look whether to go on to the next

template <int C>
struct Jets {
  V c[C];
};

template <int C>
HWY_INLINE Jets<C> load(const double* x, std::size_t size) {
  Jets<C> result;
  for (int c = 0; c < C; ++c) result.c[c] = hn::LoadU(D(), x + c * size);
  return result;
}
template <int C>
HWY_INLINE Jets<C> none() {
  Jets<C> result;
  for (int c = 0; c < C; ++c) result.c[c] = hn::Zero(D());
  return result;
}
template <int C>
HWY_INLINE void add_to(Jets<C>& sum, const Jets<C>& x) {
  for (int c = 0; c < C; ++c) sum.c[c] = hn::Add(sum.c[c], x.c[c]);
}
template <int C>
HWY_INLINE void add_product(Jets<C>& sum, const Jets<C>& a, const Jets<C>& b) {
  sum.c[0] = hn::MulAdd(a.c[0], b.c[0], sum.c[0]);
  for (int c = 1; c < C && c < 3; ++c) {
    sum.c[c] = hn::MulAdd(a.c[0], b.c[c], hn::MulAdd(a.c[c], b.c[0], sum.c[c]));
  }
  if constexpr (C == 4) {
    const V mixed = hn::MulAdd(a.c[1], b.c[2], hn::Mul(a.c[2], b.c[1]));
    sum.c[3] = hn::Add(hn::MulAdd(a.c[0], b.c[3], hn::MulAdd(a.c[3], b.c[0], sum.c[3])), mixed);
  }
}
template <int C>
HWY_INLINE void add_product(Jets<C>& sum, const double* a, const double* b, std::size_t size) {
  add_product(sum, load<C>(a, size), load<C>(b, size));
}
template <int C>
HWY_INLINE Jets<C> product(const Jets<C>& a, const Jets<C>& b) {
  Jets<C> result = none<C>();
  add_product(result, a, b);
  return result;
}
template <int C>
HWY_INLINE void store(const Jets<C>& x, double* out, std::size_t size) {
  for (int c = 0; c < C; ++c) hn::StoreU(x.c[c], D(), out + c * size);
}
// Without values too small to matter, whose products could be denormal.
template <int C>
HWY_INLINE Jets<C> without_negligible(Jets<C> x) {
  const auto keep = hn::Ge(x.c[0], hn::Set(D(), kNegligibleSpan));
  for (int c = 0; c < C; ++c) x.c[c] = hn::IfThenElseZero(keep, x.c[c]);
  return x;
}
// Vectors reach beyond the end of a row: what they wrote there is made 0 again.
template <int C>
HWY_INLINE void clear_pad(double* row_end, std::size_t size) {
  for (int c = 0; c < C; ++c) std::fill_n(row_end + c * size, kRowPad, 0.0);
}

template <int C>
HWY_INLINE void inside_width(const SpanCharts& x, std::size_t w) {
  const std::size_t step = x.step, size = x.size, count = (x.nodes - w) * step, row = x.rows[w];
  for (std::size_t a = 0; a < count; a += hn::Lanes(D())) {
    Jets<C> split = none<C>();
    for (std::size_t k = 0; k < w; ++k) {
      add_product(split, x.right + x.rows[k] + a, x.left + x.rows[w - 1 - k] + a + (k + 1) * step, size);
    }
    Jets<C> right = without_negligible(product(split, load<C>(x.weight_right + row + a, size)));
    Jets<C> left = without_negligible(product(split, load<C>(x.weight_left + row + a, size)));
    store(right, x.arc_right + row + a, size);
    store(left, x.arc_left + row + a, size);
    for (std::size_t k = 1; k < w; ++k) {
      add_product(right, x.arc_right + x.rows[k] + a, x.right + x.rows[w - k] + a + k * step, size);
      add_product(left, x.left + x.rows[k] + a, x.arc_left + x.rows[w - k] + a + k * step, size);
    }
    store(without_negligible(right), x.right + row + a, size);
    store(without_negligible(left), x.left + row + a, size);
  }
  for (double* chart : {x.right, x.left, x.arc_right, x.arc_left}) clear_pad<C>(chart + row + count, size);
}

template <int C>
HWY_INLINE void outside_width(const SpanCharts& x, std::size_t w) {
  const std::size_t step = x.step, size = x.size, count = (x.nodes - w) * step, row = x.rows[w];
  const std::size_t wider = x.nodes - 1 - w, lanes = hn::Lanes(D());
  for (std::size_t a = 0; a < count; a += lanes) {
    Jets<C> right = load<C>(x.right_bar + row + a, size), left = load<C>(x.left_bar + row + a, size);
    Jets<C> arc_right = none<C>(), arc_left = none<C>();
    const std::size_t before = std::min(wider, (a + lanes - 1) / step), after = wider - a / step;
    for (std::size_t m = 1; m <= before; ++m) {  // spans that begin m nodes earlier
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(a) - static_cast<std::ptrdiff_t>(m * step);
      const std::size_t other = x.rows[w + m];
      add_product(right, x.right_bar + other + at, x.arc_right + x.rows[m] + at, size);
      add_product(left, x.split_bar + other + at, x.right + x.rows[m - 1] + at, size);
      add_product(arc_left, x.left_bar + other + at, x.left + x.rows[m] + at, size);
    }
    for (std::size_t m = 1; m <= after; ++m) {  // spans that end m nodes later
      const std::size_t other = x.rows[w + m] + a, end = a + w * step;
      add_product(right, x.split_bar + other, x.left + x.rows[m - 1] + end + step, size);
      add_product(left, x.left_bar + other, x.arc_left + x.rows[m] + end, size);
      add_product(arc_right, x.right_bar + other, x.right + x.rows[m] + end, size);
    }
    right = without_negligible(right);
    left = without_negligible(left);
    store(right, x.right_bar + row + a, size);
    store(left, x.left_bar + row + a, size);
    add_to(arc_right, right);
    add_to(arc_left, left);
    Jets<C> split = product(arc_right, load<C>(x.weight_right + row + a, size));
    add_product(split, arc_left, load<C>(x.weight_left + row + a, size));
    store(without_negligible(split), x.split_bar + row + a, size);
    store(product(arc_right, load<C>(x.arc_right + row + a, size)), x.weight_right + row + a, size);
    store(product(arc_left, load<C>(x.arc_left + row + a, size)), x.weight_left + row + a, size);
  }
  for (double* chart : {x.right_bar, x.left_bar, x.split_bar}) clear_pad<C>(chart + row + count, size);
}

template <int C>
HWY_INLINE void inside(const SpanCharts& x) {
  std::fill_n(x.right + x.rows[0], x.nodes * x.step, 1.0);
  std::fill_n(x.left + x.rows[0], x.nodes * x.step, 1.0);
  for (std::size_t w = 1; w < x.nodes; ++w) {
    if (w % kLook == 0) StopScope::check();
    inside_width<C>(x, w);
  }
}
template <int C>
HWY_INLINE void outside(const SpanCharts& x) {
  for (std::size_t w = x.nodes - 1; w > 0; --w) {
    if (w % kLook == 0) StopScope::check();
    outside_width<C>(x, w);
  }
}

void Exponentials(double* x, std::size_t size) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(tree::HWY_NAMESPACE::exp_below(D(), hn::LoadU(D(), x + i)), D(), x + i);
  }
  double rest[kRowPad] = {};
  std::copy(x + i, x + size, rest);
  hn::StoreU(tree::HWY_NAMESPACE::exp_below(D(), hn::LoadU(D(), rest)), D(), rest);
  std::copy_n(rest, size - i, x + i);
}
void InsideSpans(const SpanCharts& x) {
  x.components == 1 ? inside<1>(x) : x.components == 2 ? inside<2>(x) : inside<4>(x);
}
void OutsideSpans(const SpanCharts& x) {
  x.components == 1 ? outside<1>(x) : x.components == 2 ? outside<2>(x) : outside<4>(x);
}

}  // namespace kirchhoff::projective::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::projective {
HWY_EXPORT(Exponentials);
HWY_EXPORT(InsideSpans);
HWY_EXPORT(OutsideSpans);

void exponentials(double* x, std::size_t size) {
  static const auto kernel = KIRCHHOFF_KERNEL(Exponentials);
  kernel(x, size);
}
void inside_spans(const SpanCharts& charts) {
  static const auto kernel = KIRCHHOFF_KERNEL(InsideSpans);
  kernel(charts);
}
void outside_spans(const SpanCharts& charts) {
  static const auto kernel = KIRCHHOFF_KERNEL(OutsideSpans);
  kernel(charts);
}
}  // namespace kirchhoff::projective
#endif
