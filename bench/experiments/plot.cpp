// A small SVG plot with a fixed layout: the title is on top, the legend between it and the frame, in two columns.
#include "experiments/plot.hpp"

#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace kirchhoff::bench {
namespace {

constexpr double kWidth = 760, kLeft = 84, kRight = 24, kBottom = 62, kFrameHeight = 360;
constexpr double kLegendTop = 74, kLegendStep = 22;

int legend_rows(const Plot& plot) {
  const auto named = [](const Series& series) { return !series.name.empty(); };
  return static_cast<int>(std::count_if(plot.series.begin(), plot.series.end(), named) + 1) / 2;
}

double top_of(const Plot& plot) { return kLegendTop + kLegendStep * legend_rows(plot); }
double height_of(const Plot& plot) { return top_of(plot) + kFrameHeight + kBottom; }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + coordinate(value) + "\"";
}

std::string escape(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return safe;
}

/// One logarithmic axis: data in [low, high] to pixels [from, to].
struct Axis {
  double low, high, from, to;
  double operator()(double value) const { return from + (to - from) * std::log(value / low) / std::log(high / low); }
  /// The more, the fewer decades there are.
  std::vector<double> ticks() const {
    std::vector<double> factors = {1};
    if (high / low < 2e3) factors = {1, 2, 5};
    if (high / low < 8) factors = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    std::vector<double> result;
    for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high; decade *= 10) {
      for (const double factor : factors) {
        const double tick = factor * decade;
        if (tick >= low * 0.999 && tick <= high * 1.001) result.push_back(tick);
      }
    }
    return result;
  }
};

Axis fit(const Plot& plot, double Point::*member, double from, double to) {
  double low = 1e300, high = 0;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      low = std::min(low, point.*member);
      high = std::max(high, point.*member);
    }
  }
  return {low / 1.15, high * 1.15, from, to};
}

std::string text(double x, double y, const std::string& style, const std::string& content) {
  return "<text" + attribute("x", x) + attribute("y", y) + " " + style + ">" + escape(content) + "</text>\n";
}

std::string segment(double x1, double y1, double x2, double y2, const std::string& style) {
  return "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) + " " + style +
         "/>\n";
}

std::string frame(const Plot& plot, const Axis& x, const Axis& y) {
  const std::string grid = "stroke=\"#e4e4e0\"";
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += segment(x(tick), y.from, x(tick), y.to, grid);
    svg += text(x(tick), y.from + 20, "text-anchor=\"middle\" class=\"tick\"", number(tick));
  }
  for (const double tick : y.ticks()) {
    svg += segment(x.from, y(tick), x.to, y(tick), grid);
    svg += text(x.from - 9, y(tick) + 4, "text-anchor=\"end\" class=\"tick\"", number(tick));
  }
  svg += segment(x.from, y.from, x.to, y.from, "stroke=\"#555\"") +
         segment(x.from, y.from, x.from, y.to, "stroke=\"#555\"");
  svg += text(kLeft, 30, "class=\"title\"", plot.title) + text(kLeft, 52, "class=\"label\"", plot.subtitle);
  svg += text((x.from + x.to) / 2, height_of(plot) - 16, "text-anchor=\"middle\" class=\"label\"", plot.x_label);
  const std::string turn = "transform=\"rotate(-90 22 " + coordinate((y.from + y.to) / 2) + ")\"";
  return svg + text(22, (y.from + y.to) / 2, "text-anchor=\"middle\" class=\"label\" " + turn, plot.y_label);
}

std::string dot(double x, double y, const std::string& colour) {
  return "<circle" + attribute("cx", x) + attribute("cy", y) + " r=\"2.1\" fill=\"" + colour +
         "\" fill-opacity=\"0.22\"/>\n";
}

std::string diamond(double x, double y, const std::string& colour) {
  return "<path d=\"M" + coordinate(x) + " " + coordinate(y - 6.5) +
         "l6.5 6.5 -6.5 6.5 -6.5 -6.5z\" fill=\"#fff\" stroke=\"" + colour + "\" stroke-width=\"2\"/>\n";
}

std::string polyline(const std::string& points, const Series& series) {
  const std::string dashes = series.mark == Mark::dashes ? " stroke-dasharray=\"7 6\"" : "";
  return "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + series.colour + "\"" + dashes +
         " stroke-width=\"2.6\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n";
}

std::string draw(const Series& series, const Axis& x, const Axis& y) {
  std::string svg, joined;
  for (const Point& point : series.points) {
    const double px = x(point.x), py = y(point.y);
    if (series.mark == Mark::dots) svg += dot(px, py, series.colour);
    if (series.mark == Mark::diamonds) svg += diamond(px, py, series.colour);
    joined += coordinate(px) + "," + coordinate(py) + " ";
  }
  return svg.empty() ? polyline(joined, series) : svg;
}

/// A line or a diamond, and the name beside it.
std::string legend_entry(const Series& series, double x, double y) {
  const std::string stroke = coordinate(x) + "," + coordinate(y) + " " + coordinate(x + 26) + "," + coordinate(y);
  const bool diamonds = series.mark == Mark::diamonds;
  return (diamonds ? diamond(x + 13, y, series.colour) : polyline(stroke, series)) +
         text(x + 36, y + 4, "class=\"label\"", series.name);
}

std::string legend(const Plot& plot) {
  std::string svg;
  const int rows = legend_rows(plot);
  int entry = 0;
  for (const Series& series : plot.series) {
    if (series.name.empty()) continue;
    svg += legend_entry(series, kLeft + 340 * (entry / rows), kLegendTop + kLegendStep * (entry % rows));
    ++entry;
  }
  return svg;
}

}  // namespace

void write_svg(const Plot& plot, const std::string& path) {
  const Axis x = fit(plot, &Point::x, kLeft, kWidth - kRight);
  const double height = height_of(plot);
  const Axis y = fit(plot, &Point::y, height - kBottom, top_of(plot));
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << " " << height << "\" width=\""
      << kWidth << "\" height=\"" << height << "\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      << "<style>.title{font-size:17px;font-weight:600;fill:#222}.label{font-size:13px;fill:#444}"
      << ".tick{font-size:12px;fill:#666}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      << frame(plot, x, y);
  for (const Series& series : plot.series) out << draw(series, x, y);
  out << legend(plot) << "</svg>\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

std::vector<Point> median_line(const std::vector<Point>& points, int bins) {
  if (points.empty()) return {};
  const auto by_x = [](const Point& a, const Point& b) { return a.x < b.x; };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_x);
  const double width = std::log(high->x / low->x * 1.0001) / bins;
  std::vector<std::vector<double>> xs(bins), ys(bins);
  for (const Point& point : points) {
    const int bin = static_cast<int>(std::log(point.x / low->x) / width);
    xs[bin].push_back(point.x);
    ys[bin].push_back(point.y);
  }
  std::vector<Point> line;
  for (int bin = 0; bin < bins; ++bin) {
    if (!xs[bin].empty()) line.push_back({median(xs[bin]), median(ys[bin])});
  }
  return line;
}

}  // namespace kirchhoff::bench
