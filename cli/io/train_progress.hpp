// The progress of training: one line on a terminal that is written over, and lines of notes that stay.
#pragma once

#include <kirchhoff/train.hpp>

#include <chrono>
#include <string>

namespace kirchhoff::cli {

class TrainProgressLine {
 public:
  explicit TrainProgressLine(bool quiet);

  /// Writes over the line, at most five times a second and only on a terminal.
  void show(const TrainProgress& progress);
  /// Writes a line that stays, unless the program is to be quiet.
  void say(const std::string& text);

 private:
  bool quiet_, terminal_;
  bool written_ = false;  ///< The terminal has a line that is to be written over.
  std::string stage_;
  std::size_t first_ = 0;  ///< How many sentences the stage began with.
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace kirchhoff::cli
