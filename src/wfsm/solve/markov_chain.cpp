// Solving with I - P, component by component.
#include "wfsm/solve/markov_chain.hpp"

namespace kirchhoff::wfsm {

MarkovChain::MarkovChain(TrimGraph graph, std::vector<double> p, std::vector<numeric::Extended> total)
    : graph_(std::move(graph)), p_(std::move(p)), total_(std::move(total)) {
  leave_.assign(graph_.nodes(), 1.0);
  elimination_.assign(graph_.components(), -1);
  for (int c = 0; c < graph_.components(); ++c) {
    if (graph_.cyclic[c]) eliminate(c);
  }
  visits_.assign(graph_.nodes(), 0.0);
  visits_[graph_.source()] = 1.0;
  forward(visits_.data());
}

void MarkovChain::eliminate(int component) {
  const int first = graph_.first[component], size = graph_.first[component + 1] - first;
  std::vector<double> exits(size, 0.0);
  for (int i = 0; i < size; ++i) {
    for (std::size_t a = graph_.begin[first + i]; a < graph_.begin[first + i + 1]; ++a) {
      if (!graph_.inside(a)) exits[i] += p_[a];
    }
  }
  if (size == 1) {
    leave_[first] = exits[0];
    return;
  }
  ComponentElimination<double>::Rows rows;
  std::vector<double> diagonal;  // not needed: it follows from the rest
  component_rows<double>(
      graph_, component, [&](std::size_t a) { return p_[a]; }, rows, diagonal);
  elimination_[component] = static_cast<int>(eliminations_.size());
  eliminations_.emplace_back(std::move(rows), std::move(exits), Pivot::exits);
}

void MarkovChain::backward(double* x) const {
  for (int c = graph_.components(); c-- > 0;) {
    const int first = graph_.first[c], last = graph_.first[c + 1];
    for (int v = first; v < last; ++v) {
      for (std::size_t a = graph_.begin[v]; a < graph_.begin[v + 1]; ++a) {
        const int to = graph_.arcs[a].to;
        if (to >= last) x[v] += p_[a] * x[to];
      }
    }
    elimination_[c] >= 0 ? eliminations_[elimination_[c]].solve_column(x + first) : void(x[first] /= leave_[first]);
  }
}

void MarkovChain::forward(double* x) const {
  for (int c = 0; c < graph_.components(); ++c) {
    const int first = graph_.first[c], last = graph_.first[c + 1];
    elimination_[c] >= 0 ? eliminations_[elimination_[c]].solve_row(x + first) : void(x[first] /= leave_[first]);
    for (int v = first; v < last; ++v) {
      if (x[v] == 0.0) continue;
      for (std::size_t a = graph_.begin[v]; a < graph_.begin[v + 1]; ++a) {
        const int to = graph_.arcs[a].to;
        if (to >= last) x[to] += x[v] * p_[a];
      }
    }
  }
}

}  // namespace kirchhoff::wfsm
