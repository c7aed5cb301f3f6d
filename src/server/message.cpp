// Reads the fields of queries and forms.
#include "server/message.hpp"

#include <algorithm>
#include <cctype>

namespace kirchhoff::server {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
      if (low < 0) throw HttpError(400, "query: a % must be followed by two hexadecimal digits; write a % as %25");
      out += static_cast<char>(16 * high + low);
      i += 2;
    }
  }
  return out;
}

}  // namespace

std::string media_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
  return type;
}

std::vector<std::pair<std::string, std::string>> form_fields(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!query.empty()) {
    const std::string_view field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), field.size() + 1));
    if (field.empty()) continue;
    const std::size_t equal = field.find('=');
    const std::string_view value = equal == std::string_view::npos ? std::string_view() : field.substr(equal + 1);
    fields.emplace_back(decoded(field.substr(0, equal)), decoded(value));
  }
  return fields;
}

}  // namespace kirchhoff::server
