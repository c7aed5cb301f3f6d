// The vocabulary that every module shares: matrices, arcs, trees, root modes, errors, and how to stop long work.
#pragma once

#include "kirchhoff/names.hpp"

#include <Eigen/Core>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kirchhoff {

/// Matrices are row-major, as in NumPy and JSON. Arc matrices are (n+1) x (n+1), indexed (head, dependent); node 0 is
/// the root. Column 0 and the diagonal hold no arcs: they are ignored on input and 0 on output (-inf in logarithms).
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// An argument that may be a matrix or a part of one.
using MatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
/// A matrix that belongs to another object, and lives as long as that does.
using MatrixView = Eigen::Map<const Matrix>;
/// A column of numbers.
using Vector = Eigen::VectorXd;

/// How many children the root may have. No function has a default for it: both kinds are common, and a wrong guess
/// would not be noticed.
enum class Root {
  single,  ///< The root has exactly one child.
  multi,   ///< The root has one child or more.
};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Root> = {"single", "multi"};

/// The arc from a head to its dependent.
struct Arc {
  int head = 0;
  int dependent = 0;
  friend bool operator==(const Arc&, const Arc&) = default;
};

/// The tree in which heads[d] is the head of word d; heads[0] is -1.
using Heads = std::vector<int>;

/// Says why the heads are not a tree of this root mode: heads[0] is not -1, a head is missing or does not exist, words
/// form a cycle, or several words hang below the root with Root::single. Returns nothing for a tree. O(n).
std::optional<std::string> tree_problem(const Heads& heads, Root root);
/// Throws InputError, in the name of the function or argument `what`, unless `heads` has n+1 entries and no
/// tree_problem.
void check_tree(const Heads& heads, int words, Root root, const char* what);

/// The caller's data is wrong. The message names function, argument and problem.
class InputError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The graph has no tree. This is decided by reachability, never by looking at a determinant.
class Infeasible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A text is not in its format. what() is "file:line:column: problem"; lines and columns count from 1, columns in
/// bytes.
class ParseError : public std::runtime_error {
 public:
  ParseError(const std::string& file, std::size_t line, std::size_t column, const std::string& problem);
  std::size_t line() const { return line_; }
  std::size_t column() const { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

/// Called often during long computations, so keep it fast; it must not throw. Return true to stop early with what has
/// been found so far, as if a time limit had passed. An empty function never stops anything.
using Stop = std::function<bool()>;

/// Thrown when a computation is stopped that has no answer before its end.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

/// A number for every head, dependent and label: an (n+1) x (n+1) x labels array of doubles, in which the label moves
/// fastest.
class LabelledMatrix {
 public:
  LabelledMatrix() = default;
  /// Throws InputError unless there are at least one word and one label.
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
