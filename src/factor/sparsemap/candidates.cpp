// Candidates in O(n^2), their best tree in O(n^2).
#include "factor/sparsemap/candidates.hpp"

#include "decode/contraction.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kirchhoff::factor {
namespace {

using LabelledArc = Candidates::LabelledArc;

constexpr double kCandidateRounding = 4.0 * std::numeric_limits<double>::epsilon();

double at(const GraphView& graph, LabelledArc arc) {
  return graph
      .scores[arc.head * graph.head_stride + arc.dependent * graph.dependent_stride + arc.label * graph.label_stride];
}

/// visit(arc, score) by heads, dependents and labels.
template <class Visit>
void for_each_arc(const GraphView& graph, Visit visit) {
  for (int h = 0; h <= graph.words; ++h) {
    for (int d = 1; d <= graph.words; ++d) {
      const double* const scores = graph.scores + h * graph.head_stride + d * graph.dependent_stride;
      for (int l = 0; h != d && l < graph.labels; ++l) visit(LabelledArc{h, d, l}, scores[l * graph.label_stride]);
    }
  }
}

}  // namespace

Candidates::Candidates(const GraphView& all, const Tree& best) : words(all.words), labels(all.labels) {
  std::vector<double> shift(static_cast<std::size_t>(words) + 1, 0.0);
  std::vector<double> most(shift.size(), 0.0);  // what a word adds to a tree at most
  for (int d = 1; d <= words; ++d) shift[d] = at(all, {best.heads[d], d, best.labels.empty() ? 0 : best.labels[d]});
  for_each_arc(all, [&](LabelledArc arc, double score) {
    most[arc.dependent] = std::max(most[arc.dependent], score - shift[arc.dependent]);
  });
  const double total = std::accumulate(most.begin(), most.end(), 0.0);
  const double least = -(words + 1.0) - kCandidateRounding * words * total;
  for_each_arc(all, [&](LabelledArc arc, double value) {
    const double score = value - shift[arc.dependent];
    if (score + (total - most[arc.dependent]) < least) return;
    arcs.push_back(arc);
    scores.push_back(score);
  });
}

Candidates::Candidates(const GraphView& slopes) : words(slopes.words), labels(slopes.labels) {
  for_each_arc(slopes, [&](LabelledArc arc, double slope) {
    if (slope == -HUGE_VAL) return;
    arcs.push_back(arc);
    scores.push_back(slope);
  });
}

std::vector<double> Candidates::read(const GraphView& array) const {
  std::vector<double> values;
  for (const LabelledArc arc : arcs) values.push_back(at(array, arc));
  return values;
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
  for (int i = 0; i < arity(); ++i) {
    const LabelledArc arc = candidates.arcs[i];
    const int cell = arc.head * (candidates.words + 1) + arc.dependent;
    if (candidates.labels == 1) {
      cells_.push_back(cell);
      inputs_[cell] = i;
      continue;
    }
    if (arcs_.empty() || arcs_.back().cell != cell) arcs_.push_back({cell, i, i});
    arcs_.back().end = i + 1;
  }
}

double CandidateTrees::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  thread_local decode::Contraction contraction;
  thread_local base::Buffer columns;
  const int n = candidates_.words;
  for (std::size_t i = 0; i < cells_.size(); ++i) scores_.data()[cells_[i]] = q[i];
  for (const Labels& arc : arcs_) {
    int label = arc.begin;
    for (int i = arc.begin + 1; i < arc.end; ++i) label = q[i] > q[label] ? i : label;
    scores_.data()[arc.cell] = q[label];
    inputs_[arc.cell] = label;
  }
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
