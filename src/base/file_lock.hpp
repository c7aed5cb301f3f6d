// A lock between processes, which ends with the process that holds it, however that ends.
#pragma once

#include "base/descriptor.hpp"

#include <string>

namespace kirchhoff::base {

/// Holds the lock of a file that is going to be written. It lies beside it, as FILE.lock. A file of that name that a
/// killed process left is no obstacle: what counts is the system's lock on it. One with content is not touched.
class FileLock {
 public:
  /// Throws FileError when there can be no lock or another process has it; `work` says what it is doing: "another
  /// training writes FILE".
  FileLock(const std::string& file, const std::string& work);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  /// False when the file was removed by its last holder between opening and locking it, so that it has to be made
  /// again.
  bool try_to_lock(const std::string& held);

  std::string path_;
  Descriptor file_;
};

}  // namespace kirchhoff::base
