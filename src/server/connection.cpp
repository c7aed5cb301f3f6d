// Moves a connection from phase to phase, and keeps its deadlines. No other file includes Beast, whose headers take
// long to compile.
#include "server/connection.hpp"

#include "server/deadline.hpp"
#include "server/exchange.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

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
  Head head() const;
  void dispatch();
  void answer_with(Answer answer);
  /// Answers before the request was read, and ends the connection, because nobody knows where the next one begins.
  void refuse(Answer answer);

  tcp::socket socket_;
  Deadline deadline_;
  Service& service_;
  std::string peer_ = "-";
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response<http::empty_body>> continue_;
  std::string body_;
  Exchange exchange_{service_};
  Phase phase_ = Phase::idle;
  std::size_t lingered_ = 0;
  bool timed_out_ = false;
  bool refused_ = false;
};

constexpr std::chrono::milliseconds kLinger{2000};
constexpr std::size_t kLingerBytes = std::size_t{16} << 20;
constexpr std::size_t kFirstRead = std::size_t{4} << 10;
/// The memory that an idle connection may keep for its next request.
constexpr std::size_t kKeptBytes = std::size_t{16} << 10;

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
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& error, std::size_t) { self->on_header(error); });
}

void Connection::on_header(const error_code& error) {
  if (error) return on_read_error(error);
  if (std::optional<Answer> answer = exchange_.begin(head())) return refuse(std::move(*answer));
  if (boost::beast::iequals(parser_->get()[http::field::expect], "100-continue")) return continue_to_body();
  read_body();
}

void Connection::continue_to_body() {
  continue_.emplace(http::status::continue_, parser_->get().version());
  http::async_write(socket_, *continue_, [self = shared_from_this()](const error_code& error, std::size_t) {
    return error ? self->close() : self->read_body();
  });
}

void Connection::read_body() {
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](const error_code& error, std::size_t) { self->on_request(error); });
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
  const ErrorAnswer& answer = service_.hooks.error;
  const Limits& limits = service_.options.limits;
  if (timed_out_) {
    if (!parser_->got_some()) return close();
    return refuse(answer(408, "the request did not arrive in " + std::to_string(limits.client_time.count() / 1000) +
                                  " seconds; send it in one go"));
  }
  if (error == http::error::body_limit) {
    return refuse(answer(
        413, "the body is longer than " + std::to_string(limits.body_bytes) + " bytes; send it in several requests"));
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refuse(answer(431, "the header is longer than " + std::to_string(limits.header_bytes) + " bytes"));
  }
  const bool cut_off = error == http::error::end_of_stream || error == http::error::partial_message;
  if (cut_off || error.category() != make_error_code(http::error::bad_method).category()) return close();
  refuse(answer(400, "this is not HTTP/1.1: " + error.message()));
}

Head Connection::head() const {
  const auto& request = parser_->get();
  const auto field = [&](http::field name) {
    const auto value = request[name];
    return std::string_view(value.data(), value.size());
  };
  Head head;
  head.method_name = {request.method_string().data(), request.method_string().size()};
  head.target = {request.target().data(), request.target().size()};
  head.host = request.count(http::field::host) == 1 || request.version() < 11;
  head.chunked = parser_->chunked();
  head.length = parser_->content_length() ? std::optional<std::uint64_t>(*parser_->content_length()) : std::nullopt;
  head.content_type = field(http::field::content_type);
  head.content_encoding = field(http::field::content_encoding);
  head.authorization = field(http::field::authorization);
  head.origin = field(http::field::origin);
  return head;
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
  const bool keep = !refused_ && !service_.draining && parser_->get().keep_alive();
  const std::size_t size = answer.body.size();
  response_.emplace(static_cast<http::status>(answer.status), parser_->get().version() < 11 ? 10 : 11);
  for (const auto& [name, value] : exchange_.headers(answer)) response_->set({name.data(), name.size()}, value);
  response_->keep_alive(keep);
  if (answer.status != 204 && answer.status != 304) response_->content_length(size);
  // The answer to HEAD has the length of a body that does not come.
  if (!exchange_.is_head()) response_->body() = std::move(answer.body);
  exchange_.end(answer, size, peer_);
  body_ = {};
  write();
}

void Connection::write() {
  set_phase(Phase::writing, service_.options.limits.client_time);
  http::async_write(socket_, *response_,
                    [self = shared_from_this()](const error_code& error, std::size_t) { self->on_written(error); });
}

void Connection::on_written(const error_code& error) {
  if (error) return close();
  if (refused_) return linger();
  if (response_->need_eof()) {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    return close();
  }
  response_.reset();
  wait_for_request();
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
