// What the connections of a server share.
#pragma once

#include "server/metrics.hpp"
#include "server/server.hpp"
#include "server/work_queue.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace kirchhoff::server {

/// A connection, as the server sees it.
class OpenConnection {
 public:
  OpenConnection() = default;
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;
  virtual ~OpenConnection() = default;
  /// Ends the connection: at once if it waits for a request, else after its answer. Any thread may call it.
  virtual void drain() = 0;
};

struct Service {
  const ServerOptions& options;
  const Router& router;
  Metrics& metrics;
  const ServerHooks& hooks;
  WorkQueue queue;
  std::function<void()> connection_ended;  ///< Any thread calls it.
  std::atomic<bool> draining = false;      ///< Answers say that their connection ends.
  std::atomic<bool> aborting = false;      ///< What is being computed is to stop.
  std::mutex mutex = {};
  std::unordered_set<OpenConnection*> connections = {};
};

}  // namespace kirchhoff::server
