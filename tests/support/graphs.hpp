// Graphs to test with: random ones, dense or with impossible arcs, and hard ones with a known shape.
#pragma once

#include "kirchhoff/tree.hpp"

#include <limits>
#include <random>
#include <vector>

namespace kirchhoff::graphs {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr Root kRoots[] = {Root::single, Root::multi};
inline constexpr Method kMethods[] = {Method::automatic, Method::fast, Method::robust};

using Random = std::mt19937_64;

const char* name(Root root);
const char* name(Method method);
Accuracy forced(Method method);

/// Every entry N(0, s^2), also in column 0 and on the diagonal, where the library must not look.
Matrix normal(int words, double s, Random& random);
LabelledMatrix normal(int words, int labels, double s, Random& random);
/// Every arc is kept with probability `density` (all of them from 1 on), else -inf. May have no tree.
Matrix masked(Matrix scores, double density, Random& random);
LabelledMatrix masked(LabelledMatrix scores, double density, Random& random);
/// The same, but the arcs of a random tree (with one root child) are always kept: feasible in both root modes.
Matrix masked_feasible(Matrix scores, double density, Random& random);
LabelledMatrix masked_feasible(LabelledMatrix scores, double density, Random& random);

/// A random tree with one root child: a tree in both root modes.
Heads random_tree(int words, Random& random);
std::vector<int> random_labels(int words, int labels, Random& random);

/// Words 1..length prefer each other in a ring by `gap` nats over everything else, so the root is weak. The other
/// scores are N(0, 1).
Matrix strong_cycle(int words, int length, double gap, Random& random);
/// All -inf except 0->1->2->...->n with the given score.
Matrix chain(int words, double score);
/// All -inf except 0->1 and 1->j with the given score.
Matrix star(int words, double score);

}  // namespace kirchhoff::graphs
