// Requests and answers, without anything of how they travel.
#pragma once

#include <kirchhoff/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kirchhoff::server {

enum class Method { get, post, other };

/// A request. The views hold while it is answered.
struct Request {
  Method method = Method::get;
  std::string_view path;   ///< The target before '?'.
  std::string_view query;  ///< The target after it, as it was sent.
  std::string_view content_type;
  std::string_view body;  ///< At least kBodyPadding readable bytes come after it, for readers of JSON.
  /// True when the time of the request is over, or the program is to end. Throws nothing.
  Stop stop;
};

inline constexpr std::size_t kBodyPadding = 64;

struct Answer {
  int status = 200;
  std::string body;
  std::string_view content_type = "application/json";
  std::vector<std::pair<std::string_view, std::string>> headers = {};
  std::uint64_t words = 0;  ///< How many words were worked on, for the metrics.
};

/// A request that is answered with an error. The message says what was wrong, where, and what to do.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Makes the answer that says what is wrong.
using ErrorAnswer = std::function<Answer(int status, std::string_view message)>;

/// The type in a Content-Type, in small letters and without parameters.
std::string media_type(std::string_view content_type);

/// The pairs of a query or of a form, in their order, with percent signs and plus signs resolved. Throws HttpError for
/// a percent sign without two hexadecimal digits.
std::vector<std::pair<std::string, std::string>> form_fields(std::string_view query);

}  // namespace kirchhoff::server
