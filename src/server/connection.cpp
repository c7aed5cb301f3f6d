// Moves a connection from phase to phase, and keeps its deadlines. Beast's headers take long to compile: nothing that
// another file includes has them.
#include "server/connection.hpp"

#include "server/deadline.hpp"
#include "server/exchange.hpp"
#include "server/parsed_head.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kirchhoff::server {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;
using boost::beast::error_code;

class Connection : public OpenConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Service& service);
  ~Connection() override;
  void start();
  void drain() override;

 private:
  enum class Phase { idle, reading, working, writing, lingering, closed };

  // Reading and writing, which come one at a time on the connection's strand.
  void wait_for_request();
  void read_header();
  /// Parses what has arrived, and says whether something is missing.
  bool lacks(error_code& error);
  void on_header(const error_code& error);
  void continue_to_body();
  void read_body();
  void on_request(const error_code& error);
  void on_read_error(const error_code& error);
  void write();
  void on_written(const error_code& error);
  void linger();
  void close();

  void set_phase(Phase phase, std::chrono::milliseconds time);
  void on_timeout();

  // Answering.
  void dispatch();
  void answer_with(Answer answer);
  /// Answers before the request was read, and ends the connection, because nobody knows where the next one begins.
  void refuse(Answer answer);

  tcp::socket socket_;
  Deadline deadline_;
  Service& service_;
  std::string peer_ = "-";
  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;
  std::string body_, answer_head_, answer_body_;
  Exchange exchange_{service_};
  Phase phase_ = Phase::idle;
  std::size_t lingered_ = 0;
  bool timed_out_ = false;
  bool refused_ = false;
  bool keep_ = false;  ///< The connection stays after this answer.
};

constexpr std::chrono::milliseconds kLinger{2000};
constexpr std::size_t kLingerBytes = std::size_t{16} << 20;
constexpr std::size_t kFirstRead = std::size_t{4} << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
/// The memory that an idle connection may keep for its next request.
constexpr std::size_t kKeptBytes = std::size_t{16} << 10;

/// Gives the memory back, which `= {}` would keep.
void forget(std::string& text) { std::string().swap(text); }

Connection::Connection(tcp::socket socket, Service& service)
    : socket_(std::move(socket)), deadline_(socket_.get_executor(), [this] { on_timeout(); }), service_(service) {
  const std::lock_guard lock(service_.mutex);
  service_.connections.insert(this);
  service_.metrics.opened();
}

Connection::~Connection() {
  {
    const std::lock_guard lock(service_.mutex);
    service_.connections.erase(this);
  }
  service_.metrics.closed();
  service_.connection_ended();
}

void Connection::start() {
  error_code error;
  socket_.set_option(tcp::no_delay(true), error);
  socket_.non_blocking(true, error);
  const tcp::endpoint peer = socket_.remote_endpoint(error);
  if (!error) peer_ = peer.address().to_string();
  net::dispatch(socket_.get_executor(), [self = shared_from_this()] { self->wait_for_request(); });
}

void Connection::drain() {
  const std::shared_ptr<Connection> self = weak_from_this().lock();
  if (!self) return;
  net::post(socket_.get_executor(), [self] {
    if (self->phase_ == Phase::idle) self->close();
  });
}

void Connection::wait_for_request() {
  if (service_.draining) return close();
  if (buffer_.size() > 0) return read_header();
  if (buffer_.capacity() > kKeptBytes) buffer_ = {};
  set_phase(Phase::idle, service_.options.limits.idle_time);
  // Most requests come in one piece, which this takes in one call of the system.
  socket_.async_read_some(buffer_.prepare(kFirstRead),
                          [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                            if (error || self->phase_ != Phase::idle) return self->close();
                            self->buffer_.commit(bytes);
                            self->read_header();
                          });
}

void Connection::read_header() {
  set_phase(Phase::reading, service_.options.limits.client_time);
  refused_ = false;
  exchange_ = Exchange(service_);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(service_.options.limits.header_bytes));
  parser_->body_limit(service_.options.limits.body_bytes);
  error_code error;
  if (!lacks(error)) return on_header(error);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const error_code& e, std::size_t) { self->on_header(e); });
}

/// Operations of Beast cost more than the parsing, so they are begun only for what did not arrive in one piece.
bool Connection::lacks(error_code& error) {
  if (buffer_.size() == 0) return true;
  buffer_.consume(parser_->put(buffer_.data(), error));
  return error == http::error::need_more;
}

void Connection::on_header(const error_code& error) {
  if (error) return on_read_error(error);
  if (std::optional<Answer> answer = exchange_.begin(head_of(*parser_))) return refuse(std::move(*answer));
  if (boost::beast::iequals(parser_->get()[http::field::expect], "100-continue")) return continue_to_body();
  read_body();
}

void Connection::continue_to_body() {
  net::async_write(socket_, net::buffer(kContinue), [self = shared_from_this()](const error_code& error, std::size_t) {
    return error ? self->close() : self->read_body();
  });
}

void Connection::read_body() {
  parser_->eager(true);
  error_code error;
  const bool lacks_some = !parser_->is_done() && lacks(error);
  if (parser_->is_done() || (error && !lacks_some)) return on_request(error);
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](const error_code& e, std::size_t) { self->on_request(e); });
}

void Connection::on_request(const error_code& error) {
  if (error) return on_read_error(error);
  exchange_.receive();
  phase_ = Phase::working;  // The exchange keeps the deadline of the work.
  body_ = std::move(parser_->get().body());
  body_.resize(body_.size() + kBodyPadding);
  dispatch();
}

void Connection::on_read_error(const error_code& error) {
  const Limits& limits = service_.options.limits;
  if (timed_out_ && !parser_->got_some()) return close();
  const Problem problem = timed_out_ ? too_slow(limits) : problem_of(error, limits);
  if (problem.status == 0) return close();
  refuse(service_.hooks.error(problem.status, problem.message));
}

void Connection::dispatch() {
  if (!exchange_.needs_core()) return answer_with(exchange_.answer(body_));
  const bool taken = service_.queue.submit([self = shared_from_this()] {
    Answer answer = self->exchange_.answer(self->body_);
    net::dispatch(self->socket_.get_executor(),
                  [self, answer = std::move(answer)]() mutable { self->answer_with(std::move(answer)); });
  });
  if (!taken) answer_with(exchange_.too_busy());
}

void Connection::refuse(Answer answer) {
  refused_ = !parser_->is_done();
  answer_with(std::move(answer));
}

void Connection::answer_with(Answer answer) {
  const auto& request = parser_->get();
  keep_ = !refused_ && !service_.draining && request.keep_alive();
  const std::size_t size = answer.body.size();
  const auto reason = http::obsolete_reason(static_cast<http::status>(answer.status));
  const StatusLine status{request.version() < 11 ? 10 : 11, answer.status, {reason.data(), reason.size()}};
  answer_head_ = exchange_.head(answer, status, keep_);
  // The answer to HEAD has the length of a body that does not come.
  answer_body_ = exchange_.is_head() ? std::string() : std::move(answer.body);
  exchange_.end(answer, size, peer_);
  forget(body_);
  write();
}

/// Most answers fit into the system's memory for the socket, and need no operation that waits.
void Connection::write() {
  const std::array<net::const_buffer, 2> all = {net::buffer(answer_head_), net::buffer(answer_body_)};
  error_code error;
  const std::size_t sent = socket_.write_some(all, error);
  if (!error && sent == answer_head_.size() + answer_body_.size()) return on_written(error);
  if (error && error != net::error::would_block) return close();
  set_phase(Phase::writing, service_.options.limits.client_time);
  const std::size_t of_head = std::min(sent, answer_head_.size());
  const std::array<net::const_buffer, 2> rest = {all[0] + of_head, all[1] + (sent - of_head)};
  net::async_write(socket_, rest,
                   [self = shared_from_this()](const error_code& e, std::size_t) { self->on_written(e); });
}

void Connection::on_written(const error_code& error) {
  if (error) return close();
  forget(answer_body_);
  if (refused_) return linger();
  if (!keep_) {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    return close();
  }
  if (buffer_.size() == 0) return wait_for_request();
  // Requests that came together are not answered from within one another, which would take more and more stack.
  net::post(socket_.get_executor(), [self = shared_from_this()] { self->wait_for_request(); });
}

/// Takes what the client still sends: a socket that is closed with unread bytes is reset, and the client would lose the
/// answer.
void Connection::linger() {
  if (phase_ != Phase::lingering) {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    set_phase(Phase::lingering, kLinger);
    lingered_ = 0;
  }
  buffer_.clear();
  socket_.async_read_some(buffer_.prepare(std::size_t{8} << 10),
                          [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                            self->lingered_ += bytes;
                            return error || self->lingered_ > kLingerBytes ? self->close() : self->linger();
                          });
}

void Connection::close() {
  phase_ = Phase::closed;
  error_code ignored;
  socket_.close(ignored);
  deadline_.cancel();
}

void Connection::set_phase(Phase phase, std::chrono::milliseconds time) {
  phase_ = phase;
  timed_out_ = false;
  deadline_.set(time, weak_from_this());
}

void Connection::on_timeout() {
  if (phase_ == Phase::closed || phase_ == Phase::working) return;  // What is being computed has its own deadline.
  if (phase_ != Phase::reading) return close();
  timed_out_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

}  // namespace

void serve_connection(tcp::socket socket, Service& service) {
  const auto connection = std::make_shared<Connection>(std::move(socket), service);
  connection->start();
}

}  // namespace kirchhoff::server
