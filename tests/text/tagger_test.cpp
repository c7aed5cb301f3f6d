// The tagger on the toy language; its probabilities against all sequences of tags.
#include "kirchhoff/tagger.hpp"
#include "text/toy_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

const Tagger& toy() {
  static const Pipeline pipeline = toy_pipeline();
  return pipeline.tagger();
}

/// Calls use(tags, log-score) for all sequences of tags.
template <class Use>
void each_sequence(const ChainDistribution& p, int length, int tags, const Use& use) {
  Tags y(static_cast<std::size_t>(length), 0);
  for (bool more = true; more;) {
    double score = 0.0;
    for (int t = 0; t < length; ++t) {
      const int own = y[static_cast<std::size_t>(t)];
      score += p.scores().emission(t, own);
      if (t > 0) score += p.scores().transition(t, y[static_cast<std::size_t>(t - 1)], own);
    }
    use(y, score);
    more = false;
    for (int& tag : y) {
      if (++tag < tags) {
        more = true;
        break;
      }
      tag = 0;
    }
  }
}

TEST(Tagger, LearnsTheToyLanguage) {
  const auto gold = ToyText(3).sentences(40);
  std::vector<Sentence> found;
  for (const Sentence& s : gold) found.push_back(tag(toy(), s).sentence);
  const Evaluation e = evaluate(gold, found, Root::single);
  EXPECT_GT(e[Metric::upos].f1(), 0.99);
  EXPECT_GT(e[Metric::xpos].f1(), 0.99);
  EXPECT_GT(e[Metric::ufeats].f1(), 0.99);
  EXPECT_GT(e[Metric::lemmas].f1(), 0.9);
  EXPECT_EQ(e[Metric::las].f1(), 1.0);  // Heads and relations stay.
}

TEST(Tagger, ProbabilitiesAreThoseOfAllSequences) {
  const Sentence sentence(std::vector<std::string>{"The", "jumped", "Étoiles", "?!"});
  const Tagged tagged = tag(toy(), sentence, {.probabilities = true});
  const ChainDistribution p = toy().upos_distribution(sentence);
  const auto tags = static_cast<int>(toy().upos().size());
  double z = 0.0, entropy = 0.0;
  std::vector<std::vector<double>> marginal(4, std::vector<double>(static_cast<std::size_t>(tags)));
  each_sequence(p, 4, tags, [&](const Tags&, double score) { z += std::exp(score); });
  each_sequence(p, 4, tags, [&](const Tags& y, double score) {
    const double probability = std::exp(score) / z;
    entropy -= probability * std::log(probability);
    for (std::size_t t = 0; t < 4; ++t) marginal[t][static_cast<std::size_t>(y[t])] += probability;
  });
  for (int word = 1; word <= 4; ++word) {
    const auto i = static_cast<std::size_t>(word);
    const auto own = std::find(toy().upos().begin(), toy().upos().end(), tagged.sentence.upos(word));
    const auto id = static_cast<std::size_t>(own - toy().upos().begin());
    EXPECT_NEAR(tagged.upos_probabilities[i], marginal[i - 1][id], 1e-10);
    EXPECT_GT(tagged.feats_probabilities[i], 0.0);
    EXPECT_LE(tagged.feats_probabilities[i], 1.0);
  }
  EXPECT_NEAR(tagged.entropy, entropy, 1e-9);
}

TEST(Tagger, TheKBestAreThoseOfAllSequences) {
  const Sentence sentence(std::vector<std::string>{"The", "jumped", "Étoiles", "?!"});
  std::vector<std::pair<double, Tags>> all;
  double z = 0.0;
  each_sequence(toy().upos_distribution(sentence), 4, static_cast<int>(toy().upos().size()),
                [&](const Tags& tags, double score) {
                  all.emplace_back(-score, tags);
                  z += std::exp(score);
                });
  std::sort(all.begin(), all.end());
  const std::vector<Tagged> found = k_best_taggings(toy(), sentence, 20, {.probabilities = true});
  ASSERT_EQ(found.size(), 20U);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k].log_prob, -all[k].first - std::log(z), 1e-9);
    Sentence given = sentence;
    for (int word = 1; word <= 4; ++word) {
      const auto own = static_cast<std::size_t>(all[k].second[static_cast<std::size_t>(word - 1)]);
      EXPECT_EQ(found[k].sentence.upos(word), toy().upos()[own]);
      given.set(word, Column::upos, toy().upos()[own]);
    }
    EXPECT_EQ(to_text(found[k].sentence), to_text(tag(toy(), given, {.keep = true}).sentence));  // and the rest of it
  }
  EXPECT_EQ(to_text(found[0].sentence), to_text(tag(toy(), sentence).sentence));
  EXPECT_EQ(k_best_taggings(toy(), sentence, 1 << 20).size(), all.size());
  EXPECT_EQ(k_best_taggings(toy(), sentence, 0).size(), 0U);
  EXPECT_EQ(k_best_taggings(toy(), Sentence(), 3).size(), 1U);
  EXPECT_THROW(k_best_taggings(toy(), sentence, -1), InputError);
}

TEST(Tagger, KeepsWhatIsGiven) {
  Sentence sentence(std::vector<std::string>{"The", "dogs", "walked"});
  sentence.set(2, Column::upos, "VERB");
  sentence.set(3, Column::upos, "NEVER_SEEN");
  EXPECT_EQ(tag(toy(), sentence).sentence.upos(2), "NOUN");
  const Sentence kept = tag(toy(), sentence, {.keep = true}).sentence;
  EXPECT_EQ(kept.upos(2), "VERB");
  EXPECT_EQ(kept.upos(1), "DET");
}

TEST(Tagger, SentencesWithoutWords) {
  EXPECT_EQ(tag(toy(), Sentence()).sentence.size(), 0);
  EXPECT_THROW(toy().upos_distribution(Sentence()), InputError);
}

}  // namespace
}  // namespace kirchhoff
