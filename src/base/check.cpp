// Checks arguments and words what is wrong with them; also the constructor of LabelledMatrix, which checks its own, and
// that of ParseError.
#include "base/check.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

namespace kirchhoff {

ParseError::ParseError(const std::string& file, std::size_t line, std::size_t column, const std::string& problem)
    : std::runtime_error(file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + problem),
      line_(line),
      column_(column) {}

LabelledMatrix::LabelledMatrix(int words, int labels, double fill) : words_(words), labels_(labels) {
  if (words < 1 || labels < 1) {
    base::input_error("LabelledMatrix", "needs at least one word and one label, not " + base::shape(words, labels));
  }
  const auto nodes = static_cast<std::size_t>(words) + 1;
  values_.assign(nodes * nodes * static_cast<std::size_t>(labels), fill);
}

namespace base {

void input_error(const char* function, const std::string& message) {
  throw InputError("[" + std::string(function) + "] " + message);
}

std::string shape(Eigen::Index rows, Eigen::Index cols) { return std::to_string(rows) + "x" + std::to_string(cols); }

int check_square(const char* function, const char* name, const MatrixRef& matrix) {
  const auto size = matrix.rows();
  if (size != matrix.cols()) {
    input_error(function, std::string(name) + ": " + shape(size, matrix.cols()) + " is not square");
  }
  if (size < 2) {
    input_error(function,
                std::string(name) + ": " + shape(size, size) + " has no word; n words need an (n+1)x(n+1) matrix");
  }
  return static_cast<int>(size) - 1;
}

void check_shape(const char* function, const char* name, const MatrixRef& matrix, int words) {
  if (matrix.rows() == words + 1 && matrix.cols() == words + 1) return;
  input_error(function, std::string(name) + ": " + shape(matrix.rows(), matrix.cols()) + ", expected " +
                            shape(words + 1, words + 1));
}

void check_finite(const char* function, const char* name, const MatrixRef& matrix) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 1; j < matrix.cols(); ++j) {
      if (i == j || std::isfinite(matrix(i, j))) continue;
      input_error(function, std::string(name) + "(" + std::to_string(i) + ", " + std::to_string(j) + ") is not finite");
    }
  }
}

void bad_score(const char* function, const std::string& name, double x) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%g", x);
  input_error(function, name + ": " + number.data() +
                            " is not a log-weight, which is -inf or a finite number up to 1e100 in size");
}

namespace {

/// Whether all of them are scores: a loop of which compilers make vectors.
bool are_scores(const double* x, std::size_t count) {
  double wrong = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double finite = x[k] == -HUGE_VAL ? 0.0 : x[k];
    wrong = std::abs(finite) <= kLargestScore ? wrong : 1.0;
  }
  return wrong == 0.0;
}

}  // namespace

void check_scores(const char* function, const MatrixRef& scores) {
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    if (are_scores(scores.data() + i * scores.outerStride() + 1, scores.cols() - 1)) continue;
    for (Eigen::Index j = 1; j < scores.cols(); ++j) {
      if (i == j || is_score(scores(i, j))) continue;
      bad_score(function, "scores(" + std::to_string(i) + ", " + std::to_string(j) + ")", scores(i, j));
    }
  }
}

void check_scores(const char* function, const LabelledMatrix& scores) {
  if (are_scores(scores.data(), scores.size())) return;
  for (int head = 0; head <= scores.words(); ++head) {
    for (int dependent = 1; dependent <= scores.words(); ++dependent) {
      if (head != dependent) check_scores(function, scores, {head, dependent});
    }
  }
}

void check_scores(const char* function, const LabelledMatrix& scores, Arc arc) {
  for (int label = 0; label < scores.labels(); ++label) {
    const double x = scores(arc.head, arc.dependent, label);
    if (is_score(x)) continue;
    bad_score(function,
              "scores(" + std::to_string(arc.head) + ", " + std::to_string(arc.dependent) + ", " +
                  std::to_string(label) + ")",
              x);
  }
}

void check_arc(const char* function, Arc arc, int words) {
  const bool good =
      arc.head >= 0 && arc.head <= words && arc.dependent >= 1 && arc.dependent <= words && arc.head != arc.dependent;
  if (good) return;
  input_error(function, "arc " + std::to_string(arc.head) + " -> " + std::to_string(arc.dependent) +
                            " does not exist among " + std::to_string(words) + " words");
}

}  // namespace base
}  // namespace kirchhoff
