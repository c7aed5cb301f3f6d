// The tokenizer on the toy language, and on text that is nobody's.
#include "kirchhoff/tokenizer.hpp"
#include "text/characters.hpp"
#include "text/toy_text.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kirchhoff {
namespace {

const Pipeline& toy() {
  static const Pipeline pipeline = toy_pipeline();
  return pipeline;
}

TEST(Tokenizer, FindsTokensSentencesAndWords) {
  const auto gold = ToyText(2).sentences(40);
  const std::string text = plain_text(gold);
  const auto found = tokenize(toy().tokenizer(), text);
  EXPECT_EQ(plain_text(found), text);
  const Evaluation e = evaluate(gold, found, Root::single);
  EXPECT_GT(e[Metric::tokens].f1(), 0.99);
  EXPECT_GT(e[Metric::sentences].f1(), 0.98);
  EXPECT_GT(e[Metric::words].f1(), 0.99);
  for (const Sentence& s : found) EXPECT_EQ(s.head(1), -1);
}

TEST(Tokenizer, TokensOfAParagraph) {
  const auto tokens = toy().tokenizer().tokens("The dogs don't walk 10 000, cats.");
  std::vector<std::string> forms;
  for (const auto& token : tokens) {
    EXPECT_GE(token.probability, 0.0);
    EXPECT_LE(token.probability, 1.0);
    forms.insert(forms.end(), token.words.begin(), token.words.end());
  }
  EXPECT_EQ(forms, (std::vector<std::string>{"The", "dogs", "do", "n't", "walk", "10 000", ",", "cats", "."}));
  EXPECT_TRUE(tokens[0].starts_sentence);
  EXPECT_EQ(tokens[2].begin, 9U);
  EXPECT_EQ(tokens[2].end, 14U);
}

TEST(Tokenizer, RefusesWhatIsNoParagraph) {
  EXPECT_THROW(toy().tokenizer().tokens(" x"), InputError);
  EXPECT_THROW(toy().tokenizer().tokens("\xC2\xA0x"), InputError);
  EXPECT_THROW(toy().tokenizer().tokens("x\xFF"), InputError);
  EXPECT_THROW(toy().tokenizer().tokens(std::string((1U << 20) + 1, 'x')), InputError);
  EXPECT_TRUE(toy().tokenizer().tokens("").empty());
}

TEST(TextReader, AnyTextComesBackByteForByte) {
  std::mt19937 random(6);
  const std::vector<std::string> bits = {
      "The",    "dogs",     " ",     "  ", "\n",           "\n\n", "\r\n",         "\t",
      ".",      "!",        "don't", "x",  "\x01",         "|",    "\\",           "=",
      "_",      "\xC2\xA0", "é",     "😀",  "\xE2\x80\x8F", "אב",   "\xE2\x80\xA8", "\xEF\xBF\xBE",
      "10 000", "\x7F"};
  for (int trial = 0; trial < 400; ++trial) {
    std::string text = "a";
    for (std::size_t n = random() % 50; n > 0; --n) text += bits[random() % bits.size()];
    text = (trial % 3 == 0 ? " \n" : "") + text;
    const auto found = tokenize(toy().tokenizer(), text, {.ranges = trial % 2 == 0});
    ASSERT_EQ(plain_text(found), text) << trial;
    for (const Sentence& s : found) {
      for (int word = 1; word <= s.size(); ++word) ASSERT_FALSE(s.form(word).empty());
    }
  }
}

TEST(TextReader, RangesAreCharacters) {
  const std::string text = "  The étoiles walked cats.\n\nA cat walked dogs.";
  const auto found = tokenize(toy().tokenizer(), text, {.ranges = true});
  const auto all = text::characters(text);
  int tokens = 0;
  for (const Sentence& s : found) {
    for (int word = 1; word <= s.size(); ++word, ++tokens) {
      const std::string range(attribute(s.misc(word), "TokenRange").value());
      const auto begin = static_cast<std::size_t>(std::stoi(range)), colon = range.find(':');
      const auto end = static_cast<std::size_t>(std::stoi(range.substr(colon + 1)));
      const std::size_t last = end < all.size() ? all[end].begin : text.size();
      EXPECT_EQ(text.substr(all[begin].begin, last - all[begin].begin), s.form(word));
    }
  }
  EXPECT_EQ(tokens, 10);
}

TEST(TextReader, LongParagraphsAreCut) {
  for (const std::string& piece : {std::string("The dogs walked cats. "), std::string("x"), std::string("x ")}) {
    std::string text;
    while (text.size() < 300'000) text += piece;
    std::istringstream in(text);
    TextReader reader(in, "f", toy().tokenizer());
    std::vector<Sentence> found;
    while (auto sentence = reader.next()) found.push_back(*sentence);
    EXPECT_EQ(plain_text(found), text);
    EXPECT_TRUE(piece.size() < 3 || found.size() == text.size() / piece.size());
  }
}

TEST(TextReader, NothingButSpacesHasNoSentences) {
  EXPECT_TRUE(tokenize(toy().tokenizer(), "").empty());
  EXPECT_TRUE(tokenize(toy().tokenizer(), " \n\n \t").empty());
}

TEST(TextReader, ParagraphsAreMarked) {
  const auto found = tokenize(toy().tokenizer(), "The dogs walked cats. A cat walked dogs.\n\nThe cat jumped cats.");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].comments()[0], "# newpar");
  EXPECT_EQ(found[1].comments()[0], "# sent_id = 2");
  EXPECT_EQ(found[2].comments()[0], "# newpar");
  EXPECT_EQ(found[2].comment("text"), "The cat jumped cats.");
}

}  // namespace
}  // namespace kirchhoff
