// Where the words and arcs of a sentence stand. Pixels, y upwards from the line the arcs stand on.
#pragma once

#include "picture.hpp"

#include <vector>

namespace kirchhoff::cli {

struct PlacedArc {
  ShownArc arc;
  int level = 1;      ///< 1 is the lowest; arcs that overlap have different levels
  double from = 0.0;  ///< x at the head
  double to = 0.0;    ///< x at the dependent
};

struct Layout {
  std::vector<double> word_x;  ///< centres
  std::vector<PlacedArc> arcs;
  int levels = 1;
  double width = 0.0;
};

Layout lay_out(const Drawing& drawing);

/// What is written on the arc.
std::string arc_label(const ShownArc& arc);

/// Rough width of a text, in units of the font size.
double text_width(std::string_view text);

}  // namespace kirchhoff::cli
