// Writes strings of JSON with the escapes they need.
#include "json/writer.hpp"

namespace kirchhoff::cli {

void append_string(std::string_view text, fmt::memory_buffer& out) {
  out.push_back('"');
  std::size_t plain = 0;  // From here on nothing was appended yet.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool control = static_cast<unsigned char>(c) < 0x20;
    if (!control && c != '"' && c != '\\') continue;
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    if (control) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out.append(std::string_view("\\u00"));
      out.push_back(kDigits[static_cast<std::size_t>(c) / 16]);
      out.push_back(kDigits[static_cast<std::size_t>(c) % 16]);
    } else {
      out.push_back('\\');
      out.push_back(c);
    }
  }
  out.append(text.substr(plain));
  out.push_back('"');
}

std::string json_string(std::string_view text) {
  fmt::memory_buffer out;
  append_string(text, out);
  return fmt::to_string(out);
}

}  // namespace kirchhoff::cli
