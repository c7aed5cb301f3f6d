// Relations that are learnt and chosen together with the tree: gradients by finite differences, probabilities against a
// LabelledTreeDistribution of all scores, and that models learn, go on and are what their files say.
#include "parser/training/joint_trainer.hpp"

#include "kirchhoff/projective.hpp"
#include "parser/file/model.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/small_training.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kirchhoff::parser {
namespace {

TrainOptions joint_options(Loss loss = kSoftmaxMarginLoss) {
  TrainOptions options = small_options();
  options.labels = Labelling::joint;
  options.loss = loss;
  return options;
}

/// A model in the making, with random weights.
struct Probe : JointTrainer {
  using JointTrainer::JointTrainer;

  /// The loss of a sentence and what it adds to the gradients.
  struct At {
    double loss = 0.0;
    std::vector<double> of_arcs, of_labels;
  };
  At at(std::size_t sentence, std::size_t labels) {
    const auto result = make_result();
    compute_updates(sentence, *result);
    At found{result->loss, std::vector<double>(learner_.weights().size(), 0.0), std::vector<double>(labels, 0.0)};
    for (const auto& [f, amount] : result->updates.items()) found.of_arcs[f] += amount;
    for (const auto& [f, amount] : static_cast<JointResult&>(*result).of_labels.items()) found.of_labels[f] += amount;
    return found;
  }
};

void set(Learner& learner, const std::vector<float>& weights) {
  learner.restore(weights, std::vector<Learner::State>(weights.size()), 0);
}

/// Compares derivatives by some weights with finite differences.
template <class Value>
void check(const std::vector<double>& gradient, std::vector<float> weights, Learner& learner, const Value& value) {
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
    EXPECT_NEAR(gradient[f], slope, 2e-3 * std::max(1.0, std::abs(slope))) << f;
    moving += std::abs(slope) > 1e-2 ? 1 : 0;
  }
  EXPECT_GT(moving, 9);
}

TEST(JointLabels, HaveTheGradientOfTheirLoss) {
  base::Crew crew(1);
  const std::vector<Sentence> sentences = ToyTreebank(1).sentences(12);
  const Inventory inventory = make_inventory(sentences);
  const std::vector<Encoded> encoded = encode_all(sentences, inventory, crew);
  const Templates arcs("hd", kArcTemplates), of_labels("hd", lines_of_roles(kLabelTemplates, "hd"));
  const ArcTables tables(inventory);
  const std::vector<float> zero(tables.size(), 0.0F);
  for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kRiskLoss}) {
    for (const bool projective : {false, true}) {
      TrainOptions options = joint_options(loss);
      options.projective = projective;
      std::vector<Candidates> candidates;
      for (const Encoded& s : encoded) {
        candidates.push_back(with_tree(prune(table_scores(tables, zero, s), Root::single, {.max_heads = 4}), s.heads));
      }
      LabelTrainer labels(encoded, inventory, of_labels, crew);
      Probe probe(encoded, arcs, labels, options, crew);
      probe.take(std::move(candidates));
      std::mt19937 random(3);
      std::normal_distribution<float> draw(0.0F, 0.3F);
      std::vector<float> w(probe.learner().weights().size()), v(labels.ids().size());
      for (float& x : w) x = draw(random);
      for (float& x : v) x = draw(random);
      set(probe.learner(), w);
      set(labels.learner(), v);
      const auto at = [&] { return probe.at(2, v.size()); };
      const Probe::At found = at();
      EXPECT_GT(found.loss, 0.1);
      check(found.of_arcs, w, probe.learner(), [&] { return at().loss; });
      check(found.of_labels, v, labels.learner(), [&] { return at().loss; });
    }
  }
}

/// All scores of a sentence's labelled arcs, from the tables of the model's file.
LabelledMatrix all_scores(const ParserModel& parser_model, const Sentence& sentence) {
  const Model& model = *ModelAccess::model_of(parser_model);
  const Encoded encoded = encode(sentence, model.inventory);
  FeatureKeys arcs(model.arc_templates), of_labels(model.label_templates);
  arcs.read(encoded);
  of_labels.read(encoded);
  const std::size_t labels = model.label_use.size();
  LabelledMatrix scores(sentence.size(), static_cast<int>(labels), -HUGE_VAL);
  for_each_arc(prune(table_scores(model.tables, model.pruner, encoded), Root::single, model.settings.pruning),
               [&](int h, int d) {
                 std::vector<std::uint64_t> keys;
                 arcs.append({h, d}, keys);
                 const double of_arc = model.arcs.sum(keys);
                 keys.clear();
                 of_labels.append({h, d}, keys);
                 std::vector<float> own(labels, 0.0F);
                 std::vector<const LabelWeight*> found;
                 model.labels.add(keys, found, own);
                 for (std::size_t l = 0; l < labels; ++l) {
                   if (label_allowed(model.label_use[l], h == 0)) scores(h, d, static_cast<int>(l)) = of_arc + own[l];
                 }
               });
  return scores;
}

TEST(JointLabels, HaveTheProbabilitiesOfTheLabelledDistribution) {
  const ParserModel model = *train_parser(ToyTreebank(1).sentences(40), {}, joint_options(kCrfLoss)).model;
  Parser parser(model);
  for (const Sentence& s : ToyTreebank(7).sentences(10)) {
    const LabelledTreeDistribution p(all_scores(model, s), Root::single);
    const Parsed parsed = parser.parse(s, {.probabilities = true});
    EXPECT_EQ(parsed.tree.heads, best_tree(p.tree()).heads);
    EXPECT_NEAR(parsed.log_prob, p.tree().log_prob(parsed.tree.heads), 1e-4);
    for (int d = 1; d <= s.size(); ++d) {
      const auto w = static_cast<std::size_t>(d);
      const int h = parsed.tree.heads[w];
      double most = 0.0;
      for (int l = 0; l < p.labels(); ++l) most = std::max(most, p.marginals()(h, d, l));
      const double own = p.marginals()(h, d, parsed.tree.labels[w]);
      EXPECT_EQ(own, most);
      EXPECT_NEAR(parsed.arc_probabilities[w] * parsed.label_probabilities[w], own, 1e-5);
    }
  }
}

TEST(JointLabels, OfAnSvmAreThoseOfTheBestLabelledTree) {
  const ParserModel model = *train_parser(ToyTreebank(1).sentences(20), {}, joint_options(kSvmLoss)).model;
  for (const bool projective : {false, true}) {
    for (const Sentence& s : ToyTreebank(7).sentences(20)) {
      const LabelledMatrix scores = all_scores(model, s);
      const Tree best = projective ? best_projective_tree(scores, Root::single) : best_tree(scores, Root::single);
      const Parsed parsed = Parser(model).parse(s, {.projective = projective});
      EXPECT_NEAR(parsed.tree.score, best.score, 1e-4);
      EXPECT_EQ(parsed.tree.heads, best.heads);
      EXPECT_EQ(std::vector(parsed.tree.labels.begin() + 1, parsed.tree.labels.end()),
                std::vector(best.labels.begin() + 1, best.labels.end()));
    }
  }
}

TEST(JointLabels, AreLearnt) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(80), test = ToyTreebank(3).sentences(40);
  for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kSvmLoss, kPerceptronLoss, kRiskLoss}) {
    TrainOptions options = joint_options(loss);
    options.epochs = 6;
    const TrainResult result = train_parser(train, ToyTreebank(2).sentences(20), options);
    EXPECT_LT(result.epochs.back().loss, result.epochs.front().loss);
    EXPECT_GT(attachment(*result.model, test, true), 85.0) << "beta " << loss.beta << " gamma " << loss.gamma;
  }
}

TEST(JointLabels, AreTheSameOnAnyNumberOfThreadsAndAfterAnInterruption) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(300), dev = ToyTreebank(2).sentences(10);
  TrainOptions options = joint_options();
  options.threads = 1;
  const TrainResult whole = train_parser(train, dev, options);
  options.threads = 3;
  options.checkpoint = testing::TempDir() + "/joint.checkpoint";
  int calls = 0;
  EXPECT_TRUE(train_parser(train, dev, options, {.stop = [&] { return ++calls == 40; }}).stopped);
  options.resume = true;
  const TrainResult resumed = train_parser(train, dev, options);
  EXPECT_EQ(curve_of(whole), curve_of(resumed));
  options.labels = Labelling::given_tree;
  options.checkpoint = testing::TempDir() + "/joint.other.checkpoint";
  options.resume = false;
  EXPECT_NE(curve_of(whole), curve_of(train_parser(train, dev, options)));
}

TEST(JointLabels, AreInTheModelFileAndItsCard) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(30);
  TrainOptions options = joint_options();
  const ParserModel model = *train_parser(train, {}, options).model;
  const std::string file = testing::TempDir() + "/joint.model";
  model.save(file);
  const ParserModel again = ParserModel::open(file);
  EXPECT_EQ(again.parts(), kArcs);
  const auto in_card = [](const auto& line) { return line.first == "labels" && line.second == "joint"; };
  EXPECT_TRUE(std::any_of(again.card().begin(), again.card().end(), in_card));
  for (const Sentence& s : ToyTreebank(3).sentences(5)) {
    EXPECT_EQ(Parser(again).parse(s).tree.labels, Parser(model).parse(s).tree.labels);
    EXPECT_EQ(Parser(again).arc_scores(s), Parser(model).arc_scores(s));
  }
  // A training can begin with it.
  options.start = again;
  options.epochs = 1;
  const double first = train_parser(train, {}, options).epochs[0].loss;
  options.start.reset();
  EXPECT_LT(first, 0.5 * train_parser(train, {}, options).epochs[0].loss);
}

TEST(JointLabels, SayWhatTheyNeed) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(5);
  const std::string refusal =
      "[train_parser] labels: joint ones need a model of arcs, no unannotated sentences, and steps of AdaGrad";
  const auto refused = [&](const auto& change) {
    TrainOptions options = joint_options();
    change(options);
    return message_of<InputError>([&] { train_parser(train, {}, options); });
  };
  EXPECT_EQ(refused([](TrainOptions& o) { o.parts = kNextSiblings; }), refusal);
  EXPECT_EQ(refused([](TrainOptions& o) { o.step.kind = StepRule::Kind::aggressive; }), refusal);
  EXPECT_EQ(refused([&](TrainOptions& o) {
              o.unannotated.sentences = train;
              o.unannotated.entropy_weight = 1.0;
            }),
            refusal);
  EXPECT_NE(refused([](TrainOptions& o) { o.label_templates = "any | g.upos\n"; }).find("'g.upos' is no atom"),
            std::string::npos);
  TrainOptions without = small_options();
  without.start = *train_parser(train, {}, joint_options()).model;
  without.unannotated.sentences = train;
  without.unannotated.entropy_weight = 1.0;
  EXPECT_EQ(message_of<InputError>([&] { train_parser({}, {}, without); }),
            "[train_parser] start: a model of joint labels needs trees");
}

}  // namespace
}  // namespace kirchhoff::parser
