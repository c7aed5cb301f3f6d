// Batches of graphs: where scores and answers lie, and the loops over graphs that all questions share.
#include "kirchhoff/tree_batch.hpp"

#include "base/kept.hpp"
#include "base/stop.hpp"
#include "tree/batch/groups.hpp"
#include "tree/kernels/lanes.hpp"
#include "tree/solve.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>

namespace kirchhoff {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// What solving a batch gives.
struct Answers {
  std::vector<double> log_partition;
  std::vector<Report> reports;
  std::vector<InfeasibleGraph> infeasible;
  std::unique_ptr<double[]> values;   // not set before they are written
  const double* marginals = nullptr;  // these values, or those of the only graph's distribution
  std::mutex mutex;                   // of what is infeasible
};

}  // namespace

template <class D>
struct BatchOf<D>::State {
  MatrixBatch own_scores;  // when the batch keeps them
  std::vector<GraphView> graphs;
  Root root;
  BatchOptions options;
  std::vector<std::size_t> offset;  // where each graph's arrays begin, and where the last ends
  std::unique_ptr<base::Kept<D>[]> distributions;
  base::Kept<Answers> kept_answers;

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
    if (!same_labels || (std::is_same_v<D, TreeDistribution> && graph.labels != 1)) {
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

  void clear(std::size_t i, Answers& answers) const {
    std::fill(answers.values.get() + offset[i], answers.values.get() + offset[i + 1], 0.0);
  }
  /// Log Z, report, and the marginals of graph i at `out`.
  void solve_into(std::size_t i, Answers& answers, double* out) const;
  /// The same, or that the graph has no tree.
  void solve_alone(std::size_t i, Answers& answers) const;
  /// The same for graphs that are solved in lanes as far as they can be.
  void solve_group(std::span<const std::size_t> group, Answers& answers) const;
  std::unique_ptr<const Answers> solve(const Stop& stop) const;
  std::unique_ptr<const Answers> solve_only_graph();

  template <class F>
  void for_each_graph(const Stop& stop, F f) const {
    parallel_for(graphs.size(), options.threads, [&](std::size_t i) {
      base::check_stop(stop);
      f(i);
    });
  }
};

template <>
void BatchOf<TreeDistribution>::State::solve_into(std::size_t i, Answers& answers, double* out) const {
  const auto stride = static_cast<std::ptrdiff_t>(row_length(i));
  const tree::LogPartition solved = with_scores<TreeDistribution>(graphs[i], [&](const MatrixRef& scores) {
    return tree::marginals_into(scores, root, options.accuracy, out, stride);
  });
  answers.log_partition[i] = solved.log_partition;
  answers.reports[i] = solved.report;
}

template <>
void BatchOf<LabelledTreeDistribution>::State::solve_into(std::size_t i, Answers& answers, double* out) const {
  const LabelledTreeDistribution p = make(i);
  answers.log_partition[i] = p.log_partition();
  answers.reports[i] = p.report();
  const std::size_t row = p.marginals().size() / (p.words() + 1);
  for (int head = 0; head <= p.words(); ++head) {
    std::copy_n(p.marginals().data() + head * row, row, out + head * row_length(i));
  }
}

template <class D>
void BatchOf<D>::State::solve_alone(std::size_t i, Answers& answers) const {
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
void BatchOf<D>::State::solve_group(std::span<const std::size_t> group, Answers& answers) const {
  std::array<tree::LaneGraph, tree::kMostLanes> in;
  std::array<tree::LaneAnswer, tree::kMostLanes> out;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const std::size_t i = group[k];
    if (is_padded(i)) clear(i, answers);
    in[k] = {graphs[i], answers.values.get() + offset[i], static_cast<std::ptrdiff_t>(row_length(i))};
  }
  tree::solve_lanes({in.data(), group.size()}, root, {out.data(), group.size()});
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (!out[k].solved) {
      solve_alone(group[k], answers);
      continue;
    }
    answers.log_partition[group[k]] = out[k].log_partition;
    answers.reports[group[k]] = {Method::robust, false, true};
  }
}

template <class D>
std::unique_ptr<const Answers> BatchOf<D>::State::solve(const Stop& stop) const {
  auto answers = std::make_unique<Answers>();
  answers->log_partition.assign(graphs.size(), kMinusInfinity);
  answers->reports.resize(graphs.size());
  answers->values = std::make_unique_for_overwrite<double[]>(offset.back());
  answers->marginals = answers->values.get();
  // A method that is named answers for every graph. Labels are summed for each graph alone.
  const bool in_lanes = std::is_same_v<D, TreeDistribution> && options.accuracy.method == Method::automatic;
  const tree::Groups groups(graphs, in_lanes);
  parallel_for(groups.size(), options.threads, [&](std::size_t g) {
    base::check_stop(stop);
    if (g >= groups.first_alone()) return solve_alone(groups[g].front(), *answers);
    solve_group(groups[g], *answers);
  });
  std::sort(answers->infeasible.begin(), answers->infeasible.end(),
            [](const InfeasibleGraph& a, const InfeasibleGraph& b) { return a.graph < b.graph; });
  return answers;
}

/// One graph's distribution is kept, because whoever asks about one graph asks on; its marginals need no copy then.
template <class D>
std::unique_ptr<const Answers> BatchOf<D>::State::solve_only_graph() {
  try {
    const D& p = distribution(0);
    auto answers = std::make_unique<Answers>();
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
void BatchOf<D>::visit(const Visitor& visit, const InfeasibleVisitor& infeasible, const Stop& stop) const {
  state_->for_each_graph(stop, [&](std::size_t i) {
    if (const D* kept = state_->distributions[i].get()) return visit(i, *kept);
    std::optional<D> made;
    const bool has_tree = state_->attempt(
        i, [&] { made.emplace(state_->make(i)); },
        [&](const Infeasible& problem) {
          if (infeasible) infeasible(i, problem);
        });
    if (has_tree) visit(i, *made);
  });
}

template class BatchOf<TreeDistribution>;
template class BatchOf<LabelledTreeDistribution>;

}  // namespace kirchhoff
