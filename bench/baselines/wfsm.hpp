// The older ways to second derivatives and second-order expectations of a machine, as [ZmigrodW21] counts them.
#pragma once

#include <vector>

namespace kirchhoff::bench {

/// A complete machine: N states, `symbols` weights for each pair of states.
struct DenseMachine {
  int states = 0;
  int symbols = 0;
  std::vector<double> weights;  ///< [from][to][symbol]
  std::vector<double> start, final;
};

/// d2Z/dw dw, all pairs, by reverse mode for each first derivative: O(A N^5 + A^2 N^4).
std::vector<double> hessian_by_reverse_mode(const DenseMachine& m);

/// The same by one elimination with second-order dual numbers for each pair of transitions, which is what the
/// second-order expectation semiring of [LiEisner09] comes to: O(A^2 N^7).
std::vector<double> hessian_by_dual_numbers(const DenseMachine& m);

/// E[r t^T], R x T, for features [from][to][symbol][feature], by one elimination in that semiring with vectors and
/// matrices as elements: O(N^3 R T + A N^2 R T).
std::vector<double> second_order_by_semiring(const DenseMachine& m, int r_size, const std::vector<double>& r,
                                             int t_size, const std::vector<double>& t);

/// The same through the Hessian by reverse mode, one pair of transitions after the other: O(A N^5 + A^2 N^4 R'T').
std::vector<double> second_order_by_hessian(const DenseMachine& m, int r_size, const std::vector<double>& r, int t_size,
                                            const std::vector<double>& t);

/// All derivatives of an order, the last index fastest, each as a sum over all orders of its transitions, as
/// [ZmigrodW21, figure 1] writes D_m: O(N^3 + m m! A^m N^2m).
std::vector<double> derivatives_by_permutations(const DenseMachine& m, int order);

}  // namespace kirchhoff::bench
