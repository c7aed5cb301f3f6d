// Reads and writes whole files through system calls, so that no error of the system goes unnoticed.
#include "io/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kirchhoff::cli {
namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int error) {
  throw FileError(fmt::format("{}: cannot {}: {}", name, what, std::strerror(error)));
}

/// Returns 0, or the number of the error.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// True for a device or a pipe, which is written to and not replaced.
bool is_special(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

void write_special(const std::string& path, std::string_view text) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "open", errno);
  const int error = write_all(descriptor, text);
  close(descriptor);
  if (error) fail(path, "write", error);
}

}  // namespace

std::string read_file(const std::string& path) {
  const bool standard = path.empty() || path == "-";
  const std::string name = standard ? "standard input" : path;
  const int descriptor = standard ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(name, "open", errno);
  std::string text;
  int error = 0;
  for (ssize_t count = 1; count != 0;) {
    constexpr std::size_t kChunk = 1 << 16;
    const std::size_t size = text.size();
    text.resize(size + kChunk);
    count = read(descriptor, text.data() + size, kChunk);
    error = count < 0 && errno != EINTR ? errno : 0;
    text.resize(size + static_cast<std::size_t>(count > 0 ? count : 0));
    if (error) break;
  }
  if (!standard) close(descriptor);
  if (error) fail(name, "read", error);
  return text;
}

void write_stdout(std::string_view text) {
  if (const int error = write_all(STDOUT_FILENO, text)) fail("standard output", "write", error);
}

void write_file(const std::string& path, std::string_view text) {
  if (is_special(path)) return write_special(path, text);
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) fail(path, "create", errno);
  int error = write_all(descriptor, text);
  if (!error && fchmod(descriptor, default_mode()) != 0) error = errno;
  if (close(descriptor) != 0 && !error) error = errno;
  if (!error && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error) {
    unlink(temporary.c_str());
    fail(path, "write", error);
  }
}

}  // namespace kirchhoff::cli
