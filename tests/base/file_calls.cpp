// The wrapped calls, which do what they should and write it down, and the disk that forgets.
#include "base/file_calls.hpp"

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdarg>

namespace kirchhoff {

FileCalls file_calls;

bool FileCalls::fails() {
  if (count++ != failing) return false;
  errno = error;
  return true;
}

namespace {

using Kind = DiskEvent::Kind;

constexpr int kOldFile = -1;

/// What a file may hold when `written` was written and `synced` of it is safe.
std::vector<std::string> variants(const std::string& synced, const std::string& written) {
  if (synced == written) return {written};
  return {synced, written.substr(0, (synced.size() + written.size()) / 2), written};
}

void apply(const DiskEvent& event, std::map<std::string, int>& folder) {
  if (event.kind == Kind::unlink) folder.erase(event.name);
  if (event.kind == Kind::link || event.kind == Kind::create) folder[event.name] = event.file;
  if (event.kind != Kind::rename || folder.count(event.name) == 0) return;
  folder[event.to] = folder[event.name];
  folder.erase(event.name);
}

}  // namespace

std::set<std::string> contents_after_power_loss(std::size_t events, const std::string& target, const std::string& old) {
  std::map<int, std::string> written = {{kOldFile, old}}, synced = written;
  std::map<std::string, int> folder = {{target, kOldFile}};
  std::vector<const DiskEvent*> pending;  // Changes of the folder that are not safe yet.
  for (std::size_t i = 0; i < events; ++i) {
    const DiskEvent& e = file_calls.events[i];
    if (e.kind == Kind::write) written[e.file] += e.content;
    if (e.kind == Kind::sync) synced[e.file] = written[e.file];
    if (e.kind == Kind::sync_folder) {
      for (const DiskEvent* change : pending) apply(*change, folder);
      pending.clear();
    }
    if (!e.name.empty()) pending.push_back(&e);
  }
  std::set<std::string> contents;
  for (unsigned subset = 0; subset < 1U << pending.size(); ++subset) {
    std::map<std::string, int> after = folder;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if ((subset >> i & 1U) != 0) apply(*pending[i], after);
    }
    const auto found = after.find(target);
    if (found == after.end()) {
      contents.insert("<none>");
    } else {
      for (const std::string& content : variants(synced[found->second], written[found->second])) {
        contents.insert(content);
      }
    }
  }
  return contents;
}

}  // namespace kirchhoff

using kirchhoff::file_calls;
using Kind = kirchhoff::DiskEvent::Kind;

// The linker makes these names: __real_x is the function x itself.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int file, const void* bytes, size_t size);
int __real_fsync(int file);
int __real_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags);
int __real_rename(const char* from, const char* to);
int __real_unlink(const char* path);

int __wrap_open(const char* path, int flags, ...) {
  mode_t mode = 0;
  const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if ((flags & O_CREAT) != 0 || nameless) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  if (file_calls.fails()) return -1;
  if (nameless && !file_calls.nameless) {
    errno = EOPNOTSUPP;
    return -1;
  }
  const int file = __real_open(path, flags, mode);
  if (file < 0) return file;
  if ((flags & O_DIRECTORY) != 0 && !nameless) {
    file_calls.folders.insert(file);
  } else if ((flags & O_ACCMODE) != O_RDONLY) {
    const int number = static_cast<int>(file_calls.files.size()) + 1000 * static_cast<int>(file_calls.events.size());
    file_calls.files[file] = number;
    if ((flags & O_CREAT) != 0) file_calls.events.push_back({Kind::create, number, path});
  }
  return file;
}

ssize_t __wrap_write(int file, const void* bytes, size_t size) {
  if (file_calls.files.count(file) == 0) return __real_write(file, bytes, size);
  if (file_calls.fails()) return -1;
  const size_t part = size > 3 ? size / 2 : size;  // Writes may be short.
  const ssize_t count = __real_write(file, bytes, part);
  if (count > 0) {
    const std::string content(static_cast<const char*>(bytes), static_cast<std::size_t>(count));
    file_calls.events.push_back({Kind::write, file_calls.files[file], {}, {}, content});
  }
  return count;
}

int __wrap_fsync(int file) {
  if (file_calls.fails()) return -1;
  const bool folder = file_calls.folders.count(file) != 0;
  file_calls.events.push_back({folder ? Kind::sync_folder : Kind::sync, folder ? 0 : file_calls.files[file]});
  return __real_fsync(file);
}

int __wrap_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (file_calls.fails()) return -1;
  const int result = __real_linkat(from_folder, from, to_folder, to, flags);
  const std::string path = from;  // "/proc/self/fd/N"
  const int file = file_calls.files[std::stoi(path.substr(path.rfind('/') + 1))];
  if (result == 0) file_calls.events.push_back({Kind::link, file, to});
  return result;
}

int __wrap_rename(const char* from, const char* to) {
  if (file_calls.fails()) return -1;
  const int result = __real_rename(from, to);
  if (result == 0) file_calls.events.push_back({Kind::rename, 0, from, to});
  return result;
}

int __wrap_unlink(const char* path) {
  const int result = __real_unlink(path);
  if (result == 0) file_calls.events.push_back({Kind::unlink, 0, path});
  return result;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
