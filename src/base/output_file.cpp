// Replaces files as a whole. The order of the calls matters: content, fsync, name, fsync of the folder.
#include "kirchhoff/output_file.hpp"

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace kirchhoff {
namespace {

using base::Descriptor;

constexpr int kMostLinks = 40;  // As many symbolic links as Linux follows.

[[noreturn]] void fail(const std::string& path, int error) {
  throw FileError(path + ": cannot be written: " + std::strerror(error));
}

/// The folder of a file, as a path that can be opened, with a slash at its end.
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Follows symbolic links from file to file, also the last one that leads to nothing.
std::string followed(std::string path) {
  const std::string given = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      if (errno == ENOENT) return path;
      fail(given, errno);
    }
    if (!S_ISLNK(status.st_mode)) return path;
    std::string to(4096, '\0');
    const ssize_t size = ::readlink(path.c_str(), to.data(), to.size());
    if (size < 0) fail(given, errno);
    to.resize(static_cast<std::size_t>(size));
    path = to.starts_with('/') ? "" : folder_of(path);
    path += to;
  }
  fail(given, ELOOP);
}

/// Returns 0, or the number of the error.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), std::min<std::size_t>(content.size(), 1U << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/// A name that nobody has: the process, the time and a count tell all writers apart.
std::string fresh_name(const std::string& folder) {
  static std::atomic<unsigned> count = 0;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return folder + ".kirchhoff-" + std::to_string(::getpid()) + "-" + std::to_string(now.tv_nsec) + "-" +
         std::to_string(count++) + ".tmp";
}

/// A file that has a name, which is taken away again unless the file was moved to its place. It is made by moving the
/// name, which needs no memory: a copy that fails would leave the file behind.
class Named {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  ~Named() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
  /// Returns 0, or the number of the error.
  int move_to(const std::string& target) {
    if (::rename(name_.c_str(), target.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string name_;
};

/// Writes and flushes the new content, with the permissions of the old file. Returns 0, or the number of the error.
int fill(int file, std::string_view content, const std::string& target) {
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0) {
    if (::fchown(file, old.st_uid, old.st_gid) != 0 && errno != EPERM) return errno;  // Only root may give files away.
    if (::fchmod(file, old.st_mode & 0777) != 0) return errno;
  }
  if (const int error = write_all(file, content)) return error;
  return ::fsync(file) == 0 ? 0 : errno;
}

/// Makes the folder's entries last. Some folders can be written to but not be opened, and have to do without.
int flush_folder(const std::string& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) return errno == EACCES ? 0 : errno;
  return ::fsync(opened.get()) == 0 || errno == EINVAL ? 0 : errno;
}

/// Through a file that has no name while it is written, so that even SIGKILL leaves nothing behind. Returns -1 where
/// the system has no such files, 0, or the number of the error.
int replace_nameless(const std::string& target, std::string_view content) {
  const std::string folder = folder_of(target);
  const Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (file.get() < 0) return -1;
  if (const int error = fill(file.get(), content, target)) return error;
  std::string name = fresh_name(folder);
  const std::string own = "/proc/self/fd/" + std::to_string(file.get());
  if (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return -1;
  return Named(std::move(name)).move_to(target);
}

int replace_named(const std::string& target, std::string_view content) {
  std::string name = fresh_name(folder_of(target));
  const Descriptor file(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
  if (file.get() < 0) return errno;
  Named named(std::move(name));
  const int error = fill(file.get(), content, target);
  return error ? error : named.move_to(target);
}

/// Opens a device or a pipe and writes to it.
int write_through(const std::string& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  return file.get() < 0 ? errno : write_all(file.get(), content);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) throw FileError("the name of a file to write is empty");
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(path_, EISDIR);
    special_ = !S_ISREG(status.st_mode);
    if (::access(path_.c_str(), W_OK) != 0) fail(path_, errno);
  }
  target_ = special_ ? path_ : followed(path_);
  if (special_) return;
  if (name_of(target_).empty()) fail(path_, EISDIR);
  if (::access(folder_of(target_).c_str(), W_OK | X_OK) != 0) fail(path_, errno);
}

bool OutputFile::is_same_as(const std::string& other) const {
  if (special_) return false;
  struct stat a {
  }, b{};
  const bool here = ::stat(target_.c_str(), &a) == 0;
  if (::stat(other.c_str(), &b) == 0) return here && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  if (here || name_of(target_).empty()) return false;
  // Neither is there yet: they are the same when their folders and names are.
  const std::string target = followed(other);
  return name_of(target) == name_of(target_) && ::stat(folder_of(target).c_str(), &a) == 0 &&
         ::stat(folder_of(target_).c_str(), &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void OutputFile::write(std::string_view content) const {
  const OutputFile now(path_);  // What the name leads to may have changed since the work began.
  int error = 0;
  if (now.special_) {
    error = write_through(path_, content);
  } else {
    error = replace_nameless(now.target_, content);
    if (error < 0) error = replace_named(now.target_, content);
    if (error == 0) error = flush_folder(folder_of(now.target_));
  }
  if (error != 0) fail(path_, error);
}

}  // namespace kirchhoff
