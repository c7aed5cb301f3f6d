// Lower case of Unicode text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kirchhoff::evaluation {

/// The text in lower case. It must be well-formed UTF-8.
std::string lower_case(std::string_view text);

}  // namespace kirchhoff::evaluation
