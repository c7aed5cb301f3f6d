// Writes ranked sentences in three formats.
#include "answers/rank_report.hpp"

#include "io/escape.hpp"
#include "json/sentence_text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::cli {
namespace {

constexpr int kBar = 16;           ///< The length of the longest bar.
constexpr std::size_t kText = 48;  ///< The first characters of a sentence are shown.

/// What a value is, as a name: "entropy_per_word".
std::string measure(const RankOptions& options) {
  const std::string name(to_string(options.by));
  return options.per == RankPer::word && options.by != RankBy::margin ? name + "_per_word" : name;
}

/// The first characters of a text, which are made safe to print.
std::string shortened(const std::string& text) {
  std::string out;
  std::string_view rest = text;
  for (std::size_t shown = 0; !rest.empty(); ++shown) {
    if (shown == kText) return out + "...";
    const EscapedPiece piece = escaped_front(rest);
    out += piece.text();
    rest.remove_prefix(piece.size);
  }
  return out;
}

std::string bar(double value, double largest) {
  const int length = std::isfinite(value) && largest > 0.0 ? static_cast<int>(std::lround(kBar * value / largest)) : 0;
  return std::string(static_cast<std::size_t>(length), '#') + std::string(static_cast<std::size_t>(kBar - length), ' ');
}

}  // namespace

std::string rank_conllu(const RankedSentence& item, std::size_t rank, const RankOptions& options) {
  Sentence sentence = item.sentence;
  sentence.set_comment("rank", std::to_string(rank));
  sentence.set_comment(measure(options), fmt::format("{:.6f}", item.value));
  return to_text(sentence);
}

std::string rank_json(const RankedSentence& item, std::size_t rank, const RankOptions& options) {
  const auto id = item.sentence.comment("sent_id");
  JsonWriter out;
  out.key("rank");
  out.raw(std::to_string(rank));
  out.key("id");
  out.raw(id ? json_string(*id) : "null");
  out.key("number");
  out.raw(std::to_string(item.number + 1));
  out.key("line");
  out.raw(std::to_string(item.sentence.line()));
  out.key(measure(options));
  out.write(item.value);
  out.key("words");
  out.list(item.sentence.size(), [&](int i) { out.write(item.sentence.form(i + 1)); });
  out.close();
  return out.take();
}

std::string rank_table(std::span<const RankedSentence> items, const RankOptions& options) {
  double largest = 0.0;
  for (const RankedSentence& item : items) {
    if (std::isfinite(item.value)) largest = std::max(largest, item.value);
  }
  const std::string name = measure(options);
  const std::size_t width = std::max<std::size_t>(name.size(), 10);
  std::string out =
      fmt::format("{:>5}  {:>{}}  {:<{}}  {:>5}  {:>7}  sentence\n", "rank", name, width, "", kBar, "words", "line");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const RankedSentence& item = items[i];
    out += fmt::format("{:>5}  {:>{}.4f}  {}  {:>5}  {:>7}  {}\n", i + 1, item.value, width, bar(item.value, largest),
                       item.sentence.size(), item.sentence.line(), shortened(text_of(item.sentence)));
  }
  return out;
}

}  // namespace kirchhoff::cli
