// Draws sentences with their arcs as text, SVG and HTML. The layout is computed here, so a picture needs no other file.
#pragma once

#include "kirchhoff/conllu.hpp"
#include "kirchhoff/tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff {

/// An arc of a picture.
struct DrawnArc {
  int head = 0;
  int dependent = 0;
  std::optional<double> probability;
  bool best = false;  ///< Whether this is the word's most probable head.
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
  std::string text;                ///< The sentence in one piece.
  std::vector<std::string> words;  ///< The words; words[0] is the root's name.
  std::vector<std::string> notes;  ///< What stands in small letters below each word.
  std::vector<DrawnArc> arcs;      ///< The arcs by dependent; a word's best arc is its first.
  std::optional<DrawnFacts> facts;
  std::string error;  ///< Set for a graph without any tree or answer; then only title and text count.

  int n() const { return static_cast<int>(words.size()) - 1; }
};

/// Shows the arcs of each word that have at least this probability, and always the likeliest one. `words` are the names
/// of the words 1 ... n; when it is empty, numbers take their place. Throws InputError when there are not n of them.
/// Takes O(n^2 log n) time.
Drawing drawing_of(const TreeDistribution& p, const std::vector<std::string>& words, double min_probability = 0.05);
/// The same with probabilities that are summed over labels.
Drawing drawing_of(const LabelledTreeDistribution& p, const std::vector<std::string>& words,
                   double min_probability = 0.05);

/// Shows the sentence's tree with relations, tags, and the probabilities that ArcProb= in MISC gives. Throws InputError
/// for a head that does not exist and for an ArcProb that is not a probability.
Drawing drawing_of(const Sentence& sentence);

/// A table of likely heads for the terminal. The drawing must have facts.
std::string heads_text(const Drawing& drawing);

/// A tree for the terminal, with one word to a line and arcs on the left. Each word has one arc. This and the pictures
/// take O(arcs^2) time, because arcs are placed one above the other, and time linear in the length of the words.
std::string tree_text(const Drawing& drawing);

/// One picture of all sentences, one below the other, as a file of its own.
std::string to_svg(const std::vector<Drawing>& drawings);

/// What a page says around the pictures, in HTML.
struct DrawnPage {
  std::string_view heading;
  std::string_view lead;
  std::string footer;
};
/// A page with all pictures that needs no other file.
std::string to_html(const std::vector<Drawing>& drawings, const DrawnPage& page);

}  // namespace kirchhoff
