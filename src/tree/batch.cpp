#include "kirchhoff/tree_batch.hpp"

#include "base/check.hpp"
#include "expectation/centred.hpp"
#include "tree/state.hpp"

#include "kirchhoff/expectation.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace kirchhoff {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

detail::Centred& centred_storage() {
  thread_local detail::Centred storage;
  return storage;
}

/// solve(); when graph i has no tree, error(i, what) and false. An InputError names the graph.
template <class Solve, class Error>
bool try_graph(std::size_t i, Solve solve, Error error) {
  try {
    solve();
    return true;
  } catch (const Infeasible& problem) {
    error(i, problem.what());
    return false;
  } catch (const InputError& problem) {
    throw InputError("graph " + std::to_string(i) + ": " + problem.what());
  }
}

}  // namespace

void MatrixBatch::add(const MatrixRef& matrix) {
  const int words = base::check_square("MatrixBatch::add", "matrix", matrix);
  const std::size_t size = words + 1;
  offset_.push_back(values_.size());
  words_.push_back(words);
  for (std::size_t row = 0; row < size; ++row) {
    const double* first = matrix.data() + row * matrix.outerStride();
    values_.insert(values_.end(), first, first + size);
  }
}

void MatrixBatch::reserve(std::size_t matrices, std::size_t doubles) {
  words_.reserve(matrices);
  offset_.reserve(matrices);
  values_.reserve(doubles);
}

MatrixView MatrixBatch::operator[](std::size_t i) const {
  return {values_.data() + offset_[i], words_[i] + 1, words_[i] + 1};
}

MatrixBatch MatrixBatch::unset_like() const {
  MatrixBatch other;
  other.words_ = words_;
  other.offset_ = offset_;
  other.values_.resize(values_.size());
  return other;
}

MatrixBatch MatrixBatch::zeros_like() const {
  MatrixBatch other = unset_like();
  std::fill(other.values_.begin(), other.values_.end(), 0.0);
  return other;
}

void for_each_tree(const MatrixBatch& scores, Root root, const BatchOptions& options,
                   const std::function<void(std::size_t, const TreeDistribution&)>& visit,
                   const std::function<void(std::size_t, const std::string&)>& error) {
  parallel_for(scores.size(), options.threads, [&](std::size_t i) {
    const detail::PooledState state(detail::acquire_state());
    const auto solve = [&] { detail::compute(scores[i], root, options.accuracy, *state); };
    if (try_graph(i, solve, error)) visit(i, detail::TreeAccess::borrow(*state));
  });
}

BatchMarginals batch_marginals(const MatrixBatch& scores, Root root, const BatchOptions& options) {
  const std::size_t count = scores.size();
  BatchMarginals result{std::vector<double>(count, kMinusInfinity), scores.unset_like(), std::vector<Report>(count)};
  parallel_for(count, options.threads, [&](std::size_t i) {
    double* const out = result.marginals.data(i);
    const std::ptrdiff_t size = scores.words(i) + 1;
    const auto solve = [&] {
      const detail::Solved solved = detail::marginals_into(scores[i], root, options.accuracy, out, size);
      result.log_partition[i] = solved.log_partition;
      result.reports[i] = solved.report;
    };
    try_graph(i, solve, [&](std::size_t, const char*) { std::fill(out, out + size * size, 0.0); });
  });
  return result;
}

BatchEntropy batch_entropy(const MatrixBatch& scores, Root root, const BatchOptions& options) {
  BatchEntropy result{std::vector<double>(scores.size(), kMinusInfinity), scores.unset_like()};
  for_each_tree(
      scores, root, options,
      [&](std::size_t i, const TreeDistribution& p) {
        detail::Centred& centred = centred_storage();
        const detail::View view = detail::view(p);
        detail::centre(view, view, centred);
        result.entropy[i] = numeric::not_negative(detail::minus_expectation(view, centred));
        const int size = p.words() + 1;
        double* gradient = result.gradient.data(i);
        detail::marginals_along(detail::TreeAccess::state(p), MatrixView(centred.scores.data(), size, size), gradient);
        for (int k = 0; k < size * size; ++k) gradient[k] = 0.0 - gradient[k];
      },
      [&](std::size_t i, const std::string&) { std::fill_n(result.gradient.data(i), scores[i].size(), 0.0); });
  return result;
}

}  // namespace kirchhoff
