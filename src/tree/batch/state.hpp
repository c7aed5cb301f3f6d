// What a batch of graphs holds: where scores and answers lie, and the distributions that are kept.
#pragma once

#include "base/kept.hpp"
#include "kirchhoff/tree_batch.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace kirchhoff {
namespace tree {

/// What solving a batch gives.
struct BatchAnswers {
  std::vector<double> log_partition;
  std::vector<Report> reports;
  std::vector<InfeasibleGraph> infeasible;
  std::unique_ptr<double[]> values;   // not set before they are written
  const double* marginals = nullptr;  // these values, or those of the only graph's distribution
  std::mutex mutex;                   // of what is infeasible
};

}  // namespace tree

template <class D>
struct BatchOf<D>::State {
  MatrixBatch own_scores;  // when the batch keeps them
  std::vector<GraphView> graphs;
  Root root;
  BatchOptions options;
  std::vector<std::size_t> offset;  // where each graph's arrays begin, and where the last ends
  std::unique_ptr<base::Kept<D>[]> distributions;
  base::Kept<tree::BatchAnswers> kept_answers;

  State(std::vector<GraphView> views, Root root_mode, const BatchOptions& given)
      : graphs(std::move(views)), root(root_mode), options(given), offset(1, 0) {
    offset.reserve(graphs.size() + 1);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      check(i);
      offset.push_back(offset.back() + row_length(i) * nodes(i));
    }
    distributions = std::make_unique<base::Kept<D>[]>(graphs.size());
  }

  std::string name(std::size_t i) const { return graphs.size() == 1 ? "" : "graph " + std::to_string(i) + ": "; }
  void check(std::size_t i) const {
    const GraphView& graph = graphs[i];
    const bool same_labels = graph.labels == graphs[0].labels && graph.labels >= 1;
    if (graph.words < 1) throw InputError(name(i) + "a graph without words");
    if (!same_labels || (!kHasLabels<D> && graph.labels != 1)) {
      throw InputError(name(i) + std::to_string(graph.labels) + " labels");
    }
    if (options.padded_words != 0 && options.padded_words < graph.words) {
      throw InputError(name(i) + std::to_string(graph.words) +
                       " words do not fit into padded_words = " + std::to_string(options.padded_words));
    }
  }

  std::size_t nodes(std::size_t i) const {
    return (options.padded_words != 0 ? options.padded_words : graphs[i].words) + std::size_t{1};
  }
  std::size_t row_length(std::size_t i) const { return nodes(i) * graphs[i].labels; }
  bool is_padded(std::size_t i) const { return nodes(i) != graphs[i].words + std::size_t{1}; }

  D make(std::size_t i) const {
    return with_scores<D>(
        graphs[i], [&](auto&& scores) { return D(std::forward<decltype(scores)>(scores), root, options.accuracy); });
  }

  /// f(), whose errors name graph i. False when the graph has no tree, which `infeasible` is told.
  template <class F, class G>
  bool attempt(std::size_t i, F f, G infeasible) const {
    try {
      f();
      return true;
    } catch (const Infeasible& problem) {
      infeasible(problem);
      return false;
    } catch (const InputError& problem) {
      throw InputError(name(i) + problem.what());
    }
  }

  const D& distribution(std::size_t i) {
    if (const D* kept = distributions[i].get()) return *kept;
    std::unique_ptr<const D> made;
    attempt(
        i, [&] { made = std::make_unique<const D>(make(i)); },
        [&](const Infeasible& problem) { throw Infeasible(name(i) + problem.what()); });
    return distributions[i].keep(std::move(made));
  }

  void clear(std::size_t i, tree::BatchAnswers& answers) const {
    std::fill(answers.values.get() + offset[i], answers.values.get() + offset[i + 1], 0.0);
  }
  /// Log Z, report, and the marginals of graph i at `out`.
  void solve_into(std::size_t i, tree::BatchAnswers& answers, double* out) const;
  /// The same, or that the graph has no tree.
  void solve_alone(std::size_t i, tree::BatchAnswers& answers) const;
  /// The same for graphs that are solved in lanes as far as they can be.
  void solve_group(std::span<const std::size_t> group, tree::BatchAnswers& answers) const;
  std::unique_ptr<const tree::BatchAnswers> solve(const Stop& stop) const;
  std::unique_ptr<const tree::BatchAnswers> solve_only_graph();
  /// visit(i, distribution of graph i), or infeasible(i, why it has none).
  void visit_one(std::size_t i, const Visitor& visit, const InfeasibleVisitor& infeasible);
};

}  // namespace kirchhoff
