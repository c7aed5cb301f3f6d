// Reads large blocks and hands out views of their lines, so that no line is copied and a pipe is answered at once.
#include "io/line_reader.hpp"

#include "io/files.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kFirstBuffer = std::size_t{4} << 20;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

LineReader::LineReader(const std::string& file, std::size_t max_line_bytes)
    : file_(file),
      max_line_bytes_(max_line_bytes),
      buffer_(std::min(kFirstBuffer, max_line_bytes_) + simdjson::SIMDJSON_PADDING) {}

std::vector<InputLine> LineReader::next(std::size_t max_lines, std::size_t max_bytes) {
  std::vector<InputLine> lines;
  while (lines.empty()) {
    if (begin_ == complete_) {
      if (ended_) break;
      compact();
      fill(max_bytes);
    }
    split(max_lines, lines);
  }
  return lines;
}

/// Moves the incomplete line at the end of the buffer to its front.
void LineReader::compact() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = complete_ = 0;
}

/// Reads until there is a complete line, and then as long as more is there, up to max_bytes or the buffer's size.
void LineReader::fill(std::size_t max_bytes) {
  max_bytes = std::min(max_bytes, buffer_.size() - simdjson::SIMDJSON_PADDING);
  while (!ended_ && (complete_ == 0 || (end_ < max_bytes && file_.ready()))) {
    const std::size_t before = end_;
    if (!read_some()) {
      ended_ = true;
      if (end_ > 0) complete_ = end_;
    } else if (const void* last = memrchr(buffer_.data() + before, '\n', end_ - before)) {
      complete_ = static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) + 1;
    }
  }
}

/// Returns false at the end of the file.
bool LineReader::read_some() {
  if (end_ + simdjson::SIMDJSON_PADDING >= buffer_.size()) grow();
  const std::size_t room = buffer_.size() - simdjson::SIMDJSON_PADDING - end_;
  const std::size_t got = file_.read(buffer_.data() + end_, room);
  end_ += got;
  return got > 0;
}

void LineReader::grow() {
  const std::size_t size = buffer_.size() - simdjson::SIMDJSON_PADDING;
  const std::string where = fmt::format("{}:{}", name(), line_ + 1);
  if (size >= max_line_bytes_) {
    throw FileError(fmt::format("{}: the line is longer than {} MB (see --max-line-mb)", where, max_line_bytes_ >> 20));
  }
  try {
    buffer_.resize(std::min(2 * size, max_line_bytes_) + simdjson::SIMDJSON_PADDING);
  } catch (const std::bad_alloc&) {
    throw FileError(fmt::format("{}: not enough memory for a line longer than {} MB", where, size >> 20));
  }
}

void LineReader::split(std::size_t max_lines, std::vector<InputLine>& lines) {
  while (begin_ < complete_ && lines.size() < max_lines) {
    const char* start = buffer_.data() + begin_;
    const void* stop = std::memchr(start, '\n', complete_ - begin_);
    const std::size_t length =
        stop ? static_cast<std::size_t>(static_cast<const char*>(stop) - start) : complete_ - begin_;
    std::string_view text(start, length);
    begin_ += length + (stop ? 1 : 0);
    ++line_;
    if (!is_blank(text)) lines.push_back({line_, text});
  }
}

}  // namespace kirchhoff::cli
