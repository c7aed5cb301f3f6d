// Everything the program says on standard error.
#include "io/terminal.hpp"

#include "io/descriptor.hpp"
#include "io/escape.hpp"
#include "io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <unistd.h>

namespace kirchhoff::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{200};

/// Gathers text, so that a message of ordinary length is one call and messages of several programs do not mix.
class StderrBuffer {
 public:
  ~StderrBuffer() { flush(); }
  void add(std::string_view text) {
    for (const char c : text) {
      if (size_ == bytes_.size()) flush();
      bytes_[size_++] = c;
    }
  }

 private:
  void flush() {
    write_stderr({bytes_.data(), size_});
    size_ = 0;
  }
  std::array<char, 4096> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

void write_stderr(std::string_view text) noexcept { static_cast<void>(write_all(STDERR_FILENO, text)); }

void write_message(std::string_view start, std::string_view text) noexcept {
  StderrBuffer out;
  out.add(start);
  while (!text.empty()) {
    const EscapedPiece piece = escaped_front(text);
    out.add(piece.text());
    text.remove_prefix(piece.size);
  }
  out.add("\n");
}

void complain(std::string_view message) noexcept { write_message("kirchhoff: ", message); }

void complain_unanswered(const std::string& file, std::size_t unanswered, std::size_t all, std::string_view without,
                         std::string_view items) {
  if (unanswered > 0) complain(fmt::format("{}: {} of {} {} {}", file, unanswered, all, items, without));
}

void greet_terminal(const std::string& file) {
  if (file != "-" || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return;
  complain("reading JSON lines from the terminal; end with Ctrl-D (see 'kirchhoff tree --help')");
}

Progress::Progress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)) {}

Progress::~Progress() {
  if (written_) write_stderr("\r\033[K");
}

void Progress::advance(std::size_t graphs) {
  graphs_ += graphs;
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetweenUpdates) return;
  last_ = now;
  written_ = true;
  write_stderr(fmt::format("\r{} graphs", graphs_));
}

}  // namespace kirchhoff::cli
