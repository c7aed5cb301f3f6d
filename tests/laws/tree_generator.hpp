// A RapidCheck generator of feasible graphs of every kind, from mild to peaked, that shrinks towards small mild ones.
#pragma once

#include "support/graphs.hpp"

#include <rapidcheck.h>

namespace kirchhoff::laws {

struct ScoredGraph {
  Matrix scores;
  Root root;
};

inline void showValue(const ScoredGraph& graph, std::ostream& os) {
  os << graphs::name(graph.root) << "\n" << graph.scores;
}

inline Root any_root() { return *rc::gen::element(Root::single, Root::multi); }

/// Scores N(0, s^2); a part of the arcs impossible. The seed makes the numbers, so that shrinking keeps them sensible.
inline Matrix any_scores(int words) {
  const double s = *rc::gen::element(1.0, 0.1, 5.0, 30.0, 200.0);
  const double density = *rc::gen::element(1.0, 0.7, 0.4);
  graphs::Random random(*rc::gen::inRange<unsigned>(0, 1000000));
  return graphs::masked_feasible(graphs::normal(words, s, random), density, random);
}

inline int any_size(int max_words = 12) { return *rc::gen::inRange(1, max_words + 1); }

inline ScoredGraph any_graph(int max_words = 12) { return {any_scores(any_size(max_words)), any_root()}; }

/// RapidCheck's assertions take a bool: |a - b| <= tolerance.
inline bool near(double a, double b, double tolerance) { return a == b || std::abs(a - b) <= tolerance; }

inline bool near(const Matrix& a, const Matrix& b, double relative, double absolute) {
  for (Eigen::Index k = 0; k < a.size(); ++k)
    if (!near(a.data()[k], b.data()[k], relative * std::abs(b.data()[k]) + absolute)) return false;
  return a.size() == b.size();
}

}  // namespace kirchhoff::laws
