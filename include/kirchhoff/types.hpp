// The vocabulary every module shares: matrices, arcs, root modes, errors.
#pragma once

#include "kirchhoff/names.hpp"

#include <Eigen/Core>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kirchhoff {

/// Row-major, as in NumPy and JSON. Arc matrices are (n+1) x (n+1), indexed (head, dependent); node 0 is the root.
/// Column 0 and the diagonal hold no arcs: they are ignored on input and 0 on output (-inf for log_marginals).
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using MatrixView = Eigen::Map<const Matrix>;
using Vector = Eigen::VectorXd;

/// How many children the root may have. Deliberately without a default anywhere.
enum class Root {
  single,  ///< exactly one
  multi,   ///< one or more
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Root> = {"single", "multi"};

struct Arc {
  int head = 0;
  int dependent = 0;
  friend bool operator==(const Arc&, const Arc&) = default;
};

/// heads[d] is the head of word d; heads[0] == -1.
using Heads = std::vector<int>;

/// The caller's data is wrong; the message names function, argument and problem.
class InputError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The graph has no tree. Decided by reachability, never by looking at a determinant.
class Infeasible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A text is not in its format; what() is "file:line:column: problem", line and column from 1, columns in bytes.
class ParseError : public std::runtime_error {
 public:
  ParseError(const std::string& file, std::size_t line, std::size_t column, const std::string& problem)
      : std::runtime_error(file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + problem),
        line_(line),
        column_(column) {}
  std::size_t line() const { return line_; }
  std::size_t column() const { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

/// Asked between the steps of long work, so often that it must be quick; true: the work ends as at its time limit, with
/// what it has. Must not throw. Empty: nobody asks.
using Stop = std::function<bool()>;

/// Thrown when work that has nothing to give before its end is stopped.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

/// A (n+1) x (n+1) x labels array of doubles, label fastest.
class LabelledMatrix {
 public:
  LabelledMatrix() = default;
  LabelledMatrix(int words, int labels, double fill = 0.0);

  int words() const { return words_; }
  int labels() const { return labels_; }
  double operator()(int head, int dependent, int label) const { return values_[index(head, dependent, label)]; }
  double& operator()(int head, int dependent, int label) { return values_[index(head, dependent, label)]; }

  const double* data() const { return values_.data(); }
  double* data() { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  std::size_t index(int head, int dependent, int label) const {
    return (static_cast<std::size_t>(head) * (words_ + 1) + dependent) * labels_ + label;
  }
  int words_ = 0;
  int labels_ = 0;
  std::vector<double> values_;
};

}  // namespace kirchhoff
