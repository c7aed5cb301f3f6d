// Vectors with a number of each graph, products of them, and the matrices of a group of graphs; for files that are
// compiled once per instruction set.
#if defined(KIRCHHOFF_LANES_MATRICES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_LANES_MATRICES_INL
#undef KIRCHHOFF_LANES_MATRICES_INL
#else
#define KIRCHHOFF_LANES_MATRICES_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>

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

// The matrices of a group: rows of `stride` doubles, the root's first, of which an element has kLanes.
struct LaneMatrices {
  std::size_t longest;  // words of the largest graph, up to which the others are filled up
  std::size_t stride;
  double* weights;  // scores at first
  double* exits;    // one row: 1 for words that fill up, else 0
  double* slopes;   // result: d log Z / d w
  double* rows;     // room for row_count() rows
  bool single_root;

  /// What is halved again and again: a power of two, so that words are parted in the same places whatever the size.
  std::size_t size() const { return std::bit_ceil(longest); }
  /// Halves of halves, each with a root's row.
  std::size_t row_count() const {
    std::size_t count = 0;
    for (std::size_t m = size(); m > 1; m /= 2) count += m + 1;
    return count;
  }
};

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_LANES_MATRICES_INL
