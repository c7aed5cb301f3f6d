// A file of text, or standard input, as every verb reads it.
#pragma once

#include "io/shard.hpp"

#include <cstddef>
#include <string>

namespace kirchhoff::cli {

/// What messages call a file that is read: its name, or "standard input" for "-".
std::string input_name(const std::string& path);

class InputFile {
 public:
  /// Opens a file; "-" is standard input. Throws FileError, and UsageError for the file that standard output goes to.
  /// Of a file that can be sought in, only a range may be read.
  explicit InputFile(const std::string& path, const ByteRange& range = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads at most `size` bytes, of which there must be room for 6, and returns how many; 0 is the end. A byte order
  /// mark of UTF-8 is left out. Throws FileError, also for a file that begins with two of them or that of UTF-16.
  std::size_t read(char* to, std::size_t size);

  /// True when there is something to read at once, if only the end.
  bool ready() const;

  /// The input_name of the file.
  const std::string& name() const { return name_; }

 private:
  std::size_t read_once(char* to, std::size_t size);
  std::size_t read_start(char* to, std::size_t size);

  std::string name_;
  int descriptor_;
  bool started_ = false;
  std::uint64_t left_;  ///< How many bytes of the range are still to be read.
};

}  // namespace kirchhoff::cli
