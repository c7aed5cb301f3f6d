// Two judges that share nothing with the library but its types: the list of all paths (up to a length), and Z by
// Gaussian elimination with 100 digits, from which everything else follows by differentiation.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <functional>
#include <map>
#include <random>
#include <vector>

namespace kirchhoff::wfsm_oracle {

using Real = boost::multiprecision::cpp_bin_float_100;

/// A machine as plain numbers: what a Wfsm is built from.
struct Parts {
  int states = 0;
  std::vector<Transition> transitions;
  std::vector<double> start, final;

  Wfsm build(Accuracy accuracy = {}) const;
  static Parts of(const Wfsm& machine);
  std::size_t places() const { return transitions.size() + 2 * start.size(); }
};

/// The numbers of all places in one list: transitions, then starts, then finals.
std::vector<double> flat(const WfsmWeights& weights);
WfsmWeights weights_of(const Parts& parts, const std::vector<double>& places);

struct Trajectory {
  int start = 0;
  std::vector<int> transitions;
  long double log_weight = 0;
  std::vector<int> counts;  ///< how often it uses each place
};
/// All trajectories with at most `length` transitions.
std::vector<Trajectory> trajectories(const Parts& parts, int length);

/// Z as a function of the places' log-weights, and of additions to the weights themselves.
class Exact {
 public:
  explicit Exact(const Parts& parts);
  /// Z when the log-weights are theta and the weights get `extra` more; both have one number for each place.
  Real z(const std::vector<Real>& theta, const std::vector<Real>& extra) const;
  Real z() const { return z(theta_, zero_); }
  Real log_z_at(const std::vector<Real>& theta) const { return log(z(theta, zero_)); }
  const std::vector<Real>& theta() const { return theta_; }

  /// d^m Z / dw ... dw by nested central differences.
  Real derivative(const std::vector<std::size_t>& places) const;
  /// E[r t] from Z(theta + x r + y t) / Z, for r, t given for places.
  Real second_order(const std::vector<double>& r, const std::vector<double>& t) const;
  Real expectation(const std::vector<double>& r) const;

 private:
  const Parts parts_;
  std::vector<Real> theta_, zero_;
};

/// Expected counts of all places, w s e / Z, in 400 digits: also those of size e^-600.
std::vector<long double> exact_counts(const Parts& parts);

/// The n-th derivative of f at 0, by central differences with step h (error about h^2): h^n must leave digits.
Real nth_derivative(const std::function<Real(const Real&)>& f, int n, const Real& h);

using Random = std::mt19937_64;
/// Machines with arcs between random states, several of them possibly between the same ones, symbols 0..symbols, and
/// log-weights of spread s. Arcs of acyclic machines only go upwards; the weights of cyclic ones are scaled down so
/// that the largest row sum is `row_sum`.
Parts random_acyclic(int states, int arcs, int symbols, double s, Random& random);
Parts random_cyclic(int states, int arcs, int symbols, double s, double row_sum, Random& random);
std::vector<double> random_values(std::size_t n, Random& random);

}  // namespace kirchhoff::wfsm_oracle
