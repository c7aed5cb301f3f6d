// Labelled trees with scores of parts against the list of all of them: losses, their gradients, and what models say.
#include "dependency/random_parts.hpp"
#include "learn/labelled_loss.hpp"
#include "parser/features/part_keys.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/joint_models.hpp"
#include "parser/training/part_loss.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::parser {
namespace {

using dependency::DependencyParts;

/// A sentence whose words hang on the root or on the first word, which alone has scores of parts: a graph without
/// loops, for which propagation is exact (dependency/second_order_test.cpp).
struct Labelled {
  Labelled(int words, int labels, dependency::Random& random) {
    candidates.begin = {0, 0};
    for (int d = 1; d <= words; ++d) {
      candidates.heads.push_back(0);
      if (d > 1) candidates.heads.push_back(1);
      candidates.begin.push_back(static_cast<std::uint32_t>(candidates.heads.size()));
    }
    parts = dependency::list_parts(words, candidates, kNextSiblings);
    of_parts = dependency::normal(parts.size(), 1.0, random);
    for (std::size_t p = 0; p < parts.siblings.size(); ++p) of_parts[p] *= parts.siblings[p][0] == 1 ? 1.0 : 0.0;
    arcs = {words, labels, {}, dependency::normal(candidates.size() * static_cast<std::size_t>(labels), 1.0, random)};
    for_each_arc(candidates, [&](int h, int d) { arcs.arcs.push_back({h, d}); });
    gold = {Heads(static_cast<std::size_t>(words) + 1, -1), std::vector<int>(static_cast<std::size_t>(words) + 1, 0)};
    for (std::size_t d = 1; d < gold.heads.size(); ++d) {
      gold.heads[d] = d > 1 ? static_cast<int>(random() % 2) : 0;
      gold.labels[d] = static_cast<int>(random() % static_cast<unsigned>(labels));
    }
    has_gold = dependency::parts_in_tree(parts, candidates, gold.heads);
  }

  /// The loss and its gradient by the scores of labels.
  learn::LabelledArcsObjective objective(Loss loss) const {
    const learn::FoldedArcs folded = learn::fold_arcs("test", arcs, gold, loss);
    const bool risk = loss.kind == Loss::Kind::expected_cost;
    loss.gamma = 0.0;
    const PartObjective found = part_loss({parts, candidates, Root::multi, folded.theta, of_parts},
                                          {gold.heads, has_gold}, loss, false, folded.right);
    return {found.value + (risk ? 0.0 : folded.excess), learn::unfold(folded, gold, found.arcs, found.of_gold)};
  }

  /// Both from all labelled trees. The gradient of the expected cost is a covariance.
  learn::LabelledArcsObjective by_enumeration(const Loss& loss) const {
    const auto labels = static_cast<std::size_t>(arcs.labels);
    LabelledMatrix scores(arcs.words, arcs.labels, -HUGE_VAL);
    for (std::size_t i = 0; i < arcs.scores.size(); ++i) {
      scores(arcs.arcs[i / labels].head, arcs.arcs[i / labels].dependent, static_cast<int>(i % labels)) =
          arcs.scores[i];
    }
    struct Tree {
      const oracle::Tree* tree;
      double value, cost;
    };
    std::vector<Tree> trees;
    double of_gold = 0.0, most = -HUGE_VAL;
    const oracle::Forest forest(scores, Root::multi);
    for (const oracle::Tree& t : forest.trees()) {
      if (std::isinf(static_cast<double>(t.score))) continue;
      Tree tree{&t, static_cast<double>(t.score), 0.0};
      const std::vector<char> has = dependency::parts_in_tree(parts, candidates, t.heads);
      for (std::size_t p = 0; p < has.size(); ++p) tree.value += has[p] != 0 ? of_parts[p] : 0.0;
      for (std::size_t d = 1; d < t.heads.size(); ++d) {
        tree.cost += t.heads[d] != gold.heads[d] || t.labels[d] != gold.labels[d] ? 1.0 : 0.0;
      }
      if (tree.cost == 0.0) of_gold = tree.value;
      trees.push_back(tree);
    }
    const bool risk = loss.kind == Loss::Kind::expected_cost, soft = !std::isinf(loss.beta);
    for (Tree& tree : trees) most = std::max(most, tree.value += (risk ? 0.0 : loss.gamma) * tree.cost);
    double z = 0.0, cost = 0.0;
    const auto weight = [&](const Tree& tree) {
      return soft ? std::exp((risk ? 1.0 : loss.beta) * (tree.value - most)) : tree.value == most ? 1.0 : 0.0;
    };
    for (const Tree& tree : trees) z += weight(tree);
    for (const Tree& tree : trees) cost += weight(tree) / z * tree.cost;
    learn::LabelledArcsObjective all{most - of_gold, std::vector<double>(arcs.scores.size(), 0.0)};
    if (soft) all.value += std::log(z) / loss.beta;
    if (risk) all.value = cost;
    for (std::size_t i = 0; i < all.gradient.size(); ++i) {
      const auto d = static_cast<std::size_t>(arcs.arcs[i / labels].dependent);
      const auto has = [&](const auto& tree) {
        return tree.heads[d] == arcs.arcs[i / labels].head && tree.labels[d] == static_cast<int>(i % labels);
      };
      for (const Tree& tree : trees) {
        if (has(*tree.tree)) all.gradient[i] += weight(tree) / z * (risk ? tree.cost - cost : 1.0);
      }
      if (!risk && has(gold)) all.gradient[i] -= 1.0;
    }
    return all;
  }

  Candidates candidates;
  DependencyParts parts;
  learn::LabelledArcs arcs;
  std::vector<double> of_parts;
  Gold gold;
  std::vector<char> has_gold;
};

TEST(LabelledParts, HaveTheLossesAndMarginalsOfAllLabelledTrees) {
  dependency::Random random(7);
  for (const auto& [words, labels] : {std::pair(1, 2), {2, 3}, {3, 2}, {4, 2}, {4, 3}, {5, 2}}) {
    for (int round = 0; round < 3; ++round) {
      const Labelled problem(words, labels, random);
      for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, Loss{3.0, 1.5}, kRiskLoss, kSvmLoss, kPerceptronLoss}) {
        // Propagation of losses ends when beliefs change by a thousandth.
        const double tolerance = loss.kind == Loss::Kind::expected_cost ? 1e-6 : 2e-3;
        const auto found = problem.objective(loss), expected = problem.by_enumeration(loss);
        EXPECT_NEAR(found.value, expected.value, tolerance) << words << " beta " << loss.beta << " " << loss.gamma;
        for (std::size_t i = 0; i < found.gradient.size(); ++i) {
          EXPECT_NEAR(found.gradient[i], expected.gradient[i], tolerance) << "beta " << loss.beta << ", " << i;
        }
      }
    }
  }
}

/// All labelled trees of three words with their scores under a model.
struct AllLabelled {
  AllLabelled(const ParserModel& parser_model, const Sentence& sentence) {
    const Model& model = *ModelAccess::model_of(parser_model);
    const LabelledMatrix scores = all_scores(parser_model, sentence);
    const Encoded encoded = encode(sentence, model.inventory);
    const Candidates kept =
        prune(table_scores(model.tables, model.pruner, encoded), Root::single, model.settings.pruning);
    const DependencyParts parts = dependency::list_parts(encoded.words, kept, model.settings.parts);
    PartKeys keys(model.part_templates);
    keys.read(encoded);
    std::vector<double> of_parts;
    keys.for_each(parts, [&](const auto& found) { of_parts.push_back(model.arcs.sum(found)); });
    const oracle::Forest forest(scores, Root::single);
    for (const oracle::Tree& tree : forest.trees()) {
      if (std::isinf(static_cast<double>(tree.score))) continue;
      auto value = static_cast<double>(tree.score);
      const std::vector<char> has = dependency::parts_in_tree(parts, kept, tree.heads);
      for (std::size_t p = 0; p < has.size(); ++p) value += has[p] != 0 ? of_parts[p] : 0.0;
      trees.push_back({tree.heads, tree.labels});
      values.push_back(value);
    }
  }
  std::vector<Gold> trees;
  std::vector<double> values;
};

std::vector<Sentence> three_words() {
  std::vector<Sentence> all;
  for (const Sentence& s : ToyTreebank(7).sentences(12)) {
    for (int first = 1; first + 2 <= s.size(); first += 2) {
      std::string text;
      for (int d = first; d < first + 3; ++d) {
        text += std::to_string(d - first + 1) + "\t" + std::string(s.form(d)) + "\t" + std::string(s.form(d)) + "\t" +
                std::string(s.upos(d)) + "\t_\t_\t_\t_\t_\t_\n";
      }
      std::istringstream in(text + "\n");
      all.push_back(read_sentences(in, "three words", ConllFormat::conllu)[0]);
    }
  }
  return all;
}

TEST(LabelledParts, OfAnSvmAreThoseOfTheBestLabelledTree) {
  for (const PartSet& set : {kNextSiblings, kAllSiblings}) {
    TrainOptions options = joint_options(kSvmLoss);
    options.parts = set;
    const ParserModel model = *train_parser(ToyTreebank(1).sentences(6), {}, options).model;
    Parser parser(model);
    for (const Sentence& s : three_words()) {
      const AllLabelled all(model, s);
      const auto best =
          static_cast<std::size_t>(std::max_element(all.values.begin(), all.values.end()) - all.values.begin());
      const Parsed parsed = parser.parse(s, {.solver = ParseSolver::exact});
      EXPECT_EQ(parsed.tree.heads, all.trees[best].heads);
      EXPECT_EQ(std::vector(parsed.tree.labels.begin() + 1, parsed.tree.labels.end()),
                std::vector(all.trees[best].labels.begin() + 1, all.trees[best].labels.end()));
    }
  }
}

/// How close beliefs are to probabilities is an experience; those of relations given their arcs are exact.
TEST(LabelledParts, HaveNearlyTheProbabilitiesOfAllLabelledTrees) {
  TrainOptions options = joint_options(kCrfLoss);
  options.parts = kNextSiblings;
  const ParserModel model = *train_parser(ToyTreebank(1).sentences(10), {}, options).model;
  Parser parser(model);
  double error = 0.0, words = 0.0;
  for (const Sentence& s : three_words()) {
    const AllLabelled all(model, s);
    const Parsed parsed = parser.parse(s, {.probabilities = true});
    for (std::size_t d = 1; d <= 3; ++d) {
      double z = 0.0, arc = 0.0, labelled = 0.0;
      for (std::size_t t = 0; t < all.trees.size(); ++t) {
        const double weight = std::exp(all.values[t]);
        z += weight;
        if (all.trees[t].heads[d] != parsed.tree.heads[d]) continue;
        arc += weight;
        if (all.trees[t].labels[d] == parsed.tree.labels[d]) labelled += weight;
      }
      EXPECT_NEAR(parsed.label_probabilities[d], labelled / arc, 1e-5);
      error += std::abs(parsed.arc_probabilities[d] * parsed.label_probabilities[d] - labelled / z);
      words += 1.0;
    }
  }
  EXPECT_LT(error / words, 0.01);
}

}  // namespace
}  // namespace kirchhoff::parser
