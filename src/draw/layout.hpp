// Where the words and arcs of a sentence stand, and what the pictures share. Units are pixels, and y grows upwards from
// the line the arcs stand on.
#pragma once

#include "kirchhoff/draw.hpp"

#include <vector>

namespace kirchhoff::draw {

struct PlacedArc {
  DrawnArc arc;
  int level = 1;      ///< The lowest is 1; arcs that overlap have different levels.
  double from = 0.0;  ///< The x at the head.
  double to = 0.0;    ///< The x at the dependent.
};

struct Layout {
  std::vector<double> word_x;  ///< The centres of the words.
  std::vector<PlacedArc> arcs;
  int levels = 1;
  double width = 0.0;
};

Layout lay_out(const Drawing& drawing);

/// What is written on the arc.
std::string arc_label(const DrawnArc& arc);

/// An <svg> element for a page that has svg_style() somewhere.
std::string inline_svg(const Drawing& drawing);
std::string_view svg_style();

/// UTF-8 without control characters (but tabs) and noncharacters; U+FFFD stands for each of them, and for each byte
/// that is not UTF-8.
std::string printable(std::string_view text);
/// The drawing with all its text printable.
Drawing printable(Drawing drawing);

/// Printable text that is safe between tags and inside a quoted attribute.
std::string escaped(std::string_view text);

/// A table has no wider columns than this; a longer word stands out of its column. Otherwise one long word would make
/// every line as long.
inline constexpr std::size_t kWidestColumn = 60;

/// How many columns a text takes on a terminal, or kWidestColumn if it takes more.
std::size_t columns(std::string_view text);

/// The text of a word where another word mentions it: its first characters and an ellipsis when it is long, because a
/// head may be mentioned by all its dependents.
std::string shortened(std::string_view text);

}  // namespace kirchhoff::draw
