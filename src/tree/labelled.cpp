// Labelled trees of all kinds.
#include "tree/labelled.hpp"

namespace kirchhoff {

template class LabelledOf<TreeDistribution>;

}  // namespace kirchhoff
