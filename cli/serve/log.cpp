// Writes each line by one call, so that lines of several threads do not mix.
#include "serve/log.hpp"

#include "io/terminal.hpp"
#include "json/writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <string>

namespace kirchhoff::cli {
namespace {

std::string now() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     rest.count());
}

}  // namespace

void ServerLog::request(const server::LogEntry& entry) const {
  write_stderr(
      fmt::format("{{\"time\":\"{}\",\"event\":\"request\",\"method\":\"{}\",\"path\":\"{}\",\"status\":{},"
                  "\"bytes_in\":{},\"bytes_out\":{},\"milliseconds\":{:.3f},\"words\":{},\"peer\":\"{}\"}}\n",
                  now(), entry.method, entry.path, entry.status, entry.bytes_in, entry.bytes_out,
                  std::chrono::duration<double, std::milli>(entry.time).count(), entry.words, entry.peer));
}

void ServerLog::event(std::string_view name, std::string_view message) const {
  if (level_ == LogLevel::none) return;
  write_stderr(fmt::format("{{\"time\":\"{}\",\"event\":\"{}\",\"message\":{}}}\n", now(), name, json_string(message)));
}

}  // namespace kirchhoff::cli
