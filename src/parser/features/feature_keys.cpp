// Computes keys: the atoms of the nodes are hashed once for a sentence, those of the pair once for a part.
#include "parser/features/feature_keys.hpp"

#include "parser/features/hash.hpp"

#include <algorithm>
#include <cstdlib>

namespace kirchhoff::parser {
namespace {

constexpr std::uint64_t place(PairAtom atom) { return mix(0x7061697200ULL + static_cast<std::uint64_t>(atom)); }
constexpr std::uint64_t kTagBetween = mix(0x746167ULL);

std::uint64_t direction(int from, int to) { return atom(static_cast<std::uint64_t>(from < to), place(PairAtom::dir)); }

std::uint64_t distance(int from, int to) {
  const auto step = static_cast<std::uint64_t>(distance_step(std::abs(to - from)));
  return atom(2 * step + static_cast<std::uint64_t>(from < to), place(PairAtom::dist));
}

std::uint64_t capped(int count, int limit) { return static_cast<std::uint64_t>(std::min(count, limit)); }

/// Counts the words between two nodes that have the tag of the one, and those that have the tag of the other.
std::uint64_t likes(const Encoded& s, int a, int b) {
  const auto tag = [&](int node) { return s.upos[static_cast<std::size_t>(s.row(node))]; };
  const std::uint8_t tag_a = tag(a), tag_b = tag(b);
  int like_a = 0, like_b = 0;
  for (int w = std::min(a, b) + 1; w < std::max(a, b); ++w) {
    like_a += tag(w) == tag_a;
    like_b += tag(w) == tag_b;
  }
  return 3 * capped(like_a, 2) + capped(like_b, 2);
}

std::uint64_t agreement(const std::array<std::uint32_t, 4>& a, const std::array<std::uint32_t, 4>& b) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const std::uint64_t state = a[k] == 0 || b[k] == 0 ? 0 : a[k] == b[k] ? 1 : 2;
    bits = bits * 3 + state;
  }
  return bits;
}

}  // namespace

int distance_step(int distance) {
  constexpr std::array<std::int8_t, 26> kStep = {0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 8, 8,
                                                 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  return distance < static_cast<int>(kStep.size()) ? kStep[static_cast<std::size_t>(distance)] : 10;
}

void FeatureKeys::read(const Encoded& sentence) {
  sentence_ = &sentence;
  for (int role = 0; role < templates_->roles(); ++role) {
    auto& table = parts_[static_cast<std::size_t>(role)];
    table.clear();
    for (int node = -1; node <= sentence.words + 1; ++node) {
      for (const Templates::NodePart& part : templates_->node_parts(role)) {
        std::uint64_t sum = 0;
        for (const Templates::NodeAtom& a : part) {
          const auto row = std::min(static_cast<std::size_t>(sentence.row(node, a.offset)), sentence.rows.size() - 1);
          sum += atom(sentence.rows[row][static_cast<std::size_t>(a.attribute)], a.place);
        }
        table.push_back(sum);
      }
    }
  }
}

std::array<std::uint64_t, kPairAtoms> FeatureKeys::pair_atoms(const Nodes& nodes) const {
  const Encoded& s = *sentence_;
  const int a = nodes[0], b = nodes[1];
  const auto between = [&](const std::vector<std::uint16_t>& c, int x, int y) {
    const int low = std::max(0, std::min(x, y)), high = std::min(s.words + 1, std::max(x, y));
    return high > low ? c[static_cast<std::size_t>(high) - 1] - c[static_cast<std::size_t>(low)] : 0;
  };
  const auto count = [&](const std::vector<std::uint16_t>& c) { return between(c, a, b); };
  std::array<std::uint64_t, kPairAtoms> atoms{};
  atoms[static_cast<int>(PairAtom::dir)] = direction(a, b);
  atoms[static_cast<int>(PairAtom::dist)] = distance(a, b);
  atoms[static_cast<int>(PairAtom::verbs)] = atom(capped(count(s.verbs), 2), place(PairAtom::verbs));
  atoms[static_cast<int>(PairAtom::puncts)] = atom(capped(count(s.puncts), 3), place(PairAtom::puncts));
  atoms[static_cast<int>(PairAtom::conjs)] = atom(capped(count(s.conjunctions), 2), place(PairAtom::conjs));
  atoms[static_cast<int>(PairAtom::likes)] = atom(likes(s, a, b), place(PairAtom::likes));
  atoms[static_cast<int>(PairAtom::agree)] =
      atom(agreement(s.agreement[static_cast<std::size_t>(s.row(a))], s.agreement[static_cast<std::size_t>(s.row(b))]),
           place(PairAtom::agree));
  if (templates_->roles() == 3) {
    atoms[static_cast<int>(PairAtom::dir2)] = mix(direction(b, nodes[2]));
    atoms[static_cast<int>(PairAtom::dist2)] = mix(distance(b, nodes[2]));
    atoms[static_cast<int>(PairAtom::puncts2)] =
        atom(capped(between(s.puncts, b, nodes[2]), 3), place(PairAtom::puncts2));
    atoms[static_cast<int>(PairAtom::dir3)] = atom(a < nodes[2] ? 1 : 0, place(PairAtom::dir3));
  }
  return atoms;
}

template <int kRoles>
void FeatureKeys::append_roles(const Nodes& nodes, std::vector<std::uint64_t>& keys) const {
  const std::array<std::uint64_t, kPairAtoms> atoms = pair_atoms(nodes);
  pair_parts_.clear();
  for (const Templates::PairPart part : templates_->pair_parts()) {
    std::uint64_t sum = templates_->salt();
    for (int k = 0; k < kPairAtoms; ++k) {
      if ((part >> k & 1U) != 0) sum += atoms[static_cast<std::size_t>(k)];
    }
    pair_parts_.push_back(sum);
  }
  std::array<const std::uint64_t*, kRoles> rows;
  for (int r = 0; r < kRoles; ++r) {
    const auto role = static_cast<std::size_t>(r);
    rows[role] = parts_[role].data() + static_cast<std::size_t>(nodes[role] + 1) * templates_->node_parts(r).size();
  }
  const auto key = [&](const Templates::Template& t) {
    std::uint64_t sum = pair_parts_[t.pair_part];
    for (std::size_t r = 0; r < kRoles; ++r) sum += rows[r][t.node_part[r]];
    return sum;
  };
  const std::size_t begin = keys.size();
  keys.resize(begin + templates_->single().size());
  std::uint64_t* out = keys.data() + begin;
  for (const Templates::Template& t : templates_->single()) *out++ = key(t);
  if (templates_->between().empty()) return;
  std::uint32_t tags = 0;
  const Encoded& s = *sentence_;
  for (int w = std::min(nodes[0], nodes[1]) + 1; w < std::max(nodes[0], nodes[1]); ++w) {
    tags |= 1U << s.upos[static_cast<std::size_t>(s.row(w))];
  }
  for (; tags != 0; tags &= tags - 1) {
    const std::uint64_t tag = atom(static_cast<std::uint64_t>(__builtin_ctz(tags)), kTagBetween);
    for (const Templates::Template& t : templates_->between()) keys.push_back(key(t) + tag);
  }
}

void FeatureKeys::append(const Nodes& nodes, std::vector<std::uint64_t>& keys) const {
  switch (templates_->roles()) {
    case 2:
      return append_roles<2>(nodes, keys);
    case 3:
      return append_roles<3>(nodes, keys);
    default:
      return append_roles<kMaxRoles>(nodes, keys);
  }
}

}  // namespace kirchhoff::parser
