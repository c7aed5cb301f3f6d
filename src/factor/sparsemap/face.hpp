// The face of a factor's hull on which a mixture lies, from which derivatives follow.
#pragma once

#include "factor/ad3/active_set.hpp"

namespace kirchhoff::factor {

/// Adds to the set configurations whose value q.y + score(y) is within `tolerance` of the best until they span the face
/// of all of these. Members have that value already, and no configuration has more inputs that are 1. Two calls of
/// best() when nothing is missing, one or two for each configuration that is.
void span_face(ActiveSet& set, const Factor& factor, std::span<const double> q, double tolerance);

}  // namespace kirchhoff::factor
