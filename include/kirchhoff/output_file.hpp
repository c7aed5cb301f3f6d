// A file to be written: checked before the work begins, and replaced as a whole when it is done.
//
//   const OutputFile page("trees.html");       // a FileError now, not after an hour of work
//   page.write(to_html(drawings));
//
// One policy serves every file that is written. A symbolic link is followed: what it leads to is replaced, and the link
// stays. A file that is there keeps its permissions and, where the system allows it, its owner. Devices and pipes are
// written to, and never replaced.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace kirchhoff {

/// Thrown when a file cannot be read or written. The message names it.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutputFile {
 public:
  /// Checks that the file can be written, and changes nothing. Throws FileError: for an empty name, a folder, a folder
  /// that does not exist or may not be written to, and a file that may not be written to.
  explicit OutputFile(std::string path);

  /// The name as it was given.
  const std::string& path() const { return path_; }
  /// The file that is replaced, after all symbolic links.
  const std::string& target() const { return target_; }
  /// True for a device or a pipe.
  bool is_special() const { return special_; }
  /// True when writing would replace the file that `other` names, through whatever links. Never true for special files.
  bool is_same_as(const std::string& other) const;

  /// Replaces the content. The new file is written beside the old one, flushed to the disk and renamed, and so is the
  /// folder: whatever happens, a program that is killed and a loss of power included, there is the old content or the
  /// new one. Nothing is left behind where the file system can make files without a name. Throws FileError.
  void write(std::string_view content) const;

 private:
  std::string path_, target_;
  bool special_ = false;
};

}  // namespace kirchhoff
