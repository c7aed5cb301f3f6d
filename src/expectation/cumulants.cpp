// Cumulants of trees and labelled trees.
#include "expectation/cumulants.hpp"

namespace kirchhoff {

template Vector cumulants(const TreeDistribution&, const Matrix&, int);
template Vector cumulants(const LabelledTreeDistribution&, const LabelledMatrix&, int);

}  // namespace kirchhoff
