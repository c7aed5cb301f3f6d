// Required and forbidden arcs, as impossible arcs of the graph.
#pragma once

#include "kirchhoff/decode.hpp"

namespace kirchhoff::decode {

/// The scores under the constraints, in the words of `function` when an arc does not exist.
Matrix constrain(const char* function, const MatrixRef& scores, Root root, const Constraints& constraints);
LabelledMatrix constrain(const char* function, const LabelledMatrix& scores, Root root, const Constraints& constraints);

}  // namespace kirchhoff::decode
