// Reads and writes whole files, and notices every failure.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// A file cannot be read or written. The message names it.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the content of a file; "-" and "" are standard input.
std::string read_file(const std::string& path);

void write_stdout(std::string_view text);

/// Writes beside the file and renames at the end, so that nobody ever sees half a file.
void write_file(const std::string& path, std::string_view text);

}  // namespace kirchhoff::cli
