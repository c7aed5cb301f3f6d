// Escapes what a terminal would obey instead of showing. It needs no memory of its own, because messages about a lack
// of memory are escaped too.
#include "io/escape.hpp"

#include <algorithm>

namespace kirchhoff::cli {
namespace {

bool is_control(char32_t code) {
  const bool is_c0_or_c1 = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool is_line_or_direction = (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_c0_or_c1 || is_line_or_direction || (code & 0xFFFE) == 0xFFFE;
}

/// The number of bytes of the character at the front, or 0 when it is ill-formed or not to be shown.
std::size_t visible_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (size == 0 || size > text.size()) return 0;
  char32_t code = size == 1 ? lead : lead & (0x7FU >> size);
  for (const char c : text.substr(1, size - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_code = code >= kSmallest[size] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_code && !is_control(code) ? size : 0;
}

}  // namespace

EscapedPiece escaped_front(std::string_view text) noexcept {
  EscapedPiece piece;
  piece.size = piece.length = visible_size(text);
  if (piece.size > 0) {
    std::copy_n(text.data(), piece.size, piece.bytes);
    return piece;
  }
  const char c = text.front();
  const auto byte = static_cast<unsigned char>(c);
  piece.size = 1;
  piece.bytes[0] = '\\';
  piece.bytes[1] = c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : 'x';
  piece.length = piece.bytes[1] == 'x' ? 4 : 2;
  constexpr std::string_view kDigits = "0123456789abcdef";
  piece.bytes[2] = kDigits[byte >> 4];
  piece.bytes[3] = kDigits[byte & 0xFU];
  return piece;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const EscapedPiece piece = escaped_front(text);
    out += piece.text();
    text.remove_prefix(piece.size);
  }
  return out;
}

}  // namespace kirchhoff::cli
