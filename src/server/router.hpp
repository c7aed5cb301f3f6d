// The table of what is answered where.
#pragma once

#include "server/message.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::server {

using Handler = std::function<Answer(const Request& request)>;

/// How a route is answered: at once, because it takes no time worth mentioning, or when there is a core for it.
enum class Effort { none, work };

struct Route {
  Method method = Method::get;
  std::string path;
  Handler handler;
  Effort effort = Effort::none;
  bool open = false;  ///< It is answered without a token.
};

class Router {
 public:
  void add(Route route);

  /// The route of a request, or null.
  const Route* find(std::string_view path, Method method) const;
  /// The methods that a path has, as in "GET, HEAD"; empty for a path that is not there.
  std::string methods(std::string_view path) const;
  const std::vector<Route>& routes() const { return routes_; }
  /// The row of a route, for tables with a line for each.
  std::size_t row(const Route& route) const { return static_cast<std::size_t>(&route - routes_.data()); }

 private:
  std::vector<Route> routes_;
};

}  // namespace kirchhoff::server
