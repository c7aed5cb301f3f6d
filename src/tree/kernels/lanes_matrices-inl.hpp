// Numbers with a lane for each graph, alone or with their derivatives, products of them, and the matrices of a group of
// graphs; for files that are compiled once per instruction set.
#if defined(KIRCHHOFF_LANES_MATRICES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_MATRICES_INL
#undef KIRCHHOFF_LANES_MATRICES_INL
#else
#define KIRCHHOFF_LANES_MATRICES_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

/// As many doubles as a vector has.
inline constexpr std::size_t kLanes = hn::MaxLanes(D());

HWY_INLINE V at(const double* row, std::size_t i) { return hn::Load(D(), row + i * kLanes); }
HWY_INLINE void put(double* row, std::size_t i, V x) { hn::Store(x, D(), row + i * kLanes); }

// A number and its derivative along a direction of the scores. Elimination is written once, for these and for plain
// vectors.
struct Dual {
  V value, tangent;
};
template <class N>
inline constexpr bool kIsDual = std::is_same_v<N, Dual>;
template <class N>
inline constexpr std::size_t kSize = kIsDual<N> ? 2 * kLanes : kLanes;  // doubles

HWY_INLINE V value_of(V x) { return x; }
HWY_INLINE V value_of(const Dual& x) { return x.value; }
// A number that does not depend on the scores.
template <class N>
HWY_INLINE N constant(V x) {
  if constexpr (kIsDual<N>) {
    return {x, hn::Zero(D())};
  } else {
    return x;
  }
}
// The tangent of a number lies `plane` doubles behind its value.
template <class N>
HWY_INLINE N load(const double* from, [[maybe_unused]] std::size_t plane) {
  if constexpr (kIsDual<N>) {
    return {hn::Load(D(), from), hn::Load(D(), from + plane)};
  } else {
    return hn::Load(D(), from);
  }
}
HWY_INLINE void store(V x, double* to, std::size_t) { hn::Store(x, D(), to); }
HWY_INLINE void store(const Dual& x, double* to, std::size_t plane) {
  hn::Store(x.value, D(), to);
  hn::Store(x.tangent, D(), to + plane);
}

HWY_INLINE V add(V a, V b) { return hn::Add(a, b); }
HWY_INLINE Dual add(const Dual& a, const Dual& b) { return {hn::Add(a.value, b.value), hn::Add(a.tangent, b.tangent)}; }
HWY_INLINE V multiply(V a, V b) { return hn::Mul(a, b); }
HWY_INLINE Dual multiply(V a, const Dual& b) { return {hn::Mul(a, b.value), hn::Mul(a, b.tangent)}; }
HWY_INLINE Dual multiply(const Dual& a, const Dual& b) {
  return {hn::Mul(a.value, b.value), hn::MulAdd(a.value, b.tangent, hn::Mul(a.tangent, b.value))};
}
HWY_INLINE V multiply_add(V a, V b, V c) { return hn::MulAdd(a, b, c); }
HWY_INLINE Dual multiply_add(V a, const Dual& b, const Dual& c) {
  return {hn::MulAdd(a, b.value, c.value), hn::MulAdd(a, b.tangent, c.tangent)};
}
HWY_INLINE Dual multiply_add(const Dual& a, const Dual& b, const Dual& c) {
  return {hn::MulAdd(a.value, b.value, c.value),
          hn::MulAdd(a.tangent, b.value, hn::MulAdd(a.value, b.tangent, c.tangent))};
}
// 1 / x, given the reciprocal of its value.
HWY_INLINE V reciprocal(V, V inverse) { return inverse; }
HWY_INLINE Dual reciprocal(const Dual& x, V inverse) {
  return {inverse, hn::Mul(hn::Neg(inverse), hn::Mul(inverse, x.tangent))};
}
HWY_INLINE V choose(M which, V a, V b) { return hn::IfThenElse(which, a, b); }
HWY_INLINE Dual choose(M which, const Dual& a, const Dual& b) {
  return {hn::IfThenElse(which, a.value, b.value), hn::IfThenElse(which, a.tangent, b.tangent)};
}

// A product of positive numbers, as a mantissa in [1, 2) and an exponent.
//
// Constructors are written out, here and below: implicit ones do not get the options of the instruction set.
class LaneProduct {
 public:
  HWY_INLINE LaneProduct() : mantissa_(hn::Set(D(), 1.0)), exponent_(hn::Zero(kBits)) {}
  HWY_INLINE void multiply(V x) {
    const auto bits = hn::BitCast(kBits, hn::Mul(mantissa_, x));
    const auto exponent = hn::Sub(hn::ShiftRight<52>(bits), hn::Set(kBits, 1023));
    exponent_ = hn::Add(exponent_, exponent);
    mantissa_ = hn::BitCast(D(), hn::Sub(bits, hn::ShiftLeft<52>(exponent)));
  }
  V mantissa() const { return mantissa_; }
  hn::Vec<hn::RebindToSigned<D>> exponent() const { return exponent_; }

 private:
  static constexpr hn::RebindToSigned<D> kBits{};
  V mantissa_;
  hn::Vec<hn::RebindToSigned<D>> exponent_;
};

inline constexpr std::size_t kLeaves = 4;         // words of which each is left alone, without halving them again
inline constexpr std::size_t kWordsTogether = 4;  // words that are eliminated together: their rows are read once

// The matrices of a group: rows of `stride` doubles, the root's first, of which an element has kLanes. Where numbers
// have derivatives, a row is two planes: the values, and the tangents.
struct LaneMatrices {
  std::size_t longest;  // words of the largest graph, up to which the others are filled up
  std::size_t plane, stride;
  double* weights;  // scores at first, and their direction
  double* exits;    // one plane: 1 for words that fill up, else 0
  double* totals;   // one row: sums of the columns that elimination does not change, of the weights that count
  double* inverse;  // one row: of these, 1 for 0
  double* slopes;   // result: d log Z / d w
  double* rows;     // room for row_count() rows
  double* factors;  // room for longest * kWordsTogether numbers
  bool single_root;

  /// What is halved again and again: a power of two, so that words are parted in the same places whatever the size.
  std::size_t size() const { return std::bit_ceil(longest); }
  /// Halves of halves, each with a root's row.
  std::size_t row_count() const {
    std::size_t count = 0;
    for (std::size_t m = size(); m > kLeaves; m /= 2) count += m + 1;
    return count;
  }
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_MATRICES_INL
