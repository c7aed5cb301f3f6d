// What the program says to the person at the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// Writes to standard error if it can be written; if not, the work goes on without a word.
void write_stderr(std::string_view text) noexcept;

/// Writes "kirchhoff: MESSAGE" and a line break to standard error in the same way. Control characters are escaped, so
/// that a message is one line whatever names it quotes.
void complain(std::string_view message) noexcept;

/// Writes `start` as it is, then the text escaped and a line break, in one piece where it is short. It takes no memory.
void write_message(std::string_view start, std::string_view text) noexcept;

/// Says how many graphs, or other `items`, of a file have no answer, if any; `without` tells why.
void complain_unanswered(const std::string& file, std::size_t unanswered, std::size_t all, std::string_view without,
                         std::string_view items = "graphs");

/// Says what the program waits for when it reads JSON lines that somebody types.
void greet_terminal(const std::string& file);

}  // namespace kirchhoff::cli
