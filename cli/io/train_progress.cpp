// Shows speed, loss and remaining time of the stage that training is in.
#include "io/train_progress.hpp"

#include "io/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <unistd.h>

namespace kirchhoff::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{200};
constexpr double kTiny = 1e-3;  // keeps the first divisions finite

}  // namespace

TrainProgressLine::TrainProgressLine(bool quiet) : quiet_(quiet), terminal_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

void TrainProgressLine::show(const TrainProgress& progress) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    start_ = now;
    first_ = progress.sentences;
  } else if (now - last_ < kBetweenUpdates) {
    return;
  }
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double speed = static_cast<double>(progress.sentences - first_) / std::max(seconds, kTiny);
  const double left = static_cast<double>(progress.all_sentences - progress.sentences) / std::max(speed, kTiny);
  const double share = static_cast<double>(progress.sentences) / static_cast<double>(progress.all_sentences);
  write_stderr(fmt::format("\r{:<9} {:3.0f} %  {:6.0f} sentences/s  loss {:8.4f}  {:4.0f} s left ", progress.stage,
                           100.0 * share, speed, progress.mean_loss, progress.sentences == first_ ? 0.0 : left));
  written_ = true;
}

void TrainProgressLine::say(const std::string& text) {
  if (quiet_) return;
  write_message(written_ ? "\r\x1b[K" : "", text);
  written_ = false;
}

}  // namespace kirchhoff::cli
