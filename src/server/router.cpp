// Looks routes up. There are about twenty, so that looking at each takes less than hashing the path.
#include "server/router.hpp"

#include <utility>

namespace kirchhoff::server {

void Router::add(Route route) { routes_.push_back(std::move(route)); }

const Route* Router::find(std::string_view path, Method method) const {
  for (const Route& route : routes_) {
    if (route.method == method && route.path == path) return &route;
  }
  return nullptr;
}

std::string Router::methods(std::string_view path) const {
  std::string methods;
  if (find(path, Method::get) != nullptr) methods = "GET, HEAD";
  if (find(path, Method::post) != nullptr) methods += methods.empty() ? "POST" : ", POST";
  return methods.empty() ? methods : methods + ", OPTIONS";
}

}  // namespace kirchhoff::server
