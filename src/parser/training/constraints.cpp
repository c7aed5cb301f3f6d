// Reads files of constraints, finds the arcs that each is about, and computes penalties.
#include "parser/training/constraints.hpp"

#include "base/check.hpp"
#include "parser/features/hash.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <sstream>

namespace kirchhoff {
namespace {

/// Reads a whole text as a number.
template <class Number>
bool is_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// "3", "1-3" or "4-", which has no end.
bool read_distance(std::string_view text, TagConstraint& c) {
  const std::size_t dash = text.find('-');
  if (!is_number(text.substr(0, dash), c.nearest)) return false;
  if (dash == std::string_view::npos) {
    c.farthest = c.nearest;
  } else if (dash + 1 < text.size() && !is_number(text.substr(dash + 1), c.farthest)) {
    return false;
  }
  return c.nearest >= 1 && c.farthest >= c.nearest;
}

}  // namespace

std::vector<TagConstraint> read_tag_constraints(std::istream& in, const std::string& name) {
  std::vector<TagConstraint> constraints;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const auto fail = [&](const std::string& why) -> void { throw ParseError(name, number, 1, why); };
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word && word[0] != '#';) words.push_back(word);
    if (words.empty()) continue;
    if (words.size() < 5 || words.size() > 6 || words[1] != "->") {
      fail("expected 'WORDS -> HEADS " + all_names<TagConstraint::Side>("|") + " [DISTANCE] SHARE'");
    }
    const auto side = parse_name<TagConstraint::Side>(words[3]);
    if (!side) fail("'" + words[3] + "' is none of " + all_names<TagConstraint::Side>());
    TagConstraint c{words[0], words[2], *side};
    if (words.size() == 6 && !read_distance(words[4], c)) {
      fail("'" + words[4] + "' is not a distance such as 1, 1-3 or 4-");
    }
    std::string_view share = words.back();
    if (share.starts_with(">=")) c.bound = TagConstraint::Bound::at_least;
    if (share.starts_with("<=")) c.bound = TagConstraint::Bound::at_most;
    if (c.bound != TagConstraint::Bound::equal) share.remove_prefix(2);
    if (!is_number(share, c.share) || !(c.share >= 0.0 && c.share <= 1.0)) {
      fail("'" + words.back() + "' is not a share between 0 and 1");
    }
    try {
      parser::ConstraintSet({c});
    } catch (const InputError& error) {
      fail(error.what());
    }
    constraints.push_back(c);
  }
  return constraints;
}

namespace parser {

WordPattern::WordPattern(const std::string& description) : root_(description == "ROOT") {
  if (root_ || description == "*") return;
  std::istringstream conditions(description);
  for (std::string condition; std::getline(conditions, condition, '&');) {
    const std::size_t equals = condition.find('=');
    const std::string name = equals == std::string::npos ? "upos" : condition.substr(0, equals);
    const auto found = std::find(kAttributeNames.begin(), kAttributeNames.end(), name);
    // These two are not hashes of text, so nobody could write their values down.
    if (found == kAttributeNames.end() || name == "shape" || name == "lead") {
      base::input_error("TagConstraint", "'" + condition + "' is no condition on words");
    }
    const std::string value = equals == std::string::npos ? condition : condition.substr(equals + 1);
    conditions_.push_back({static_cast<std::size_t>(found - kAttributeNames.begin()), hash_text(value)});
  }
  if (conditions_.empty()) base::input_error("TagConstraint", "a description of words is empty");
}

bool WordPattern::matches(const Encoded& sentence, int node) const {
  if (root_ || node == 0) return root_ && node == 0;
  const Encoded::Row& row = sentence.rows[static_cast<std::size_t>(sentence.row(node))];
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const Condition& c) { return row[c.attribute] == c.hash; });
}

ConstraintSet::ConstraintSet(const std::vector<TagConstraint>& constraints) {
  for (const TagConstraint& c : constraints) {
    if (!(c.share >= 0.0 && c.share <= 1.0)) base::input_error("TagConstraint", "share: must be from 0 to 1");
    if (c.nearest < 1 || c.farthest < c.nearest)
      base::input_error("TagConstraint", "nearest: must be from 1 to farthest");
    compiled_.push_back({c, WordPattern(c.dependent), WordPattern(c.head)});
  }
}

ConstrainedArcs ConstraintSet::find(const Encoded& s, const dependency::Candidates& candidates) const {
  ConstrainedArcs found;
  found.words.assign(compiled_.size(), 0.0);
  for (std::size_t c = 0; c < compiled_.size(); ++c) {
    const auto& [given, dependent, head] = compiled_[c];
    for (int d = 1; d <= s.words; ++d) {
      if (!dependent.matches(s, d)) continue;
      found.words[c] += 1.0;
      const auto w = static_cast<std::size_t>(d);
      for (std::uint32_t i = candidates.begin[w]; i < candidates.begin[w + 1]; ++i) {
        const int h = candidates.heads[i];
        const bool on_side =
            given.side == TagConstraint::Side::any || (given.side == TagConstraint::Side::left) == (h < d);
        // The root is at no distance of words.
        const bool near = h == 0 || (std::abs(h - d) >= given.nearest && std::abs(h - d) <= given.farthest);
        if (on_side && near && head.matches(s, h)) {
          found.places.push_back(
              {static_cast<std::uint32_t>(c), static_cast<std::uint16_t>(h), static_cast<std::uint16_t>(d)});
        }
      }
    }
  }
  return found;
}

PenaltyAt penalty_at(Penalty penalty, const TagConstraint& constraint, double share) {
  using Bound = TagConstraint::Bound;
  const double wanted = constraint.share;
  if (constraint.bound == Bound::at_least && share >= wanted) return {};
  if (constraint.bound == Bound::at_most && share <= wanted) return {};
  if (penalty == Penalty::squared) return {(share - wanted) * (share - wanted), 2.0 * (share - wanted)};
  if (penalty == Penalty::hinge) {
    if (constraint.bound == Bound::at_most) return {share - wanted, 1.0};
    return share < wanted ? PenaltyAt{wanted - share, -1.0} : PenaltyAt{};
  }
  // A share of 0 or 1 would have a slope without end.
  constexpr double kLeast = 1e-4;
  const double s = std::clamp(share, kLeast, 1.0 - kLeast);
  const auto term = [](double t, double of) { return t > 0.0 ? t * std::log(t / of) : 0.0; };
  return {term(wanted, s) + term(1.0 - wanted, 1.0 - s), (s - wanted) / (s * (1.0 - s))};
}

}  // namespace parser
}  // namespace kirchhoff
