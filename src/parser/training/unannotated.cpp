// Computes the three objectives on sentences without trees and their gradients, and reads files of constraints.
#include "parser/training/unannotated.hpp"

#include "kirchhoff/expectation.hpp"
#include "parser/features/hash.hpp"

#include <charconv>
#include <cmath>
#include <istream>
#include <sstream>

namespace kirchhoff {

std::vector<TagConstraint> read_tag_constraints(std::istream& in, const std::string& name) {
  std::vector<TagConstraint> constraints;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    std::string dependent, arrow, head, side, share, more;
    if (!(words >> dependent)) continue;
    words >> arrow >> head >> side >> share;
    const auto fail = [&](const std::string& why) -> void { throw ParseError(name, number, 1, why); };
    if (share.empty() || arrow != "->" || words >> more)
      fail("expected 'TAG -> HEADTAG " + all_names<TagConstraint::Side>("|") + " SHARE'");
    const auto parsed_side = parse_name<TagConstraint::Side>(side);
    if (!parsed_side) fail("'" + side + "' is none of " + all_names<TagConstraint::Side>());
    double value = 0.0;
    const auto [end, error] = std::from_chars(share.data(), share.data() + share.size(), value);
    const bool is_number = error == std::errc() && end == share.data() + share.size();
    if (!is_number || !(value >= 0.0 && value <= 1.0)) fail("'" + share + "' is not a share between 0 and 1");
    constraints.push_back({dependent, head, *parsed_side, value});
  }
  return constraints;
}

namespace parser {
namespace {

constexpr Accuracy kAccuracy{.tolerance = 1e-9, .floor = 1e-6};

/// The teacher's scores where the student has a candidate; an empty matrix when no tree is left.
Matrix restricted(const Matrix& teacher, const Matrix& student, Root root) {
  Matrix s = teacher;
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    if (std::isinf(student.data()[i])) s.data()[i] = -HUGE_VAL;
  }
  try {
    const TreeDistribution feasible(s, root, kAccuracy);
  } catch (const Infeasible&) {
    return {};
  }
  return s;
}

}  // namespace

UnannotatedTrainer::UnannotatedTrainer(const Unannotated& unannotated, std::vector<Encoded> sentences,
                                       std::vector<Candidates> candidates, ArcTrainer& arcs,
                                       const TrainOptions& options, base::Crew& crew)
    : unannotated_(&unannotated),
      sentences_(std::move(sentences)),
      lists_(arcs.lists(sentences_, std::move(candidates))),
      teacher_(sentences_.size()),
      arcs_(&arcs),
      options_(options),
      crew_(&crew) {
  for (const TagConstraint& c : unannotated.constraints) {
    constraints_.push_back({hash_text(c.dependent), hash_text(c.head), c.head == "ROOT", c.side, c.share});
  }
  if (!unannotated.teacher) return;
  crew.chunks(teacher_.size(), [&](std::size_t first, std::size_t last) {
    Parser parser(*unannotated.teacher);
    for (std::size_t i = first; i < last; ++i) {
      const Matrix student = arcs_->scores(lists_[i], sentences_[i].words);
      teacher_[i] = restricted(parser.arc_scores(unannotated.sentences[i]), student, options.root);
    }
  });
}

bool UnannotatedTrainer::matches(const Constraint& c, const Encoded& s, int head, int dependent) const {
  constexpr auto kUpos = static_cast<std::size_t>(Attribute::upos);
  const auto tag = [&](int node) { return s.rows[static_cast<std::size_t>(s.row(node))][kUpos]; };
  if (tag(dependent) != c.dependent || (c.root ? head != 0 : tag(head) != c.head)) return false;
  return c.side == TagConstraint::Side::any || (c.side == TagConstraint::Side::left) == (head < dependent);
}

std::vector<double> UnannotatedTrainer::constraint_slopes(std::span<const std::size_t> batch,
                                                          std::span<const TreeDistribution> p, double& value) const {
  constexpr auto kUpos = static_cast<std::size_t>(Attribute::upos);
  std::vector<double> slopes;
  for (const Constraint& c : constraints_) {
    double expected = 0.0, words = 0.0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Encoded& s = sentences_[batch[i]];
      const auto marginals = p[i].marginals();
      for (int d = 1; d <= s.words; ++d) {
        if (s.rows[static_cast<std::size_t>(s.row(d))][kUpos] != c.dependent) continue;
        words += 1.0;
        for (int h = 0; h <= s.words; ++h) {
          if (h != d && matches(c, s, h, d)) expected += marginals(h, d);
        }
      }
    }
    const double difference = words > 0.0 ? expected / words - c.share : 0.0;
    value += unannotated_->constraint_weight * difference * difference;
    slopes.push_back(words > 0.0 ? 2.0 * unannotated_->constraint_weight * difference / words : 0.0);
  }
  return slopes;
}

UnannotatedTrainer::Objective UnannotatedTrainer::objective(std::span<const std::size_t> batch) const {
  std::vector<TreeDistribution> p;
  for (const std::size_t i : batch) {
    p.emplace_back(arcs_->scores(lists_[i], sentences_[i].words), options_.root, kAccuracy);
  }
  Objective result;
  const std::vector<double> slopes = constraint_slopes(batch, p, result.value);
  std::vector<double> values(batch.size(), 0.0);
  std::vector<Matrix> gradients(batch.size());
  crew_->loop(batch.size(), [&](std::size_t i) {
    const Encoded& s = sentences_[batch[i]];
    Matrix& gradient = gradients[i] = Matrix::Zero(s.words + 1, s.words + 1);
    if (unannotated_->entropy_weight != 0.0) {
      values[i] += unannotated_->entropy_weight * entropy(p[i]);
      gradient += unannotated_->entropy_weight * entropy_gradient(p[i]);
    }
    if (const Matrix& scores = teacher_[batch[i]]; scores.size() > 0) {
      const TreeDistribution teacher(scores, options_.root, kAccuracy);
      values[i] += unannotated_->teacher_weight * kl(teacher, p[i]);
      gradient += unannotated_->teacher_weight * kl_gradient(teacher, p[i]).q;
    }
    Matrix direction =
        Matrix::Zero(s.words + 1, s.words + 1);  // The gradient of the sum of slopes * E[f_c] is taken along it.
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      for (int d = 1; d <= s.words; ++d) {
        for (int h = 0; h <= s.words; ++h) {
          if (h != d && matches(constraints_[c], s, h, d)) direction(h, d) += slopes[c];
        }
      }
    }
    if (!direction.isZero(0.0)) gradient += p[i].marginals_along(direction);
  });
  for (std::size_t i = 0; i < batch.size(); ++i) {
    result.value += values[i];
    add_updates(lists_[batch[i]], gradients[i], result.updates);
  }
  return result;
}

double UnannotatedTrainer::step(std::span<const std::size_t> batch) {
  Objective o = objective(batch);
  o.updates.sort();
  const Gradient gradient{{&o.updates}, o.value};
  arcs_->learner().step({&gradient, 1}, *crew_);
  return o.value;
}

}  // namespace parser
}  // namespace kirchhoff
