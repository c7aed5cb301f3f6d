// Errors of reading and writing JSON, in the words of the line they come from.
#pragma once

#include <kirchhoff/types.hpp>

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// One line of input is wrong; the message is "FIELD: problem".
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result is NaN. That is a bug of ours, and must not pass for an answer.
class NotANumber : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Turns "[function] problem" into "problem", because users of the program do not know the function.
inline std::string without_function(std::string_view message) {
  const std::size_t end = message.starts_with('[') ? message.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? message : message.substr(end + 2));
}

/// Calls `make`, and lets its errors name the field they come from. An InputError becomes an Error: a ReadError where
/// the line is wrong, an InputError where the line is well-formed but the library has no answer to it.
template <class Error = ReadError, class Make>
auto in_field(std::string_view field, Make make) {
  try {
    return make();
  } catch (const InputError& e) {
    const std::string problem = without_function(e.what());
    throw Error(problem.starts_with(field) ? problem : fmt::format("{}: {}", field, problem));
  } catch (const NotANumber& e) {
    throw NotANumber(fmt::format("{}: {}", field, e.what()));
  }
}

}  // namespace kirchhoff::cli
