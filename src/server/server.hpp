// An HTTP/1.1 server on Boost.Beast. Its threads share all connections, so an idle connection costs memory only.
//
//   Router router;
//   router.add({Method::get, "/healthz", [](const Request&) { return Answer{.body = "ok\n"}; }});
//   Metrics metrics(router);
//   Server server({.host = "127.0.0.1", .port = 8080}, router, metrics, hooks);
//   server.run();
#pragma once

#include "server/limits.hpp"
#include "server/metrics.hpp"
#include "server/router.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::server {

struct ServerOptions {
  std::string host = "127.0.0.1";  ///< An address, or "localhost".
  std::uint16_t port = 8080;       ///< 0 lets the system choose one.
  std::size_t threads = 1;         ///< How many requests are computed at once.
  Limits limits = {};
  std::string token;        ///< What "Authorization: Bearer" must give where a route is not open; empty: nothing.
  std::string cors_origin;  ///< The origin whose pages may call, or "*"; empty: none may.
};

/// What a log line says of a request. It has no text of the user.
struct LogEntry {
  std::string_view method;  ///< As the route has it; "-" for what could not be read.
  std::string_view path;    ///< The route's, or "-" where there is none.
  int status = 0;
  std::size_t bytes_in = 0, bytes_out = 0;
  std::chrono::nanoseconds time{};
  std::uint64_t words = 0;
  std::string peer;  ///< The client's address.
};

struct ServerHooks {
  ErrorAnswer error;
  /// What the answer to the exception that is being handled is.
  std::function<Answer()> failure;
  std::function<void(const LogEntry& entry)> log = {};  ///< Several threads call it.
  std::function<void()> reload = {};                    ///< Called on SIGHUP, by a thread of its own.
  /// Called when requests are accepted, with the address.
  std::function<void(const std::string& address)> started = {};
};

class Server {
 public:
  /// Binds the address. Router, metrics and hooks must outlive the server. Throws std::runtime_error when it cannot.
  Server(const ServerOptions& options, const Router& router, Metrics& metrics, const ServerHooks& hooks);
  ~Server();
  Server(Server&&) noexcept;

  /// Serves until SIGTERM or SIGINT. What was read completely by then is still answered.
  void run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether an address is one that only this machine reaches.
bool is_loopback(const std::string& host);

}  // namespace kirchhoff::server
