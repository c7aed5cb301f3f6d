// A small language to train parsers on: noun phrases, verbs, adverbs, prepositional phrases that attach by their noun.
#pragma once

#include "kirchhoff/conllu.hpp"

#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace kirchhoff {

class ToyTreebank {
 public:
  explicit ToyTreebank(unsigned seed) : random_(seed) {}

  std::vector<Sentence> sentences(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += sentence();
    std::istringstream in(text);
    return read_sentences(in, "toy", ConllFormat::conllu);
  }

 private:
  struct Word {
    std::string form, upos, feats, deprel;
    int head;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string pick(const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }

  /// Appends a noun phrase below `head` and returns the noun's place.
  int noun_phrase(std::vector<Word>& words, int head, const std::string& deprel) {
    const bool plural = below(2) == 0;
    const int first = static_cast<int>(words.size()) + 1;
    const int adjectives = below(3);
    const int noun = first + 1 + adjectives;
    const std::string number = plural ? "Number=Plur" : "Number=Sing";
    words.push_back({plural ? "these" : "this", "DET", number, "det", noun});
    for (int i = 0; i < adjectives; ++i) words.push_back({pick({"big", "red", "old"}), "ADJ", "_", "amod", noun});
    words.push_back({pick({"cat", "dog", "star", "glass", "man"}) + (plural ? "s" : ""), "NOUN", number, deprel, head});
    return noun;
  }

  std::string sentence() {
    std::vector<Word> words;
    const int subject = noun_phrase(words, 0, "nsubj");
    const int verb = static_cast<int>(words.size()) + 1;
    words[static_cast<std::size_t>(subject) - 1].head = verb;
    words.push_back({pick({"sees", "likes", "finds"}), "VERB", "Tense=Pres", "root", 0});
    const int object = noun_phrase(words, verb, "obj");
    if (below(2) == 0) {
      const bool instrument = below(2) == 0;  // "with a glass" goes with the verb, "of a man" with the noun
      const int preposition = static_cast<int>(words.size()) + 1;
      words.push_back({instrument ? "with" : "of", "ADP", "_", "case", 0});
      const int noun = noun_phrase(words, instrument ? verb : object, instrument ? "obl" : "nmod");
      words[static_cast<std::size_t>(preposition) - 1].head = noun;
    }
    if (below(2) == 0) words.push_back({pick({"often", "now"}), "ADV", "_", "advmod", verb});
    words.push_back({".", "PUNCT", "_", "punct", verb});
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Word& w = words[i];
      text += std::to_string(i + 1) + "\t" + w.form + "\t" + w.form + "\t" + w.upos + "\t_\t" + w.feats + "\t" +
              std::to_string(w.head) + "\t" + w.deprel + "\t_\t_\n";
    }
    return text + "\n";
  }

  std::mt19937 random_;
};

}  // namespace kirchhoff
