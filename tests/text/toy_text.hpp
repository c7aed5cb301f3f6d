// A toy language with punctuation, contractions and inflection, whose sentences are trees of one level.
#pragma once

#include "kirchhoff/evaluate.hpp"
#include "kirchhoff/pipeline.hpp"

#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace kirchhoff {

class ToyText {
 public:
  explicit ToyText(unsigned seed) : random_(seed) {}

  std::vector<Sentence> sentences(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += sentence(i % 5 == 0);
    std::istringstream in(text);
    return read_sentences(in, "toy", ConllFormat::conllu);
  }

 private:
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[random_() % all.size()];
  }
  void token(const std::string& form, const std::string& lemma, const std::string& tag, const std::string& feats,
             const std::string& misc = "_") {
    const bool first = ++words_ == 1;
    rows_ += std::to_string(words_) + "\t" + form + "\t" + lemma + "\t" + tag + "\t" + tag + "\t" + feats + "\t" +
             (first ? "0\troot" : "1\tdep") + "\t_\t" + misc + "\n";
  }
  void multiword(const std::string& form) {
    rows_ += std::to_string(words_ + 1) + "-" + std::to_string(words_ + 2) + "\t" + form + "\t_\t_\t_\t_\t_\t_\t_\t_\n";
  }

  std::string sentence(bool paragraph) {
    rows_ = paragraph ? "# newpar\n" : "";
    words_ = 0;
    const std::string noun = any(nouns_), verb = any(verbs_);
    const bool plural = random_() % 2 == 0;
    token(random_() % 2 == 0 ? "The" : "A", "the", "DET", "_");
    token(noun + (plural ? "s" : ""), noun, "NOUN", plural ? "Number=Plur" : "Number=Sing");
    if (random_() % 3 == 0) {
      multiword("don't");
      token("do", "do", "AUX", "_");
      token("n't", "not", "PART", "_");
      token(verb, verb, "VERB", "_");
    } else {
      token(verb + "ed", verb, "VERB", "Tense=Past");
    }
    if (random_() % 2 == 0) {
      token("10 000", "10 000", "NUM", "_", "SpaceAfter=No");
      token(",", ",", "PUNCT", "_");
    }
    token(any(nouns_) + "s", "x", "NOUN", "Number=Plur", "SpaceAfter=No");
    token(random_() % 4 == 0 ? "!" : ".", ".", "PUNCT", "_");
    return rows_ + "\n";
  }

  std::mt19937 random_;
  std::vector<std::string> nouns_ = {"dog", "cat", "tree", "graph", "bird", "stone", "étoile"};
  std::vector<std::string> verbs_ = {"walk", "look", "jump", "add"};
  std::string rows_;
  int words_ = 0;
};

/// A pipeline that was learnt from the toy language, with all parts.
inline Pipeline toy_pipeline(int threads = 2, int folds = 2) {
  PipelineOptions options{.training = {.root = Root::single}};
  options.training.epochs = options.training.pruner_epochs = 1;
  options.training.threads = threads;
  options.tagger_epochs = 4;
  options.folds = folds;
  return train_pipeline(ToyText(1).sentences(60), {}, options).value();
}

}  // namespace kirchhoff
