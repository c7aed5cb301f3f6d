// Solvers find the marginals of a factor graph or its best assignment, all of them on one and the same graph: by
// enumeration, by belief propagation, by linear and integer programming, and by dual decomposition (AD3).
#pragma once

#include "kirchhoff/factor_graph.hpp"
#include "kirchhoff/names.hpp"

#include <optional>
#include <vector>

namespace kirchhoff {

/// The solvers, for programs that let their users choose one.
enum class SolveMethod {
  bp,           ///< solve_bp with sums
  max_product,  ///< solve_bp with maxima
  lp,           ///< solve_lp
  ilp,          ///< solve_ilp
  ad3,          ///< solve_ad3
  exact,        ///< solve_exact
};
template <>
inline constexpr std::array<std::string_view, 6> kNames<SolveMethod> = {"bp",  "max_product", "lp",
                                                                        "ilp", "ad3",         "exact"};

enum class Status {
  converged,        ///< the tolerance asked for is met; the answers of solve_ilp and solve_exact are exact then
  iteration_limit,  ///< the iterations allowed, or the digits of a double, were not enough to prove the answer
  time_limit,       ///< the time allowed was not enough, or the caller stopped the solver
  infeasible,       ///< no assignment satisfies all factors; for a relaxation, no fractional one does either
};
template <>
inline constexpr std::array<std::string_view, 4> kNames<Status> = {"converged", "iteration_limit", "time_limit",
                                                                   "infeasible"};

struct ExactResult {
  Status status = Status::infeasible;
  double log_partition = 0.0;
  double entropy = 0.0;
  double bethe_entropy = 0.0;     ///< what the Bethe approximation makes of the true marginals
  std::vector<double> marginals;  ///< p(y_i = 1)
  Assignment assignment;          ///< the best one
  double value = 0.0;             ///< its score
};
/// Lists all assignments that the factors allow, and throws InputError when there are more than max_assignments. When
/// stopped, it sets the status to time_limit and nothing else.
ExactResult solve_exact(const FactorGraph& graph, int max_assignments = 1 << 20, const Stop& stop = {});

/// Belief propagation adds up configurations or takes the best of them.
enum class Product { sum, max };
template <>
inline constexpr std::array<std::string_view, 2> kNames<Product> = {"sum", "max"};

enum class Schedule {
  flooding,    ///< all factors at once
  sequential,  ///< one after the other, each with the newest messages
  residual,    ///< the factor whose incoming messages changed most comes next
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Schedule> = {"flooding", "sequential", "residual"};

/// Messages from factors to variables, one number for each edge: the log-ratio for a binary variable or one value, and
/// where a factor has all the values of a variable, their log-weights.
using Messages = std::vector<double>;

/// What belief propagation waits for.
enum class Convergence {
  messages,  ///< messages no longer change
  beliefs,   ///< marginals no longer change, which they often do long before the messages
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Convergence> = {"messages", "beliefs"};

/// What belief propagation makes stationary: energy plus an approximate entropy, a sum of entropies of factors and
/// variables.
enum class FreeEnergy {
  bethe,   ///< each factor counts once: exact without loops, but with loops the messages may never settle
  convex,  ///< a factor counts one part of the degree of its variables, so that there is just one fixed point, whose
           ///< log_partition is never below the true one. Whatever the schedule, variables are updated in turn, each
           ///< by all its factors: an iteration updates a factor once for each variable.
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<FreeEnergy> = {"bethe", "convex"};

struct BpOptions {
  Product product = Product::sum;
  Schedule schedule = Schedule::sequential;
  double damping = 0.0;  ///< the part of the old message in the new one, 0 <= damping < 1
  int max_iterations = 1000;
  double tolerance = 1e-9;  ///< by how much a probability may still change in one iteration
  Messages start = {};      ///< messages of an earlier result on a graph of the same shape; uniform when empty
  Stop stop = {};
  Convergence convergence = Convergence::messages;
  /// `convex` asks for log-potentials divided by a number, so factors of your own with scores may have kEnumerable
  /// inputs at most. Without loops it is the same as `bethe`.
  FreeEnergy free_energy = FreeEnergy::bethe;
  /// When the iterations allowed are not enough, as many more follow from the start with this damping; 0: none do.
  double retry_damping = 0.0;
};
struct BpResult {
  Status status = Status::iteration_limit;
  int iterations = 0;     ///< each has as many factor updates as there are factors; those of a first try are counted
  double residual = 0.0;  ///< the largest change of a probability in the last iteration
  std::vector<double> marginals;  ///< beliefs p(y_i = 1); max-product compares the best assignments with y_i = 1 and 0
  std::vector<double> log_odds;   ///< their log-ratios
  std::vector<double> factor_entropies;
  double bethe_entropy = 0.0;
  double log_partition = 0.0;  ///< Bethe's approximation: minus the free energy
  Assignment assignment;       ///< the likeliest value of each variable, repaired by the hard factors where possible
  double value = 0.0;          ///< its score
  Messages messages;
  double damping = 0.0;                        ///< that of the iterations which led here: `damping`, or `retry_damping`
  FreeEnergy free_energy = FreeEnergy::bethe;  ///< the one that was asked for
};
/// Runs belief propagation, which is exact on graphs without loops. Entropies and log_partition are for Product::sum;
/// with max they are 0. An update of a TREE factor costs O(n^3), with max O(arcs n^2).
BpResult solve_bp(const FactorGraph& graph, const BpOptions& options = {});
/// The probability of every configuration of a factor of at most Factor::kEnumerable inputs, of the literals as they
/// were given, the first one slowest.
std::vector<double> factor_belief(const FactorGraph& graph, const BpResult& result, int factor);

struct MapResult {
  Status status = Status::infeasible;
  int iterations = 0;
  double residual = 0.0;      ///< how far AD3's factors are from agreeing
  double bound = 0.0;         ///< no assignment has a higher score; solve_lp gives the optimum of the relaxation
  std::vector<double> point;  ///< the relaxation's solution
  bool integral = false;      ///< all of `point` is 0 or 1
  Assignment assignment;      ///< the best one found; empty if there is none
  double value = 0.0;         ///< its score; -inf if there is none
  /// By edge, the part q of the variable's score that AD3 gives to the factor. Any parts bound the score of every
  /// assignment: by the sum over factors of the highest q.y + score(y), and over variables whose score is finite of
  /// max(0, score - sum of q). These give `bound`; with Search::exact, the bound before branching.
  Messages duals = {};
};

/// What one factor makes of a solution of the relaxation: a mixture of its own configurations.
struct FactorPosterior {
  std::vector<double> inputs;              ///< the mean of the mixture: how much each literal that was given is 1
  double score = 0.0;                      ///< the mean of the scores
  std::vector<Assignment> configurations;  ///< the likeliest first
  std::vector<double> weights;             ///< positive, one for each configuration; their sum is 1
};
/// The mixture that is best under the factor's part of the scores and has the solution's point for its mean. Both hold
/// for a solution that is optimal; of a nearly optimal one it is the nearest thing. Throws InputError when the result
/// has no duals.
FactorPosterior factor_posterior(const FactorGraph& graph, const MapResult& result, int factor);

/// Solves the linear programming relaxation by COIN-OR Clp. Its answer is proved before it is given: the bound by weak
/// duality, whatever the solver did, and the point by the bound. Throws std::runtime_error in a build without Clp.
MapResult solve_lp(const FactorGraph& graph, const Stop& stop = {});
/// Finds the best assignment of a small graph by branch and bound on the same relaxation, or the best one found in so
/// many seconds.
MapResult solve_ilp(const FactorGraph& graph, std::optional<double> time_limit = {}, const Stop& stop = {});

/// What AD3 does when the relaxation has a fractional solution.
enum class Search {
  relaxation,  ///< it rounds it
  exact,       ///< it branches on fractional variables until the gap is closed
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Search> = {"relaxation", "exact"};

struct Ad3Options {
  /// Stop when bound - value <= gap * max(1, |bound|), or the relaxation's optimum is as near the bound.
  double gap = 1e-6;
  /// Where nearness is an estimate only, the factors must agree to this (root mean square), or to a tenth of `gap` if
  /// that is more.
  double tolerance = 1e-6;
  int max_iterations = 10000;
  std::optional<double> time_limit = {};  ///< in seconds
  Search search = Search::relaxation;
  Stop stop = {};
  Messages start = {};                   ///< duals of an earlier result on a graph of the same shape
  std::vector<double> start_point = {};  ///< its point
};
/// Solves the same relaxation by alternating directions dual decomposition: `bound` tends to its optimum.
MapResult solve_ad3(const FactorGraph& graph, const Ad3Options& options = {});

}  // namespace kirchhoff
