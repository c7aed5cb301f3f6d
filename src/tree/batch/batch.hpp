// Batches of graphs: where scores and answers lie, and the loops over graphs that all questions share. The bodies of
// BatchOf's members, for the files that instantiate them.
#pragma once

#include "base/stop.hpp"
#include "tree/batch/groups.hpp"
#include "tree/batch/rows.hpp"
#include "tree/batch/state.hpp"
#include "tree/kernels/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <type_traits>

namespace kirchhoff {
namespace tree {

template <class D>
inline constexpr bool kHasLanes = std::is_same_v<D, TreeDistribution> || std::is_same_v<D, LabelledTreeDistribution>;

}  // namespace tree

template <class D>
void BatchOf<D>::State::solve_into(std::size_t i, tree::BatchAnswers& answers, double* out) const {
  const D p = make(i);
  answers.log_partition[i] = p.log_partition();
  answers.reports[i] = p.report();
  const std::size_t row = p.marginals().size() / (p.words() + 1);
  for (int head = 0; head <= p.words(); ++head) {
    std::copy_n(p.marginals().data() + head * row, row, out + head * row_length(i));
  }
}

template <class D>
void BatchOf<D>::State::solve_alone(std::size_t i, tree::BatchAnswers& answers) const {
  if (is_padded(i)) clear(i, answers);
  attempt(
      i, [&] { solve_into(i, answers, answers.values.get() + offset[i]); },
      [&](const Infeasible& problem) {
        clear(i, answers);
        const std::lock_guard lock(answers.mutex);
        answers.infeasible.push_back({i, problem.what()});
      });
}

template <class D>
std::unique_ptr<const tree::BatchAnswers> BatchOf<D>::State::solve(const Stop& stop) const {
  auto answers = std::make_unique<tree::BatchAnswers>();
  answers->log_partition.assign(graphs.size(), -HUGE_VAL);
  answers->reports.resize(graphs.size());
  answers->values = std::make_unique_for_overwrite<double[]>(offset.back());
  answers->marginals = answers->values.get();
  // A method that is named answers for every graph.
  const bool in_lanes = tree::kHasLanes<D> && options.accuracy.method == Method::automatic;
  const tree::Groups groups(graphs, in_lanes ? tree::kLaneWords : 0);
  parallel_for(groups.size(), options.threads, [&](std::size_t g) {
    base::check_stop(stop);
    if (g >= groups.first_alone()) return solve_alone(groups[g].front(), *answers);
    if constexpr (tree::kHasLanes<D>) solve_group(groups[g], *answers);
  });
  std::sort(answers->infeasible.begin(), answers->infeasible.end(),
            [](const InfeasibleGraph& a, const InfeasibleGraph& b) { return a.graph < b.graph; });
  return answers;
}

/// One graph's distribution is kept, because whoever asks about one graph asks on; its marginals need no copy then.
template <class D>
std::unique_ptr<const tree::BatchAnswers> BatchOf<D>::State::solve_only_graph() {
  try {
    const D& p = distribution(0);
    auto answers = std::make_unique<tree::BatchAnswers>();
    answers->log_partition.assign(1, p.log_partition());
    answers->reports.assign(1, p.report());
    answers->marginals = p.marginals().data();
    return answers;
  } catch (const Infeasible&) {
    return solve({});
  }
}

template <class D>
BatchOf<D>::BatchOf(std::vector<GraphView> graphs, Root root, const BatchOptions& options)
    : state_(std::make_shared<State>(std::move(graphs), root, options)) {}

template <class D>
BatchOf<D>::BatchOf(MatrixBatch scores, Root root, const BatchOptions& options)
    : BatchOf(scores.views(), root, options) {
  state_->own_scores = std::move(scores);  // views stay good: a moved vector keeps its memory
}

template <class D>
std::span<const GraphView> BatchOf<D>::graphs() const {
  return state_->graphs;
}

template <class D>
Root BatchOf<D>::root() const {
  return state_->root;
}

template <class D>
const BatchOptions& BatchOf<D>::options() const {
  return state_->options;
}

template <class D>
void BatchOf<D>::solve(const Stop& stop) const {
  if (state_->kept_answers.get() != nullptr) return;
  base::check_stop(stop);
  const bool only = state_->graphs.size() == 1 && !state_->is_padded(0);
  state_->kept_answers.keep(only ? state_->solve_only_graph() : state_->solve(stop));
}

template <class D>
std::span<const double> BatchOf<D>::log_partition() const {
  solve();
  return state_->kept_answers.get()->log_partition;
}

template <class D>
std::span<const Report> BatchOf<D>::reports() const {
  solve();
  return state_->kept_answers.get()->reports;
}

template <class D>
std::span<const InfeasibleGraph> BatchOf<D>::infeasible() const {
  solve();
  return state_->kept_answers.get()->infeasible;
}

template <class D>
std::size_t BatchOf<D>::offset(std::size_t i) const {
  return state_->offset[i];
}

template <class D>
std::size_t BatchOf<D>::row_length(std::size_t i) const {
  return state_->row_length(i);
}

template <class D>
std::span<const double> BatchOf<D>::marginals() const {
  solve();
  return {state_->kept_answers.get()->marginals, array_size()};
}

template <class D>
const D& BatchOf<D>::operator[](std::size_t i) const {
  return state_->distribution(i);
}

template <class D>
void BatchOf<D>::State::visit_one(std::size_t i, const Visitor& visit, const InfeasibleVisitor& infeasible) {
  if (const D* kept = distributions[i].get()) return visit(i, *kept);
  std::optional<D> made;
  const bool has_tree = attempt(
      i, [&] { made.emplace(graphs.size() == 1 ? distribution(i) : make(i)); },
      [&](const Infeasible& problem) {
        if (infeasible) infeasible(i, problem);
      });
  if (has_tree) visit(i, *made);
}

template <class D>
void BatchOf<D>::visit(const Visitor& visit_graph, const InfeasibleVisitor& infeasible, const Stop& stop) const {
  visit(tree::every_graph(size()), visit_graph, infeasible, stop);
}

template <class D>
void BatchOf<D>::visit(std::span<const std::size_t> graphs, const Visitor& visit_graph,
                       const InfeasibleVisitor& infeasible, const Stop& stop) const {
  parallel_for(graphs.size(), state_->options.threads, [&](std::size_t k) {
    base::check_stop(stop);
    state_->visit_one(graphs[k], visit_graph, infeasible);
  });
}

}  // namespace kirchhoff
