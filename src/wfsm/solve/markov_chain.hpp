// The Markov chain that draws the trajectories of a solved machine.
//
// With e_v the total weight of the paths from node v to the sink, p_t = w_t e_j / e_i is the probability that a
// trajectory at i goes on with arc t to j; the p_t of a node sum to 1. W* and P* = (I - P)^-1 differ by e only:
// W*_jk = P*_jk e_j / e_k, and P*_jk is the expected number of visits to k from j: nothing can overflow, and P* needs
// no subtraction because what leaves a state is known as a sum [GTH85]. All inference is done with P.
#pragma once

#include "numeric/extended.hpp"
#include "wfsm/machine/trim_graph.hpp"
#include "wfsm/solve/component_elimination.hpp"

#include <vector>

namespace kirchhoff::wfsm {

inline constexpr double kEpsilonOfSum = 7e-16;  ///< what three roundings may do to the sum of a node's p_t

class MarkovChain {
 public:
  MarkovChain() = default;
  MarkovChain(TrimGraph graph, std::vector<double> p, std::vector<numeric::Extended> total);

  const TrimGraph& graph() const { return graph_; }
  /// The probability of each arc of the graph.
  const std::vector<double>& p() const { return p_; }
  /// The expected number of visits to each node.
  const std::vector<double>& visits() const { return visits_; }
  /// e_v, the total weight of the paths from each node to the sink.
  const std::vector<numeric::Extended>& total() const { return total_; }
  /// log(e_b / e_a).
  double log_ratio(int a, int b) const { return log(total_[b] / total_[a]); }

  /// x := P* x (backward) and x := x P* (forward), where x has one number for each node. They cost O(arcs between
  /// components) and the solves inside.
  void backward(double* x) const;
  void forward(double* x) const;

 private:
  void eliminate(int component);

  TrimGraph graph_;
  std::vector<double> p_;
  std::vector<numeric::Extended> total_;
  std::vector<double> leave_;     ///< where a component has one state, the probability of leaving it
  std::vector<int> elimination_;  ///< the number of each component's elimination, -1 when it has one state
  std::vector<ComponentElimination<double>> eliminations_;
  std::vector<double> visits_;
};

/// Writes the off-diagonal rows of a component's matrix and its diagonal: the sums of value(arc) of the arcs inside.
template <class T, class Value>
void component_rows(const TrimGraph& graph, int component, Value value, typename ComponentElimination<T>::Rows& rows,
                    std::vector<T>& diagonal) {
  const int first = graph.first[component], size = graph.first[component + 1] - first;
  rows.resize(size);
  diagonal.assign(size, T{});
  std::vector<int> position(size, -1);
  for (int i = 0; i < size; ++i) {
    for (std::size_t a = graph.begin[first + i]; a < graph.begin[first + i + 1]; ++a) {
      if (!graph.inside(a)) continue;
      const int j = graph.arcs[a].to - first;
      if (i == j) {
        diagonal[i] = diagonal[i] + value(a);
      } else if (position[j] >= 0) {
        T& sum = rows[i][position[j]].value;
        sum = sum + value(a);
      } else {
        position[j] = static_cast<int>(rows[i].size());
        rows[i].push_back({j, value(a)});
      }
    }
    for (const auto& entry : rows[i]) position[entry.index] = -1;
  }
}

}  // namespace kirchhoff::wfsm
