// Derivatives of a machine's partition function Z with respect to its weights (not to their logarithms).
//
// A weight of 0 has derivatives too: Z grows with it, though no trajectory uses it. They are +inf where Z is infinite
// as soon as the weight is above 0. Finite results beyond the range of doubles throw InputError.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <vector>

namespace kirchhoff {

/// The default limit on the size of a table of derivatives. A function that would need more throws InputError, which
/// says how many bytes that would be.
inline constexpr double kMaxBytes = 4e9;

/// The first derivatives dZ/dw.
WfsmWeights gradient(const Wfsm& machine);

/// The second derivatives d2Z / dw dw of all pairs of transitions. O(A^2) for A transitions, given the N x N expected
/// visits. Throws Stopped when `stop` returns true.
Matrix hessian(const Wfsm& machine, double max_bytes = kMaxBytes, const Stop& stop = {});
/// Rows first .. first+count-1 of the Hessian, which is the way to one that does not fit into memory.
Matrix hessian_rows(const Wfsm& machine, int first, int count, const Stop& stop = {});
/// The Hessian times a vector, start and final weights included, by two solves and without the matrix itself. Throws
/// InputError where that is the difference of two infinite sums.
WfsmWeights hessian_vector(const Wfsm& machine, const WfsmWeights& direction);

/// Rows of W* = (I - W)^-1, the total weight of all walks from each of these states to every state, the empty walk
/// included, +inf where the sum diverges between states that no trajectory visits. One solve for each row.
Matrix closure_rows(const Wfsm& machine, const std::vector<int>& states);

/// The m-th derivative of Z with respect to the weights of these transitions, which may repeat. With d different ones
/// it takes d solves and d^2 steps for each of the prod(uses + 1) contents: 2^m where all differ. Throws InputError
/// when there are more than 64 transitions or more than 2^16 contents, so that 16 different ones are always possible.
double derivative(const Wfsm& machine, const std::vector<int>& transitions);
/// The logarithm of that derivative; no derivative is negative.
double log_derivative(const Wfsm& machine, const std::vector<int>& transitions);
/// All A^m derivatives of order m, D_m of [ZmigrodW21], with the last index fastest. Throws Stopped when `stop`
/// returns true.
std::vector<double> derivatives(const Wfsm& machine, int order, double max_bytes = kMaxBytes, const Stop& stop = {});

}  // namespace kirchhoff
