// Computes keys: the atoms of the nodes are hashed once for a sentence, those of the pair once for a part.
#include "parser/features/feature_keys.hpp"

#include "parser/features/hash.hpp"

#include <algorithm>
#include <cstdlib>

namespace kirchhoff::parser {
namespace {

constexpr std::uint64_t place(PairAtom atom) { return mix(0x7061697200ULL + static_cast<std::uint64_t>(atom)); }
constexpr std::uint64_t kTagBetween = mix(0x746167ULL);

std::uint64_t direction(int from, int to) { return static_cast<std::uint64_t>(from < to); }

std::uint64_t distance(int from, int to) {
  return 2 * static_cast<std::uint64_t>(distance_step(std::abs(to - from))) + direction(from, to);
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

/// How many of what `counts` counts stand between two nodes.
int between(const Encoded& s, const std::vector<std::uint16_t>& counts, int a, int b) {
  const int low = std::max(0, std::min(a, b)), high = std::min(s.words + 1, std::max(a, b));
  return high > low ? counts[static_cast<std::size_t>(high) - 1] - counts[static_cast<std::size_t>(low)] : 0;
}

}  // namespace

std::array<std::uint64_t, kPairValues> pair_values(const Encoded& s, int a, int b) {
  const auto agreeing = [&](int node) { return s.agreement[static_cast<std::size_t>(s.row(node))]; };
  return {direction(a, b),
          distance(a, b),
          capped(between(s, s.verbs, a, b), 2),
          capped(between(s, s.puncts, a, b), 3),
          capped(between(s, s.conjunctions, a, b), 2),
          likes(s, a, b),
          agreement(agreeing(a), agreeing(b))};
}

std::uint32_t tags_between(const Encoded& s, int a, int b) {
  std::uint32_t tags = 0;
  for (int w = std::min(a, b) + 1; w < std::max(a, b); ++w) tags |= 1U << s.upos[static_cast<std::size_t>(s.row(w))];
  return tags;
}

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
  std::array<std::uint64_t, kPairAtoms> atoms{};
  const std::array<std::uint64_t, kPairValues> values = pair_values(s, a, b);
  for (std::size_t k = 0; k < kPairValues; ++k) atoms[k] = atom(values[k], place(static_cast<PairAtom>(k)));
  if (templates_->roles() == 3) {
    atoms[static_cast<int>(PairAtom::dir2)] = mix(atom(direction(b, nodes[2]), place(PairAtom::dir)));
    atoms[static_cast<int>(PairAtom::dist2)] = mix(atom(distance(b, nodes[2]), place(PairAtom::dist)));
    atoms[static_cast<int>(PairAtom::puncts2)] =
        atom(capped(between(s, s.puncts, b, nodes[2]), 3), place(PairAtom::puncts2));
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
  for (std::uint32_t tags = tags_between(*sentence_, nodes[0], nodes[1]); tags != 0; tags &= tags - 1) {
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
