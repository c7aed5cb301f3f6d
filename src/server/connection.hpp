// Serves one client, from its first request to its last.
#pragma once

#include "server/service.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace kirchhoff::server {

/// Reads requests, has them answered and writes the answers, until the client or the server ends the connection. The
/// socket's executor must be a strand.
void serve_connection(boost::asio::ip::tcp::socket socket, Service& service);

}  // namespace kirchhoff::server
