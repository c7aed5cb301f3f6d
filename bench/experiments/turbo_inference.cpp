// How well second-order parsing is solved: belief propagation, AD3 and linear programming against the exact best tree.
//
//   turbo_inference --model MODEL --data FILE [--sentences N] [--seconds S]
//
// Each line of the CSV is a sentence: what each solver did with one and the same factor graph, the score of the tree it
// found and how many heads are right, beside the score of the gold tree. The exact search and the linear program give
// up after S seconds each; where that leaves no tree, the best one by arc scores stands in for it, as in the parser.
#include "experiments/measuring.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/solve.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>

namespace kirchhoff {
namespace {

using bench::Arguments;
using bench::sentences_of;

/// The assignment of a tree, or nothing when one of its arcs was pruned.
std::optional<Assignment> assignment_of(const DependencyGraph& graph, const Heads& heads) {
  Assignment assignment(static_cast<std::size_t>(graph.graph.variables()), 0);
  int found = 0;
  for (const TreeArc& arc : graph.arcs) {
    if (heads[static_cast<std::size_t>(arc.arc.dependent)] != arc.arc.head) continue;
    assignment[static_cast<std::size_t>(arc.literal.variable)] = 1;
    ++found;
  }
  if (found != graph.words) return std::nullopt;
  return assignment;
}

int right_heads(const Heads& gold, const Heads& heads) {
  int right = 0;
  for (std::size_t d = 1; d < gold.size(); ++d) right += static_cast<int>(gold[d] == heads[d]);
  return right;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A line of the CSV in the making: the first one also gives the names of the columns.
class Row {
 public:
  void add(const char* name, double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", value);
    names_ += (names_.empty() ? "" : ",") + std::string(name);
    values_ += (values_.empty() ? "" : ",") + std::string(std::isnan(value) ? "" : text);
  }
  void add_tree(const std::string& solver, const DependencyGraph& graph, const Heads& gold, const Heads& heads) {
    const std::optional<Assignment> assignment = assignment_of(graph, heads);
    add((solver + "_score").c_str(), assignment ? score(graph.graph, *assignment) : NAN);
    add((solver + "_right").c_str(), right_heads(gold, heads));
  }
  void print(bool first) const {
    if (first) std::cout << names_ << '\n';
    std::cout << values_ << '\n' << std::flush;
  }

 private:
  std::string names_, values_;
};

/// The same effort as the parser's.
BpOptions parsers_propagation() {
  BpOptions options;
  options.convergence = Convergence::beliefs;
  options.max_iterations = 30;
  options.tolerance = 1e-4;
  return options;
}

void add_propagation(Row& row, Parser& parser, const Sentence& sentence, const DependencyGraph& graph,
                     const Heads& gold) {
  BpResult result;
  row.add("bp_seconds", seconds_of([&] { result = solve_bp(graph.graph, parsers_propagation()); }));
  row.add("bp_converged", result.status == Status::converged ? 1 : 0);
  row.add("bp_iterations", result.iterations);
  BpOptions patient = parsers_propagation();
  patient.max_iterations = 1000;
  row.add("bp_converged_in_1000", solve_bp(graph.graph, patient).status == Status::converged ? 1 : 0);
  patient.damping = 0.5;
  row.add("bp_converged_damped", solve_bp(graph.graph, patient).status == Status::converged ? 1 : 0);
  row.add_tree("bp", graph, gold, parser.parse(sentence, {.solver = ParseSolver::bp}).tree.heads);
}

/// The best tree by the scores of arcs alone.
Heads best_by_arcs(const DependencyGraph& graph, Root root) {
  Matrix scores = Matrix::Constant(graph.words + 1, graph.words + 1, -HUGE_VAL);
  for (const TreeArc& arc : graph.arcs) {
    scores(arc.arc.head, arc.arc.dependent) = graph.graph.score({arc.literal.variable});
  }
  return best_tree(scores, root).heads;
}

/// A function that returns true once so many seconds have passed.
Stop after(double seconds) {
  const auto start = std::chrono::steady_clock::now();
  return [=] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds; };
}

void add_map(Row& row, const std::string& solver, const DependencyGraph& graph, const Heads& gold, Root root,
             const std::function<MapResult()>& solve) {
  MapResult result;
  row.add((solver + "_seconds").c_str(), seconds_of([&] { result = solve(); }));
  row.add((solver + "_converged").c_str(), result.status == Status::converged ? 1 : 0);
  row.add((solver + "_integral").c_str(), result.integral ? 1 : 0);
  row.add((solver + "_bound").c_str(), result.bound);
  const bool found = !result.assignment.empty();
  if (!found && result.status != Status::time_limit) throw std::runtime_error(solver + " found no tree");
  row.add_tree(solver, graph, gold, found ? heads_of(graph, result.assignment) : best_by_arcs(graph, root));
}

void run(const Arguments& arguments) {
  const ParserModel model = ParserModel::open(arguments.text("model"));
  const Root root = model.root();
  Parser parser(model);
  const int sentences = arguments.whole("sentences", 1 << 30);
  const double seconds = arguments.number("seconds", 10.0);
  int number = 0;
  for (const Sentence& sentence : sentences_of(arguments.text("data"))) {
    if (number == sentences) break;
    const Heads gold = sentence.heads();
    const DependencyGraph graph = parser.factor_graph(sentence);
    Row row;
    row.add("sentence", ++number);
    row.add("words", graph.words);
    row.add("arcs", static_cast<double>(graph.arcs.size()));
    const std::optional<Assignment> truth = assignment_of(graph, gold);
    row.add("gold_score", truth ? score(graph.graph, *truth) : NAN);
    add_propagation(row, parser, sentence, graph, gold);
    add_map(row, "ad3", graph, gold, root, [&] {
      return solve_ad3(graph.graph, {.gap = 1e-4, .max_iterations = 200});  // As the parser does.
    });
    add_map(row, "lp", graph, gold, root, [&] { return solve_lp(graph.graph, after(seconds)); });
    add_map(row, "exact", graph, gold, root,
            [&] { return solve_ad3(graph.graph, {.gap = 1e-9, .time_limit = seconds, .search = Search::exact}); });
    row.print(number == 1);
  }
}

}  // namespace
}  // namespace kirchhoff

int main(int argc, char** argv) {
  return kirchhoff::bench::measure(argc, argv, {"model", "data", "sentences", "seconds"}, kirchhoff::run);
}
