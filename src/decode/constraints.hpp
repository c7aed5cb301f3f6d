// Required and forbidden arcs, as impossible arcs of the graph.
#pragma once

#include "kirchhoff/decode.hpp"

namespace kirchhoff::decode {

/// The scores under the constraints. When an arc does not exist, the InputError names `function`.
Matrix constrain(const char* function, const MatrixRef& scores, Root root, const Constraints& constraints);
LabelledMatrix constrain(const char* function, const LabelledMatrix& scores, Root root, const Constraints& constraints);

}  // namespace kirchhoff::decode
