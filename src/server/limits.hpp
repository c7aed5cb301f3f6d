// What a request may cost: sizes, times, and how many wait.
#pragma once

#include <chrono>
#include <cstddef>

namespace kirchhoff::server {

struct Limits {
  std::size_t body_bytes = std::size_t{1} << 20;    ///< A longer body is answered with 413.
  std::size_t header_bytes = std::size_t{8} << 10;  ///< Longer headers are answered with 431.
  std::size_t queue = 256;          ///< With so many requests waiting, another one is answered with 429.
  std::size_t connections = 10000;  ///< Further ones wait until one of these ends.
  /// From the last byte of a request to its answer; 503 afterwards. It includes the time in the queue.
  std::chrono::milliseconds request_time{10'000};
  /// From the first byte of a request to its last one; 408 afterwards. An answer must be taken in this time, too.
  std::chrono::milliseconds client_time{10'000};
  std::chrono::milliseconds idle_time{75'000};  ///< How long a connection may wait for its next request.
};

}  // namespace kirchhoff::server
