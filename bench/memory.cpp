// Peak memory, as the kernel counts it for a copy of this process that runs the work and ends.
#include "memory.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace kirchhoff::bench {
namespace {

/// The largest resident size, in KiB, of a copy of this process that runs the work.
long resident(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("peak_mebibytes: no process could be started");
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0)
    throw std::runtime_error("peak_mebibytes: a copy failed");
  return usage.ru_maxrss;
}

}  // namespace

double peak_mebibytes(const std::function<void()>& work) {
  malloc_trim(0);  // or freed memory that this process kept would serve the copy
  const long before = resident([] {});
  return static_cast<double>(std::max(0L, resident(work) - before)) / 1024.0;
}

}  // namespace kirchhoff::bench
