// Decides what a request is answered with.
#include "server/exchange.hpp"

#include <kirchhoff/stop_scope.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace kirchhoff::server {
namespace {

constexpr std::string_view kRetryAfter = "1";

/// Compares without telling by the time it takes where texts differ.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  }
  return difference == 0;
}

/// The time as HTTP writes it. It is made once a second.
const std::string& http_date() {
  thread_local std::time_t last = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != last || text.empty()) {
    last = now;
    text = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
  }
  return text;
}

Method method_of(std::string_view name) {
  if (name == "GET" || name == "HEAD") return Method::get;
  return name == "POST" ? Method::post : Method::other;
}

}  // namespace

std::optional<Answer> Exchange::begin(const Head& head) {
  is_head_ = head.method_name == "HEAD";
  origin_ = head.origin;
  const std::size_t question = std::min(head.target.find('?'), head.target.size());
  request_.method = method_of(head.method_name);
  request_.path = head.target.substr(0, question);
  request_.query = head.target.substr(std::min(question + 1, head.target.size()));
  request_.content_type = head.content_type;
  route_ = service_->router.find(request_.path, request_.method);
  if (!head.host) return error(400, "there must be exactly one Host field");
  if (head.method_name == "OPTIONS" && !service_->router.methods(request_.path).empty()) {
    return Answer{204, "", "", {{"Allow", service_->router.methods(request_.path)}}};
  }
  if (!service_->options.token.empty() && !(route_ != nullptr && route_->open) && !has_token(head.authorization)) {
    Answer answer = error(401, "this needs 'Authorization: Bearer TOKEN' with the token of this server");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
  }
  if (route_ == nullptr) return not_found(request_.method);
  if (!head.content_encoding.empty() && head.content_encoding != "identity") {
    return error(415, "Content-Encoding: send the body as it is");
  }
  if (head.length.value_or(0) > service_->options.limits.body_bytes) {
    return error(413, fmt::format("the body has {} bytes, and {} are allowed; send it in several requests",
                                  *head.length, service_->options.limits.body_bytes));
  }
  if (request_.method == Method::post && !head.length && !head.chunked) {
    return error(411, "a POST needs Content-Length or Transfer-Encoding: chunked");
  }
  return std::nullopt;
}

std::optional<Answer> Exchange::not_found(Method method) const {
  const std::string methods = service_->router.methods(request_.path);
  if (methods.empty()) return error(404, "there is nothing here; GET /v1/openapi.json lists what there is");
  Answer answer = error(405, fmt::format("{} is not for this path; it takes {}",
                                         method == Method::post ? "POST" : "this method", methods));
  answer.headers.emplace_back("Allow", methods);
  return answer;
}

bool Exchange::has_token(std::string_view authorization) const {
  constexpr std::string_view kScheme = "Bearer ";
  return authorization.starts_with(kScheme) &&
         same_secret(authorization.substr(kScheme.size()), service_->options.token);
}

Answer Exchange::answer(std::string_view body) {
  const Limits& limits = service_->options.limits;
  const Clock::time_point deadline = received_ + limits.request_time;
  request_.body = body.substr(0, body.size() - kBodyPadding);
  bytes_in_ = request_.body.size();
  request_.stop = [deadline, service = service_] { return service->aborting || Clock::now() >= deadline; };
  try {
    if (!needs_core()) return route_->handler(request_);
    if (request_.stop()) throw Stopped();
    const StopScope scope(request_.stop);
    return route_->handler(request_);
  } catch (const Stopped&) {
    Answer late = error(503, fmt::format("there was no answer within {} seconds; ask for less at once, or try again",
                                         static_cast<double>(limits.request_time.count()) / 1000));
    late.headers.emplace_back("Retry-After", kRetryAfter);
    return late;
  } catch (const HttpError& problem) {
    return error(problem.status(), problem.what());
  } catch (...) {
    return service_->hooks.failure();
  }
}

Answer Exchange::too_busy() const {
  Answer answer = error(429, "too many requests wait already; try again in a second");
  answer.headers.emplace_back("Retry-After", kRetryAfter);
  return answer;
}

std::string Exchange::head(const Answer& answer, const StatusLine& status, bool keep) const {
  std::string head = status.version < 11 ? "HTTP/1.0 " : "HTTP/1.1 ";
  head.append(std::to_string(status.status)).append(" ").append(status.reason).append("\r\n");
  const auto add = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  add("Server", "kirchhoff");
  add("Date", http_date());
  add("X-Content-Type-Options", "nosniff");
  if (!answer.content_type.empty()) add("Content-Type", answer.content_type);
  const std::string& allowed = service_->options.cors_origin;
  if (!allowed.empty() && (allowed == "*" || origin_ == allowed)) {
    add("Access-Control-Allow-Origin", allowed);
    add("Access-Control-Allow-Headers", "Content-Type, Authorization");
    add("Access-Control-Allow-Methods", "GET, HEAD, POST");
    add("Vary", "Origin");
  }
  for (const auto& [name, value] : answer.headers) add(name, value);
  const bool kept_by_default = status.version == 11;
  if (keep != kept_by_default) add("Connection", keep ? "keep-alive" : "close");
  if (answer.status != 204 && answer.status != 304) add("Content-Length", std::to_string(answer.body.size()));
  return head += "\r\n";
}

void Exchange::end(const Answer& answer, std::size_t bytes_out, const std::string& peer) {
  const auto time = Clock::now() - received_;
  service_->metrics.count(route_, answer.status, time, answer.words);
  if (!service_->hooks.log) return;
  LogEntry entry{"-", "-", answer.status, bytes_in_, bytes_out, time, answer.words, peer};
  if (route_ != nullptr) {
    entry.method = route_->method == Method::post ? "POST" : is_head_ ? "HEAD" : "GET";
    entry.path = route_->path;
  }
  service_->hooks.log(entry);
}

}  // namespace kirchhoff::server
