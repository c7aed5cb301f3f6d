// Scripts are lines of fields between tabs:
//
//   as|lower CUT PREFIX CUT SUFFIX    a lemma: characters to cut at the front, what to put there; the same at the end
//   whole LEMMA                       a lemma that has nothing of the form
//   =                                 a token that is one word
//   cut N N ...                       words of N characters at the end of the token, what is before is the first word
//   with CUT SUFFIX WORD ...          the first word is the token with another end, the others are these
#include "text/scripts.hpp"

#include "base/utf8.hpp"
#include "evaluate/lower_case.hpp"

#include <algorithm>
#include <charconv>

namespace kirchhoff::text {
namespace {

using Characters = std::vector<std::string_view>;

Characters split(std::string_view text) {
  Characters result;
  while (!text.empty()) {
    result.push_back(text.substr(0, base::character_size(text)));
    text.remove_prefix(result.back().size());
  }
  return result;
}

std::string joined(const Characters& characters, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += characters[i];
  return text;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

/// A number of characters, or nothing when the text is none.
std::optional<std::size_t> count_of(std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count > 1000000) return std::nullopt;
  return count;
}

struct Common {
  std::size_t in_first = 0, in_second = 0, size = 0;
};

/// The longest run of characters that both have; of several the first one.
Common longest_common(const Characters& a, const Characters& b) {
  Common best;
  std::vector<std::size_t> ends(b.size() + 1), before;
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = ends;
    for (std::size_t j = 0; j < b.size(); ++j) {
      ends[j + 1] = a[i] == b[j] ? before[j] + 1 : 0;
      if (ends[j + 1] > best.size) best = {i + 1 - ends[j + 1], j + 1 - ends[j + 1], ends[j + 1]};
    }
  }
  return best;
}

}  // namespace

std::string lemma_script(std::string_view form, std::string_view lemma) {
  const bool lower = evaluation::lower_case(lemma) == lemma;
  const std::string text = lower ? evaluation::lower_case(form) : std::string(form);
  const Characters from = split(text), to = split(lemma);
  const Common common = longest_common(from, to);
  if (common.size == 0) return "whole\t" + std::string(lemma);
  return std::string(lower ? "lower" : "as") + "\t" + std::to_string(common.in_first) + "\t" +
         joined(to, 0, common.in_second) + "\t" + std::to_string(from.size() - common.in_first - common.size) + "\t" +
         joined(to, common.in_second + common.size, to.size());
}

std::optional<std::string> apply_lemma_script(std::string_view script, std::string_view form) {
  const auto fields = fields_of(script);
  if (fields.size() == 2 && fields[0] == "whole") return std::string(fields[1]);
  if (fields.size() != 5 || (fields[0] != "lower" && fields[0] != "as")) return std::nullopt;
  const auto front = count_of(fields[1]), back = count_of(fields[3]);
  if (!front || !back) return std::nullopt;
  const std::string text = fields[0] == "lower" ? evaluation::lower_case(form) : std::string(form);
  const Characters characters = split(text);
  if (*front + *back >= characters.size()) return std::nullopt;
  return std::string(fields[2]) + joined(characters, *front, characters.size() - *back) + std::string(fields[4]);
}

std::string split_script(std::string_view form, const std::vector<std::string_view>& words) {
  if (words.size() == 1 && words[0] == form) return std::string(kOneWord);
  std::string together;
  for (const std::string_view word : words) together += word;
  if (together == form) {
    std::string script = "cut";
    for (std::size_t i = 1; i < words.size(); ++i) script += "\t" + std::to_string(split(words[i]).size());
    return script;
  }
  const Characters from = split(form), first = split(words[0]);
  const auto [end, first_end] = std::mismatch(from.begin(), from.end(), first.begin(), first.end());
  std::string script = "with\t" + std::to_string(from.end() - end) + "\t" +
                       joined(first, static_cast<std::size_t>(first_end - first.begin()), first.size());
  for (std::size_t i = 1; i < words.size(); ++i) (script += "\t") += words[i];
  return script;
}

std::optional<std::vector<std::string>> apply_split_script(std::string_view script, std::string_view form) {
  if (script == kOneWord) return std::vector<std::string>{std::string(form)};
  const auto fields = fields_of(script);
  const Characters characters = split(form);
  if (fields[0] == "cut" && fields.size() >= 2) {
    std::vector<std::string> words;
    std::size_t end = characters.size();
    for (std::size_t i = fields.size() - 1; i > 0; --i) {
      const auto size = count_of(fields[i]);
      if (!size || *size == 0 || *size >= end) return std::nullopt;
      words.insert(words.begin(), joined(characters, end - *size, end));
      end -= *size;
    }
    words.insert(words.begin(), joined(characters, 0, end));
    return words;
  }
  if (fields[0] != "with" || fields.size() < 3) return std::nullopt;
  const auto cut = count_of(fields[1]);
  if (!cut || *cut > characters.size()) return std::nullopt;
  std::vector<std::string> words = {joined(characters, 0, characters.size() - *cut) + std::string(fields[2])};
  words.insert(words.end(), fields.begin() + 3, fields.end());
  const bool empty = std::any_of(words.begin(), words.end(), [](const std::string& word) { return word.empty(); });
  return empty ? std::nullopt : std::optional(words);
}

}  // namespace kirchhoff::text
