// Streams of sentences: results in order and the same for any number of threads, errors where they belong, stopping.
#include "kirchhoff/train.hpp"
#include "parser/toy_treebank.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

const ParserModel& toy_model() {
  static const ParserModel model = [] {
    TrainOptions options{.root = Root::single, .pruner_epochs = 1, .epochs = 1};
    return train_parser(ToyTreebank(1).sentences(40), {}, options).model.value();
  }();
  return model;
}

/// Gives the sentences one after the other, then nothing, again and again.
SentenceSource source_of(const std::vector<Sentence>& sentences) {
  return [&sentences, next = std::size_t{0}]() mutable -> std::optional<Sentence> {
    if (next == sentences.size()) return std::nullopt;
    return sentences[next++];
  };
}

TEST(ParseAll, IsTheParserOneByOneInOrderForAnyNumberOfThreads) {
  const std::vector<Sentence> sentences = ToyTreebank(2).sentences(600);  // more than two chunks
  const ParseOptions options{.probabilities = true, .samples = 2, .seed = 7};
  std::vector<Parsed> one_by_one;
  Parser parser(toy_model());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    ParseOptions own = options;
    own.seed += static_cast<std::uint64_t>(i) << 32;
    one_by_one.push_back(parser.parse(sentences[i], own));
  }
  for (const int threads : {1, 2, 5, kAllCores}) {
    const std::vector<Parsed> all = parse_all(toy_model(), sentences, options, threads);
    ASSERT_EQ(all.size(), sentences.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].tree.heads, one_by_one[i].tree.heads);
      EXPECT_EQ(all[i].tree.labels, one_by_one[i].tree.labels);
      EXPECT_EQ(all[i].arc_probabilities, one_by_one[i].arc_probabilities);
      ASSERT_EQ(all[i].trees.size(), 2U);
      for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(all[i].trees[k].heads, one_by_one[i].trees[k].heads);
    }
  }
}

TEST(ParseAll, EachSentenceHasItsConstraints) {
  const std::vector<Sentence> sentences = ToyTreebank(2).sentences(300);
  ParseOptions options;
  options.constraints.forbid = {{0, 1}};  // has no effect
  options.constraints_of = [&](std::size_t i) {
    return Constraints{{{0, 1 + static_cast<int>(i) % sentences[i].size()}}, {}};
  };
  const std::vector<Parsed> all = parse_all(toy_model(), sentences, options, 2);
  Parser parser(toy_model());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].tree.heads[1 + i % static_cast<std::size_t>(sentences[i].size())], 0);
    EXPECT_EQ(all[i].tree.heads, parser.parse(sentences[i], {.constraints = options.constraints_of(i)}).tree.heads);
  }
}

TEST(ParseAll, AnErrorStandsWithItsSentence) {
  std::vector<Sentence> sentences = ToyTreebank(3).sentences(300);
  sentences[270] = Sentence();
  std::size_t count = 0;
  const auto sink = [&](ParsedSentence&& item) {
    EXPECT_EQ(to_text(item.sentence), to_text(sentences[count]));
    EXPECT_EQ(item.error != nullptr, count == 270);
    EXPECT_EQ(item.parsed.tree.heads.empty(), count == 270);
    ++count;
  };
  parse_all(toy_model(), source_of(sentences), sink, {}, 2);
  EXPECT_EQ(count, sentences.size());
  EXPECT_THROW(parse_all(toy_model(), sentences, {}, 2), InputError);
}

TEST(ParseAll, TheSinkHasAllThatStandsBeforeAnErrorOfTheSource) {
  const std::vector<Sentence> sentences = ToyTreebank(4).sentences(10);
  for (const std::size_t bad : {std::size_t{0}, std::size_t{255}, std::size_t{256}, std::size_t{600}}) {
    std::size_t given = 0, taken = 0;
    const auto source = [&]() -> std::optional<Sentence> {
      if (given == bad) throw ParseError("file", 1, 1, "bad");
      return sentences[given++ % sentences.size()];
    };
    EXPECT_THROW(parse_all(
                     toy_model(), source, [&](ParsedSentence&&) { ++taken; }, {}, 2),
                 ParseError);
    EXPECT_EQ(taken, bad);
  }
}

TEST(ParseAll, TheSinkCanEndAnEndlessStream) {
  const std::vector<Sentence> sentences = ToyTreebank(5).sentences(10);
  std::size_t given = 0, taken = 0;
  const auto source = [&]() -> std::optional<Sentence> { return sentences[given++ % sentences.size()]; };
  const auto sink = [&](ParsedSentence&&) {
    if (++taken == 1000) throw InputError("enough");
  };
  EXPECT_THROW(parse_all(toy_model(), source, sink, {}, 2), InputError);
  EXPECT_EQ(taken, 1000U);
  EXPECT_LE(given, 1000U + 3 * 256);  // the memory is bounded
}

/// A source that waits for sentences would wait forever if it were asked once more after its end.
TEST(ParseAll, TheSourceIsNotAskedAfterItsEnd) {
  for (const std::size_t count : {0U, 1U, 256U, 300U}) {
    const std::vector<Sentence> sentences = ToyTreebank(4).sentences(static_cast<int>(count));
    const SentenceSource source = source_of(sentences);
    std::size_t calls = 0;
    const auto counted = [&] {
      ++calls;
      return source();
    };
    parse_all(
        toy_model(), counted, [](ParsedSentence&&) {}, {}, 2);
    EXPECT_EQ(calls, count + 1);
  }
}

TEST(ParseAll, Stops) {
  const std::vector<Sentence> sentences = ToyTreebank(6).sentences(300);
  int asked = 0;
  EXPECT_THROW(parse_all(toy_model(), sentences, {}, 2, [&] { return ++asked == 100; }), Stopped);
  EXPECT_GE(asked, 100);
  EXPECT_TRUE(parse_all(toy_model(), std::span<const Sentence>{}, {}, 2).empty());
}

}  // namespace
}  // namespace kirchhoff
