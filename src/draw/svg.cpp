// Draws words on a line and arcs above them; the more probable an arc is, the darker and wider it is drawn.
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace draw {
namespace {

constexpr double kLevelHeight = 27.0;
constexpr double kTop = 22.0;     // The space above the highest arc.
constexpr double kBottom = 46.0;  // The room for words and numbers below the arcs.
constexpr double kFoot = 7.0;     // The room for an arrow head, between a word's arcs and the line they stand on.
constexpr double kBend = 36.0;    // The width of the bend from an arc's end to its flat part.
constexpr double kTitle = 44.0;   // The room above each sentence in a picture of several.

constexpr std::string_view kStyle = R"(<style>
.k{font-family:"Inter","Segoe UI","Helvetica Neue",Arial,"Noto Sans","Noto Sans CJK SC",sans-serif}
.k .w{font-size:17px;fill:#1c2430;text-anchor:middle}
.k .r{font-size:13px;letter-spacing:.08em;fill:#6b7686}
.k .i{font-size:11px;fill:#8a94a3;text-anchor:middle}
.k .t{font-size:15px;font-weight:600;fill:#1c2430}
.k .g{fill:#fff}
.k .p{font-size:11px;fill:#5c6675;text-anchor:middle;stroke:#fff;stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
.k path{fill:none;stroke:#7b8698}
.k polygon{fill:#7b8698}
.k .b path{stroke:#1f5fd0}
.k .b polygon{fill:#1f5fd0}
.k .b .p{fill:#1747a0;font-weight:600}
.k .a:hover path{stroke:#d9480f;stroke-opacity:1}
.k .a:hover polygon{fill:#d9480f;fill-opacity:1}
.k .a:hover .p{fill:#d9480f;font-weight:600}
@media (prefers-color-scheme:dark){
.k .g{fill:#161b24}
.k .w,.k .t{fill:#e8ecf3}
.k .r,.k .i{fill:#8f9bad}
.k .p{fill:#a9b4c4;stroke:#161b24}
.k path{stroke:#8994a6}
.k polygon{fill:#8994a6}
.k .b path{stroke:#6ea8ff}
.k .b polygon{fill:#6ea8ff}
.k .b .p{fill:#9cc4ff}
}
</style>
)";

double height_of(const Layout& layout) { return kTop + kLevelHeight * layout.levels + kFoot + kBottom; }

std::string arc_title(const Drawing& drawing, const DrawnArc& arc) {
  const std::string p = arc.probability ? fmt::format("p = {:.4g}", *arc.probability) : "";
  return escaped(fmt::format("{} \u2192 {}: {}{}{}", shortened(drawing.words[static_cast<std::size_t>(arc.head)]),
                             shortened(drawing.words[static_cast<std::size_t>(arc.dependent)]), arc.label,
                             arc.label.empty() || p.empty() ? "" : ", ", p));
}

double top_of(const PlacedArc& arc, double ground) { return ground - kLevelHeight * arc.level; }

std::string open_group(const Drawing& drawing, const DrawnArc& arc) {
  return fmt::format("<g class=\"a{}\"><title>{}</title>", arc.best ? " b" : "", arc_title(drawing, arc));
}

/// An arc with upright ends and a flat top, so that a wide arc stays clear of those below it.
std::string draw_arc(const Drawing& drawing, const PlacedArc& placed, double ground) {
  const double p = placed.arc.probability.value_or(1.0);
  const double bend = std::clamp((placed.to - placed.from) / 2.0, -kBend, kBend);
  const double opacity = 0.3 + 0.7 * p;
  std::string out = open_group(drawing, placed.arc);
  out += fmt::format(
      "<path d=\"M{0:.1f},{1:.1f}C{0:.1f},{2:.1f} {0:.1f},{2:.1f} {3:.1f},{2:.1f}H{4:.1f}C{5:.1f},{2:.1f} "
      "{5:.1f},{2:.1f} "
      "{5:.1f},{1:.1f}\" stroke-width=\"{6:.2f}\" stroke-opacity=\"{7:.2f}\"/>",
      placed.from, ground, top_of(placed, ground), placed.from + bend, placed.to - bend, placed.to, 1.0 + 1.8 * p,
      opacity);
  out += fmt::format(
      "<polygon points=\"{0:.1f},{1:.1f} {2:.1f},{1:.1f} {3:.1f},{4:.1f}\" fill-opacity=\"{5:.2f}\"/></g>\n",
      placed.to - 4.0, ground - 1.0, placed.to + 4.0, placed.to, ground + kFoot, opacity);
  return out;
}

std::string draw_label(const Drawing& drawing, const PlacedArc& placed, double ground) {
  return open_group(drawing, placed.arc) + fmt::format("<text class=\"p\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
                                                       (placed.from + placed.to) / 2.0, top_of(placed, ground) + 4.0,
                                                       escaped(arc_label(placed.arc)));
}

std::string draw_words(const Drawing& drawing, const Layout& layout, double ground) {
  std::string out;
  for (std::size_t i = 0; i < drawing.words.size(); ++i) {
    out += fmt::format("<text class=\"w{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", i == 0 ? " r" : "", layout.word_x[i],
                       ground + kFoot + 20.0, escaped(drawing.words[i]));
    out += fmt::format("<text class=\"i\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", layout.word_x[i],
                       ground + kFoot + 37.0, escaped(drawing.notes[i]));
  }
  return out;
}

/// Draws the best arcs over the others, and the labels over all arcs.
std::string body(const Drawing& drawing, const Layout& layout) {
  const double ground = kTop + kLevelHeight * layout.levels;
  std::string faint;
  std::string best;
  std::string labels;
  for (const PlacedArc& arc : layout.arcs) {
    (arc.arc.best ? best : faint) += draw_arc(drawing, arc, ground);
    labels += draw_label(drawing, arc, ground);
  }
  return faint + best + labels + draw_words(drawing, layout, ground);
}

std::string open_svg(double width, double height) {
  return fmt::format(
      "<svg class=\"k\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} {1:.0f}\" "
      "role=\"img\">\n",
      std::ceil(width), std::ceil(height));
}

}  // namespace

std::string_view svg_style() { return kStyle; }

std::string inline_svg(const Drawing& drawing) {
  const Layout layout = lay_out(drawing);
  return open_svg(layout.width, height_of(layout)) + body(drawing, layout) + "</svg>\n";
}

}  // namespace draw

std::string to_svg(const std::vector<Drawing>& drawings) {
  using namespace draw;  // NOLINT(google-build-using-namespace): this file is most of it
  std::string out;
  double width = 320.0;
  double y = 0.0;
  for (const Drawing& drawing : drawings) {
    out += fmt::format("<text class=\"t\" x=\"18\" y=\"{:.1f}\">{}</text>\n", y + kTitle - 12.0,
                       escaped(drawing.title + (drawing.error.empty() ? "" : ": " + drawing.error)));
    y += kTitle;
    if (!drawing.error.empty()) continue;
    const Layout layout = lay_out(drawing);
    out += fmt::format("<g transform=\"translate(0,{:.1f})\">\n{}</g>\n", y, body(drawing, layout));
    y += height_of(layout);
    width = std::max(width, layout.width);
  }
  return open_svg(width, std::max(y, kTitle)) + std::string(kStyle) +
         "<rect class=\"g\" width=\"100%\" height=\"100%\"/>\n" + out + "</svg>\n";
}

}  // namespace kirchhoff
