// Constraints on sentences without trees: which arcs each is about, and what a share that is not as asked for costs.
#pragma once

#include "dependency/candidates.hpp"
#include "kirchhoff/train.hpp"
#include "parser/training/feature_pattern.hpp"

#include <cstdint>
#include <vector>

namespace kirchhoff::parser {

/// What a description of words in a TagConstraint says.
class WordPattern {
 public:
  /// Throws InputError when there is no such attribute.
  explicit WordPattern(const std::string& description);
  bool matches(const Encoded& sentence, int node) const;

 private:
  struct Condition {
    std::size_t attribute;
    std::uint64_t hash;
  };
  bool root_ = false;  ///< It is the root that is described.
  std::vector<Condition> conditions_;
};

/// Where the constraints apply in a sentence.
struct ConstrainedArcs {
  struct Place {
    std::uint32_t constraint, candidate;
    int relation = -1;  ///< The arc counts by the probability of this one; -1: whatever its relation is.
  };
  std::vector<Place> places;   ///< The candidate arcs that a constraint counts.
  std::vector<double> words;   ///< For each constraint, how many words it is about.
  std::size_t candidates = 0;  ///< How many there are.
};

/// What a share should be.
struct Target {
  double share = 0.0;
  TagConstraint::Bound bound = TagConstraint::Bound::equal;
};
/// The penalty for an expected share, and its derivative by that share.
struct PenaltyAt {
  double value = 0.0, slope = 0.0;
};
PenaltyAt penalty_at(Penalty penalty, const Target& target, double share);

/// The relations that constraints name, each of them once, in the order of the constraints.
std::vector<std::string> relations_of(const Unannotated& unannotated);
/// The constraints that a model without relations understands. If all of them name relations these become lower bounds,
/// because an arc is at least as probable as one with a relation.
Unannotated without_relations(const Unannotated& unannotated);

/// Constraints of both kinds: those by tags come first.
class ConstraintSet {
 public:
  explicit ConstraintSet(const std::vector<TagConstraint>& constraints,
                         const std::vector<FeatureConstraint>& features = {});
  std::size_t size() const { return targets_.size(); }
  /// What the expected share of a constraint costs.
  PenaltyAt penalty(std::size_t constraint, Penalty penalty, double share) const {
    return penalty_at(penalty, targets_[constraint], share);
  }

 private:
  friend class ConstraintFinder;
  struct ByTag {
    TagConstraint given;
    WordPattern dependent, head;
  };
  std::vector<Target> targets_;
  std::vector<std::string> relations_;  ///< By constraint; empty for any.
  std::vector<ByTag> by_tag_;
  std::vector<FeaturePattern> by_feature_;
};

/// Finds the arcs that constraints are about. Each thread needs one of its own.
class ConstraintFinder {
 public:
  /// The set and the inventory, by which sentences are encoded, must outlive it.
  ConstraintFinder(const ConstraintSet& set, const Inventory& inventory);
  ConstrainedArcs find(const Sentence& sentence, const Encoded& encoded, const dependency::Candidates& candidates);

 private:
  const ConstraintSet* set_;
  std::vector<int> relations_;  ///< By constraint; -1 for any.
  std::vector<FeatureMatcher> matchers_;
};

}  // namespace kirchhoff::parser
