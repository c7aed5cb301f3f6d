// Help texts of at most 120 columns: long descriptions of options are broken between words.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// The text with line ends for blanks, so that no line is longer than `width`. Line ends that are there stay.
inline std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const bool new_line = column > 0 && column + 1 + end > width;
    if (column > 0) out += new_line ? '\n' : ' ';
    column = (new_line || column == 0 ? 0 : column + 1) + end;
    out += text.substr(0, end);
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      column = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class HelpFormatter : public CLI::Formatter {
 public:
  static constexpr std::size_t kColumns = 120;

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kColumns - get_column_width());
  }
};

}  // namespace kirchhoff::cli
