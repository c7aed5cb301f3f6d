// Lines of a file or of standard input, in chunks of bounded size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

struct Line {
  std::size_t number = 0;  ///< from 1
  std::string_view text;   ///< without the end of line; followed by enough readable bytes for simdjson
};

class LineReader {
 public:
  /// "-" or "" is standard input. Throws FileError.
  LineReader(const std::string& file, std::size_t max_line_bytes);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next lines that are not blank, at least one unless the input ends, then whatever is there without waiting, up
  /// to about the limits. The views hold until the next call. Throws FileError, also for a line longer than allowed.
  std::vector<Line> next(std::size_t max_lines, std::size_t max_bytes);

  /// For messages: the file's name, or "standard input".
  const std::string& name() const { return name_; }

 private:
  void compact();
  void fill(std::size_t max_bytes);
  bool read_some();
  void grow();
  void split(std::size_t max_lines, std::vector<Line>& lines);

  std::string name_;
  std::size_t max_line_bytes_;
  int descriptor_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;     ///< first byte not yet handed out
  std::size_t end_ = 0;       ///< end of what was read
  std::size_t complete_ = 0;  ///< end of the last complete line
  std::size_t line_ = 0;      ///< lines handed out
  bool ended_ = false;
};

}  // namespace kirchhoff::cli
