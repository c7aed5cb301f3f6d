// The server's log: one JSON object a line on standard error, without any text of users.
#pragma once

#include <kirchhoff/names.hpp>
#include "server/server.hpp"

#include <array>
#include <string_view>

namespace kirchhoff::cli {

enum class LogLevel { requests, events, none };

class ServerLog {
 public:
  explicit ServerLog(LogLevel level) : level_(level) {}

  /// Writes a line for an answered request. Several threads may call it.
  void request(const server::LogEntry& entry) const;
  /// Writes a line for something else.
  void event(std::string_view name, std::string_view message) const;

 private:
  LogLevel level_;
};

}  // namespace kirchhoff::cli

namespace kirchhoff {

template <>
inline constexpr std::array<std::string_view, 3> kNames<cli::LogLevel> = {"requests", "events", "none"};

}  // namespace kirchhoff
