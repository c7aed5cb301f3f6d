// Edit scripts: known ones, and that each gives back what it was made from.
#include "text/scripts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kirchhoff::text {
namespace {

TEST(LemmaScript, KnownOnes) {
  EXPECT_EQ(lemma_script("Dogs", "dog"), "lower\t0\t\t1\t");
  EXPECT_EQ(lemma_script("walked", "walk"), lemma_script("looked", "look"));
}

TEST(LemmaScript, ServesOtherWords) {
  const std::string past = lemma_script("walked", "walk");
  EXPECT_EQ(apply_lemma_script(past, "jumped"), "jump");
  EXPECT_EQ(apply_lemma_script(past, "Étoiled"), "étoil");
  EXPECT_EQ(apply_lemma_script(lemma_script("Paris", "Paris"), "Rome"), "Rome");
  EXPECT_EQ(apply_lemma_script(past, "ed"), std::nullopt);  // nothing would be left
}

TEST(LemmaScript, RefusesWhatIsNone) {
  for (const char* bad : {"", "lower", "lower\t1\t\tx\t", "lower\t-1\t\t0\t", "up\t0\t\t0\t", "whole",
                          "lower\t99999999999999999999\t\t0\t"}) {
    EXPECT_EQ(apply_lemma_script(bad, "word"), std::nullopt) << bad;
  }
}

std::string any_word(std::mt19937& random) {
  const std::vector<std::string> characters = {"a", "b", "C", "é", "Ü", "ß", "İ", "ж", "漢", "😀", "'", "-"};
  std::string word;
  for (std::size_t n = 1 + random() % 6; n > 0; --n) word += characters[random() % characters.size()];
  return word;
}

TEST(LemmaScript, GivesBackEveryLemma) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 5000; ++trial) {
    const std::string form = any_word(random), lemma = any_word(random);
    EXPECT_EQ(apply_lemma_script(lemma_script(form, lemma), form), lemma) << form;
  }
}

using Words = std::vector<std::string>;

TEST(SplitScript, KnownOnes) {
  EXPECT_EQ(split_script("don't", {"do", "n't"}), "cut\t3");
  EXPECT_EQ(apply_split_script("cut\t3", "WON'T"), (Words{"WO", "N'T"}));
  EXPECT_EQ(split_script("du", {"de", "le"}), "with\t1\te\tle");
  EXPECT_EQ(apply_split_script("with\t1\te\tle", "DU"), (Words{"De", "le"}));
  EXPECT_EQ(split_script("word", {"word"}), kOneWord);
  EXPECT_EQ(apply_split_script(kOneWord, "word"), Words{"word"});
}

TEST(SplitScript, RefusesWhatIsNone) {
  for (const char* bad :
       {"", "cut", "cut\t0", "cut\t4", "cut\tx", "with\t1", "with\t9\te\tle", "with\t4\t\tle", "cut\t2\t2"}) {
    EXPECT_EQ(apply_split_script(bad, "word"), std::nullopt) << bad;
  }
}

TEST(SplitScript, GivesBackAllWords) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 5000; ++trial) {
    std::vector<std::string> words;
    for (std::size_t n = 2 + random() % 3; n > 0; --n) words.push_back(any_word(random));
    std::string form;
    for (const std::string& word : words) form += word;
    if (trial % 2 == 0) form = any_word(random);
    const std::vector<std::string_view> views(words.begin(), words.end());
    EXPECT_EQ(apply_split_script(split_script(form, views), form), words) << form;
  }
}

}  // namespace
}  // namespace kirchhoff::text
