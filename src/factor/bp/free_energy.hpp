// Bethe's free energy and log Z of the beliefs that belief propagation ended with.
#pragma once

#include "factor/bp/propagation.hpp"

namespace kirchhoff::factor {

/// Sets factor_entropies, bethe_entropy and log_partition from the marginals and the assignment; false when the beliefs
/// leave a factor without a configuration. The graph is the one of the propagation, divided by `counting`
/// (counting.hpp).
bool add_free_energy(const FactorGraph& graph, Propagation& propagation, const std::vector<double>& counting,
                     BpResult& result);

}  // namespace kirchhoff::factor
