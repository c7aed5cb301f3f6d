// What Beast's parser has found, in the words of the server. For connection.cpp alone.
#pragma once

#include "server/exchange.hpp"
#include "server/limits.hpp"

#include <boost/beast/http.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::server {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

/// The views hold until the parser reads the next request.
inline Head head_of(const RequestParser& parser) {
  using boost::beast::http::field;
  const auto& request = parser.get();
  const auto text_of = [&](field name) {
    const auto value = request[name];
    return std::string_view(value.data(), value.size());
  };
  Head head;
  head.method_name = {request.method_string().data(), request.method_string().size()};
  head.target = {request.target().data(), request.target().size()};
  head.host = request.count(field::host) == 1 || request.version() < 11;
  head.chunked = parser.chunked();
  head.length = parser.content_length() ? std::optional<std::uint64_t>(*parser.content_length()) : std::nullopt;
  head.content_type = text_of(field::content_type);
  head.content_encoding = text_of(field::content_encoding);
  head.authorization = text_of(field::authorization);
  head.origin = text_of(field::origin);
  return head;
}

/// Why a request could not be read; a status of 0 if there is nobody to tell.
struct Problem {
  int status = 0;
  std::string message;
};

inline Problem too_slow(const Limits& limits) {
  return {408, "the request did not arrive in " + std::to_string(limits.client_time.count() / 1000) +
                   " seconds; send it in one go"};
}

inline Problem problem_of(const boost::beast::error_code& problem, const Limits& limits) {
  using boost::beast::http::error;
  if (problem == error::body_limit) {
    return {413,
            "the body is longer than " + std::to_string(limits.body_bytes) + " bytes; send it in several requests"};
  }
  if (problem == error::header_limit || problem == error::buffer_overflow) {
    return {431, "the header is longer than " + std::to_string(limits.header_bytes) + " bytes"};
  }
  const bool cut_off = problem == error::end_of_stream || problem == error::partial_message;
  if (cut_off || problem.category() != make_error_code(error::bad_method).category()) return {};
  return {400, "this is not HTTP/1.1: " + problem.message()};
}

}  // namespace kirchhoff::server
