// Accepts connections, runs the threads, and obeys signals.
#include "server/server.hpp"

#include "server/connection.hpp"
#include "server/service.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace kirchhoff::server {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using boost::system::error_code;

/// How long to wait before accepting again when the system has no descriptors left.
constexpr std::chrono::milliseconds kAcceptPause{100};

net::ip::address address_of(const std::string& host) {
  if (host == "localhost") return net::ip::address_v4::loopback();
  error_code error;
  const net::ip::address address = net::ip::make_address(host, error);
  if (error) throw std::runtime_error(fmt::format("'{}' is no address such as 127.0.0.1, ::1 or 0.0.0.0", host));
  return address;
}

}  // namespace

bool is_loopback(const std::string& host) { return address_of(host).is_loopback(); }

struct Server::State {
  State(const ServerOptions& given, const Router& router, Metrics& metrics, const ServerHooks& hooks)
      : options(given),
        service{options,
                router,
                metrics,
                hooks,
                WorkQueue(given.threads, given.limits.queue,
                          [this](WorkQueue::Job job) { net::post(context, std::move(job)); }),
                [this] {
                  if (!over) net::post(context, [this] { after_connection(); });
                }},
        context(static_cast<int>(given.threads) + 1) {
    metrics.watch([this] { return Load{service.queue.running(), service.queue.waiting()}; });
    const tcp::endpoint endpoint(address_of(options.host), options.port);
    error_code error;
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
    if (error) throw std::runtime_error(fmt::format("{}: {}", address(endpoint), error.message()));
  }

  static std::string address(const tcp::endpoint& endpoint) {
    const std::string host = endpoint.address().to_string();
    return fmt::format(fmt::runtime(endpoint.address().is_v6() ? "http://[{}]:{}" : "http://{}:{}"), host,
                       endpoint.port());
  }

  std::size_t open_connections() {
    const std::lock_guard lock(service.mutex);
    return service.connections.size();
  }

  // These run on one strand of their own: `control`.
  void accept() {
    accepting = true;
    acceptor.async_accept(net::make_strand(context),
                          net::bind_executor(control, [this](const error_code& error, tcp::socket socket) {
                            accepting = false;
                            if (service.draining) return;
                            if (!error) {
                              serve_connection(std::move(socket), service);
                              if (open_connections() < options.limits.connections) accept();
                              return;
                            }
                            // Without descriptors the connection stays in the system's queue until one is free.
                            pause.expires_after(kAcceptPause);
                            pause.async_wait(net::bind_executor(control, [this](const error_code& stopped) {
                              if (!stopped && !accepting && !service.draining) accept();
                            }));
                          }));
  }

  void after_connection() {
    net::dispatch(control, [this] {
      if (service.draining) {
        if (open_connections() == 0) finish();
      } else if (!accepting) {
        accept();
      }
    });
  }

  void wait_for_signal() {
    signals.async_wait(net::bind_executor(control, [this](const error_code& error, int signal) {
      if (error) return;
      if (signal == SIGHUP) {
        reload();
      } else if (!service.draining) {
        drain();
      } else {
        context.stop();  // Asked for twice.
        service.aborting = true;
        return;
      }
      wait_for_signal();
    }));
  }

  void reload() {
    if (!service.hooks.reload) return;
    if (reloader.joinable()) reloader.join();
    reloader = std::thread(service.hooks.reload);
  }

  void drain() {
    service.draining = true;
    error_code ignored;
    acceptor.close(ignored);
    pause.cancel();
    {
      const std::lock_guard lock(service.mutex);
      for (OpenConnection* connection : service.connections) connection->drain();
    }
    if (open_connections() == 0) return finish();
    // What was begun by now has the time of one request, and of writing its answer.
    grace.expires_after(options.limits.request_time + options.limits.client_time);
    grace.async_wait(net::bind_executor(control, [this](const error_code& error) {
      if (error) return;
      service.aborting = true;
      context.stop();
    }));
  }

  /// Runs handlers until the context is stopped. One that has no memory ends its connection, and no other.
  void serve() {
    while (!context.stopped()) {
      try {
        context.run();
      } catch (const std::bad_alloc&) {
      }
    }
  }

  void finish() {
    error_code ignored;
    signals.cancel(ignored);
    grace.cancel();
    context.stop();
  }

  ServerOptions options;
  std::atomic<bool> over = false;  ///< The threads have ended.
  Service service;                 ///< Outlives the context, whose unfinished operations hold connections.
  net::io_context context;
  net::strand<net::io_context::executor_type> control = net::make_strand(context);
  tcp::acceptor acceptor{context};
  net::signal_set signals{context, SIGTERM, SIGINT, SIGHUP};
  net::steady_timer pause{context}, grace{context};
  bool accepting = false;
  std::thread reloader;
};

Server::Server(const ServerOptions& options, const Router& router, Metrics& metrics, const ServerHooks& hooks)
    : state_(std::make_unique<State>(options, router, metrics, hooks)) {}
Server::~Server() = default;
Server::Server(Server&&) noexcept = default;

void Server::run() {
  State& state = *state_;
  net::dispatch(state.control, [&state] {
    state.wait_for_signal();
    state.accept();
  });
  if (state.service.hooks.started) state.service.hooks.started(State::address(state.acceptor.local_endpoint()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < state.options.threads; ++i) threads.emplace_back([&state] { state.serve(); });
  state.serve();
  for (std::thread& thread : threads) thread.join();
  state.over = true;
  if (state.reloader.joinable()) state.reloader.join();
}

}  // namespace kirchhoff::server
