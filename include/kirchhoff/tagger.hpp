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
};

struct TagOptions {
  bool keep = false;           ///< A UPOS that the input gives stays, and the others are found given it.
  bool probabilities = false;  ///< Fills in the numbers of Tagged.
};

/// Finds tags and lemmas. A sentence without words stays as it is.
Tagged tag(const Tagger& tagger, const Sentence& sentence, const TagOptions& options = {});

}  // namespace kirchhoff
