// From each word, follow best heads to the root or to a word of an earlier path; contract each cycle met [Tarjan77].
//
// A word gets a position when it is met. The path is a stack of nodes, and a node's words were met one after the other:
// so the nodes of a cycle are the top of the stack down to the node where its first word was met, and a word is inside
// the new node when its position is at least that of the node's first word [Gabow00].
// Each column is read once and one is written for each cycle: O(n^2).
#include "decode/grow.hpp"

#include "core/kernels.hpp"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "decode/grow.cpp"
#include "core/highway.hpp"
// After it:
#include "core/columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using core::HWY_NAMESPACE::Doubles;
using core::HWY_NAMESPACE::kBlock;
using core::HWY_NAMESPACE::kLanes;
using V = hn::Vec<Doubles>;

/// kVectors vectors of the column that the nodes from `begin` on make together: the highest for each head, -inf for
/// heads inside. Returns the highest in each lane, without the root for single-root.
template <int kVectors>
HWY_INLINE V merge_block(const PathNode* begin, const PathNode* end, const std::int64_t* position, std::ptrdiff_t u,
                         bool skip_root, double* values) {
  const Doubles d;
  const hn::RebindToSigned<Doubles> di;
  const V none = hn::Set(d, -HUGE_VAL);
  std::array<V, kVectors> value;
  const V weight = hn::Set(d, begin->weight);
  for (int v = 0; v < kVectors; ++v) value[v] = hn::Sub(hn::LoadU(d, begin->values + u + v * kLanes), weight);
  for (const PathNode* m = begin + 1; m != end; ++m) {
    const V other = hn::Set(d, m->weight);
    for (int v = 0; v < kVectors; ++v) {
      value[v] = hn::Max(value[v], hn::Sub(hn::LoadU(d, m->values + u + v * kLanes), other));
    }
  }
  const auto before = hn::Set(di, begin->first - 1);
  for (int v = 0; v < kVectors; ++v) {
    const auto inside = hn::Gt(hn::LoadU(di, position + u + v * kLanes), before);
    value[v] = hn::IfThenElse(hn::RebindMask(d, inside), none, value[v]);
    hn::StoreU(value[v], d, values + u + v * kLanes);
  }
  if (u == 0 && skip_root) value[0] = hn::IfThenElse(hn::FirstN(d, 1), none, value[0]);
  if constexpr (kVectors == 1) return value[0];
  else return hn::Max(hn::Max(value[0], value[1]), hn::Max(value[2], value[3]));
}

/// Makes one node of the path from `begin` on; false when nothing can be its head.
HWY_INLINE bool contract(const Graph& g, PathNode* begin, const PathNode* end, int cycle) {
  int last = g.members_end[cycle - 1];
  for (const PathNode* m = begin; m != end; ++m) g.members[last++] = m->node;
  g.members_end[cycle] = last;
  const bool skip_root = g.root == Root::single;
  const std::ptrdiff_t size = g.columns.stride;
  double* const values = g.columns.of(cycle);
  std::ptrdiff_t u = 0;
  V top = hn::Set(Doubles(), -HUGE_VAL);
  for (; u + kBlock * kLanes <= size; u += kBlock * kLanes) {
    top = hn::Max(top, merge_block<kBlock>(begin, end, g.position, u, skip_root, values));
  }
  for (; u < size; u += kLanes) top = hn::Max(top, merge_block<1>(begin, end, g.position, u, skip_root, values));
  int head = core::HWY_NAMESPACE::find_best(top, size, values, skip_root ? 1 : 0);
  if (head < 0) head = 0;
  g.head[cycle] = head;
  g.weight[cycle] = values[head];
  *begin = {values, values[head], cycle, begin->first};
  return values[head] != -HUGE_VAL;
}

int Grow(const Graph& g) {
  const int n = g.columns.words;
  int nodes = n + 1, met = 1;
  g.members_end[n] = 0;
  for (int start = 1; start <= n; ++start) {
    if (g.position[start] != 0) continue;
    const int earlier = met;
    PathNode* end = g.path;
    for (int word = start;;) {
      g.position[word] = ++met;
      *end++ = {g.columns.of(g.fixed[word] < 0 ? word : 0), g.weight[word], word, met};
      word = g.head[word];
      while (g.position[word] > earlier) {
        PathNode* begin = end - 1;
        while (begin->first > g.position[word]) --begin;
        if (!contract(g, begin, end, nodes)) return 0;
        end = begin + 1;
        word = g.head[nodes++];
      }
      if (g.position[word] != 0) break;
    }
  }
  return nodes;
}

}  // namespace kirchhoff::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::decode {
HWY_EXPORT(Grow);

int grow(const Graph& graph) {
  static const auto kernel = KIRCHHOFF_KERNEL(Grow);
  return kernel(graph);
}
}  // namespace kirchhoff::decode
#endif
