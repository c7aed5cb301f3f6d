// Candidates in O(n^2), their best tree in O(n^2).
#include "factor/sparsemap/candidates.hpp"

#include "decode/contraction.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kirchhoff::factor {
namespace {

constexpr double kCandidateRounding = 4.0 * std::numeric_limits<double>::epsilon();

}  // namespace

Candidates::Candidates(const MatrixRef& all, const Heads& best) : words(static_cast<int>(all.rows()) - 1) {
  std::vector<double> shift(static_cast<std::size_t>(words) + 1, 0.0);
  std::vector<double> most(shift.size(), 0.0);  // what a word adds to a tree at most
  for (int d = 1; d <= words; ++d) shift[d] = all(best[d], d);
  for (int h = 0; h <= words; ++h) {
    for (int d = 1; d <= words; ++d) most[d] = h == d ? most[d] : std::max(most[d], all(h, d) - shift[d]);
  }
  const double total = std::accumulate(most.begin(), most.end(), 0.0);
  const double least = -(words + 1.0) - kCandidateRounding * words * total;
  for (int h = 0; h <= words; ++h) {
    for (int d = 1; d <= words; ++d) {
      const double score = all(h, d) - shift[d];
      if (h == d || score + (total - most[d]) < least) continue;
      arcs.push_back({h, d});
      scores.push_back(score);
    }
  }
}

Candidates::Candidates(const Matrix& slopes) : words(static_cast<int>(slopes.rows()) - 1) {
  for (int h = 0; h <= words; ++h) {
    for (int d = 1; d <= words; ++d) {
      if (h == d || slopes(h, d) == -HUGE_VAL) continue;
      arcs.push_back({h, d});
      scores.push_back(slopes(h, d));
    }
  }
}

double Candidates::scale() const {
  double largest = words;
  for (const double s : scores) largest = std::max(largest, std::abs(s));
  return largest;
}

CandidateTrees::CandidateTrees(const Candidates& candidates, Root root)
    : HardFactor(static_cast<int>(candidates.arcs.size())),
      candidates_(candidates),
      root_(root),
      scores_(Matrix::Constant(candidates.words + 1, candidates.words + 1, -HUGE_VAL)),
      inputs_(static_cast<std::size_t>(scores_.size())) {
  cells_.reserve(candidates.arcs.size());
  for (const Arc arc : candidates.arcs) {
    inputs_[arc.head * (candidates.words + 1) + arc.dependent] = static_cast<int>(cells_.size());
    cells_.push_back(arc.head * (candidates.words + 1) + arc.dependent);
  }
}

double CandidateTrees::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  thread_local decode::Contraction contraction;
  thread_local base::Buffer columns;
  const int n = candidates_.words;
  for (std::size_t i = 0; i < q.size(); ++i) scores_.data()[cells_[i]] = q[i];
  const decode::ScoresRead read = decode::read_scores(scores_, root_, columns, contraction.start(n));
  if (!contraction.best(read.columns, root_)) return -HUGE_VAL;
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  double sum = 0.0;
  for (int d = 1; d <= n; ++d) {
    const int cell = contraction.heads()[d] * (n + 1) + d;
    sum += scores_.data()[cell];
    y[inputs_[cell]] = 1;
  }
  return sum;
}

bool CandidateTrees::allows(Configuration y) const {
  if (ones(y) != candidates_.words) return false;
  Heads heads(static_cast<std::size_t>(candidates_.words) + 1, -1);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i]) heads[candidates_.arcs[i].dependent] = candidates_.arcs[i].head;
  }
  return !tree_problem(heads, root_);
}

}  // namespace kirchhoff::factor
