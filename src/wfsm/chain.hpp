// A solved machine: the Markov chain that draws its trajectories.
//
// With e_v the total weight of the paths from node v to the sink, p_t = w_t e_j / e_i is the probability that a
// trajectory at i goes on with arc t to j; the p_t of a node sum to 1. W* and P* = (I - P)^-1 differ by e only:
// W*_jk = P*_jk e_j / e_k, and P*_jk is the expected number of visits to k from j: nothing can overflow, and P* needs
// no subtraction because what leaves a state is known as a sum [GTH85]. All inference is done with P.
#pragma once

#include "numeric/scaled.hpp"
#include "wfsm/factor.hpp"
#include "wfsm/graph.hpp"

#include <vector>

namespace kirchhoff::wfsm {

class Chain {
 public:
  Chain() = default;
  Chain(Graph graph, std::vector<double> p, std::vector<numeric::Scaled> total);

  const Graph& graph() const { return graph_; }
  /// Of each arc of the graph.
  const std::vector<double>& p() const { return p_; }
  /// Expected visits to each node.
  const std::vector<double>& visits() const { return visits_; }
  /// e of each node.
  const std::vector<numeric::Scaled>& total() const { return total_; }
  /// log(e_b / e_a).
  double log_ratio(int a, int b) const { return log(total_[b] / total_[a]); }

  /// x := P* x and x := x P*, one number for each node. O(arcs between components) and the solves inside.
  void backward(double* x) const;
  void forward(double* x) const;

 private:
  void factorise(int component);

  Graph graph_;
  std::vector<double> p_;
  std::vector<numeric::Scaled> total_;
  std::vector<double> leave_;  ///< of a component with one state: the probability of leaving it
  std::vector<int> factor_;    ///< of each component, -1 when it has one state
  std::vector<Factor<double>> factors_;
  std::vector<double> visits_;
};

/// The off-diagonal rows of a component's matrix, and its diagonal; value(arc) of the arcs inside, added up.
template <class T, class Value>
void component_rows(const Graph& graph, int component, Value value, typename Factor<T>::Rows& rows,
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
