// What `tree`, `decode`, `sample`, `solve` and `wfsm` answer, over HTTP.
#pragma once

#include "server/router.hpp"

namespace kirchhoff::cli {

/// Adds POST /v1/tree, /v1/decode, /v1/sample, /v1/solve and /v1/wfsm. Options are fields of the query, with the names
/// that they have on the command line; answers of more than `max_trees` trees a line are refused.
void add_line_routes(server::Router& router, int max_trees);

}  // namespace kirchhoff::cli
