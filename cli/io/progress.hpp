// A counter on standard error, shown when that is a terminal and the results go elsewhere.
#pragma once

#include <chrono>
#include <cstddef>

namespace kirchhoff::cli {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void advance(std::size_t graphs);

 private:
  bool shown_;
  bool written_ = false;
  std::size_t graphs_ = 0;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace kirchhoff::cli
