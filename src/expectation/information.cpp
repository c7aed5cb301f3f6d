// Information of trees and labelled trees.
#include "expectation/information.hpp"

namespace kirchhoff {

KIRCHHOFF_INSTANTIATE_INFORMATION(TreeDistribution);
KIRCHHOFF_INSTANTIATE_INFORMATION(LabelledTreeDistribution);

}  // namespace kirchhoff
