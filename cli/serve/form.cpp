// Reads multipart/form-data as far as it is used for texts (RFC 7578): names, and contents as they are.
#include "serve/form.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace kirchhoff::cli {
namespace {

using server::HttpError;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// The value of "name=value" or name="value" in a header.
std::optional<std::string> parameter(std::string_view header, std::string_view name) {
  const std::string low = lower(header);
  for (std::size_t at = low.find(';'); at != std::string::npos; at = low.find(';', at + 1)) {
    std::size_t begin = low.find_first_not_of(" \t", at + 1);
    if (begin == std::string::npos || low.compare(begin, name.size(), name) != 0) continue;
    begin += name.size();
    if (begin >= low.size() || low[begin] != '=') continue;
    const bool quoted = begin + 1 < low.size() && low[begin + 1] == '"';
    begin += quoted ? 2 : 1;
    const std::size_t end = std::min(low.find_first_of(quoted ? "\"" : "; \t\r\n", begin), low.size());
    return std::string(header.substr(begin, end - begin));
  }
  return std::nullopt;
}

/// The name of a part, from its header.
std::string part_name(std::string_view header) {
  const std::string low = lower(header);
  const std::size_t at = low.find("content-disposition:");
  const std::size_t end = at == std::string::npos ? at : std::min(low.find('\n', at), low.size());
  const auto name = at == std::string::npos ? std::nullopt : parameter(header.substr(at, end - at), "name");
  if (!name) throw HttpError(400, "multipart/form-data: a part has no name");
  return *name;
}

void add_parts(std::string_view body, const std::string& boundary, FormFields& fields) {
  const std::string delimiter = "--" + boundary;
  std::size_t at = body.find(delimiter);
  while (at != std::string_view::npos) {
    std::string_view part = body.substr(at + delimiter.size());
    if (part.starts_with("--")) return;
    at = body.find("\n" + delimiter, at + delimiter.size());
    if (at == std::string_view::npos) break;
    part = part.substr(0, at - static_cast<std::size_t>(part.data() - body.data()));
    if (part.ends_with('\r')) part.remove_suffix(1);
    ++at;  // the line break before the delimiter
    const std::size_t crlf = part.find("\r\n\r\n"), lf = part.find("\n\n");
    const std::size_t end = std::min(crlf, lf);
    if (end == std::string_view::npos) throw HttpError(400, "multipart/form-data: a part has no blank line");
    fields.emplace_back(part_name(part.substr(0, end)), part.substr(end + (crlf < lf ? 4 : 2)));
  }
  throw HttpError(400, "multipart/form-data: the last boundary is missing");
}

}  // namespace

FormFields request_fields(const server::Request& request) {
  FormFields fields = server::form_fields(request.query);
  if (request.body.empty()) return fields;
  const std::string type = server::media_type(request.content_type);
  if (type == "application/x-www-form-urlencoded") {
    const FormFields more = server::form_fields(request.body);
    fields.insert(fields.end(), more.begin(), more.end());
  } else if (type == "multipart/form-data") {
    const auto boundary = parameter(request.content_type, "boundary");
    if (!boundary || boundary->empty()) throw HttpError(400, "multipart/form-data: the boundary is missing");
    add_parts(request.body, *boundary, fields);
  } else {
    throw HttpError(415, "Content-Type: take application/x-www-form-urlencoded or multipart/form-data");
  }
  return fields;
}

}  // namespace kirchhoff::cli
