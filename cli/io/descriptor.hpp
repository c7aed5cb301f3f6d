// Reads and writes descriptors whole, whatever they are: interrupted, not ready yet, closed or full.
#pragma once

#include <cstddef>
#include <string_view>

#include <sys/types.h>

namespace kirchhoff::cli {

/// To be called before any file is opened. A standard descriptor that is closed is occupied, so that no file of ours
/// takes its number and is written to by mistake. A closed pipe and a file beyond the limit become errors of write(),
/// which are reported like any other, instead of signals.
void prepare_descriptors() noexcept;

/// Writes everything, and waits where a descriptor is not ready. Returns 0, or the number of the error.
int write_all(int descriptor, std::string_view text) noexcept;

/// Reads what is there, and waits where nothing is yet. Returns what read() does.
ssize_t read_some(int descriptor, char* to, std::size_t size) noexcept;

}  // namespace kirchhoff::cli
