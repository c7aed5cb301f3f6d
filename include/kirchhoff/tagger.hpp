// Tags, morphology and lemmas of the words of a sentence, learnt from a treebank.
//
//   const Pipeline pipeline = Pipeline::open("en.model");
//   const Tagged tagged = tag(pipeline.tagger(), sentence);      // tagged.sentence has UPOS, XPOS, FEATS, LEMMA
//
// Universal tags are a linear-chain conditional random field; XPOS and FEATS are chosen together among those seen with
// the universal tag; lemmas by edit scripts, given form and tags. Method: docs/methods/text.md.
#pragma once

#include "kirchhoff/chain.hpp"
#include "kirchhoff/conllu.hpp"
#include "kirchhoff/known_words.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff {

namespace text {
struct TagModel;
struct TextAccess;
}  // namespace text

/// A learnt tagger. It is immutable, copies share it, and several threads may use it.
class Tagger {
 public:
  /// The universal tags that it knows.
  const std::vector<std::string>& upos() const;
  /// The distribution over the sequences of universal tags of a sentence's words, as positions and indices of upos().
  /// Throws InputError for a sentence without words.
  ChainDistribution upos_distribution(const Sentence& sentence) const;

 private:
  friend struct text::TextAccess;
  explicit Tagger(std::shared_ptr<const text::TagModel> model) : model_(std::move(model)) {}
  std::shared_ptr<const text::TagModel> model_;
};

/// A sentence with what was found for its words; [0] of the numbers is unused.
struct Tagged {
  Sentence sentence;                        ///< UPOS, XPOS, FEATS and LEMMA are filled in, all else is as it was.
  std::vector<double> upos_probabilities;   ///< The probability of each word's universal tag.
  std::vector<double> feats_probabilities;  ///< That of XPOS and FEATS given the universal tags.
  double entropy = 0.0;                     ///< The entropy of the distribution over sequences of universal tags.
  double log_prob = 0.0;                    ///< The log-probability of the sequence of universal tags.
};

struct TagOptions {
  bool keep = false;           ///< A UPOS that the input gives stays, and the others are found given it.
  bool probabilities = false;  ///< Fills in the numbers of Tagged.
  /// Words of the lexicon have one of their readings there: its universal tags that the tagger knows are the only ones,
  /// and XPOS, FEATS and lemma are those of a reading with the universal tag that was found. It must outlive the call.
  const KnownWords* lexicon = nullptr;
};

/// Finds tags and lemmas. A sentence without words stays as it is.
Tagged tag(const Tagger& tagger, const Sentence& sentence, const TagOptions& options = {});
/// The k most probable sequences of universal tags, best first, or all if there are fewer; each with the best XPOS,
/// FEATS and lemmas given these. Throws InputError when k < 0. A sentence without words comes once.
std::vector<Tagged> k_best_taggings(const Tagger& tagger, const Sentence& sentence, int k,
                                    const TagOptions& options = {});

}  // namespace kirchhoff
