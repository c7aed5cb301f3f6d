// Reads by system calls, so that an error of the system is never taken for the end of a file.
#include "io/input_file.hpp"

#include "io/descriptor.hpp"
#include "io/files.hpp"
#include "usage_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kirchhoff::cli {
namespace {

constexpr std::string_view kTwoMarks = "\xEF\xBB\xBF\xEF\xBB\xBF";
constexpr std::string_view kUtf8Mark = kTwoMarks.substr(0, 3);

bool is_standard(const std::string& path) { return path == "-"; }

/// Returns whether what is printed goes into the file that is read, as with >> in a shell: it would grow without end.
bool is_standard_output(int descriptor) {
  struct stat in {
  }, out{};
  return fstat(descriptor, &in) == 0 && fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(in.st_mode) &&
         in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

}  // namespace

std::string input_name(const std::string& path) { return is_standard(path) ? "standard input" : path; }

InputFile::InputFile(const std::string& path, const ByteRange& range)
    : name_(input_name(path)),
      descriptor_(is_standard(path) ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      started_(range.begin > 0),
      left_(range.end - range.begin) {
  if (descriptor_ < 0) throw FileError(fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
  if (range.begin > 0 && lseek(descriptor_, static_cast<off_t>(range.begin), SEEK_SET) < 0) {
    const int problem = errno;
    close(descriptor_);
    throw FileError(fmt::format("{}: cannot read from its middle: {}", name_, std::strerror(problem)));
  }
  if (!is_standard_output(descriptor_)) return;
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
  throw UsageError(fmt::format("{}: this file is standard output too; write to another one", name_));
}

InputFile::~InputFile() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

std::size_t InputFile::read_once(char* to, std::size_t size) {
  const ssize_t got = read_some(descriptor_, to, std::min<std::uint64_t>(size, left_));
  if (got < 0) throw FileError(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
  left_ -= static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

/// A pipe may bring a mark byte by byte, so it reads on as long as what is there may be part of one. A second mark
/// would be taken for text, or be left out by whoever reads the text, as CoNLL-U's reader does.
std::size_t InputFile::read_start(char* to, std::size_t size) {
  std::string_view start;
  for (bool perhaps_mark = true; perhaps_mark;) {
    const std::size_t more = read_once(to + start.size(), size - start.size());
    start = {to, start.size() + more};
    if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
      throw FileError(
          fmt::format("{}:1: the text is in UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)", name_));
    }
    if (start.starts_with(kTwoMarks)) {
      throw FileError(fmt::format("{}:1: the text begins with two byte order marks; at most one may be there", name_));
    }
    perhaps_mark = more > 0 && (kTwoMarks.starts_with(start) || start == "\xFF" || start == "\xFE");
  }
  if (!start.starts_with(kUtf8Mark)) return start.size();
  start.remove_prefix(kUtf8Mark.size());
  std::memmove(to, start.data(), start.size());
  return start.size();
}

std::size_t InputFile::read(char* to, std::size_t size) {
  if (started_) return read_once(to, size);
  started_ = true;
  return read_start(to, size);
}

bool InputFile::ready() const {
  pollfd request{descriptor_, POLLIN, 0};
  return poll(&request, 1, 0) > 0;
}

}  // namespace kirchhoff::cli
