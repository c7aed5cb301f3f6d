// Constraints on sentences without trees: which arcs each is about, and what a share that is not as asked for costs.
#pragma once

#include "dependency/candidates.hpp"
#include "kirchhoff/train.hpp"
#include "parser/features/encode.hpp"

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
    std::uint32_t constraint;
    std::uint16_t head, dependent;
  };
  std::vector<Place> places;  ///< The candidate arcs that a constraint counts.
  std::vector<double> words;  ///< For each constraint, how many words it is about.
};

/// The penalty for a constraint's expected share, and its derivative by that share.
struct PenaltyAt {
  double value = 0.0, slope = 0.0;
};
PenaltyAt penalty_at(Penalty penalty, const TagConstraint& constraint, double share);

class ConstraintSet {
 public:
  explicit ConstraintSet(const std::vector<TagConstraint>& constraints);
  std::size_t size() const { return compiled_.size(); }
  /// What the expected share of a constraint costs.
  PenaltyAt penalty(std::size_t constraint, Penalty penalty, double share) const {
    return penalty_at(penalty, compiled_[constraint].given, share);
  }
  ConstrainedArcs find(const Encoded& sentence, const dependency::Candidates& candidates) const;

 private:
  struct Compiled {
    TagConstraint given;
    WordPattern dependent, head;
  };
  std::vector<Compiled> compiled_;
};

}  // namespace kirchhoff::parser
