// From each word, best heads are followed to the root or to a word of an earlier path, and each cycle met on the way is
// contracted [Tarjan77].
//
// A word gets a position when it is met. The path is a stack of nodes, and a node's words were met one after the other:
// so the nodes of a cycle are the top of the stack down to the node where its first word was met, and a word is inside
// the new node when its position is at least that of the node's first word [Gabow00].
// Each column is read once and one is written for each cycle: O(n^2).
#include "decode/kernels/grow.hpp"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "decode/kernels/grow.cpp"
#include "numeric/simd/highway.hpp"
// This one needs the instruction set that the header above chose.
#include "decode/kernels/columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using decode::ContractionNode;
using V = hn::Vec<Doubles>;

constexpr int kBlock = 4;  // vectors held in registers at a time

/// kVectors vectors of the column that the members make together: the highest for each head, -inf for heads inside.
/// Returns the highest in each lane, without the root for single-root.
template <int kVectors>
HWY_INLINE V merge_block(const ContractionNode* nodes, const int* begin, const int* end, const std::int64_t* position,
                         std::int64_t first, std::ptrdiff_t u, bool skip_root, double* values) {
  const Doubles d;
  const hn::RebindToSigned<Doubles> di;
  const V none = hn::Set(d, -HUGE_VAL);
  std::array<V, kVectors> value;
  const ContractionNode& bottom = nodes[*--end];
  const V weight = hn::Set(d, bottom.weight);
  for (int v = 0; v < kVectors; ++v) value[v] = hn::Sub(hn::LoadU(d, bottom.values + u + v * kLanes), weight);
  do {
    const ContractionNode& member = nodes[*--end];
    const V other = hn::Set(d, member.weight);
    for (int v = 0; v < kVectors; ++v) {
      value[v] = hn::Max(value[v], hn::Sub(hn::LoadU(d, member.values + u + v * kLanes), other));
    }
  } while (end != begin);  // the top of the path comes last, since it is the newest
  for (int v = 0; v < kVectors; ++v) {
    const auto inside = hn::Gt(hn::LoadU(di, position + u + v * kLanes), hn::Set(di, first - 1));
    value[v] = hn::IfThenElse(hn::RebindMask(d, inside), none, value[v]);
    hn::StoreU(value[v], d, values + u + v * kLanes);
  }
  if (u == 0 && skip_root) value[0] = hn::IfThenElse(hn::FirstN(d, 1), none, value[0]);
  if constexpr (kVectors == 1)
    return value[0];
  else
    return hn::Max(hn::Max(value[0], value[1]), hn::Max(value[2], value[3]));
}

/// Makes one node of the members and returns its head.
HWY_INLINE int contract(const ContractedGraph& g, const int* begin, const int* end, int first, double* values,
                        ContractionNode& made) {
  const bool skip_root = g.root == Root::single;
  const std::ptrdiff_t size = g.columns.stride;
  std::ptrdiff_t u = 0;
  V top = hn::Set(Doubles(), -HUGE_VAL);
  for (; u + kBlock * kLanes <= size; u += kBlock * kLanes) {
    const V block = merge_block<kBlock>(g.nodes, begin, end, g.position, first, u, skip_root, values);
    top = u == 0 ? block : hn::Max(top, block);
  }
  for (; u < size; u += kLanes) {
    top = hn::Max(top, merge_block<1>(g.nodes, begin, end, g.position, first, u, skip_root, values));
  }
  const auto [weight, head] = find_best(top, size, values, skip_root ? 1 : 0);
  made.values = values;
  made.weight = weight;
  made.head = head;
  made.first = first;
  return head;
}

int Grow(const ContractedGraph& graph) {
  const ContractedGraph g = graph;  // nothing else refers to it
  const int n = g.columns.words;
  int nodes = n + 1, met = 1, children = 0;
  int* members = g.members;
  g.members_end[n] = 0;
  for (int start = 1; start <= n; ++start) {
    if (g.position[start] != 0) continue;
    const int earlier = met;
    int* end = g.path;
    int word = start;
    std::int64_t position = 0;
    do {
      ContractionNode& node = g.nodes[word];
      g.position[word] = node.first = ++met;
      *end++ = word;
      word = node.head;
      position = g.position[word];
      while (position > earlier) {
        const int* const begin = members;
        do *members++ = *--end;
        while (g.nodes[*end].first > position);
        const int cycle = nodes++;
        g.members_end[cycle] = static_cast<int>(members - g.members);
        ContractionNode& made = g.nodes[cycle];
        word = contract(g, begin, members, g.nodes[*end].first, g.columns.of(cycle), made);
        if (made.weight == -HUGE_VAL) return 0;
        *end++ = cycle;
        position = g.position[word];
      }
    } while (position == 0);
    children += word == 0 ? 1 : 0;
    if (children > 1 && g.one_child) return 0;
  }
  return nodes;
}

}  // namespace kirchhoff::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::decode {
HWY_EXPORT(Grow);

int grow(const ContractedGraph& graph) {
  static const auto kernel = KIRCHHOFF_KERNEL(Grow);
  return kernel(graph);
}
}  // namespace kirchhoff::decode
#endif
