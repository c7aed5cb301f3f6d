// Batches of labelled trees: labels are summed while scores are read, and the trees without them solved as others are,
// small ones several at once in lanes.
#include "tree/batch/batch.hpp"

#include "base/buffer.hpp"
#include "numeric/sum.hpp"
#include "tree/batch/marginals_along.hpp"
#include "tree/kernels/label_sums.hpp"
#include "tree/labelled.hpp"
#include "tree/solve.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kirchhoff {
namespace tree {
namespace {

// A graph without its labels, as matrices of n + 1 rows: the logarithms of the sums over labels, less each word's best
// score, so that no digits are lost, and its marginals.
struct WithoutLabels {
  base::Buffer storage;
  std::size_t size = 0;
  double *sums = nullptr, *scores = nullptr, *marginals = nullptr;
  numeric::Sum shift;  // of log Z

  GraphView view() const { return {scores, static_cast<int>(size) - 1, static_cast<std::ptrdiff_t>(size)}; }

  // Calls visit(head, first word, number of words) for the arcs of a head: those before and behind its own word.
  template <class Visit>
  void for_each_run(Visit visit) const {
    for (std::size_t head = 0; head < size; ++head) {
      if (head > 1) visit(head, std::size_t{1}, head - 1);
      if (head + 1 < size) visit(head, head + 1, size - head - 1);
    }
  }

  // Sums over labels, and writes exp(score - best of its arc) where marginals go, in rows `row` apart. False when some
  // score is none, or labels do not lie side by side.
  bool read(const GraphView& graph, double* out, std::size_t row) {
    size = graph.words + std::size_t{1};
    sums = storage.take(3 * size * size + size);
    scores = sums + size * size;
    marginals = scores + size * size;
    double* const best = marginals + size * size;
    const std::size_t labels = graph.labels;
    bool good = labels == 1 || graph.label_stride == 1;
    if (!good) return false;
    std::fill_n(best, size, -HUGE_VAL);
    std::fill_n(scores, size * size, -HUGE_VAL);
    for (std::size_t head = 0; head < size; ++head) {
      std::fill_n(out + head * row, labels, 0.0);
      std::fill_n(out + head * row + head * labels, labels, 0.0);
    }
    for_each_run([&](std::size_t head, std::size_t first, std::size_t count) {
      const double* const from = graph.scores + static_cast<std::ptrdiff_t>(head) * graph.head_stride +
                                 static_cast<std::ptrdiff_t>(first) * graph.dependent_stride;
      double* const tops = scores + head * size;
      good = good && weigh_labels({from, graph.dependent_stride, count, labels}, out + head * row + first * labels,
                                  tops + first, sums + head * size + first);
      for (std::size_t d = first; d < first + count; ++d) best[d] = std::max(best[d], tops[d]);
    });
    shift = {};
    for (std::size_t d = 1; d < size; ++d) {
      if (best[d] == -HUGE_VAL) best[d] = 0.0;
      shift.add(best[d]);
    }
    for_each_run([&](std::size_t head, std::size_t first, std::size_t count) {
      for (std::size_t k = head * size + first; k < head * size + first + count; ++k) {
        if (sums[k] > 0.0) scores[k] = (scores[k] - best[k - head * size]) + std::log(sums[k]);
      }
    });
    return good;
  }

  void write(double* out, std::size_t row, std::size_t labels) const {
    for_each_run([&](std::size_t head, std::size_t first, std::size_t count) {
      const std::size_t arc = head * size + first;
      share_among_labels(marginals + arc, sums + arc, count, labels, out + head * row + first * labels);
    });
  }

  double log_partition(double of_scores) const {
    numeric::Sum sum = shift;
    sum.add(of_scores);
    return sum.value();
  }
};

}  // namespace
}  // namespace tree

template <>
void BatchOf<LabelledTreeDistribution>::State::solve_into(std::size_t i, tree::BatchAnswers& answers,
                                                          double* out) const {
  thread_local tree::WithoutLabels graph;
  if (options.accuracy.method == Method::automatic && graph.read(graphs[i], out, row_length(i))) {
    const MatrixRef scores(MatrixView(graph.scores, graph.size, graph.size));
    const auto stride = static_cast<std::ptrdiff_t>(graph.size);
    const tree::LogPartition solved = tree::marginals_into(scores, root, options.accuracy, graph.marginals, stride);
    graph.write(out, row_length(i), graphs[i].labels);
    answers.log_partition[i] = graph.log_partition(solved.log_partition);
    answers.reports[i] = solved.report;
    return;
  }
  const LabelledTreeDistribution p = make(i);  // as one by one, which says what is wrong
  answers.log_partition[i] = p.log_partition();
  answers.reports[i] = p.report();
  tree::write_rows({p.marginals().data(), p.marginals().size()}, p.words(), {out, offset[i + 1] - offset[i]},
                   row_length(i));
}

template <>
void BatchOf<LabelledTreeDistribution>::State::solve_group(std::span<const std::size_t> group,
                                                           tree::BatchAnswers& answers) const {
  thread_local std::array<tree::WithoutLabels, tree::kMostLanes> without;
  std::array<std::size_t, tree::kMostLanes> member;
  std::array<tree::LaneGraph, tree::kMostLanes> in;
  std::array<tree::LaneAnswer, tree::kMostLanes> out;
  std::size_t count = 0;
  for (const std::size_t i : group) {
    if (is_padded(i)) clear(i, answers);
    tree::WithoutLabels& graph = without[count];
    if (!graph.read(graphs[i], answers.values.get() + offset[i], row_length(i))) {
      solve_alone(i, answers);
      continue;
    }
    in[count] = {graph.view(), static_cast<std::ptrdiff_t>(graph.size), graph.marginals};
    member[count++] = i;
  }
  if (count == 0) return;
  tree::solve_lanes({in.data(), count}, root, options.accuracy, {out.data(), count});
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = member[k];
    if (!out[k].solved) {
      solve_alone(i, answers);
      continue;
    }
    without[k].write(answers.values.get() + offset[i], row_length(i), graphs[i].labels);
    answers.log_partition[i] = without[k].log_partition(out[k].log_partition);
    answers.reports[i] = {out[k].method, false, true};
  }
}

template class BatchOf<LabelledTreeDistribution>;

}  // namespace kirchhoff
