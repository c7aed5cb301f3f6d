// A small SVG plot: logarithmic axes, scattered points, lines, a legend.
#pragma once

#include <string>
#include <vector>

namespace kirchhoff::bench {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Mark {
  dots,      ///< small and translucent, for many points
  line,      ///< joined points
  dashes,    ///< joined points, dashed
  diamonds,  ///< a few points to compare with
};

struct Series {
  std::string name;  ///< the name in the legend; an empty one is not listed
  std::string colour;
  Mark mark = Mark::dots;
  std::vector<Point> points;
};

/// All coordinates must be positive.
struct Plot {
  std::string title;
  std::string subtitle;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

inline constexpr const char* kOurColour = "#1f6f8b";
inline constexpr const char* kOldColour = "#c8553d";
inline constexpr const char* kThirdColour = "#8a6bb1";
inline constexpr const char* kFourthColour = "#6a8f3c";

/// Throws std::runtime_error when the file cannot be written.
void write_svg(const Plot& plot, const std::string& path);

/// Medians of y over bins of x of equal width on the logarithmic axis: a readable line through scattered points.
std::vector<Point> median_line(const std::vector<Point>& points, int bins = 18);

}  // namespace kirchhoff::bench
