// Reads the lines of a file or of standard input in chunks of bounded size.
#pragma once

#include "io/input_file.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// The input of a verb that reads lines.
struct InputOptions {
  std::string file = "-";
  std::size_t max_line_mb = 0;
};

struct InputLine {
  std::size_t number = 0;  ///< Lines count from 1.
  std::string_view text;   ///< Has no end of line, and enough readable bytes for simdjson come after it.
};

class LineReader {
 public:
  /// Opens a file; "-" is standard input. Throws FileError.
  LineReader(const std::string& file, std::size_t max_line_bytes);

  /// Returns the next lines that are not blank: at least one unless the input ends, then whatever is there without
  /// waiting, up to about the limits. The views hold until the next call. Throws FileError, also for a line that is
  /// longer than allowed.
  std::vector<InputLine> next(std::size_t max_lines, std::size_t max_bytes);

  /// What messages call the input: the file's name, or "standard input".
  const std::string& name() const { return file_.name(); }

 private:
  void compact();
  void fill(std::size_t max_bytes);
  bool read_some();
  void grow();
  void split(std::size_t max_lines, std::vector<InputLine>& lines);

  InputFile file_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;     ///< The first byte that is not handed out yet.
  std::size_t end_ = 0;       ///< The end of what was read.
  std::size_t complete_ = 0;  ///< The end of the last complete line.
  std::size_t line_ = 0;      ///< How many lines were handed out.
  bool ended_ = false;
};

}  // namespace kirchhoff::cli
