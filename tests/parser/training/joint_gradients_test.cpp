// Losses and objectives of relations that are learnt together with the tree: gradients by finite differences, and sums
// over labelled trees.
#include "parser/training/joint_labels.hpp"

#include "kirchhoff/expectation.hpp"
#include "kirchhoff/tree.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/joint_models.hpp"
#include "parser/training/second_order_trainer.hpp"
#include "parser/training/unannotated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace kirchhoff::parser {
namespace {

/// What a sentence adds to the gradients of a model in the making.
template <class Trainer>
struct Probe : Trainer {
  using Trainer::Trainer;

  /// The loss of a sentence and its gradients.
  struct At {
    double loss = 0.0;
    std::vector<double> of_arcs, of_labels;
  };
  At at(std::size_t sentence, std::size_t labels) {
    const auto result = this->make_result();
    this->prepare(sentence, *result);
    this->compute_updates(sentence, *result);
    At found{result->loss, std::vector<double>(this->learner_.weights().size(), 0.0), std::vector<double>(labels, 0.0)};
    for (const auto& [f, amount] : result->updates.items()) found.of_arcs[f] += amount;
    for (const auto& [f, amount] : result->of_labels.items()) found.of_labels[f] += amount;
    return found;
  }
};

void set(Learner& learner, const std::vector<float>& weights) {
  learner.restore(weights, std::vector<Learner::State>(weights.size()), 0);
}

/// Compares derivatives by some weights with finite differences.
template <class Value>
void check(const std::vector<double>& gradient, std::vector<float> weights, Learner& learner, const Value& value,
           double tolerance = 2e-3) {
  constexpr float kStep = 1.0F / 64;
  int moving = 0;
  for (std::size_t f = 0; f < weights.size() && moving < 25; f += 5) {
    const float before = weights[f];
    const auto at = [&](float w) {
      weights[f] = w;
      set(learner, weights);
      return value();
    };
    // Fourth order, as steps must be large: weights are floats.
    const double near = at(before + kStep) - at(before - kStep), far = at(before + 2 * kStep) - at(before - 2 * kStep);
    at(before);
    const double slope = (8.0 * near - far) / (12.0 * kStep);
    // What is below 1e-4 for an arc and a label is no update.
    EXPECT_NEAR(gradient[f], slope, tolerance * std::max(1.0, std::abs(slope))) << f;
    moving += std::abs(slope) > 1e-2 ? 1 : 0;
  }
  EXPECT_GT(moving, 9);
}

/// Sentences, and the features of models that learn from them.
struct ToySentences {
  base::Crew crew{1};
  std::vector<Sentence> sentences = ToyTreebank(1).sentences(12);
  Inventory inventory = make_inventory(sentences);
  std::vector<Encoded> encoded = encode_all(sentences, inventory, crew);
  Templates arcs{"hd", kArcTemplates}, of_labels{"hd", lines_of_roles(kLabelTemplates, "hd")};

  /// Those of a pruner that knows nothing, and the trees.
  std::vector<Candidates> candidates() const {
    const ArcTables tables(inventory);
    const std::vector<float> zero(tables.size(), 0.0F);
    std::vector<Candidates> all;
    for (const Encoded& s : encoded) {
      all.push_back(with_tree(prune(table_scores(tables, zero, s), Root::single, {.max_heads = 4}), s.heads));
    }
    return all;
  }
};

/// Gives both learners random weights, and returns these.
std::pair<std::vector<float>, std::vector<float>> random_weights(ArcTrainer& arcs, LabelTrainer& labels) {
  std::mt19937 random(3);
  std::normal_distribution<float> draw(0.0F, 0.3F);
  std::vector<float> w(arcs.learner().weights().size()), v(labels.ids().size());
  for (float& x : w) x = draw(random);
  for (float& x : v) x = draw(random);
  set(arcs.learner(), w);
  set(labels.learner(), v);
  return {w, v};
}

template <class Trainer>
void check_loss(ToySentences& toys, Probe<Trainer>& probe, LabelTrainer& labels, double tolerance) {
  const JointLabels joint(labels, toys.crew);
  probe.join(joint);
  probe.take(toys.candidates());
  const auto [w, v] = random_weights(probe, labels);
  const auto at = [&] { return probe.at(2, labels.ids().size()); };
  const auto found = at();
  EXPECT_GT(found.loss, 0.1);
  check(
      found.of_arcs, w, probe.learner(), [&] { return at().loss; }, tolerance);
  check(
      found.of_labels, v, labels.learner(), [&] { return at().loss; }, tolerance);
}

TEST(JointLabels, HaveTheGradientOfTheirLoss) {
  ToySentences toys;
  for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kRiskLoss}) {
    for (const bool projective : {false, true}) {
      TrainOptions options = joint_options(loss);
      options.projective = projective;
      LabelTrainer labels(toys.encoded, toys.inventory, toys.of_labels, toys.crew);
      Probe<ArcTrainer> probe(toys.encoded, toys.arcs, options, toys.crew);
      check_loss(toys, probe, labels, 2e-3);
    }
  }
}

TEST(JointLabels, HaveTheGradientOfTheirLossWithParts) {
  ToySentences toys;
  for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kRiskLoss}) {
    for (const PartSet& set : {kNextSiblings, kAllSiblings}) {
      TrainOptions options = joint_options(loss);
      options.parts = set;
      const PartTemplates parts = part_templates(set);
      LabelTrainer labels(toys.encoded, toys.inventory, toys.of_labels, toys.crew);
      Probe<SecondOrderTrainer> probe(toys.encoded, toys.arcs, parts, options, toys.crew);
      // Propagation of losses ends when beliefs change by a thousandth, that of expected costs at a fixed point.
      check_loss(toys, probe, labels, loss.kind == Loss::Kind::expected_cost ? 2e-3 : 1e-2);
    }
  }
}

TEST(JointLabels, HaveTheGradientOfObjectivesOnText) {
  for (const PartSet& set : {kArcs, kNextSiblings}) {
    ToySentences toys;
    TrainOptions options = joint_options();
    options.parts = set;
    const std::vector<Candidates> candidates = toys.candidates();
    const PartTemplates parts = part_templates(set);
    LabelTrainer labels(toys.encoded, toys.inventory, toys.of_labels, toys.crew);
    const JointLabels joint(labels, toys.crew);
    const auto arcs = make_arc_trainer(toys.encoded, toys.arcs, parts, options, toys.crew);
    arcs->join(joint);
    arcs->take(candidates);
    Unannotated u;
    u.sentences = toys.sentences;
    u.entropy_weight = 0.7;
    u.constraints = {{"DET", "NOUN", TagConstraint::Side::right, 0.9}};
    u.constraints.push_back({"NOUN", "VERB", TagConstraint::Side::any, 0.4});
    u.constraints.back().relation = "nsubj";
    u.feature_constraints = {{"d.upos=ADJ dir=leftward", 0.7}};
    u.feature_constraints[0].relation = "amod";
    const UnannotatedTrainer trainer(u, toys.inventory, toys.encoded, candidates, arcs->text_model(), options,
                                     toys.crew);
    const auto [w, v] = random_weights(*arcs, labels);
    std::vector<std::size_t> batch(toys.sentences.size());  // the corpus, whose shares the gradient is for
    std::iota(batch.begin(), batch.end(), 0);
    const auto at = [&] { return trainer.objective(batch); };
    std::vector<double> by_w(w.size(), 0.0), by_v(v.size(), 0.0);
    for (const TextUpdates& updates : at().updates) {
      for (const auto& [f, amount] : updates.arcs.items()) by_w[f] += amount;
      for (const auto& [f, amount] : updates.labels.items()) by_v[f] += amount;
    }
    check(by_w, w, arcs->learner(), [&] { return at().value; });
    check(by_v, v, labels.learner(), [&] { return at().value; });
  }
}

/// With weights of features of arcs and of labels, and a penalty for a share of labelled arcs.
TEST(JointLabels, OnTextHaveTheEntropyAndTheSharesOfLabelledTrees) {
  ToySentences toys;
  const TrainOptions options = joint_options();
  const std::vector<Candidates> candidates = toys.candidates();
  LabelTrainer labels(toys.encoded, toys.inventory, toys.of_labels, toys.crew);
  const JointLabels joint(labels, toys.crew);
  ArcTrainer arcs(toys.encoded, toys.arcs, options, toys.crew);
  arcs.join(joint);
  arcs.take(candidates);
  random_weights(arcs, labels);
  Unannotated u;
  u.sentences = toys.sentences;
  u.entropy_weight = 0.5;
  u.constraint_weight = 2.0;
  u.constraints = {{"NOUN", "VERB", TagConstraint::Side::any, 0.4}};
  u.constraints[0].relation = "nsubj";
  const UnannotatedTrainer trainer(u, toys.inventory, toys.encoded, candidates, arcs.text_model(), options, toys.crew);
  const auto of_arcs = arcs.lists(toys.encoded, candidates);
  const auto of_labels = joint.lists(toys.encoded, candidates);
  double expected = 0.0, nouns = 0.0, subjects = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const learn::LabelledArcs all = joint.labelled(candidates[i], of_labels[i], arcs.scores(of_arcs[i]));
    LabelledMatrix scores(all.words, all.labels, -HUGE_VAL);
    const auto count = static_cast<std::size_t>(all.labels);
    for (std::size_t k = 0; k < all.scores.size(); ++k) {
      scores(all.arcs[k / count].head, all.arcs[k / count].dependent, static_cast<int>(k % count)) = all.scores[k];
    }
    const LabelledTreeDistribution p(scores, Root::single);
    expected += u.entropy_weight * entropy(p);
    const Sentence& s = toys.sentences[i];
    for (int d = 1; d <= s.size(); ++d) {
      if (s.upos(d) != "NOUN") continue;
      nouns += 1.0;
      for (int h = 1; h <= s.size(); ++h) {
        if (h != d && s.upos(h) == "VERB") subjects += p.marginals()(h, d, toys.inventory.labels.find("nsubj"));
      }
    }
  }
  expected += u.constraint_weight * std::pow(subjects / nouns - 0.4, 2);
  const std::vector<std::size_t> batch = {0, 1, 2, 3};
  EXPECT_NEAR(trainer.objective(batch).value, expected, 1e-5 * expected);
}

}  // namespace
}  // namespace kirchhoff::parser
