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

namespace kirchhoff::base {
namespace {

bool is_at(int descriptor, const std::string& path) {
  struct stat a {
  }, b{};
  return ::fstat(descriptor, &a) == 0 && ::stat(path.c_str(), &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

FileLock::FileLock(const std::string& file, const std::string& work) : path_(file + ".lock") {
  while (true) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw FileError(path_ + ": cannot be written: " + std::strerror(errno));
    const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    const int error = locked ? 0 : errno;
    if (locked ? is_at(descriptor_, path_) : error != EWOULDBLOCK) return;  // Some file systems have no locks.
    ::close(descriptor_);
    if (!locked) throw FileError(work + " " + file + " (it holds " + path_ + ")");
  }
}

FileLock::~FileLock() {
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace kirchhoff::base
