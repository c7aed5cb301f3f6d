// Lexicons and clusters of words: their files, and what they do to tags.
#include "kirchhoff/known_words.hpp"
#include "text/toy_text.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

std::vector<LexiconEntry> lexicon(const std::string& text) {
  std::istringstream in(text);
  return read_lexicon(in, "words.tsv");
}
std::vector<WordCluster> clusters(const std::string& text) {
  std::istringstream in(text);
  return read_clusters(in, "paths.tsv");
}

Pipeline learnt(PipelineOptions options) {
  options.training.root = Root::single;
  options.tokenizer = options.parser = false;
  options.tagger_epochs = 4;
  return train_pipeline(ToyText(1).sentences(60), {}, options).value();
}

Sentence words(const std::vector<std::string>& forms) { return Sentence(forms); }

TEST(KnownWords, ReadingsAreThoseOfTheFormOrOfItInLowerCase) {
  const KnownWords known(
      lexicon("# a comment\n\npolish\tpolish\tVERB\nPolish\tPolish\tADJ\tJJ\nwalk\twalk\t_\t_\tA=B\r\n"));
  ASSERT_EQ(known.readings("Polish").size(), 1U);
  EXPECT_EQ(known.readings("Polish")[0].upos, "ADJ");
  EXPECT_EQ(known.readings("Polish")[0].xpos, "JJ");
  EXPECT_EQ(known.readings("POLISH")[0].upos, "VERB");
  EXPECT_EQ(known.readings("Walk")[0].feats, "A=B");
  EXPECT_TRUE(known.readings("walks").empty());
}

TEST(KnownWords, BadLinesAreNamed) {
  for (const char* bad : {"a\tb\n", "a\t\tNOUN\n", "a\tb\tc\td\te\tf\n", "a\xff\tb\tc\n"}) {
    try {
      lexicon("x\ty\tNOUN\n" + std::string(bad));
      FAIL() << bad;
    } catch (const ParseError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("words.tsv:2:")) << error.what();
    }
  }
  EXPECT_THROW(clusters("0101\n"), ParseError);
  EXPECT_EQ(clusters("0101\tdog\t7\n10\tcat\n").size(), 2U);
}

TEST(KnownWords, ALexiconForTaggingSaysWhatIsPossible) {
  const Pipeline pipeline = toy_pipeline();
  const KnownWords known(
      lexicon("dogs\thound\tVERB\nblorp\tblorpen\tVERB\tVX\tTense=Never\ncats\t_\t_\nx\tx\tNEVER\n"));
  const Sentence sentence = words({"The", "dogs", "blorp", "cats", "x"});
  const Tagged free = tag(pipeline.tagger(), sentence), bound = tag(pipeline.tagger(), sentence, {.lexicon = &known});
  EXPECT_EQ(free.sentence.upos(2), "NOUN");
  EXPECT_EQ(bound.sentence.upos(2), "VERB");
  EXPECT_EQ(bound.sentence.lemma(2), "hound");
  EXPECT_EQ(bound.sentence.upos(3), "VERB");
  EXPECT_EQ(bound.sentence.xpos(3), "VX");
  EXPECT_EQ(bound.sentence.feats(3), "Tense=Never");
  EXPECT_EQ(bound.sentence.lemma(3), "blorpen");
  // Best of the sequences that the lexicon leaves.
  Tags best;
  double most = -HUGE_VAL;
  const auto all = k_best_taggings(pipeline.tagger(), sentence, 1 << 20);
  for (const Tagged& one : all) {
    if (one.sentence.upos(2) != "VERB" || one.sentence.upos(3) != "VERB" || one.log_prob <= most) continue;
    most = one.log_prob;
    for (const int word : {1, 2, 3, 4, 5}) EXPECT_EQ(bound.sentence.upos(word), one.sentence.upos(word));
  }
  EXPECT_GT(most, -HUGE_VAL);
}

TEST(KnownWords, ALexiconForTrainingMakesWordsKnown) {
  const Pipeline with =
      learnt({.training = {}, .lexicon = lexicon("went\tgo\tVERB\tVERB\tTense=Past\nhey\they\tINTJ\n")});
  const Pipeline without = learnt({});
  const auto upos = with.tagger().upos();
  EXPECT_NE(std::find(upos.begin(), upos.end(), "INTJ"), upos.end());
  EXPECT_EQ(without.tagger().upos().size() + 1, upos.size());
  const Sentence sentence = words({"The", "dogs", "went", "."});
  EXPECT_EQ(tag(with.tagger(), sentence).sentence.lemma(3), "go");
  EXPECT_NE(tag(without.tagger(), sentence).sentence.lemma(3), "go");
}

TEST(KnownWords, ClustersTellOfWordsThatTheTreebankDoesNotHave) {
  std::string text;
  for (const char* noun : {"dogs", "cats", "trees", "graphs", "birds", "stones", "zu"})
    text += "0011\t" + std::string(noun) + "\n";
  for (const char* verb : {"walked", "looked", "jumped", "added", "zi"}) text += "1100\t" + std::string(verb) + "\n";
  const Pipeline with = learnt({.training = {}, .clusters = clusters(text)});
  const auto probability = [](const Pipeline& pipeline, const char* word, const char* upos) {
    const Tagger& tagger = pipeline.tagger();
    const auto own = std::find(tagger.upos().begin(), tagger.upos().end(), upos) - tagger.upos().begin();
    return tagger.upos_distribution(words({word})).marginals().emission(0, static_cast<int>(own));
  };
  const Pipeline without = learnt({});
  EXPECT_GT(probability(with, "zu", "NOUN"), 2 * probability(without, "zu", "NOUN"));
  EXPECT_GT(probability(with, "zi", "VERB"), 2 * probability(without, "zi", "VERB"));
}

}  // namespace
}  // namespace kirchhoff
