// Reads whole files and writes to standard output, and notices every failure.
#pragma once

#include <kirchhoff/output_file.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// How many megabytes of text a verb takes into memory at once, a line or a file: 1024, or less on a machine with less
/// than 16 GB of memory.
std::size_t default_max_mb();

using kirchhoff::FileError;

/// Returns the content of a file; "-" is standard input. Throws FileError, also when there are more than max_mb
/// megabytes of it, so that an endless stream ends; the message then names the option that sets the limit, if any.
std::string read_file(const std::string& path, std::size_t max_mb = default_max_mb(), std::string_view option = "");

void write_stdout(std::string_view text);

}  // namespace kirchhoff::cli
