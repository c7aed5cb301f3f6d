// Messages of errors, "[function] what is wrong".
#pragma once

#include <string>

namespace kirchhoff::base {

/// The message without the function's name.
inline std::string without_function(const std::string& message) {
  const std::size_t end = message.starts_with('[') ? message.find("] ") : std::string::npos;
  return end == std::string::npos ? message : message.substr(end + 2);
}

}  // namespace kirchhoff::base
