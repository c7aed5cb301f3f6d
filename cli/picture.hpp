// Sentences with their arcs as text, SVG and HTML. Takes probabilities, computes layout.
#pragma once

#include <kirchhoff/types.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// What there is to show of one graph.
struct Sentence {
  std::string title;
  std::vector<std::string> words;  ///< words[0] is the root's name
  Matrix marginals;
  double log_partition = 0.0;
  double entropy = 0.0;
  std::string_view method;
  std::string error;  ///< of a graph without any tree; then only title and words count

  int n() const { return static_cast<int>(words.size()) - 1; }
};

struct ShownArc {
  int head = 0;
  int dependent = 0;
  double probability = 0.0;
  bool best = false;  ///< the word's most probable head
};

/// The arcs of one word that are probable enough, most probable first; always at least one.
std::vector<ShownArc> likely_heads(const Sentence& sentence, int word, double min_probability);

/// "She saw the man": the words of a sentence.
std::string joined(const Sentence& sentence);

/// Log-partition, entropy and perplexity in one line.
std::string facts_of(const Sentence& sentence);

/// A table for the terminal.
std::string text_of(const Sentence& sentence, double min_probability);

/// One picture of all sentences, one below the other, as a file of its own.
std::string svg_of(const std::vector<Sentence>& sentences, double min_probability);

/// A page that needs no other file.
std::string html_of(const std::vector<Sentence>& sentences, double min_probability);

/// An <svg> element to be put into a page that has svg_style() somewhere.
std::string inline_svg(const Sentence& sentence, double min_probability);

std::string_view svg_style();

/// Text that is safe between tags and inside a quoted attribute.
std::string escaped(std::string_view text);

}  // namespace kirchhoff::cli
