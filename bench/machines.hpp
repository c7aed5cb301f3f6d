// Complete machines with random weights and features to measure on; everything from fixed seeds.
#pragma once

#include "baselines/wfsm.hpp"

#include <kirchhoff/wfsm_expectation.hpp>

#include <vector>

namespace kirchhoff::bench {

/// A complete machine whose rows sum to 0.9.
DenseMachine dense_machine(int states, int symbols);
Wfsm build(const DenseMachine& m);

/// N(0,1) values of `features` features, [transition][feature]; on each transition all but `density` of them are 0.
std::vector<double> machine_features(const DenseMachine& m, int features, int density);
WfsmFeatures features_of(const Wfsm& machine, int size, const std::vector<double>& values);

/// Exits unless the baselines and the library agree on a small machine.
void check_machines();

}  // namespace kirchhoff::bench
