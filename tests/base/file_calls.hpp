// A seam under the library's file calls: the linker leads open, write, fsync, linkat, rename and unlink here (--wrap),
// so that a test can make any one of them fail, and replay what a disk may hold after a loss of power.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kirchhoff {

/// What happened to the disk, in order. Files are known by a number, because some of them have no name at first.
struct DiskEvent {
  enum class Kind { create, write, sync, link, rename, unlink, sync_folder };
  Kind kind;
  int file = 0;
  std::string name = {}, to = {}, content = {};
};

/// The calls since the last reset, and which of them is to fail.
struct FileCalls {
  int count = 0;
  int failing = -1;  ///< The call with this number fails with `error`.
  int error = 0;
  bool nameless = true;  ///< Whether the file system can make files without a name.
  std::vector<DiskEvent> events;
  std::map<int, int> files;  ///< The file of each descriptor.
  std::set<int> folders;     ///< The descriptors of folders.

  bool fails();
};
extern FileCalls file_calls;

/// Every content that `target` may have when the power fails after the first `events` of file_calls: what was not
/// synced may be there, in part or not at all, and changes of the folder that were not synced may have been made or
/// not, each by itself. "<none>" stands for no file.
std::set<std::string> contents_after_power_loss(std::size_t events, const std::string& target, const std::string& old);

}  // namespace kirchhoff
