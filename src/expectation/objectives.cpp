// Training objectives of trees and labelled trees.
#include "expectation/objectives.hpp"

namespace kirchhoff {

KIRCHHOFF_INSTANTIATE_OBJECTIVES(TreeDistribution);
KIRCHHOFF_INSTANTIATE_OBJECTIVES(LabelledTreeDistribution);

}  // namespace kirchhoff
