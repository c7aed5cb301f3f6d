// Sentences with their arcs as text, SVG and HTML: what there is to show comes in, the layout is computed here.
#pragma once

#include <kirchhoff/types.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

struct ShownArc {
  int head = 0;
  int dependent = 0;
  std::optional<double> probability;
  bool best = false;  ///< the word's most probable head
  std::string label = {};
};

/// What there is to show of a distribution.
struct Facts {
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
  std::vector<std::string> notes;  ///< in small letters below the words
  std::vector<ShownArc> arcs;      ///< by dependent; a word's best arc is its first
  std::optional<Facts> facts;
  std::string error;  ///< of a graph without any tree; then only title and text count

  int n() const { return static_cast<int>(words.size()) - 1; }
};

/// "She saw the man": the words of a sentence.
std::string joined(const std::vector<std::string>& words);

/// A table of likely heads for the terminal.
std::string heads_text(const Drawing& drawing);

/// A tree for the terminal: one word to a line, arcs on the left. Each word has one arc.
std::string tree_text(const Drawing& drawing);

/// One picture of all sentences, one below the other, as a file of its own.
std::string svg_of(const std::vector<Drawing>& drawings);

/// A page that needs no other file. What it says around the pictures is HTML.
struct Page {
  std::string_view heading;
  std::string_view lead;
  std::string footer;
};
std::string html_of(const std::vector<Drawing>& drawings, const Page& page);

/// An <svg> element to be put into a page that has svg_style() somewhere.
std::string inline_svg(const Drawing& drawing);

std::string_view svg_style();

/// Text that is safe between tags and inside a quoted attribute.
std::string escaped(std::string_view text);

/// Columns on a terminal.
std::size_t columns(std::string_view text);

}  // namespace kirchhoff::cli
