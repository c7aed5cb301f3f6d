// Finds the arcs that each constraint is about, and computes penalties.
#include "parser/training/constraints.hpp"

#include "base/check.hpp"
#include "parser/features/hash.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kirchhoff::parser {

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
    relations_.push_back(c.relation);
  }
  for (const FeatureConstraint& c : features) {
    check_share("FeatureConstraint", c.share);
    by_feature_.emplace_back(c.feature);
    targets_.push_back({c.share, c.bound});
    relations_.push_back(c.relation);
  }
}

std::vector<std::string> relations_of(const Unannotated& unannotated) {
  std::vector<std::string> named;
  const auto add = [&](const auto& constraints) {
    for (const auto& c : constraints) {
      const bool is_new = std::find(named.begin(), named.end(), c.relation) == named.end();
      if (!c.relation.empty() && is_new) named.push_back(c.relation);
    }
  };
  add(unannotated.constraints);
  add(unannotated.feature_constraints);
  return named;
}

Unannotated without_relations(const Unannotated& unannotated) {
  Unannotated result = unannotated;
  const auto names = [](const auto& c) { return !c.relation.empty(); };
  std::erase_if(result.constraints, names);
  std::erase_if(result.feature_constraints, names);
  if (!result.constraints.empty() || !result.feature_constraints.empty()) return result;
  const auto loosen = [](auto c, auto& into) {
    if (c.bound == TagConstraint::Bound::at_most) return;
    c.bound = TagConstraint::Bound::at_least;
    c.relation.clear();
    into.push_back(std::move(c));
  };
  for (const TagConstraint& c : unannotated.constraints) loosen(c, result.constraints);
  for (const FeatureConstraint& c : unannotated.feature_constraints) loosen(c, result.feature_constraints);
  return result;
}

ConstraintFinder::ConstraintFinder(const ConstraintSet& set, const Inventory& inventory) : set_(&set) {
  for (const std::string& name : set.relations_) {
    relations_.push_back(name.empty() ? -1 : inventory.labels.find(name));
  }
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
        if (has(candidates.heads[i], d)) found.places.push_back({static_cast<std::uint32_t>(c), i, relations_[c]});
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

}  // namespace kirchhoff::parser
