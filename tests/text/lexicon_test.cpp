// Lexicons against a plain count; what a word sees of its own treebank.
#include "text/lexicon.hpp"
#include "text/tag_model.hpp"
#include "text/word_forms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace kirchhoff::text {
namespace {

using Counts = std::map<std::uint64_t, std::map<int, int>>;

std::map<int, int> found(const Lexicon& lexicon, std::uint64_t key, int own = Lexicon::kNothing) {
  std::vector<Lexicon::Entry> entries;
  lexicon.find(key, own, entries);
  std::map<int, int> result;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(entries[i - 1].id, entries[i].id);
    }
    result[entries[i].id] = entries[i].count;
  }
  return result;
}

TEST(Lexicon, CountsWhatWasSeen) {
  std::mt19937_64 random(3);
  Counts counts;
  LexiconMaker maker;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t key = parser::mix(random() % 700);
    const int id = static_cast<int>(random() % 9);
    maker.add(key, id);
    ++counts[key][id];
  }
  base::Crew crew(2);
  const parser::LabelTables tables = maker.tables(crew);
  const Lexicon lexicon = LexiconMaker::lexicon(tables);
  for (const auto& [key, of_key] : counts) {
    EXPECT_EQ(found(lexicon, key), of_key);
    for (int own = 0; own < 9; ++own) {
      auto others = of_key;
      if (others.contains(own) && --others[own] == 0) others.erase(own);
      EXPECT_EQ(found(lexicon, key, own), others);
    }
  }
  EXPECT_TRUE(found(lexicon, 12345).empty());
}

TEST(Lexicon, EmptyOnesKnowNothing) {
  base::Crew crew(1);
  const parser::LabelTables tables = LexiconMaker().tables(crew);
  EXPECT_TRUE(found(LexiconMaker::lexicon(tables), 7).empty());
  EXPECT_TRUE(found(Lexicon(), 7).empty());
}

TEST(WordForms, WordsDoNotSeeTheirOwnAnswers) {
  const std::vector<Morphology> morphologies = {{0, "_", "_"}, {1, "_", "Number=Plur"}};
  LexiconMaker words, lemmas;
  words.add(word_key("dogs"), 1);
  for (const int of : {0, 1}) words.add(word_key("walks"), of);
  add_lemma(lemmas, "dog", 1);
  add_lemma(lemmas, "walk", 0);
  base::Crew crew(1);
  const parser::LabelTables word_tables = words.tables(crew), lemma_tables = lemmas.tables(crew);
  const TagLexicons lexicons{LexiconMaker::lexicon(word_tables), LexiconMaker::lexicon(lemma_tables), {}};
  const Sentence sentence(std::vector<std::string>{"Dogs", "walks"});
  const auto all = views_of(sentence, lexicons, morphologies);
  EXPECT_EQ(all[0].upos_seen, upos_set(1));
  EXPECT_EQ(all[0].lemma_of[1], upos_set(1));
  EXPECT_EQ(all[1].upos_seen, upos_set(0) | upos_set(1));
  EXPECT_EQ(all[1].lemma_of[1], upos_set(0));
  EXPECT_EQ(all[1].lemma_of[0], 0U);
  const std::vector<int> own = {1, 0};
  const std::vector<std::string> own_lemmas = {"dog", "walk"};
  const auto others = views_of(sentence, lexicons, morphologies, {own, own_lemmas, {}});
  EXPECT_EQ(others[0].upos_seen, 0U);
  EXPECT_EQ(others[0].lemma_of[1], 0U);
  EXPECT_EQ(others[1].upos_seen, upos_set(1));
  EXPECT_EQ(others[1].lemma_of[1], 0U);
}

TEST(WordForms, LemmasWithoutTheirEnding) {
  LexiconMaker lemmas;
  add_lemma(lemmas, "été", 0);
  add_lemma(lemmas, "aller", 0);
  base::Crew crew(1);
  const parser::LabelTables tables = lemmas.tables(crew);
  const Lexicon lexicon = LexiconMaker::lexicon(tables);
  for (const auto& [start, ending] : {std::pair("aller", 0), {"alle", 1}, {"all", 2}, {"al", 3}, {"ét", 1}}) {
    EXPECT_EQ(found(lexicon, lemma_key(start, static_cast<std::size_t>(ending))).size(), 1U) << start;
  }
  EXPECT_TRUE(found(lexicon, lemma_key("é", 2)).empty());  // An ending leaves two characters at least.
  EXPECT_TRUE(found(lexicon, lemma_key("alle", 0)).empty());
}

TEST(MorphologyLabels, AttributesAreShared) {
  const std::vector<Morphology> all = {{0, "N", "Case=Nom|Number=Sing"}, {1, "N", "_"}, {1, "V", "Number=Sing"}};
  const MorphologyLabels labels(all);
  EXPECT_EQ(labels.count, 8);
  EXPECT_EQ(labels.of[0], (std::vector<int>{0, 3, 4, 5}));
  EXPECT_EQ(labels.of[1], (std::vector<int>{1, 3, 6}));
  EXPECT_EQ(labels.of[2], (std::vector<int>{2, 7, 5}));
}

}  // namespace
}  // namespace kirchhoff::text
