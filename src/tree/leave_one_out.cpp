// Leave-one-out elimination: 3 n^3 flops, additions, multiplications and divisions of non-negative numbers only.
//
// Think of the walk from a word to its head, with probabilities w_iv / s_v. Eliminating word v replaces every step
// through v by its outcome (star-mesh transformation):  w_id <- w_id + w_iv w_vd / s_v,  s_v = sum of w_iv over
// remaining i. We keep the columns of eliminated words d as well: they hold where the walk from d ends. When all words
// but j are gone, a_i = w_0i and b_i = w_ji are the weights with which the walk from i ends in the root and in j, z =
// w_0j is j's reduced root weight, and
//     d log Z / d w_0j = 1 / z,     d log Z / d w_ij = a_i / (a_i + b_i) / z       (multi-root)
// (i -> j makes no cycle exactly when the walk from i avoids j). All n leave-one-out states come from divide and
// conquer: to keep A of A u B eliminate B, and the other way round: T(m) = 2 (3/4) n m^2 + 2 T(m/2) = 3 n m^2. This
// replaces the pairwise scheme of our notes (8 n^3) and always works on full rows.
//
// Single-root is multi-root with root weights delta w_0j in the limit delta -> 0, kept to leading order: root weights
// leave the pivots, and a_i + b_i becomes b_i. A word v whose pivot is then 0 can be reached from no remaining word:
// one root arc must serve v's side. We *commit*: v takes the root's place (its row becomes the root row, of order 1
// now), and the rest is a multi-root problem.
#include "tree/leave_one_out.hpp"

#include "base/buffer.hpp"
#include "numeric/sum.hpp"
#include "tree/block.hpp"
#include "tree/kernels/certified_marginals.hpp"
#include "tree/kernels/exponential.hpp"
#include "tree/numbers.hpp"
#include "tree/planes.hpp"

#include <algorithm>
#include <cassert>
#include <cfenv>
#include <cmath>
#include <type_traits>
#include <vector>

namespace kirchhoff::tree {
namespace {

// Below this, or above its inverse, a double may have been touched by underflow elsewhere: absolute losses are at most
// 1e-308 * 1e90 * 1e90, far below eps * 1e-90.
constexpr double kSafe = 1e-90;

/// A graph on the root and words [begin, end): row pointers into some buffer.
struct State {
  const double* root;
  const double* words;  // row of word `begin`
  int begin;
  int end;
  bool root_counts;  // multi-root, or committed
};

/// Reused from call to call, one per thread.
template <class T, bool kTangent>
struct Workspace {
  base::Buffer rows;
  Block<T, kTangent> block;
  std::vector<const double*> in;
  std::vector<double*> out;
};

template <class T, bool kTangent>
class LeaveOneOut {
  using Row = Planes<T, kTangent>;
  static constexpr bool kExtended = std::is_same_v<T, Extended>;
  static constexpr bool kPlain = std::is_same_v<T, double>;

 public:
  LeaveOneOut(const Weights& weights, Slopes& slopes, Workspace<T, kTangent>& work)
      : n_(weights.n),
        ld_(weights.ld),
        stride_(Row::count * weights.ld),
        single_(weights.root == Root::single),
        underflowed_(weights.underflowed),
        slopes_(slopes),
        block_(work.block),
        in_(work.in),
        out_(work.out) {
    std::size_t rows = 1;
    for (int m = n_; m > 1; m = (m + 1) / 2) rows += m + 1;
    zero_ = work.rows.take(rows * stride_);
    block_.reserve(n_);
    in_.resize(n_ + 1);
    out_.resize(n_ + 1);
  }

  /// False when doubles are not enough.
  bool run(const double* initial) {
    for (std::size_t c = 0; c < ld_; ++c) Row::write(zero_ + c, ld_, T());
    const State all{initial, initial + stride_, 0, n_, !single_};
    if (!recurse(all, zero_ + stride_, /*leftmost=*/true)) return false;
    slopes_.log_z = {};
    product_.add_to(slopes_.log_z);
    return kExtended || trustworthy();
  }

 private:
  bool recurse(const State& state, double* free, bool leftmost) {
    if (state.end - state.begin == 1) return leaf(state, leftmost);
    const int mid = (state.begin + state.end) / 2;
    for (const bool keep_left : {true, false}) {
      State child = state;
      if (!reduce(state, mid, keep_left, free, leftmost && keep_left, child)) return false;
      const int rows = state.end - state.begin + 1;
      if (!recurse(child, free + rows * stride_, leftmost && keep_left)) return false;
    }
    return true;
  }

  // Eliminates one half of `state`, block by block, into fresh rows at `free`.
  bool reduce(const State& state, int mid, bool keep_left, double* free, bool record, State& child) {
    int left = keep_left ? mid : state.begin;  // words [left, right) are to go
    int right = keep_left ? state.end : mid;
    while (left < right) {
      const int size = std::min(Block<T, kTangent>::kWords, right - left);
      const int first = keep_left ? right - size : left;
      const int keep_begin = keep_left ? state.begin : first + size;
      const int keep_end = keep_left ? first : state.end;
      double* kept = free + (1 + keep_begin - state.begin) * stride_;
      if (!eliminate(child, first, size, keep_begin, keep_end, free, kept, record)) return false;
      child = {free, kept, keep_begin, keep_end, child.root_counts};
      (keep_left ? right : left) += keep_left ? -size : size;
    }
    return true;
  }

  T at(const double* row, int word) const { return Row::read(row + word, ld_); }

  // Eliminates words [first, first + size); the rows of the root and of [keep_begin, keep_end) go to root_out,
  // kept_out.
  bool eliminate(State& state, int first, int size, int keep_begin, int keep_end, double* root_out, double* kept_out,
                 bool record) {
    const double* block = state.words + (first - state.begin) * stride_;
    const int rows = 1 + keep_end - keep_begin;
    list_rows(state, keep_begin, rows, root_out, kept_out);
    block_.gather(in_, rows, block, stride_, first, size, ld_);
    int committed = -1;
    for (int k = 0; k < size; ++k) {
      const T pivot = block_.pivot(k, state.root_counts);
      if (is_zero(pivot)) {
        if (!commit(state, k, record)) return false;
        committed = k;
        continue;
      }
      if (!note(pivot)) return false;
      if (record) multiply(product_, pivot);
      block_.step(k, pivot);
    }
    block_.apply(block, stride_, ld_, in_, out_);
    // The committed word's own walk ends in the root for sure.
    if (committed >= 0) Row::write(root_out + first + committed, ld_, Row::one());
    return true;
  }

  void list_rows(const State& state, int keep_begin, int rows, double* root_out, double* kept_out) {
    in_[0] = state.root;
    out_[0] = root_out;
    const double* kept = state.words + (keep_begin - state.begin) * stride_;
    for (int r = 1; r < rows; ++r) {
      in_[r] = kept + (r - 1) * stride_;
      out_[r] = kept_out + (r - 1) * stride_;
    }
  }

  // Block word k takes the root's place, now of leading order (header comment).
  bool commit(State& state, int k, bool record) {
    if (state.root_counts || is_zero(block_.root_weight(k)) || !zeros_are_structural()) return false;
    if (record) multiply(product_, block_.root_weight(k));
    block_.replace_root(k);
    in_[0] = zero_;
    state.root_counts = true;
    return true;
  }

  // Only word j is left: its row of slopes.
  bool leaf(const State& state, bool leftmost) {
    const int j = state.begin;
    const T z = at(state.root, j);
    if (is_zero(z)) return false;
    if (leftmost) multiply(product_, z);
    const T inverse = Row::one() / z;
    const bool committed = single_ && state.root_counts;  // then j is no root child
    Row::write(slopes_.root.data() + j, ld_, committed ? T() : inverse);
    double* g = slopes_.rows.data() + j * stride_;
    if constexpr (kPlain) {
      const tree::Range range =
          tree::absorption_slopes(n_, ld_, state.root, state.words, state.root_counts, inverse, g);
      largest_ = std::max(largest_, range.largest);
      if (!note(std::min(range.smallest, z))) return false;
    } else {
      for (int i = 0; i < n_; ++i) {
        if (i == j) continue;
        const T a = at(state.root, i);
        T total = at(state.words, i);
        if (state.root_counts) total += a;
        Row::write(g + i, ld_, is_zero(a) ? T() : a / total * inverse);
        if constexpr (!kExtended) largest_ = std::max(largest_, a.v);
        if (!note(a)) return false;
      }
    }
    Row::write(g + j, ld_, T());
    return true;
  }

  // Watches sizes; false when a double is too small to be trusted after an underflow of the weights.
  bool note(const T& x) {
    if constexpr (kExtended) {
      return true;
    } else {
      double value;
      if constexpr (kPlain) {
        value = x;
      } else {
        value = x.v;
      }
      smallest_ = std::min(smallest_, value);
      return !(underflowed_ && value < kSafe);
    }
  }
  bool zeros_are_structural() const { return kExtended || (!underflowed_ && std::fetestexcept(FE_UNDERFLOW) == 0); }
  // Nothing underflowed, or everything that matters is far from where it could have mattered; nothing overflowed.
  bool trustworthy() const {
    if (std::fetestexcept(FE_OVERFLOW) != 0) return false;
    return zeros_are_structural() || (smallest_ >= kSafe && largest_ <= 1.0 / kSafe);
  }

  int n_;
  std::size_t ld_;
  std::size_t stride_;
  bool single_;
  bool underflowed_;
  Slopes& slopes_;
  Block<T, kTangent>& block_;
  std::vector<const double*>& in_;
  std::vector<double*>& out_;
  double* zero_ = nullptr;
  numeric::LogProduct product_;
  double smallest_ = HUGE_VAL;
  double largest_ = 0.0;
};

template <class T, bool kTangent>
bool run(const Weights& weights, const double* initial, Slopes& slopes) {
  slopes.extended = std::is_same_v<T, Extended>;
  slopes.tangent = kTangent;
  slopes.plane = weights.ld;
  slopes.rows.take(base::padded(weights.n) * slopes.stride());
  slopes.root.take(slopes.stride());
  thread_local Workspace<T, kTangent> workspace;
  return LeaveOneOut<T, kTangent>(weights, slopes, workspace).run(initial);
}

// Clears the processor's underflow and overflow flags and gives the caller's back at the end.
class FloatingPointFlags {
 public:
  FloatingPointFlags() {
    std::fegetexceptflag(&before_, FE_UNDERFLOW | FE_OVERFLOW);
    std::feclearexcept(FE_UNDERFLOW | FE_OVERFLOW);
  }
  ~FloatingPointFlags() { std::fesetexceptflag(&before_, FE_UNDERFLOW | FE_OVERFLOW); }
  FloatingPointFlags(const FloatingPointFlags&) = delete;
  FloatingPointFlags& operator=(const FloatingPointFlags&) = delete;

 private:
  std::fexcept_t before_{};
};

bool in_doubles(const Weights& weights, const double* direction, Slopes& slopes) {
  const FloatingPointFlags flags;
  if (!direction) return run<double, false>(weights, weights.w.data(), slopes);
  thread_local base::Buffer storage;
  const std::size_t ld = weights.ld;
  double* initial = storage.take((weights.n + 1) * 2 * ld);
  for (int r = 0; r <= weights.n; ++r) {
    for (std::size_t c = 0; c < ld; ++c) {
      const double w = weights.w.data()[r * ld + c];
      Planes<Dual, true>::write(initial + 2 * r * ld + c, ld, {w, w * direction[r * ld + c]});
    }
  }
  return run<Dual, true>(weights, initial, slopes);
}

}  // namespace

void robust_slopes_extended(const Weights& weights, const double* direction, Slopes& slopes) {
  thread_local base::Buffer storage;
  const std::size_t ld = weights.ld, planes = direction ? 3 : 2;
  double* initial = storage.take((weights.n + 1) * planes * ld);
  for (int r = 0; r <= weights.n; ++r) {
    double* row = initial + r * planes * ld;
    tree::exp_shifted_extended(ld, weights.scores.data() + r * ld, weights.shift_high(r), weights.shift_low(r), row,
                               row + ld);
    if (!direction) continue;
    for (std::size_t c = 0; c < ld; ++c) row[2 * ld + c] = row[c] * direction[r * ld + c];
  }
  const bool good =
      direction ? run<Extended, true>(weights, initial, slopes) : run<Extended, false>(weights, initial, slopes);
  assert(good && "extended elimination cannot fail on a feasible graph");
  (void)good;
}

void robust_slopes(const Weights& weights, const double* direction, Slopes& slopes) {
  if (!in_doubles(weights, direction, slopes)) robust_slopes_extended(weights, direction, slopes);
}

}  // namespace kirchhoff::tree
