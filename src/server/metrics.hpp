// What the program counts about its requests, as Prometheus reads it.
#pragma once

#include "server/router.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace kirchhoff::server {

/// How busy the server is.
struct Load {
  std::size_t running = 0, waiting = 0;
};

/// Counters that all threads add to. What matches no route is counted together, under the path "other".
class Metrics {
 public:
  /// The router must outlive the metrics, and get no further routes.
  explicit Metrics(const Router& router);

  void count(const Route* route, int status, std::chrono::nanoseconds time, std::uint64_t words);
  void opened() { ++connections_; }
  void closed() { --connections_; }

  /// Lets the text say how busy the server is.
  void watch(std::function<Load()> load) { load_ = std::move(load); }

  /// The text that GET /metrics answers with.
  std::string text() const;

 private:
  /// The upper ends of the buckets of the histogram, in seconds.
  static constexpr std::array kBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                          0.1,    0.25,  0.5,    1.0,   2.5,  5.0,   10.0};
  static constexpr std::array kStatuses = {200, 204, 304, 400, 401, 404, 405, 408, 411, 413,
                                           415, 417, 422, 429, 431, 500, 501, 503, 505};
  struct Row {
    std::array<std::atomic<std::uint64_t>, kStatuses.size() + 1> by_status{};  ///< The last counts all others.
    std::array<std::atomic<std::uint64_t>, kBuckets.size() + 1> by_time{};
    std::atomic<std::uint64_t> nanoseconds{0};
  };

  const Router* router_;
  std::function<Load()> load_;
  std::unique_ptr<Row[]> rows_;  ///< One for each route, and the last one for all else.
  std::atomic<std::uint64_t> words_{0};
  std::atomic<std::int64_t> connections_{0};
};

}  // namespace kirchhoff::server
