// The robust method: leave-one-out elimination (leave_one_out.hpp) in 3 n^3 flops, which are additions, multiplications
// and divisions of non-negative numbers only; in doubles, or in extended numbers where doubles are not enough.
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
#include "tree/robust/robust.hpp"

#include "base/buffer.hpp"
#include "tree/kernels/exponential.hpp"
#include "tree/robust/leave_one_out.hpp"
#include "tree/robust/planes.hpp"
#include "tree/robust/range_watch.hpp"

#include <cassert>
#include <type_traits>

namespace kirchhoff::tree {
namespace {

template <class T, bool kTangent>
bool eliminate(const Weights& weights, const double* initial, Slopes& slopes) {
  slopes.extended = kIsExtended<T>;
  slopes.tangents = Planes<T, kTangent>::count - (slopes.extended ? 2 : 1);
  slopes.plane = weights.ld;
  slopes.rows.take(base::padded(weights.n) * slopes.stride());
  slopes.root.take(slopes.stride());
  thread_local Workspace<T, kTangent> workspace;
  return LeaveOneOut<T, kTangent>(weights, slopes, workspace).run(initial);
}

bool in_doubles(const Weights& weights, const double* direction, Slopes& slopes) {
  const FloatingPointFlags flags;
  if (!direction) return eliminate<double, false>(weights, weights.w.data(), slopes);
  thread_local base::Buffer storage;
  const std::size_t ld = weights.ld;
  double* initial = storage.take((weights.n + 1) * 2 * ld);
  for (int r = 0; r <= weights.n; ++r) {
    for (std::size_t c = 0; c < ld; ++c) {
      const double w = weights.w.data()[r * ld + c];
      Planes<Dual, true>::write(initial + 2 * r * ld + c, ld, {w, w * direction[r * ld + c]});
    }
  }
  return eliminate<Dual, true>(weights, initial, slopes);
}

}  // namespace

void robust_slopes_extended(const Weights& weights, const double* direction, Slopes& slopes) {
  thread_local base::Buffer storage;
  const std::size_t ld = weights.ld, planes = direction ? 3 : 2;
  double* initial = storage.take((weights.n + 1) * planes * ld);
  for (int r = 0; r <= weights.n; ++r) {
    double* row = initial + r * planes * ld;
    exp_shifted_extended(ld, weights.scores.data() + r * ld, weights.shift(r), row, row + ld);
    if (!direction) continue;
    for (std::size_t c = 0; c < ld; ++c) row[2 * ld + c] = row[c] * direction[r * ld + c];
  }
  const bool good = direction ? eliminate<ExtendedDual, true>(weights, initial, slopes)
                              : eliminate<ExtendedDual, false>(weights, initial, slopes);
  assert(good && "extended elimination cannot fail on a feasible graph");
  (void)good;
}

void robust_slopes_along(const Weights& weights, const double* r, const double* s, Slopes& slopes) {
  using Row = Planes<ExtendedJet, true>;
  thread_local base::Buffer storage;
  const std::size_t ld = weights.ld;
  double* initial = storage.take((weights.n + 1) * Row::count * ld);
  for (int i = 0; i <= weights.n; ++i) {
    double* row = initial + i * Row::count * ld;
    exp_shifted_extended(ld, weights.scores.data() + i * ld, weights.shift(i), row, row + ld);
    for (std::size_t c = 0; c < ld; ++c) {
      const double m = row[c], along_r = r[i * ld + c], along_s = s[i * ld + c];
      Row::write(row + c, ld, {m, row[ld + c], m * along_r, m * along_s, m * along_r * along_s});
    }
  }
  const bool good = eliminate<ExtendedJet, true>(weights, initial, slopes);
  assert(good && "extended elimination cannot fail on a feasible graph");
  (void)good;
}

void robust_slopes(const Weights& weights, const double* direction, Slopes& slopes) {
  if (!in_doubles(weights, direction, slopes)) robust_slopes_extended(weights, direction, slopes);
}

}  // namespace kirchhoff::tree
