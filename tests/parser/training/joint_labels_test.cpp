// Relations that are learnt and chosen together with the tree: gradients by finite differences, and that models learn,
// go on and are what their files say.
#include "parser/training/joint_labels.hpp"

#include "parser/toy_treebank.hpp"
#include "parser/training/joint_models.hpp"
#include "parser/training/second_order_trainer.hpp"
#include "parser/training/unannotated.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
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
    const UnannotatedTrainer trainer(u, toys.inventory, toys.encoded, candidates, arcs->text_model(), options,
                                     toys.crew);
    const auto [w, v] = random_weights(*arcs, labels);
    const std::vector<std::size_t> batch = {0, 1, 2, 3, 4, 5};
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

TEST(JointLabels, AreLearntWithParts) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(60), test = ToyTreebank(3).sentences(30);
  for (const char* parts : {"next", "all", "siblings=next,bigrams", "all,nonprojective"}) {
    for (const Loss loss : {kCrfLoss, kSvmLoss, kRiskLoss}) {
      TrainOptions options = joint_options(loss);
      options.parts = parse_parts(parts);
      if (options.parts.non_projective && !std::isinf(loss.beta)) continue;
      options.epochs = 5;
      const TrainResult result = train_parser(train, ToyTreebank(2).sentences(10), options);
      EXPECT_LT(result.epochs.back().loss, result.epochs.front().loss);
      EXPECT_GT(attachment(*result.model, test, true), 85.0) << parts << " beta " << loss.beta;
      EXPECT_EQ(result.model->parts(), options.parts);
    }
  }
}

TEST(JointLabels, AreLearntByAggressiveStepsAndBesideText) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(80), test = ToyTreebank(3).sentences(40);
  for (const Loss loss : {kCrfLoss, kSvmLoss, kPerceptronLoss}) {
    for (const bool text : {false, true}) {
      TrainOptions options = joint_options(loss);
      options.epochs = 6;
      options.step.kind = StepRule::Kind::aggressive;
      if (text) {
        options.unannotated.sentences = ToyTreebank(5).sentences(20);
        options.unannotated.entropy_weight = 0.01;
      }
      const TrainResult result = train_parser(train, ToyTreebank(2).sentences(20), options);
      EXPECT_GT(attachment(*result.model, test, true), 85.0) << "beta " << loss.beta << " text " << text;
    }
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

void check_file(const PartSet& set) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(30);
  TrainOptions options = joint_options();
  options.parts = set;
  const ParserModel model = *train_parser(train, {}, options).model;
  const std::string file = testing::TempDir() + "/joint.model";
  model.save(file);
  const ParserModel again = ParserModel::open(file);
  EXPECT_EQ(again.parts(), set);
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

TEST(JointLabels, AreInTheModelFileAndItsCard) {
  check_file(kArcs);
  check_file(kNextSiblings);
  check_file(kAllSiblings);
}

TEST(JointLabels, SayWhatTheyNeed) {
  const std::vector<Sentence> train = ToyTreebank(1).sentences(5);
  const auto refused = [&](const auto& change) {
    TrainOptions options = joint_options();
    change(options);
    return message_of<InputError>([&] { train_parser(train, {}, options); });
  };
  EXPECT_NE(refused([](TrainOptions& o) { o.label_templates = "any | g.upos\n"; }).find("'g.upos' is no atom"),
            std::string::npos);
  TrainOptions without = small_options();
  without.start = *train_parser(train, {}, joint_options()).model;
  without.unannotated.sentences = train;
  without.unannotated.entropy_weight = 1.0;
  EXPECT_EQ(message_of<InputError>([&] { train_parser({}, {}, without); }),
            "[train_parser] start: a model of joint labels needs trees");
  without.start.reset();
  without.labels = Labelling::joint;
  EXPECT_EQ(message_of<InputError>([&] { train_parser({}, {}, without); }),
            "[train_parser] labels: joint ones need trees");
}

}  // namespace
}  // namespace kirchhoff::parser
