// Locks a file with flock(). The file is removed at the end, so one that was locked has to be looked at again: it may
// be one that its last holder has just removed.
#include "base/file_lock.hpp"

#include "kirchhoff/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kirchhoff::base {
namespace {

enum class Place { here, elsewhere, foreign, unknown };

/// Tells whether the path leads to the open file; it does not if another process has removed the file meanwhile. A file
/// with content is foreign: locks are empty, so somebody else's file has this name by chance.
Place place_of(int descriptor, const std::string& path) {
  struct stat a {
  }, b{};
  if (::fstat(descriptor, &a) != 0) return Place::unknown;
  if (!S_ISREG(a.st_mode) || a.st_size != 0) return Place::foreign;
  if (::stat(path.c_str(), &b) != 0) return errno == ENOENT ? Place::elsewhere : Place::unknown;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino ? Place::here : Place::elsewhere;
}

}  // namespace

FileLock::FileLock(const std::string& file, const std::string& work) : path_(file + ".lock") {
  const std::string held = work + " " + file + " (it holds " + path_ + ")";
  while (!try_to_lock(held)) {
  }
}

bool FileLock::try_to_lock(const std::string& held) {
  Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (file.get() < 0) throw FileError(path_ + ": cannot be written: " + std::strerror(errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) throw FileError(held);
  // Any other error of flock() is that of a file system without locks, which has to do without.
  switch (place_of(file.get(), path_)) {
    case Place::here:
      file_ = std::move(file);
      return true;
    case Place::elsewhere:
      return false;
    case Place::foreign:
      throw FileError(path_ + ": is needed as a lock, but has content; rename that file");
    case Place::unknown:
      break;
  }
  const int error = errno;
  ::unlink(path_.c_str());
  throw FileError(path_ + ": cannot be looked at: " + std::strerror(error));
}

/// The name goes before the lock, which the file takes along.
FileLock::~FileLock() { ::unlink(path_.c_str()); }

}  // namespace kirchhoff::base
