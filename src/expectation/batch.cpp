// Entropies of batches of trees.
#include "expectation/batch.hpp"

namespace kirchhoff {

template std::vector<double> entropies(const TreeBatch&, std::span<double>, const Stop&);
template std::vector<double> entropies(const LabelledTreeBatch&, std::span<double>, const Stop&);

}  // namespace kirchhoff
