// Reads files of constraints, finds the arcs that each is about, and computes penalties.
#include "parser/training/constraints.hpp"

#include "base/check.hpp"
#include "base/message.hpp"
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

constexpr const char* kFile = "constraints";

/// "0.3", ">=0.3" or "<=0.3".
void read_share(const std::string& word, double& share, TagConstraint::Bound& bound) {
  std::string_view text = word;
  if (text.starts_with(">=")) bound = TagConstraint::Bound::at_least;
  if (text.starts_with("<=")) bound = TagConstraint::Bound::at_most;
  if (bound != TagConstraint::Bound::equal) text.remove_prefix(2);
  if (!is_number(text, share) || !(share >= 0.0 && share <= 1.0)) {
    base::input_error(kFile, "'" + word + "' is not a share between 0 and 1");
  }
}

/// Calls read with the words of each line. What it throws becomes a ParseError of that line.
template <class Read>
void read_lines(std::istream& in, const std::string& name, const Read& read) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word && word[0] != '#';) words.push_back(word);
    if (words.empty()) continue;
    try {
      read(words);
    } catch (const InputError& error) {
      throw ParseError(name, number, 1, base::without_function(error.what()));
    }
  }
}

}  // namespace

std::vector<TagConstraint> read_tag_constraints(std::istream& in, const std::string& name) {
  std::vector<TagConstraint> constraints;
  read_lines(in, name, [&](const std::vector<std::string>& words) {
    const auto fail = [](const std::string& why) { base::input_error(kFile, why); };
    if (words.size() < 5 || words.size() > 6 || words[1] != "->") {
      fail("expected 'WORDS -> HEADS " + all_names<TagConstraint::Side>("|") + " [DISTANCE] SHARE'");
    }
    const auto side = parse_name<TagConstraint::Side>(words[3]);
    if (!side) fail("'" + words[3] + "' is none of " + all_names<TagConstraint::Side>());
    TagConstraint c{words[0], words[2], *side};
    if (words.size() == 6 && !read_distance(words[4], c)) {
      fail("'" + words[4] + "' is not a distance such as 1, 1-3 or 4-");
    }
    read_share(words.back(), c.share, c.bound);
    parser::ConstraintSet({c});
    constraints.push_back(c);
  });
  return constraints;
}

std::vector<FeatureConstraint> read_feature_constraints(std::istream& in, const std::string& name) {
  std::vector<FeatureConstraint> constraints;
  read_lines(in, name, [&](const std::vector<std::string>& words) {
    if (words.size() < 2) base::input_error(kFile, "expected 'FEATURE SHARE'");
    FeatureConstraint c;
    for (std::size_t k = 0; k + 1 < words.size(); ++k) c.feature += (k > 0 ? " " : "") + words[k];
    read_share(words.back(), c.share, c.bound);
    parser::ConstraintSet({}, {c});
    constraints.push_back(c);
  });
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

ConstraintSet::ConstraintSet(const std::vector<TagConstraint>& constraints,
                             const std::vector<FeatureConstraint>& features) {
  const auto check_share = [](const char* kind, double share) {
    if (!(share >= 0.0 && share <= 1.0)) base::input_error(kind, "share: must be from 0 to 1");
  };
  for (const TagConstraint& c : constraints) {
    check_share("TagConstraint", c.share);
    if (c.nearest < 1 || c.farthest < c.nearest)
      base::input_error("TagConstraint", "nearest: must be from 1 to farthest");
    by_tag_.push_back({c, WordPattern(c.dependent), WordPattern(c.head)});
    targets_.push_back({c.share, c.bound});
  }
  for (const FeatureConstraint& c : features) {
    check_share("FeatureConstraint", c.share);
    by_feature_.emplace_back(c.feature);
    targets_.push_back({c.share, c.bound});
  }
}

ConstraintFinder::ConstraintFinder(const ConstraintSet& set, const Inventory& inventory) : set_(&set) {
  for (const FeaturePattern& pattern : set.by_feature_) matchers_.emplace_back(pattern, inventory);
}

ConstrainedArcs ConstraintFinder::find(const Sentence& sentence, const Encoded& s,
                                       const dependency::Candidates& candidates) {
  ConstrainedArcs found;
  found.candidates = candidates.size();
  found.words.assign(set_->size(), 0.0);
  // Adds the arcs of one constraint, given whether it is about a word, and about one of its arcs.
  const auto add = [&](std::size_t c, auto&& is_about, auto&& has) {
    for (int d = 1; d <= s.words; ++d) {
      if (!is_about(d)) continue;
      found.words[c] += 1.0;
      const auto w = static_cast<std::size_t>(d);
      for (std::uint32_t i = candidates.begin[w]; i < candidates.begin[w + 1]; ++i) {
        if (has(candidates.heads[i], d)) found.places.push_back({static_cast<std::uint32_t>(c), i});
      }
    }
  };
  for (std::size_t c = 0; c < set_->by_tag_.size(); ++c) {
    const ConstraintSet::ByTag& tag = set_->by_tag_[c];
    add(
        c, [&](int d) { return tag.dependent.matches(s, d); },
        [&](int h, int d) {
          using Side = TagConstraint::Side;
          const TagConstraint& given = tag.given;
          const bool on_side = given.side == Side::any || (given.side == Side::left) == (h < d);
          // The root is at no distance of words.
          const bool near = h == 0 || (std::abs(h - d) >= given.nearest && std::abs(h - d) <= given.farthest);
          return on_side && near && tag.head.matches(s, h);
        });
  }
  for (std::size_t f = 0; f < matchers_.size(); ++f) {
    FeatureMatcher& matcher = matchers_[f];
    matcher.read(sentence, s);
    add(
        set_->by_tag_.size() + f, [&](int d) { return matcher.describes(d); },
        [&](int h, int d) {
          return matcher.matches({h, d});
        });
  }
  return found;
}

PenaltyAt penalty_at(Penalty penalty, const Target& target, double share) {
  using Bound = TagConstraint::Bound;
  const auto [wanted, bound] = target;
  if (bound == Bound::at_least && share >= wanted) return {};
  if (bound == Bound::at_most && share <= wanted) return {};
  if (penalty == Penalty::squared) return {(share - wanted) * (share - wanted), 2.0 * (share - wanted)};
  if (penalty == Penalty::hinge) {
    if (bound == Bound::at_most) return {share - wanted, 1.0};
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
