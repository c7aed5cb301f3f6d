// Eliminates with the sign-free in-place Gauss-Jordan method of tree/fast/fast.cpp.
//
// With x = -(off-diagonal of L) >= 0, rows 0 .. n-1 the words and row n the root, the step for pivot v reads
//     s = sum of x over the rows not yet eliminated       (GTH: never by subtraction)
//     row v:  x_v* <- x_v* / s, x_vv <- 1 / s;     row r:  x_r* <- x_r* + x_rv x_v*, x_rv <- x_rv / s
// and adds non-negative numbers only. Eight pivots go together: their 8 x 8 block is eliminated with the other rows
// represented by their sum (which elimination maps like any row), then all other rows follow by one product with the
// new pivot rows. Beyond kSmall words, this is done within blocks of columns, and the rest follows by a larger
// product.
#include "tree/kernels/gauss_jordan.hpp"
#include "base/buffer.hpp"
#include "base/stop.hpp"

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/gauss_jordan.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
using namespace numeric::HWY_NAMESPACE;  // NOLINT: vectors and products, for this instruction set

constexpr std::size_t kWidth = 8;  // the number of pivots in a panel
// Storing a vector delays the FMA units by about two FMAs, so results should be stored seldom: once for a block of
// pivots. 24 columns are one strip of products; where the matrix leaves the second-level cache, memory asks for more.
constexpr std::size_t kBlock = 24, kLargeBlock = 64;
constexpr std::size_t kSmall = 64, kMedium = 256;           // words: no blocks, small blocks
constexpr std::size_t kParts = kWidth / hn::MaxLanes(D());  // vectors per panel row

struct Row {
  V part[kParts];
};

HWY_INLINE Row load(const double* x) {
  Row row;
  for (std::size_t p = 0; p < kParts; ++p) row.part[p] = hn::LoadU(D(), x + p * hn::Lanes(D()));
  return row;
}
HWY_INLINE void store(const Row& row, double* x) {
  for (std::size_t p = 0; p < kParts; ++p) hn::StoreU(row.part[p], D(), x + p * hn::Lanes(D()));
}
HWY_INLINE Row plus(const Row& a, const Row& b) {
  Row row;
  for (std::size_t p = 0; p < kParts; ++p) row.part[p] = hn::Add(a.part[p], b.part[p]);
  return row;
}
HWY_INLINE Row minus(const Row& a, const Row& b) {
  Row row;
  for (std::size_t p = 0; p < kParts; ++p) row.part[p] = hn::Sub(a.part[p], b.part[p]);
  return row;
}
HWY_INLINE Row times(const Row& a, const Row& b) {
  Row row;
  for (std::size_t p = 0; p < kParts; ++p) row.part[p] = hn::Mul(a.part[p], b.part[p]);
  return row;
}
HWY_INLINE Row constant(double x) {
  Row row;
  for (std::size_t p = 0; p < kParts; ++p) row.part[p] = hn::Set(D(), x);
  return row;
}

struct InPlaceElimination {
  std::size_t n;
  double* x;
  std::size_t ld;
  bool sum_root;
  double smallest;
  double* pivots;
  double* saved;    // kWidth x ld
  double* factors;  // (n+1) x kWidth, or the longest block
};

// Row q: ones but for column q; row kWidth + count: ones from column `count` on. (Tables, because a vector load
// straight after scalar stores to the same bytes stalls.)
struct Masks {
  alignas(64) double value[2 * kWidth + 1][kWidth] = {};
  constexpr Masks() {
    for (std::size_t q = 0; q < kWidth; ++q) {
      for (std::size_t i = 0; i < kWidth; ++i) value[q][i] = i == q ? 0.0 : 1.0;
    }
    for (std::size_t count = 0; count <= kWidth; ++count) {
      for (std::size_t i = 0; i < kWidth; ++i) value[kWidth + count][i] = i < count ? 0.0 : 1.0;
    }
  }
};
constexpr Masks kMasks;

// Returns lane q of a row in all lanes.
template <std::size_t kQ>
HWY_INLINE V lane_of(const Row& row) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  using Index = hwy::MakeSigned<double>;
  alignas(64) static constexpr auto kIndex = [] {
    std::array<Index, kLanes> index{};
    index.fill(kQ % kLanes);
    return index;
  }();
  return hn::TableLookupLanes(row.part[kQ / kLanes], hn::SetTableIndices(D(), kIndex.data()));
}

// Eliminates one pivot. The sums are rows too as far as elimination is concerned: sum[k] is that of all rows after k.
template <std::size_t kQ>
HWY_INLINE bool eliminate(Row* row, Row* sum, double smallest, double* pivots) {
  const double s = hn::GetLane(lane_of<kQ>(sum[kQ]));
  pivots[kQ] = s;
  if (!(s >= smallest)) return false;
  const Row keep = load(kMasks.value[kQ]);
  const Row pivot = times(plus(times(row[kQ], keep), minus(constant(1.0), keep)), constant(1.0 / s));
  // Column q is cleared in the other rows, so that it becomes factor / s.
  const auto follow = [&](Row& other) HWY_ATTR {
    const V factor = lane_of<kQ>(other);
    for (std::size_t p = 0; p < kParts; ++p) {
      other.part[p] = hn::MulAdd(factor, pivot.part[p], hn::Mul(other.part[p], keep.part[p]));
    }
  };
  for (std::size_t k = 0; k < kWidth; ++k) {
    if (k != kQ) follow(row[k]);
    if (k > kQ) follow(sum[k]);
  }
  row[kQ] = pivot;
  return true;
}

// Eliminates the pivots' own rows: block[k] is row begin + k of the panel, rest the sum of the rows after them.
template <std::size_t... kQ>
HWY_INLINE bool eliminate_block(double* block, const Row& rest, std::size_t count, double smallest, double* pivots,
                                std::index_sequence<kQ...>) {
  Row row[kWidth], sum[kWidth];
  ((row[kQ] = kQ < count ? load(block + kQ * kWidth) : constant(0.0)), ...);
  sum[kWidth - 1] = rest;
  ((kQ > 0 ? void(sum[kWidth - 1 - kQ] = plus(sum[kWidth - kQ], row[kWidth - kQ])) : void()), ...);
  const bool good = ((kQ >= count || eliminate<kQ>(row, sum, smallest, pivots)) && ...);
  for (std::size_t k = 0; k < count; ++k) store(row[k], block + k * kWidth);
  return good;
}

// Moves columns [begin, begin + kWidth) of rows [first, last) to `factors` and clears the first `count` of them.
HWY_INLINE void take_factors(const InPlaceElimination& p, std::size_t begin, std::size_t count, std::size_t first,
                             std::size_t last) {
  const Row keep = load(kMasks.value[kWidth + count]);
  double* x = p.x + first * p.ld + begin;
  double* factors = p.factors;
  for (std::size_t r = first; r < last; ++r, x += p.ld, factors += kWidth) {
    const Row row = load(x);
    store(row, factors);
    store(times(row, keep), x);
  }
}

// Sums columns [begin, begin + kWidth) over rows [first, last), four at a time, as one sum would wait for every add.
HWY_INLINE Row sum_of(const InPlaceElimination& p, std::size_t begin, std::size_t first, std::size_t last) {
  Row sum[4] = {constant(0.0), constant(0.0), constant(0.0), constant(0.0)};
  const double* x = p.x + first * p.ld + begin;
  std::size_t r = first;
  for (; r + 4 <= last; r += 4, x += 4 * p.ld) {
    for (std::size_t i = 0; i < 4; ++i) sum[i] = plus(sum[i], load(x + i * p.ld));
  }
  for (; r < last; ++r, x += p.ld) sum[0] = plus(sum[0], load(x));
  return plus(plus(sum[0], sum[1]), plus(sum[2], sum[3]));
}

// A panel of pivots that applies to columns [left, right).
struct Panel {
  std::size_t begin, end, left, right;
  std::size_t count() const { return end - begin; }
};

// Computes the new pivot rows in columns [first, last): block times the old ones, which stand in `saved`. This and the
// next function are not inlined, because products are long and each of them is called from two places.
HWY_NOINLINE void replace_pivot_rows(const InPlaceElimination& p, const Panel& panel, const double* block,
                                     std::size_t first, std::size_t last) {
  const std::size_t count = panel.count();
  multiply(count, first, last, count, RowMajor<kWidth>{block}, p.saved, p.ld, NoSource{},
           RegularRows{p.x + panel.begin * p.ld, p.ld});
}

// Adds the new pivot rows to rows [first, last), none of which is a pivot's.
HWY_NOINLINE void add_pivot_rows(const InPlaceElimination& p, const Panel& panel, std::size_t first, std::size_t last) {
  if (first >= last) return;
  const std::size_t count = panel.count();
  take_factors(p, panel.begin, count, first, last);
  const RegularRows rows{p.x + first * p.ld, p.ld};
  multiply(last - first, panel.left, panel.right, count, RowMajor<kWidth>{p.factors}, p.x + panel.begin * p.ld, p.ld,
           rows, rows);
}

// Eliminates the pivots of one panel, unless one of them is too small.
HWY_INLINE bool eliminate_panel(const InPlaceElimination& p, const Panel& panel) {
  const auto [begin, end, left, right] = panel;
  const std::size_t count = panel.count();
  HWY_ALIGN double block[kWidth * kWidth];
  const Row rest = sum_of(p, begin, end, p.n + (p.sum_root ? 1 : 0));
  for (std::size_t k = 0; k < count; ++k) store(load(p.x + (begin + k) * p.ld + begin), block + k * kWidth);
  if (!eliminate_block(block, rest, count, p.smallest, p.pivots + begin, std::make_index_sequence<kWidth>()))
    return false;

  for (std::size_t k = 0; k < count; ++k) {
    const double* row = p.x + (begin + k) * p.ld;
    for (std::size_t c = left; c < right; c += hn::Lanes(D())) {
      hn::Store(hn::Load(D(), row + c), D(), p.saved + k * p.ld + c);
    }
  }
  // The panel's own columns are the block itself.
  replace_pivot_rows(p, panel, block, left, begin);
  replace_pivot_rows(p, panel, block, begin + kWidth, right);
  for (std::size_t k = 0; k < count; ++k) store(load(block + k * kWidth), p.x + (begin + k) * p.ld + begin);

  add_pivot_rows(p, panel, 0, begin);
  add_pivot_rows(p, panel, end, p.n + 1);
  return true;
}

// Applies the pivots [begin, begin + depth) to kV vectors of columns from `col` on: rows += factors * old pivot rows;
// the pivot rows themselves are replaced, hence cleared first.
template <std::size_t kLongest, std::size_t kV>
HWY_INLINE void update_strip(const InPlaceElimination& p, std::size_t begin, std::size_t depth, std::size_t col) {
  const D d;
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  HWY_ALIGN double old[kLongest * kV * kLanes];
  for (std::size_t k = 0; k < depth; ++k) {
    double* x = p.x + (begin + k) * p.ld + col;
    for (std::size_t v = 0; v < kV; ++v) {
      hn::Store(hn::Load(d, x + v * kLanes), d, old + (k * kV + v) * kLanes);
      hn::Store(hn::Zero(d), d, x + v * kLanes);
    }
  }
  const RegularRows rows{p.x, p.ld};
  column_strip<kV>(p.n + 1, depth, RowMajor<kLongest>{p.factors}, old, kV * kLanes, rows, rows, col);
}

// Applies the pivots [begin, end) to the columns [first, last).
template <std::size_t kLongest>
HWY_NOINLINE void update(const InPlaceElimination& p, std::size_t begin, std::size_t end, std::size_t first,
                         std::size_t last) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  std::size_t col = first;
  for (; col + kVectors * kLanes <= last; col += kVectors * kLanes) {
    update_strip<kLongest, kVectors>(p, begin, end - begin, col);
  }
  if (last - col == 2 * kLanes) update_strip<kLongest, 2>(p, begin, end - begin, col);
  if (last - col == kLanes) update_strip<kLongest, 1>(p, begin, end - begin, col);
}

// Eliminates the pivots [first, last) in panels and keeps columns [left, right) up to date.
bool panels(const InPlaceElimination& p, std::size_t first, std::size_t last, std::size_t left, std::size_t right) {
  for (std::size_t begin = first; begin < last; begin += kWidth) {
    if (!eliminate_panel(p, {begin, std::min(begin + kWidth, last), left, right})) return false;
  }
  return true;
}

template <std::size_t kSize>
bool blocks(const InPlaceElimination& p, std::size_t count) {
  constexpr std::size_t kLongest = kSize + kWidth;  // the last block, lest a pass be spent on few pivots
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    StopScope::check();
    end = count - begin <= kLongest ? count : begin + kSize;
    const std::size_t edge = base::padded(end);
    if (!panels(p, begin, end, begin, edge)) return false;
    for (std::size_t r = 0; r <= p.n; ++r) {
      for (std::size_t c = begin; c < edge; c += kWidth) {
        store(load(p.x + r * p.ld + c), p.factors + r * kLongest + c - begin);
      }
    }
    update<kLongest>(p, begin, end, 0, begin);
    update<kLongest>(p, begin, end, edge, p.ld);
  }
  return true;
}

bool GaussJordan(const numeric::MatrixSpan& x, const Elimination& elimination, double* pivots, double* work) {
  const std::size_t n = x.rows - 1, ld = x.stride, count = elimination.count;
  const InPlaceElimination p{
      n, x.data, ld, elimination.sum_root, elimination.smallest, pivots, work, work + kWidth * ld};
  if (n <= kSmall) return panels(p, 0, count, 0, ld);
  return n <= kMedium ? blocks<kBlock>(p, count) : blocks<kLargeBlock>(p, count);
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(GaussJordan);
bool gauss_jordan(const numeric::MatrixSpan& x, const Elimination& elimination, double* pivots, double* work) {
  static const auto kernel = KIRCHHOFF_KERNEL(GaussJordan);
  return kernel(x, elimination, pivots, work);
}
}  // namespace kirchhoff::tree
#endif
