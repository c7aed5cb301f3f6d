// Sentences with their arcs as text, SVG and HTML. The layout is computed here; no other file is needed to show it.
#pragma once

#include "kirchhoff/conllu.hpp"
#include "kirchhoff/tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff {

struct DrawnArc {
  int head = 0;
  int dependent = 0;
  std::optional<double> probability;
  bool best = false;  ///< the word's most probable head
  std::string label = {};
};

/// What there is to show of a distribution.
struct DrawnFacts {
  Matrix marginals;
  double log_partition = 0.0;
  double entropy = 0.0;
  std::string_view method;
};

/// What there is to show of one sentence.
struct Drawing {
  std::string title;
  std::string text;                ///< the sentence in one piece
  std::vector<std::string> words;  ///< words[0] is the root's name
  std::vector<std::string> notes;  ///< in small letters below the words, one for each
  std::vector<DrawnArc> arcs;      ///< by dependent; a word's best arc is its first
  std::optional<DrawnFacts> facts;
  std::string error;  ///< of a graph without any tree; then only title and text count

  int n() const { return static_cast<int>(words.size()) - 1; }
};

/// The arcs of each word with at least this probability, always with the likeliest one. `words` are the names of words
/// 1 ... n, or empty: their numbers. InputError when there are not n of them. O(n^2 log n).
Drawing drawing_of(const TreeDistribution& p, const std::vector<std::string>& words, double min_probability = 0.05);
/// Labels are summed over.
Drawing drawing_of(const LabelledTreeDistribution& p, const std::vector<std::string>& words,
                   double min_probability = 0.05);

/// Its tree, with relations, tags, and the probabilities that ArcProb= in MISC gives. InputError for a head that does
/// not exist and for an ArcProb that is not a probability.
Drawing drawing_of(const Sentence& sentence);

/// A table of likely heads for the terminal. Needs facts.
std::string heads_text(const Drawing& drawing);

/// A tree for the terminal: one word to a line, arcs on the left. Each word has one arc.
std::string tree_text(const Drawing& drawing);

/// One picture of all sentences, one below the other, as a file of its own.
std::string to_svg(const std::vector<Drawing>& drawings);

/// What a page says around the pictures; HTML.
struct DrawnPage {
  std::string_view heading;
  std::string_view lead;
  std::string footer;
};
/// A page that needs no other file.
std::string to_html(const std::vector<Drawing>& drawings, const DrawnPage& page);

}  // namespace kirchhoff
