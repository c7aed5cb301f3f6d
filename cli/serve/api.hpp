// The table of what the server answers.
#pragma once

#include "serve/models.hpp"
#include "serve/parse_handler.hpp"
#include "server/metrics.hpp"
#include "server/router.hpp"

#include <memory>

namespace kirchhoff::cli {

/// All routes. What they refer to must outlive the router; `metrics` is looked at when it is asked for.
server::Router make_router(const ModelStore& models, const AnswerLimits& limits,
                           const std::unique_ptr<server::Metrics>& metrics);

/// {"error":{"message":"..."}}
server::Answer error_answer(int status, std::string_view message);
/// The answer to the exception that is being handled.
server::Answer failure_answer();

}  // namespace kirchhoff::cli
