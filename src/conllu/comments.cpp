// Reads and writes comments "# name = value", and lists "name=value|name=value".
#include "base/check.hpp"
#include "kirchhoff/conllu.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The comment's value when it has this name.
std::optional<std::string_view> value_of(std::string_view comment, std::string_view name) {
  const std::size_t equals = comment.find('=');
  if (equals == std::string_view::npos || trimmed(comment.substr(1, equals - 1)) != name) return std::nullopt;
  return trimmed(comment.substr(equals + 1));
}

/// Where "name=value" begins in the list, and how long it is.
std::optional<std::pair<std::size_t, std::size_t>> find_attribute(std::string_view list, std::string_view name) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find('|', begin), list.size());
    const std::string_view item = list.substr(begin, end - begin);
    if (item.size() > name.size() && item[name.size()] == '=' && item.starts_with(name)) {
      return std::pair(begin, item.size());
    }
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> Sentence::comment(std::string_view name) const {
  for (const Line& line : lines_) {
    if (line.kind != Kind::comment) break;
    if (const auto value = value_of(view(line.columns[0]), name)) return value;
  }
  return std::nullopt;
}

void Sentence::set_comment(std::string_view name, std::string_view value) {
  if (format_ == ConllFormat::conllx) base::input_error("Sentence::set_comment", "CoNLL-X has no comments");
  const std::string text = "# " + std::string(name) + " = " + std::string(value);
  if (text.find_first_of("\r\n") != std::string::npos) base::input_error("Sentence::set_comment", "a line break");
  const auto end = std::find_if(lines_.begin(), lines_.end(), [](const Line& l) { return l.kind != Kind::comment; });
  const auto same =
      std::find_if(lines_.begin(), end, [&](const Line& l) { return value_of(view(l.columns[0]), name).has_value(); });
  if (same != end) return assign(same->columns[0], text);
  Line line;
  line.ending = lines_.empty() || lines_.front().ending == 0 ? std::uint8_t{1} : lines_.front().ending;
  assign(line.columns[0], text);
  lines_.insert(end, line);
  for (std::uint32_t& word_line : word_lines_) ++word_line;
  ++added_comments_;
}

std::optional<std::string_view> attribute(std::string_view list, std::string_view name) {
  const auto found = find_attribute(list, name);
  if (!found) return std::nullopt;
  return list.substr(found->first + name.size() + 1, found->second - name.size() - 1);
}

std::string with_attribute(std::string_view list, std::string_view name, std::string_view value) {
  const std::string item = std::string(name) + "=" + std::string(value);
  const auto found = find_attribute(list, name);
  std::string out(list);
  if (found) return out.replace(found->first, found->second, item);
  return list == "_" || list.empty() ? item : out + "|" + item;
}

std::string_view universal_relation(std::string_view deprel) { return deprel.substr(0, deprel.find(':')); }

}  // namespace kirchhoff
