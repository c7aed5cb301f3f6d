// What the program says to the person at the terminal, and what it asks of the machine.
#pragma once

#include <cstddef>
#include <string>

namespace kirchhoff::cli {

/// Writes "kirchhoff: MESSAGE" to standard error.
void complain(const std::string& message);

/// Says what the program waits for when it reads JSON lines that somebody types.
void greet_terminal(const std::string& file);

/// 1024, or less on a machine with less than 16 GB of memory.
std::size_t default_max_line_mb();

}  // namespace kirchhoff::cli
