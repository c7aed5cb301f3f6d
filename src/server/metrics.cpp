// Adds up requests by route, status and time, and writes Prometheus' text format 0.0.4.
#include "server/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kirchhoff::server {

Metrics::Metrics(const Router& router) : router_(&router), rows_(std::make_unique<Row[]>(router.routes().size() + 1)) {}

void Metrics::count(const Route* route, int status, std::chrono::nanoseconds time, std::uint64_t words) {
  Row& row = rows_[route == nullptr ? router_->routes().size() : router_->row(*route)];
  const double seconds = std::chrono::duration<double>(time).count();
  const auto bucket = std::lower_bound(kBuckets.begin(), kBuckets.end(), seconds) - kBuckets.begin();
  const auto which = std::find(kStatuses.begin(), kStatuses.end(), status) - kStatuses.begin();
  row.by_status[static_cast<std::size_t>(which)].fetch_add(1, std::memory_order_relaxed);
  row.by_time[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  row.nanoseconds.fetch_add(static_cast<std::uint64_t>(time.count()), std::memory_order_relaxed);
  words_.fetch_add(words, std::memory_order_relaxed);
}

std::string Metrics::text() const {
  const Load load = load_ ? load_() : Load{};
  std::string out;
  const auto to = std::back_inserter(out);
  const std::size_t rows = router_->routes().size() + 1;
  const auto name = [&](std::size_t i) {
    if (i + 1 == rows) return std::string("path=\"other\"");
    const Route& route = router_->routes()[i];
    return fmt::format("method=\"{}\",path=\"{}\"", route.method == Method::get ? "GET" : "POST", route.path);
  };
  const auto head = [&](std::string_view metric, std::string_view type, std::string_view help) {
    fmt::format_to(to, "# HELP {0} {2}\n# TYPE {0} {1}\n", metric, type, help);
  };
  head("kirchhoff_requests_total", "counter", "Requests answered, by route and status.");
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t s = 0; s <= kStatuses.size(); ++s) {
      const std::uint64_t count = rows_[i].by_status[s];
      const std::string status = s < kStatuses.size() ? std::to_string(kStatuses[s]) : "other";
      if (count > 0) {
        fmt::format_to(to, "kirchhoff_requests_total{{{},status=\"{}\"}} {}\n", name(i), status, count);
      }
    }
  }
  head("kirchhoff_request_seconds", "histogram", "From the last byte of a request to its answer.");
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint64_t sum = 0;
    for (const auto& count : rows_[i].by_time) sum += count;
    if (sum == 0) continue;
    std::uint64_t below = 0;
    for (std::size_t b = 0; b < kBuckets.size(); ++b) {
      below += rows_[i].by_time[b];
      fmt::format_to(to, "kirchhoff_request_seconds_bucket{{{},le=\"{}\"}} {}\n", name(i), kBuckets[b],
                     std::min(below, sum));
    }
    fmt::format_to(to, "kirchhoff_request_seconds_bucket{{{},le=\"+Inf\"}} {}\n", name(i), sum);
    fmt::format_to(to, "kirchhoff_request_seconds_sum{{{}}} {}\n", name(i),
                   static_cast<double>(rows_[i].nanoseconds) * 1e-9);
    fmt::format_to(to, "kirchhoff_request_seconds_count{{{}}} {}\n", name(i), sum);
  }
  head("kirchhoff_words_total", "counter", "Words that were analysed.");
  fmt::format_to(to, "kirchhoff_words_total {}\n", words_.load());
  head("kirchhoff_requests_running", "gauge", "Requests that are computed now.");
  fmt::format_to(to, "kirchhoff_requests_running {}\n", load.running);
  head("kirchhoff_requests_waiting", "gauge", "Requests that wait for a core.");
  fmt::format_to(to, "kirchhoff_requests_waiting {}\n", load.waiting);
  head("kirchhoff_connections", "gauge", "Open connections.");
  fmt::format_to(to, "kirchhoff_connections {}\n", connections_.load());
  return out;
}

}  // namespace kirchhoff::server
