// Writes a page that needs no other file. It has a picture of every sentence, its figures and, on demand, all
// marginals.
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace kirchhoff {
namespace {

using draw::escaped;
using draw::inline_svg;
using draw::svg_style;

constexpr std::string_view kHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
:root{--page:#f4f5f8;--card:#fff;--ink:#1c2430;--soft:#5c6675;--line:#e2e6ec;--heat:31,95,208}
@media (prefers-color-scheme:dark){:root{--page:#0e1219;--card:#161b24;--ink:#e8ecf3;--soft:#9aa6b6;--line:#2a3240;--heat:110,168,255}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 "Inter","Segoe UI","Helvetica Neue",Arial,"Noto Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:48px 24px 64px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.02em;margin:0 0 8px}
.lead{color:var(--soft);max-width:46em;margin:0 0 32px}
.key{display:inline-block;width:26px;height:0;border-top:3px solid #8994a6;vertical-align:middle;margin:0 5px 3px 2px}
.best{border-color:rgb(var(--heat))}
article{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:24px 28px 18px;margin:0 0 24px}
h2{font-size:20px;line-height:1.35;margin:0 0 14px;font-weight:600}
dl{display:flex;flex-wrap:wrap;gap:8px 36px;margin:0 0 6px}
dt{font-size:12px;color:var(--soft)}
dd{margin:0;font-size:17px;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
svg{display:block;margin:0 auto}
details{border-top:1px solid var(--line);padding-top:10px;margin-top:10px}
summary{cursor:pointer;color:var(--soft);font-size:14px}
table{border-collapse:separate;border-spacing:2px;font-size:13px;font-variant-numeric:tabular-nums;margin:12px 0 6px}
th{font-weight:500;color:var(--soft);padding:3px 8px;text-align:right;white-space:nowrap}
td{padding:4px 8px;text-align:right;border-radius:4px;min-width:50px}
.error{color:#c92a2a}
footer{color:var(--soft);font-size:14px}
</style>
)html";

std::string fact(std::string_view name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
}

std::string figures(const DrawnFacts& s) {
  return "<dl>" + fact("log Z", fmt::format("{:.3f}", s.log_partition)) +
         fact("entropy", fmt::format("{:.3f} nats &middot; {:.3f} bits", s.entropy, s.entropy / std::numbers::ln2)) +
         fact("perplexity", fmt::format("{:.4g} trees", std::exp(s.entropy))) + fact("method", std::string(s.method)) +
         "</dl>\n";
}

std::string cell(const Matrix& marginals, int head, int word) {
  if (head == word) return "<td></td>";
  const double p = marginals(head, word);
  return fmt::format("<td style=\"background:rgba(var(--heat),{:.3f})\" title=\"{}\">{:.3f}</td>", 0.55 * p,
                     fmt::format("{:.6g}", p), p);
}

/// A table of all marginals, shaded by their size.
std::string table(const Drawing& s) {
  std::string out =
      "<details><summary>All marginals: rows are heads, columns dependents</summary><div "
      "class=\"scroll\"><table>\n<tr><th></th>";
  for (int word = 1; word <= s.n(); ++word)
    out += fmt::format("<th>{}</th>", escaped(s.words[static_cast<std::size_t>(word)]));
  out += "</tr>\n";
  for (int head = 0; head <= s.n(); ++head) {
    out += fmt::format("<tr><th>{}</th>", escaped(s.words[static_cast<std::size_t>(head)]));
    for (int word = 1; word <= s.n(); ++word) out += cell(s.facts->marginals, head, word);
    out += "</tr>\n";
  }
  return out + "</table></div></details>\n";
}

std::string article(const Drawing& s) {
  std::string out = fmt::format("<article>\n<h2>{}</h2>\n", escaped(s.text));
  if (!s.error.empty()) return out + fmt::format("<p class=\"error\">{}</p>\n</article>\n", escaped(s.error));
  if (s.facts) out += figures(*s.facts);
  out += "<div class=\"scroll\">\n" + inline_svg(s) + "</div>\n";
  if (s.facts) out += table(s);
  return out + "</article>\n";
}

}  // namespace

std::string to_html(const std::vector<Drawing>& drawings, const DrawnPage& page) {
  std::string out = std::string(kHead) + std::string(svg_style());
  out += fmt::format("<title>Kirchhoff: {0}</title>\n</head>\n<body><main>\n<h1>{0}</h1>\n<p class=\"lead\">{1}</p>\n",
                     page.heading, page.lead);
  for (const Drawing& drawing : drawings) out += article(drawing);
  out += fmt::format("<footer>{}</footer>\n", page.footer);
  return out + "</main></body>\n</html>\n";
}

}  // namespace kirchhoff
