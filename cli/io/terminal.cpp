// Everything the program says on standard error, and how long a line of input may be on this machine.
#include "io/terminal.hpp"

#include "io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <unistd.h>

namespace kirchhoff::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{200};

}  // namespace

void complain(const std::string& message) { fmt::print(stderr, "kirchhoff: {}\n", message); }

void greet_terminal(const std::string& file) {
  if (file != "-" || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return;
  complain("reading JSON lines from the terminal; end with Ctrl-D (see 'kirchhoff tree --help')");
}

std::size_t default_max_line_mb() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  constexpr std::size_t kLargestDefault = 1024;
  if (pages <= 0 || page <= 0) return kLargestDefault;
  // Reading a line takes about seven times its size, so a sixteenth of the memory is safe.
  const std::size_t sixteenth = (static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)) >> 24;
  return std::clamp<std::size_t>(sixteenth, 1, kLargestDefault);
}

Progress::Progress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)) {}

Progress::~Progress() {
  if (written_) fmt::print(stderr, "\r\033[K");
}

void Progress::advance(std::size_t graphs) {
  graphs_ += graphs;
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetweenUpdates) return;
  last_ = now;
  written_ = true;
  fmt::print(stderr, "\r{} graphs", graphs_);
}

}  // namespace kirchhoff::cli
