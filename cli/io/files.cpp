// Reads whole files and writes to standard output through system calls, so that no error of the system goes unnoticed.
#include "io/files.hpp"

#include "io/descriptor.hpp"
#include "io/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <unistd.h>

namespace kirchhoff::cli {
namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int error) {
  throw FileError(fmt::format("{}: cannot {}: {}", name, what, std::strerror(error)));
}

}  // namespace

std::size_t default_max_mb() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  constexpr std::size_t kLargestDefault = 1024;
  if (pages <= 0 || page <= 0) return kLargestDefault;
  // Reading a line takes about seven times its size, so a sixteenth of the memory is safe.
  const std::size_t sixteenth = (static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)) >> 24;
  return std::clamp<std::size_t>(sixteenth, 1, kLargestDefault);
}

std::string read_file(const std::string& path, std::size_t max_mb, std::string_view option) {
  InputFile file(path);
  std::string text;
  std::size_t size = 0;
  try {
    for (std::size_t count = 1; count != 0; size += count) {
      constexpr std::size_t kChunk = 1 << 16;
      text.resize(size + kChunk);
      count = file.read(text.data() + size, kChunk);
      if (size + count > max_mb << 20) {
        throw FileError(fmt::format("{}: the text is longer than {} MB{}", file.name(), max_mb,
                                    option.empty() ? "" : fmt::format(" (see {})", option)));
      }
    }
    text.resize(size);
  } catch (const std::bad_alloc&) {
    throw FileError(fmt::format("{}: out of memory after {} MB of text", file.name(), size >> 20));
  }
  return text;
}

void write_stdout(std::string_view text) {
  if (const int error = write_all(STDOUT_FILENO, text)) fail("standard output", "write", error);
}

}  // namespace kirchhoff::cli
