// Argument checks with messages of one shape: "[function] what is wrong".
#pragma once

#include "kirchhoff/types.hpp"

#include <cmath>
#include <string>

namespace kirchhoff::base {

/// The largest size of a finite score. Sums of a few of them are far from overflow.
constexpr double kLargestScore = 1e100;

/// Throws the InputError "[function] message".
[[noreturn]] void input_error(const char* function, const std::string& message);

/// Returns n for an (n+1) x (n+1) matrix with n >= 1, and throws InputError for any other.
int check_square(const char* function, const char* name, const MatrixRef& matrix);
/// Throws InputError unless the matrix is (words+1) x (words+1).
void check_shape(const char* function, const char* name, const MatrixRef& matrix, int words);
/// Throws InputError when an entry that belongs to an arc is NaN or infinite.
void check_finite(const char* function, const char* name, const MatrixRef& matrix);
/// Throws InputError unless the head is in 0..n, the dependent in 1..n, and they differ.
void check_arc(const char* function, Arc arc, int words);

/// A score is a log-weight: -inf, or a finite number at most kLargestScore in size.
inline bool is_score(double x) { return std::abs(x) <= kLargestScore || x == -HUGE_VAL; }
/// Throws the InputError that says why x, called `name`, is not a score.
[[noreturn]] void bad_score(const char* function, const std::string& name, double x);
/// Throws InputError when the number called `name` is not a score.
inline void check_score(const char* function, const char* name, double x) {
  if (!is_score(x)) bad_score(function, name, x);
}
/// Throws InputError when an arc has a number that is not a score.
void check_scores(const char* function, const MatrixRef& scores);
void check_scores(const char* function, const LabelledMatrix& scores);
/// The same for the labels of one arc.
void check_scores(const char* function, const LabelledMatrix& scores, Arc arc);

/// Writes a shape as "3x4".
std::string shape(Eigen::Index rows, Eigen::Index cols);

}  // namespace kirchhoff::base
