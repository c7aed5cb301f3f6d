// Argument checks with messages of one shape: "[function] what is wrong".
#pragma once

#include "kirchhoff/types.hpp"

#include <string>

namespace kirchhoff::base {

/// The largest size of a finite score. Sums of a few of them are far from overflow.
constexpr double kLargestScore = 1e100;

[[noreturn]] void input_error(const char* function, const std::string& message);
/// InputError unless (n+1) x (n+1) with n >= 1; returns n.
int check_square(const char* function, const char* name, const MatrixRef& matrix);
void check_shape(const char* function, const char* name, const MatrixRef& matrix, int words);
void check_finite(const char* function, const char* name, const MatrixRef& matrix);
/// InputError when a score that belongs to an arc is NaN, +inf or beyond kLargestScore.
void check_scores(const char* function, const MatrixRef& scores);
/// InputError unless head in 0..n, dependent in 1..n, head != dependent.
void check_arc(const char* function, Arc arc, int words);
std::string shape(Eigen::Index rows, Eigen::Index cols);

}  // namespace kirchhoff::base
