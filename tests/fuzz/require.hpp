// What every fuzz target does when something is wrong.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kirchhoff {

inline void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Messages are one line.
inline void require_message(const char* what) {
  require(*what != '\0' && std::string_view(what).find('\n') == std::string_view::npos, "not a message of one line");
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace kirchhoff
