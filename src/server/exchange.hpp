// What happens between a request and its answer: checks, the route, the work, and what is counted and logged of them.
#pragma once

#include "server/service.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::server {

using Clock = std::chrono::steady_clock;

/// The header of a request. The views hold while it is answered.
struct Head {
  std::string_view method_name, target, content_type, content_encoding, authorization, origin;
  bool host = false;  ///< There is a Host field, as HTTP/1.1 demands.
  bool chunked = false;
  std::optional<std::uint64_t> length;
};

/// The first line of an answer. Versions are 10 and 11.
struct StatusLine {
  int version, status;
  std::string_view reason;
};

/// One request and its answer.
class Exchange {
 public:
  explicit Exchange(Service& service) : service_(&service) {}

  /// Looks at the header. Returns the answer when it does not take the body to know it.
  std::optional<Answer> begin(const Head& head);
  /// To be called when the body has arrived.
  void receive() { received_ = Clock::now(); }
  bool needs_core() const { return route_ != nullptr && route_->effort == Effort::work; }
  /// Calls the handler, and answers whatever it throws. kBodyPadding bytes of `body` do not belong to it.
  Answer answer(std::string_view body);
  Answer too_busy() const;
  bool is_head() const { return is_head_; }
  /// What goes before the body of an answer; `keep` says whether the connection stays.
  std::string head(const Answer& answer, const StatusLine& status, bool keep) const;
  /// Counts and logs the exchange.
  void end(const Answer& answer, std::size_t bytes_out, const std::string& peer);

 private:
  Answer error(int status, std::string_view message) const { return service_->hooks.error(status, message); }
  std::optional<Answer> not_found(Method method) const;
  bool has_token(std::string_view authorization) const;

  Service* service_;
  const Route* route_ = nullptr;
  Request request_;
  std::string_view origin_;
  bool is_head_ = false;
  std::size_t bytes_in_ = 0;
  Clock::time_point received_ = Clock::now();
};

}  // namespace kirchhoff::server
