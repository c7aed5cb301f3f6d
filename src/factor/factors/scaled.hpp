// The same factor with its score multiplied by a number.
#pragma once

#include "kirchhoff/factor.hpp"

#include <memory>

namespace kirchhoff::factor {

/// Hard factors are returned as they are, and factors that the library knows are still its own. Of any other factor all
/// configurations are listed: nothing is returned when it has more than Factor::kEnumerable inputs.
std::shared_ptr<const Factor> scaled(const std::shared_ptr<const Factor>& factor, double by);

}  // namespace kirchhoff::factor
