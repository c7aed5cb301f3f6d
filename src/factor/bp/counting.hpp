// How often factors count in a convex free energy, and the graph for messages of it.
#pragma once

#include "factor/graph/incidence.hpp"

#include <vector>

namespace kirchhoff::factor {

/// For each factor a number in (0, 1]; empty when all are 1.
std::vector<double> counting_numbers(const FactorGraph& graph, FreeEnergy free_energy);
/// The same graph with each factor's scores divided by its number.
FactorGraph divided_by(const FactorGraph& graph, const std::vector<double>& counting);

}  // namespace kirchhoff::factor
