// What the program does when there is no memory: a message and exit status 1, also where a library would crash.
#pragma once

#include <cstddef>

namespace kirchhoff::cli {

/// Says what the exception is that is being handled; a lack of memory names the verb, because a reader that knows the
/// file and the line has thrown an error of its own. It takes no memory.
void complain_of_current_exception() noexcept;

/// To be called first. Exceptions that libraries let escape where none may are then reported like any other.
void prepare_for_lack_of_memory(const char* verb);

/// How often this thread was refused memory. It finds out libraries that go on as if nothing had happened.
std::size_t refused_memory();

/// From now on a lack of memory ends the program at once, with the same message. It is for libraries that free their
/// memory twice when an exception passes through them, as the linear programming solver does.
void end_without_memory();

}  // namespace kirchhoff::cli
