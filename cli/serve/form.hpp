// The fields of a request in the ways in which forms and clients of UDPipe send them.
#pragma once

#include "server/message.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kirchhoff::cli {

using FormFields = std::vector<std::pair<std::string, std::string>>;

/// The fields of the query and of a body that is application/x-www-form-urlencoded or multipart/form-data. Throws
/// HttpError.
FormFields request_fields(const server::Request& request);

}  // namespace kirchhoff::cli
