// Vector loops over a score matrix and its columns.
//
// The matrix is read once, in square tiles of one vector's width: the highest of a tile's rows goes into the running
// maxima of the columns, then the tile is transposed. In which row of the best tile a maximum stands is looked up at
// the end. O(n^2).
#include "decode/kernels/columns.hpp"

#include "base/buffer.hpp"
#include "base/check.hpp"
#include "base/large_pages.hpp"
#include "numeric/simd/products.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "decode/kernels/columns.cpp"
#include "numeric/simd/highway.hpp"
// These need the instruction set that the header above chose.
#include "decode/kernels/columns-inl.hpp"
#include "numeric/simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::decode::HWY_NAMESPACE {

template <class D>
class TileReader {
 public:
  using V = hn::Vec<D>;
  static constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
  using Tile = std::array<V, kWidth>;

  /// Returns false when some cell may be neither -inf nor a number in range. The size is at least kWidth.
  static bool read(const double* scores, std::ptrdiff_t row_stride, int size, bool skip_root, double* columns,
                   std::ptrdiff_t stride, ContractionNode* nodes) {
    const D d;
    double* const best = columns + size * stride;  // cycles have no columns yet
    double* const tile_of = best + stride;
    std::fill_n(best, stride, -HUGE_VAL);
    std::fill_n(tile_of, stride, 0.0);
    for (int c = 0; c < size; ++c) std::fill_n(columns + c * stride + stride - base::kPad, base::kPad, -HUGE_VAL);
    V squares = hn::Zero(d);
    // The last tiles may overlap those before: reading twice changes nothing.
    for (int i = 0; i < size; i += kWidth) {
      const int first = std::min(i, size - kWidth);
      for (int j = 0; j < size; j += kWidth) {
        const int c = std::min(j, size - kWidth);
        Tile rows;
        const double* from = scores + first * row_stride + c;
        for (int r = 0; r < kWidth; ++r, from += row_stride) rows[r] = hn::LoadU(d, from);
        squares = hn::Add(squares, sum_of_squares(rows));
        if (first < c + kWidth && c < first + kWidth) clear_diagonal(rows, c - first);
        V highest = skip_root && first == 0 ? hn::Set(d, -HUGE_VAL) : rows[0];
        for (int r = 1; r < kWidth; ++r) highest = hn::Max(highest, rows[r]);
        const V top = hn::LoadU(d, best + c), tile = hn::LoadU(d, tile_of + c);
        hn::StoreU(hn::IfThenElse(hn::Gt(highest, top), hn::Set(d, first), tile), d, tile_of + c);
        hn::StoreU(hn::Max(highest, top), d, best + c);
        numeric::HWY_NAMESPACE::transpose_lanes(d, rows);
        double* to = columns + c * stride + first;
        for (int r = 0; r < kWidth; ++r, to += stride) hn::StoreU(rows[r], d, to);
      }
    }
    for (int word = 1; word < size; ++word) {
      const int tile = static_cast<int>(tile_of[word]);
      const double* const column = columns + word * stride;
      const std::uint32_t possible = skip_root && tile == 0 ? ~1u : ~0u;
      const auto found = hn::Eq(hn::LoadU(d, column + tile), hn::Set(d, best[word]));
      nodes[word].weight = best[word];
      nodes[word].head = tile + std::countr_zero(bits_of(d, found) & possible);
      if (best[word] != -HUGE_VAL) continue;
      nodes[word].weight = column[0];
      nodes[word].head = column[0] == -HUGE_VAL ? -1 : 0;
    }
    // Nothing cancels in a sum of squares: a score beyond the limit takes it beyond that of the limit.
    return hn::AllTrue(d, hn::Lt(squares, hn::Set(d, base::kLargestScore * base::kLargestScore * (1 - 1e-14))));
  }

 private:
  /// The sum of the squares of all cells but those that are -inf.
  static HWY_INLINE V sum_of_squares(const Tile& rows) {
    const V impossible = hn::Set(D(), -HUGE_VAL);
    V sum = hn::Zero(D());
    for (int r = 0; r < kWidth; ++r) {
      const V x = hn::IfThenZeroElse(hn::Eq(rows[r], impossible), rows[r]);
      sum = hn::MulAdd(x, x, sum);
    }
    return sum;
  }

  /// `shift` is the first column less the first row.
  static HWY_INLINE void clear_diagonal(Tile& rows, int shift) {
    const D d;
    const V column = hn::Add(hn::Iota(d, 0), hn::Set(d, shift));
    for (int r = 0; r < kWidth; ++r) {
      rows[r] = hn::IfThenElse(hn::Eq(column, hn::Set(d, r)), hn::Set(d, -HUGE_VAL), rows[r]);
    }
  }
};

bool ReadScores(const double* scores, std::ptrdiff_t row_stride, int size, bool skip_root, double* columns,
                std::ptrdiff_t stride, ContractionNode* nodes) {
  const auto read = size >= kLanes ? TileReader<Doubles>::read : TileReader<hn::CappedTag<double, 1>>::read;
  return read(scores, row_stride, size, skip_root, columns, stride, nodes);
}

int BestOfColumn(std::ptrdiff_t size, const double* values, int lowest) {
  const Doubles d;
  const auto none = hn::Set(d, -HUGE_VAL);
  auto top = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(lowest)), none, hn::LoadU(d, values));
  for (std::ptrdiff_t u = kLanes; u < size; u += kLanes) top = hn::Max(top, hn::LoadU(d, values + u));
  const BestHead best = find_best(top, size, values, lowest);
  return best.value == -HUGE_VAL ? -1 : best.head;
}

}  // namespace kirchhoff::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::decode {
HWY_EXPORT(ReadScores);
HWY_EXPORT(BestOfColumn);

constexpr std::size_t kLargeCells = std::size_t{1} << 22;  // 32 MB

ScoresRead read_scores(const MatrixRef& scores, Root root, base::Buffer& buffer, std::vector<ContractionNode>& nodes) {
  static const auto kernel = KIRCHHOFF_KERNEL(ReadScores);
  const int size = static_cast<int>(scores.rows());
  const std::ptrdiff_t stride = padded_size(size - 1);
  const auto cells = static_cast<std::size_t>(2 * size * stride);
  const Columns columns{buffer.take(cells), stride, size - 1};
  if (cells >= kLargeCells) base::ask_for_large_pages(columns.data, cells * sizeof(double));
  const bool valid =
      kernel(scores.data(), scores.outerStride(), size, root == Root::single, columns.data, stride, nodes.data());
  std::fill_n(columns.of(0), stride, -HUGE_VAL);
  return {columns, valid};
}

int best_of_column(std::ptrdiff_t size, const double* values, int lowest) {
  static const auto kernel = KIRCHHOFF_KERNEL(BestOfColumn);
  return kernel(size, values, lowest);
}
}  // namespace kirchhoff::decode
#endif
