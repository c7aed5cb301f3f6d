// Cross-entropy and KL of pairs of batches of trees.
#include "expectation/pairs_of_batches.hpp"

namespace kirchhoff {

KIRCHHOFF_INSTANTIATE_PAIRS(TreeDistribution);
KIRCHHOFF_INSTANTIATE_PAIRS(LabelledTreeDistribution);

}  // namespace kirchhoff
