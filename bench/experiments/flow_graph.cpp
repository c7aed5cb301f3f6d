// Appendix B of [Martins10]: belief propagation on the flow graph of two words, under each schedule and damping.
//
//   flow_graph
//
// All scores are 0, so the three trees are equally likely: the arcs from the root have probability 2/3, those between
// the words 1/3, and the entropy is log 3. Besides the uniform start there are starts with small random messages.
#include "experiments/measuring.hpp"

#include <kirchhoff/dependency_graph.hpp>
#include <kirchhoff/solve.hpp>

#include <cstdio>
#include <random>

namespace kirchhoff {
namespace {

constexpr int kStarts = 5;  // The first is uniform.

DependencyGraph two_words(TreeForm form) {
  return dependency_graph({Matrix::Zero(3, 3), Root::multi, {}, {}, {}, form});
}

double marginal(const DependencyGraph& graph, const std::vector<double>& marginals, Arc wanted) {
  for (const TreeArc& arc : graph.arcs) {
    if (arc.arc.head == wanted.head && arc.arc.dependent == wanted.dependent) {
      return marginals[static_cast<std::size_t>(arc.literal.variable)];
    }
  }
  throw std::logic_error("the graph has no such arc");
}

void print(const DependencyGraph& graph, const char* form, const char* solver, double damping, int start,
           const std::string& status, int iterations, const std::vector<double>& p, double entropy) {
  std::printf("%s,%s,%g,%d,%s,%d,%.6f,%.6f,%.6f,%.6f,%.6f\n", form, solver, damping, start, status.c_str(), iterations,
              marginal(graph, p, {0, 1}), marginal(graph, p, {0, 2}), marginal(graph, p, {1, 2}),
              marginal(graph, p, {2, 1}), entropy);
}

void propagate(const DependencyGraph& graph, const char* form, Schedule schedule, double damping, int start) {
  BpOptions options;
  options.schedule = schedule;
  options.damping = damping;
  options.max_iterations = 10000;
  std::mt19937_64 random(static_cast<std::uint64_t>(start));
  if (start > 0) {
    for (int e = 0; e < graph.graph.edges(); ++e) {
      options.start.push_back(std::uniform_real_distribution<double>(-0.1, 0.1)(random));
    }
  }
  const BpResult result = solve_bp(graph.graph, options);
  print(graph, form, std::string(to_string(schedule)).c_str(), damping, start, std::string(to_string(result.status)),
        result.iterations, result.marginals, result.bethe_entropy);
}

void run() {
  std::puts("graph,solver,damping,start,status,iterations,p01,p02,p12,p21,bethe_entropy");
  const DependencyGraph flow = two_words(TreeForm::flow), tree = two_words(TreeForm::factor);
  const ExactResult exact = solve_exact(flow.graph);
  print(flow, "flow", "exact", 0.0, 0, std::string(to_string(exact.status)), 0, exact.marginals, exact.bethe_entropy);
  propagate(tree, "tree", Schedule::sequential, 0.0, 0);
  for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual}) {
    for (const double damping : {0.0, 0.5, 0.9}) {
      for (int start = 0; start < kStarts; ++start) propagate(flow, "flow", schedule, damping, start);
    }
  }
}

}  // namespace
}  // namespace kirchhoff

int main(int, char** argv) { return kirchhoff::bench::report_errors(argv[0], kirchhoff::run); }
