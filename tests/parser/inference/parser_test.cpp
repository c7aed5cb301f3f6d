// Parses: always trees, with probabilities that agree with the distribution they come from.
#include "kirchhoff/projective.hpp"
#include "kirchhoff/relations.hpp"
#include "kirchhoff/solve.hpp"
#include "kirchhoff/train.hpp"
#include "parser/toy_treebank.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff {
namespace {

const ParserModel& toy_model() {
  static const ParserModel model = [] {
    TrainOptions options{.root = Root::single};
    options.epochs = 2;
    options.pruner_epochs = 1;
    return train_parser(ToyTreebank(1).sentences(60), ToyTreebank(2).sentences(20), options).model.value();
  }();
  return model;
}

TEST(Parser, GivesTreesForAnyWords) {
  Parser parser(toy_model());
  for (const std::vector<std::string>& forms : {std::vector<std::string>{"x"},
                                                {".", ".", "."},
                                                std::vector<std::string>(80, "cat"),
                                                {"\xf0\x9f\x98\x80", "\xff", "a b"}}) {
    const Sentence s(forms);
    const Parsed parsed = parser.parse(s, {.probabilities = true});
    EXPECT_NO_THROW(check_tree(parsed.tree.heads, s.size(), Root::single, "test"));
    int below_root = 0;
    for (int d = 1; d <= s.size(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      const bool is_root = toy_model().labels()[static_cast<std::size_t>(parsed.tree.labels[i])] == "root";
      EXPECT_EQ(is_root, parsed.tree.heads[i] == 0);
      below_root += is_root;
      EXPECT_GT(parsed.arc_probabilities[i], 0.0);
      EXPECT_LE(parsed.arc_probabilities[i], 1.0);
      EXPECT_GT(parsed.label_probabilities[i], 0.0);
      EXPECT_LE(parsed.label_probabilities[i], 1.0);
    }
    EXPECT_EQ(below_root, 1);
  }
  EXPECT_THROW(parser.parse(Sentence()), InputError);
  // Heads have 16 bits, so one word more would wrap around.
  const Sentence too_long(std::vector<std::string>(65536, "cat"));
  EXPECT_THROW(parser.parse(too_long), InputError);
  TrainOptions options{.root = Root::multi};
  options.unannotated.sentences = {too_long};
  EXPECT_THROW(train_parser(ToyTreebank(1).sentences(3), {}, options), InputError);
}

TEST(Parser, GivesProjectiveTreesWithTheirProbabilities) {
  Parser parser(toy_model());
  std::size_t moved = 0;
  std::vector<Sentence> sentences = ToyTreebank(4).sentences(20);
  sentences.emplace_back(std::vector<std::string>(40, "cat"));
  for (const Sentence& s : sentences) {
    const Parsed parsed = parser.parse(s, {.projective = true, .probabilities = true, .arc_scores = true, .k_best = 3});
    const ProjectiveTreeDistribution p(parsed.arc_scores, Root::single);
    EXPECT_EQ(parsed.tree.heads, best_tree(p).heads);
    EXPECT_NEAR(parsed.log_prob, p.log_prob(parsed.tree.heads), 1e-9);
    EXPECT_NEAR(parsed.entropy, entropy(p), 1e-9);
    for (int d = 1; d <= s.size(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      EXPECT_NEAR(parsed.arc_probabilities[i], p.marginals()(parsed.tree.heads[i], d), 1e-9);
    }
    EXPECT_FALSE(parsed.trees.empty());
    for (const Tree& tree : parsed.trees) EXPECT_TRUE(is_projective(tree.heads));
    for (const Tree& tree : parser.parse(s, {.projective = true, .samples = 5}).trees) {
      EXPECT_TRUE(is_projective(tree.heads));
    }
    moved += parser.parse(s, {}).tree.heads != parsed.tree.heads;
  }
  EXPECT_GT(moved, 0u) << "no sentence has a best tree that crosses: the test shows nothing";
}

TEST(Parser, TrainsOnProjectiveTrees) {
  TrainOptions options{.root = Root::single};
  options.epochs = 2;
  options.pruner_epochs = 1;
  options.projective = true;
  const TrainResult result = train_parser(ToyTreebank(1).sentences(60), ToyTreebank(2).sentences(20), options);
  EXPECT_LT(result.epochs[1].loss, result.epochs[0].loss);
  EXPECT_GT(result.epochs[1].uas, 50.0);
  options.parts = kNextSiblings;
  EXPECT_THROW(train_parser(ToyTreebank(1).sentences(3), {}, options), InputError);
}

TEST(Parser, AgreesWithItsDistribution) {
  Parser parser(toy_model());
  for (const Sentence& s : ToyTreebank(4).sentences(20)) {
    const Parsed parsed = parser.parse(s, {.probabilities = true, .arc_scores = true, .k_best = 3});
    const TreeDistribution p(parser.arc_scores(s), Root::single);
    EXPECT_EQ(parsed.arc_scores, parser.arc_scores(s));
    EXPECT_NEAR(parsed.log_prob, p.log_prob(parsed.tree.heads), 1e-6);
    EXPECT_NEAR(parsed.entropy, entropy(p), 1e-6);
    for (int d = 1; d <= s.size(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      EXPECT_NEAR(parsed.arc_probabilities[i], p.marginals()(parsed.tree.heads[i], d), 1e-6);
    }
    ASSERT_FALSE(parsed.trees.empty());
    EXPECT_EQ(parsed.trees[0].heads, parsed.tree.heads);
    EXPECT_EQ(parsed.trees[0].labels, parsed.tree.labels);
    for (std::size_t k = 1; k < parsed.trees.size(); ++k)
      EXPECT_LE(*parsed.trees[k].log_prob, *parsed.trees[k - 1].log_prob + 1e-9);
  }
}

TEST(Parser, TreesFromElsewhereGetTheRelationsThatTheyGetWhenTheirHeadsAreKept) {
  Parser parser(toy_model());
  for (const Sentence& s : ToyTreebank(5).sentences(10)) {
    const TreeDistribution p(parser.arc_scores(s), Root::single);
    const std::vector<Tree> drawn = sample_trees(p, 5, {.seed = 3});
    const std::vector<Tree> trees = labelled(parser.model(), s, drawn);
    ASSERT_EQ(trees.size(), drawn.size());
    for (std::size_t k = 0; k < trees.size(); ++k) {
      Sentence kept = s;
      for (int d = 1; d <= s.size(); ++d) {
        kept.set_head(d, drawn[k].heads[static_cast<std::size_t>(d)]);
      }
      const Tree expected = parser.parse(kept, {.keep_heads = true}).tree;
      EXPECT_EQ(trees[k].heads, expected.heads);
      EXPECT_EQ(trees[k].labels, expected.labels);
      EXPECT_EQ(trees[k].log_prob, drawn[k].log_prob);
    }
    EXPECT_THROW(labelled(parser.model(), s, drawn, [] { return true; }), Stopped);
  }
  const Sentence one = ToyTreebank(5).sentences(1)[0];
  EXPECT_TRUE(labelled(parser.model(), one, {}).empty());
  for (const Heads& heads : {Heads{}, Heads{-1, 0}, Heads(static_cast<std::size_t>(one.size()) + 1, 1)}) {
    EXPECT_THROW(labelled(parser.model(), one, {Tree{heads, {}, 0.0, {}}}), InputError);
  }
}

TEST(Parser, FactorGraphHasItsTrees) {
  for (const PartSet& set : {kArcs, kNextSiblings, kAllSiblings, PartSet{Siblings::none, false, true, true}}) {
    TrainOptions options{.root = Root::single};
    options.parts = set;
    options.epochs = options.pruner_epochs = 1;
    options.loss = kSvmLoss;
    Parser parser(train_parser(ToyTreebank(1).sentences(40), {}, options).model.value());
    const std::vector<Sentence> sentences = ToyTreebank(6).sentences(10);
    std::vector<DependencyGraph> graphs;  // Each must outlive what the parser does next.
    for (const Sentence& s : sentences) graphs.push_back(parser.factor_graph(s));
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const DependencyGraph& g = graphs[i];
      if (set == kArcs) {
        EXPECT_EQ(g.graph.factors(), 1) << "TREE";
      }
      if (set == kNextSiblings) {
        EXPECT_EQ(g.graph.factors(), g.words + 2) << "TREE, and HEAD of words and the root";
      }
      const MapResult best = solve_ad3(g.graph, {.search = Search::exact});
      ASSERT_EQ(best.status, Status::converged);
      const Heads heads = heads_of(g, best.assignment);
      const Parsed parsed = parser.parse(sentences[i], {.solver = ParseSolver::exact});
      EXPECT_EQ(heads, parsed.tree.heads) << to_string(set);
      EXPECT_EQ(parsed.inference.searched, set != kArcs);
      EXPECT_TRUE(parsed.inference.certified);
      if (set != kArcs) continue;
      double sum = 0.0;
      const Matrix scores = parser.arc_scores(sentences[i]);  // Without dev the temperature is 1.
      for (int d = 1; d <= g.words; ++d) sum += scores(heads[static_cast<std::size_t>(d)], d);
      EXPECT_NEAR(best.value, sum, 1e-9);
    }
  }
}

TEST(Parser, KeepsHeads) {
  Parser parser(toy_model());
  for (Sentence s : ToyTreebank(5).sentences(20)) {
    for (int d = 1; d <= s.size(); ++d) s.set_head(d, -1);
    s.set_head(1, s.size());  // nothing the model would choose
    const Parsed parsed = parser.parse(s, {.probabilities = true, .keep_heads = true});
    EXPECT_EQ(parsed.tree.heads[1], s.size());
    EXPECT_NEAR(parsed.arc_probabilities[1], 1.0, 1e-9);
    EXPECT_NO_THROW(check_tree(parsed.tree.heads, s.size(), Root::single, "test"));
    s.set_head(1, 2);
    s.set_head(2, 1);
    EXPECT_THROW(parser.parse(s, {.keep_heads = true}), Infeasible);
  }
}

/// The score of every arc, from parses that require it, so that the pruner keeps it.
Matrix scores_of_all_arcs(Parser& parser, const Sentence& sentence) {
  const int n = sentence.size();
  Matrix scores = Matrix::Constant(n + 1, n + 1, -std::numeric_limits<double>::infinity());
  for (int h = 0; h <= n; ++h) {
    for (int d = 1; d <= n; ++d) {
      if (h == d) continue;
      const Matrix given = parser.arc_scores(sentence, {.constraints = {{{h, d}}, {}}});
      EXPECT_EQ((given.col(d).array() > -std::numeric_limits<double>::infinity()).count(), 1);
      scores(h, d) = given(h, d);
    }
  }
  return scores;
}

TEST(Parser, ObeysConstraintsThatThePrunerWouldNotLeave) {
  Parser parser(toy_model());
  const Sentence s({"the", "cat", "sees", "dogs", "."});
  const int n = s.size();
  const Matrix all = scores_of_all_arcs(parser, s);
  for (int h = 0; h <= n; ++h) {
    for (int d = 1; d <= n; ++d) {
      if (h == d) continue;
      for (const bool required : {true, false}) {
        const Constraints constraints = required ? Constraints{{{h, d}}, {}} : Constraints{{}, {{h, d}}};
        const Parsed parsed =
            parser.parse(s, {.probabilities = true, .arc_scores = true, .constraints = constraints, .samples = 20});
        const auto obeys = [&](const Heads& heads) { return (heads[static_cast<std::size_t>(d)] == h) == required; };
        EXPECT_TRUE(obeys(parsed.tree.heads));
        for (const Tree& tree : parsed.trees) EXPECT_TRUE(obeys(tree.heads));
        const oracle::Forest forest(parsed.arc_scores, Root::single);
        oracle::Real best = -std::numeric_limits<double>::infinity();
        for (const oracle::Tree& tree : forest.trees()) {
          best = std::max(best, tree.log_prob);
          EXPECT_TRUE(tree.prob == 0 || obeys(tree.heads));
          if (tree.heads == parsed.tree.heads) {
            EXPECT_NEAR(parsed.log_prob, static_cast<double>(tree.log_prob), 1e-9);
          }
        }
        EXPECT_NEAR(parsed.log_prob, static_cast<double>(best), 1e-9);
        for (int word = 1; word <= n; ++word) {
          const int head = parsed.tree.heads[static_cast<std::size_t>(word)];
          EXPECT_NEAR(parsed.arc_scores(head, word), all(head, word), 1e-9);
        }
      }
    }
  }
}

TEST(Parser, RefusesConstraintsThatNoTreeObeys) {
  Parser parser(toy_model());
  Sentence s({"the", "cat", "sees"});
  EXPECT_THROW(parser.parse(s, {.constraints = {{{1, 2}, {2, 1}}, {}}}), Infeasible);
  EXPECT_THROW(parser.parse(s, {.constraints = {{}, {{0, 1}, {2, 1}, {3, 1}}}}), Infeasible);
  EXPECT_THROW(parser.parse(s, {.constraints = {{{4, 1}}, {}}}), InputError);
  EXPECT_THROW(parser.parse(s, {.constraints = {{}, {{1, 1}}}}), InputError);
  s.set_head(1, 2);
  EXPECT_THROW(parser.parse(s, {.keep_heads = true, .constraints = {{{3, 1}}, {}}}), Infeasible);
}

TEST(Parser, TakesAnotherRootMode) {
  Parser parser(toy_model());
  const Sentence s = ToyTreebank(5).sentences(1)[0];
  Sentence two_roots = s;
  for (int d = 1; d <= s.size(); ++d) two_roots.set_head(d, d <= 2 ? 0 : -1);
  const ParseOptions multi{.root = Root::multi, .probabilities = true, .keep_heads = true};
  const Parsed parsed = parser.parse(two_roots, multi);
  EXPECT_EQ(parsed.tree.heads[1], 0);
  EXPECT_EQ(parsed.tree.heads[2], 0);
  EXPECT_NO_THROW(check_tree(parsed.tree.heads, s.size(), Root::multi, "test"));
  EXPECT_THROW(parser.parse(two_roots, {.keep_heads = true}), Infeasible);
}

TEST(Parser, KnowsWhereItsTimeWent) {
  Parser parser(toy_model());
  for (const Sentence& s : ToyTreebank(5).sentences(20)) parser.parse(s);
  const ParseTimes& t = parser.times();
  for (const double seconds : {t.encode, t.prune, t.score, t.tree, t.label}) EXPECT_GT(seconds, 0.0);
}

TEST(Parser, SamplesTreesBySeed) {
  Parser parser(toy_model());
  const Sentence s = ToyTreebank(6).sentences(1)[0];
  const auto heads = [&](std::uint64_t seed) {
    std::vector<Heads> all;
    for (const Tree& tree : parser.parse(s, {.samples = 20, .seed = seed}).trees) all.push_back(tree.heads);
    return all;
  };
  EXPECT_EQ(heads(1).size(), 20u);
  EXPECT_EQ(heads(1), heads(1));
  EXPECT_THROW(parser.parse(s, {.k_best = 1, .samples = 1}), InputError);
}

TEST(Parser, AnnotatesHeadsAndRelationsOnly) {
  Parser parser(toy_model());
  const Sentence s = ToyTreebank(7).sentences(1)[0];
  const Parsed parsed = parser.parse(s);
  const Sentence result = parser.model().annotate(s, parsed.tree);
  for (int d = 1; d <= s.size(); ++d) {
    EXPECT_EQ(result.head(d), parsed.tree.heads[static_cast<std::size_t>(d)]);
    for (const Column c : {Column::form, Column::lemma, Column::upos, Column::xpos, Column::feats, Column::misc}) {
      EXPECT_EQ(result.get(d, c), s.get(d, c));
    }
  }
}

}  // namespace
}  // namespace kirchhoff
