// Ranks of sentences: measures against all trees, listed one by one, the order, and streams.
#include "kirchhoff/rank.hpp"

#include "parser/statistics/listed_trees.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace kirchhoff {
namespace {

SentenceSource source_of(std::vector<Sentence> sentences) {
  return [list = std::move(sentences), next = std::size_t{0}]() mutable -> std::optional<Sentence> {
    if (next == list.size()) return std::nullopt;
    return list[next++];
  };
}

/// The value of a sentence, by its definition.
double listed_value(const ParserModel& of, const Sentence& s, RankBy by) {
  const std::vector<ListedTree> trees = list_trees(Parser(of).arc_scores(s), of.root());
  double value = 0.0;
  if (by == RankBy::entropy) {
    for (const ListedTree& tree : trees) value -= tree.probability * std::log(tree.probability);
  } else if (by == RankBy::margin) {
    std::multiset<double, std::greater<>> scores;
    for (const ListedTree& tree : trees) scores.insert(tree.score);
    value = *scores.begin() - *std::next(scores.begin());
  } else if (by == RankBy::variance) {  // The words with different heads in two trees.
    for (const ListedTree& a : trees) {
      for (const ListedTree& b : trees) {
        double different = 0.0;
        for (std::size_t d = 1; d < a.heads.size(); ++d) different += a.heads[d] != b.heads[d] ? 1.0 : 0.0;
        value += a.probability * b.probability * different;
      }
    }
  } else {
    const ModelWeights weights(of);
    std::map<std::size_t, double> mean, square;
    for (const ListedTree& tree : trees) {
      std::map<std::size_t, double> counts;
      for (std::size_t d = 1; d < tree.heads.size(); ++d) {
        for (const std::size_t f : weights.of_arc(s, {tree.heads[d], static_cast<int>(d)})) counts[f] += 1.0;
      }
      for (const auto& [f, x] : counts) {
        mean[f] += tree.probability * x;
        square[f] += tree.probability * x * x;
      }
    }
    for (const auto& [f, x] : square) value += x - mean[f] * mean[f];
    value /= weights.temperature() * weights.temperature();
  }
  return value;
}

TEST(Rank, ValuesAreThoseOfListedTrees) {
  const std::vector<Sentence> sentences = short_sentences(4, 7);
  for (const RankBy by : {RankBy::entropy, RankBy::margin, RankBy::variance, RankBy::expected_gradient}) {
    for (const RankPer per : {RankPer::word, RankPer::sentence}) {
      const auto ranked = rank_sentences(model(), source_of(sentences), {.by = by, .per = per});
      ASSERT_EQ(ranked.size(), sentences.size());
      for (const RankedSentence& item : ranked) {
        const Sentence& s = sentences[item.number];
        EXPECT_EQ(to_text(item.sentence), to_text(s));
        const double words = per == RankPer::word && by != RankBy::margin ? s.size() : 1.0;
        const double expected = listed_value(model(), s, by) / words;
        EXPECT_NEAR(item.value, expected, 1e-6 * std::max(1.0, expected)) << to_string(by);
      }
      for (std::size_t i = 1; i < ranked.size(); ++i) {
        const double better = ranked[i - 1].value, worse = ranked[i].value;
        EXPECT_TRUE(by == RankBy::margin ? better <= worse : better >= worse) << to_string(by);
      }
    }
  }
}

TEST(Rank, PartsAreRankedByWhatBeliefPropagationGivesArcs) {
  const ParserModel parts = small_model(kNextSiblings);
  const std::vector<Sentence> sentences = short_sentences(3, 7);
  for (const RankBy by : {RankBy::entropy, RankBy::margin, RankBy::variance}) {
    for (const RankedSentence& item :
         rank_sentences(parts, source_of(sentences), {.by = by, .per = RankPer::sentence})) {
      const double expected = listed_value(parts, sentences[item.number], by);
      EXPECT_NEAR(item.value, expected, 1e-6 * std::max(1.0, expected)) << to_string(by);
    }
  }
  EXPECT_EQ(
      message_of<InputError>([&] { rank_sentences(parts, source_of(sentences), {.by = RankBy::expected_gradient}); }),
      "[rank_sentences] model: it scores parts of several arcs (next), and covariances are exact for models of "
      "arcs only");
}

TEST(Rank, KeepsTheTopOfALongStreamOnAnyNumberOfThreads) {
  std::vector<Sentence> sentences = ToyTreebank(3).sentences(700);
  sentences.insert(sentences.begin() + 5, Sentence());
  const auto all = rank_sentences(model(), source_of(sentences), {}, {.threads = 1});
  const auto top = rank_sentences(model(), source_of(sentences), {.top = 20}, {.threads = 3});
  EXPECT_EQ(all.size(), 700U);
  ASSERT_EQ(top.size(), 20U);
  for (std::size_t i = 0; i < top.size(); ++i) {
    EXPECT_EQ(top[i].number, all[i].number);
    EXPECT_EQ(top[i].value, all[i].value);
    EXPECT_EQ(to_text(top[i].sentence), to_text(sentences[top[i].number]));
    if (i > 0 && top[i].value == top[i - 1].value) {
      EXPECT_LT(top[i - 1].number, top[i].number);
    }
  }
  EXPECT_TRUE(rank_sentences(model(), source_of({}), {}).empty());
}

TEST(Rank, OneTreeHasNothingToTeach) {
  std::istringstream in("1\tcat\tcat\tNOUN\t_\t_\t_\t_\t_\t_\n\n");
  const std::vector<Sentence> one = read_sentences(in, "one", ConllFormat::conllu);
  EXPECT_EQ(rank_sentences(model(), source_of(one), {.by = RankBy::entropy})[0].value, 0.0);
  EXPECT_EQ(rank_sentences(model(), source_of(one), {.by = RankBy::margin})[0].value, HUGE_VAL);
  EXPECT_NEAR(rank_sentences(model(), source_of(one), {.by = RankBy::variance})[0].value, 0.0, 1e-12);
  EXPECT_NEAR(rank_sentences(model(), source_of(one), {.by = RankBy::expected_gradient})[0].value, 0.0, 1e-9);
}

TEST(Rank, SentencesThatCannotBeRankedAreReported) {
  std::vector<Sentence> sentences = short_sentences(3);
  sentences.insert(sentences.begin() + 1, Sentence(std::vector<std::string>(70000, "word")));
  const std::string problem = "[Parser] sentence: has 70000 words, and the parser takes at most 65535";
  EXPECT_EQ(message_of<InputError>([&] { rank_sentences(model(), source_of(sentences)); }), problem);
  std::vector<int> reported;
  const auto ranked =
      rank_sentences(model(), source_of(sentences), {}, {}, [&](const Sentence& s, const std::exception_ptr& error) {
        reported.push_back(s.size());
        EXPECT_THROW(std::rethrow_exception(error), InputError);
      });
  EXPECT_EQ(reported, std::vector<int>{70000});
  EXPECT_EQ(ranked.size(), 3U);
  EXPECT_THROW(rank_sentences(model(), source_of(sentences), {}, {.stop = [] { return true; }}), Stopped);
}

}  // namespace
}  // namespace kirchhoff
