// Second-order dependency parsing as a factor graph [Martins10, figs. 1 and 3]. Variables: one for each arc; with
// flows, f(a, k) says that arc a is on the way from the root to word k, and p(i, k) that k descends from i. Seeds are
// left out, as in the paper's appendix B: p(0, k) = p(k, k) = 1, no flow to k through arcs out of k, and f((h, k), k) =
// arc (h, k). Size: arcs + pairs, and with flows n x arcs.
#include "base/check.hpp"
#include "factor/factors/head.hpp"
#include "kirchhoff/dependency_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

namespace kirchhoff {
namespace {

bool exists(const MatrixRef& scores, int head, int dependent) {
  return dependent != 0 && head != dependent && scores(head, dependent) != -HUGE_VAL;
}

std::vector<Arc> arcs_of(const MatrixRef& scores) {
  std::vector<Arc> arcs;
  for (int d = 1; d < scores.cols(); ++d) {
    for (int h = 0; h < scores.rows(); ++h) {
      if (exists(scores, h, d)) arcs.push_back({h, d});
    }
  }
  return arcs;
}

class Builder {
 public:
  explicit Builder(const DependencyModel& model)
      : model_(model), words_(base::check_square("dependency_graph", "scores", model.scores)) {
    result_.words = words_;
    arc_at_.assign(static_cast<std::size_t>(words_ + 1) * (words_ + 1), -1);
    for (const Arc arc : arcs_of(model.scores)) {
      arc_at_[cell(arc)] = static_cast<int>(result_.arcs.size());
      result_.arcs.push_back({arc, graph().add_variable(model.scores(arc.head, arc.dependent))});
    }
  }

  DependencyGraph build() {
    if (model_.form == TreeForm::factor) graph().add_tree(words_, result_.arcs, model_.root);
    if (model_.form == TreeForm::flow || !model_.non_projective.empty()) add_flows();
    for (const ArcPair& pair : model_.pairs) {
      const auto a = literal(pair.first);
      const auto b = literal(pair.second);
      if (a && b) graph().add_pair(*a, *b, pair.score);
    }
    if (model_.form == TreeForm::factor) {
      add_heads();
    } else {
      for (const ArcPair& pair : model_.consecutive_siblings) add_consecutive(pair);
    }
    for (const ArcScore& arc : model_.non_projective) add_non_projective(arc);
    return std::move(result_);
  }

 private:
  FactorGraph& graph() { return result_.graph; }
  std::size_t cell(Arc arc) const { return static_cast<std::size_t>(arc.head) * (words_ + 1) + arc.dependent; }

  /// Nothing for an arc that is left out.
  std::optional<Literal> literal(Arc arc) const {
    base::check_arc("dependency_graph", arc, words_);
    const int at = arc_at_[cell(arc)];
    if (at < 0) return {};
    return result_.arcs[at].literal;
  }

  /// The arc's variable that says that it carries flow to word k, if it can.
  std::optional<Literal> flow(int arc, int k) const {
    const auto [head, dependent] = result_.arcs[arc].arc;
    if (head == k) return {};
    if (dependent == k) return result_.arcs[arc].literal;
    return flows_[static_cast<std::size_t>(arc) * (words_ + 1) + k];
  }

  Literal path(int from, int k) const { return *paths_[cell({from, k})]; }

  void add_flows() {
    const int arcs = static_cast<int>(result_.arcs.size());
    for (int d = 1; d <= words_; ++d) {  // eq. 16
      Literals heads;
      for (const TreeArc& arc : result_.arcs) {
        if (arc.arc.dependent == d) heads.push_back(arc.literal);
      }
      if (heads.empty()) {
        base::input_error("dependency_graph", "scores: word " + std::to_string(d) + " has no arc into it");
      }
      graph().add_xor(heads);
    }
    if (model_.root == Root::single) {
      Literals children;
      for (const TreeArc& arc : result_.arcs) {
        if (arc.arc.head == 0) children.push_back(arc.literal);
      }
      if (children.empty()) base::input_error("dependency_graph", "scores: no arc from the root");
      graph().add_xor(children);
    }
    flows_.resize(static_cast<std::size_t>(arcs) * (words_ + 1));
    paths_.resize(arc_at_.size());
    for (int k = 1; k <= words_; ++k) {
      for (int i = 1; i <= words_; ++i) {
        if (i != k) paths_[cell({i, k})] = graph().add_variable();
      }
      for (int a = 0; a < arcs; ++a) {
        const auto [head, dependent] = result_.arcs[a].arc;
        if (head == k || dependent == k) continue;
        const Literal f = graph().add_variable();
        flows_[static_cast<std::size_t>(a) * (words_ + 1) + k] = f;
        graph().add_imply(f, result_.arcs[a].literal);  // eq. 17
      }
      add_conservation(k);
    }
  }

  void add_conservation(int k) {
    std::vector<Literals> in(static_cast<std::size_t>(words_) + 1);
    std::vector<Literals> out(in.size());
    for (int a = 0; a < static_cast<int>(result_.arcs.size()); ++a) {
      const auto f = flow(a, k);
      if (!f) continue;
      in[result_.arcs[a].arc.dependent].push_back(*f);
      out[result_.arcs[a].arc.head].push_back(*f);
    }
    if (out[0].empty()) base::input_error("dependency_graph", "scores: no arc from the root");
    graph().add_xor(out[0]);  // p(0, k) = 1
    for (int m = 1; m <= words_; ++m) {
      if (m == k) continue;
      graph().add_xor_out(in[m], path(m, k));   // eq. 18
      graph().add_xor_out(out[m], path(m, k));  // eq. 19
    }
  }

  /// The pair is of two children on one side of a head.
  static void check_consecutive(const ArcPair& pair) {
    const int head = pair.first.head;
    const int low = std::min(pair.first.dependent, pair.second.dependent);
    const int high = std::max(pair.first.dependent, pair.second.dependent);
    if (pair.second.head != head || low == high || (low < head && head < high)) {
      base::input_error("dependency_graph", "consecutive_siblings: not two children on one side of a head");
    }
  }

  /// A HEAD factor for each side of a head that has consecutive siblings.
  void add_heads() {
    std::map<std::pair<int, bool>, std::vector<const ArcPair*>> pairs;  // by head, and whether they are on the right
    for (const ArcPair& pair : model_.consecutive_siblings) {
      check_consecutive(pair);
      if (literal(pair.first) && literal(pair.second)) {
        pairs[{pair.first.head, pair.first.dependent > pair.first.head}].push_back(&pair);
      }
    }
    for (const auto& [where, scored] : pairs) {
      const auto [head, is_right] = where;
      HeadAutomaton automaton;
      std::vector<std::size_t> place(static_cast<std::size_t>(words_) + 1, 0);
      for (int d = head; is_right ? d <= words_ : d >= 1; d += is_right ? 1 : -1) {
        if (d == head || !literal({head, d})) continue;
        automaton.right.push_back(*literal({head, d}));
        place[d] = automaton.right.size();
      }
      const std::size_t k = automaton.right.size();
      automaton.right_siblings.assign(factor::transitions(k), 0.0);
      for (const ArcPair* pair : scored) {
        const auto [near, far] = std::minmax(place[pair->first.dependent], place[pair->second.dependent]);
        automaton.right_siblings[factor::transition(k, near, far)] += pair->score;
      }
      graph().add_head(automaton);
    }
  }

  /// c = a and b and no child between them: not c = not a or not b or some arc between.
  void add_consecutive(const ArcPair& pair) {
    check_consecutive(pair);
    const int head = pair.first.head;
    const int low = std::min(pair.first.dependent, pair.second.dependent);
    const int high = std::max(pair.first.dependent, pair.second.dependent);
    const auto a = literal(pair.first);
    const auto b = literal(pair.second);
    if (!a || !b) return;
    Literals broken = {!*a, !*b};
    for (int d = low + 1; d < high; ++d) {
      if (const auto between = literal({head, d})) broken.push_back(*between);
    }
    graph().add_or_out(broken, !Literal(graph().add_variable(pair.score)));
  }

  /// n = z and (some word between does not descend from the head) [Martins10, section 4.2].
  void add_non_projective(const ArcScore& scored) {
    const auto z = literal(scored.arc);
    const int head = scored.arc.head;
    if (!z || head == 0) return;  // every word descends from the root
    Literals outside;
    for (int j = std::min(head, scored.arc.dependent) + 1; j < std::max(head, scored.arc.dependent); ++j) {
      outside.push_back(!path(head, j));
    }
    if (outside.empty()) return;
    const Literal some = graph().add_variable();
    graph().add_or_out(outside, some);
    graph().add_or_out({!*z, !some}, !Literal(graph().add_variable(scored.score)));
  }

  const DependencyModel& model_;
  int words_;
  DependencyGraph result_;
  std::vector<int> arc_at_;                    // by cell; -1: left out
  std::vector<std::optional<Literal>> flows_;  // by arc and word
  std::vector<std::optional<Literal>> paths_;  // by cell
};

template <class Together>
std::vector<ArcPair> pairs_where(const MatrixRef& scores, Together together) {
  base::check_square("pairs", "scores", scores);
  const std::vector<Arc> arcs = arcs_of(scores);
  std::vector<ArcPair> pairs;
  for (const Arc a : arcs) {
    for (const Arc b : arcs) {
      if (together(a, b)) pairs.push_back({a, b, 0.0});
    }
  }
  return pairs;
}

}  // namespace

DependencyGraph dependency_graph(const DependencyModel& model) { return Builder(model).build(); }

Heads heads_of(const DependencyGraph& graph, const Assignment& assignment) {
  if (static_cast<int>(assignment.size()) != graph.graph.variables()) {
    base::input_error("heads_of", "assignment: not one value for each variable");
  }
  Heads heads(static_cast<std::size_t>(graph.words) + 1, -1);
  int count = 0;
  for (const TreeArc& arc : graph.arcs) {
    if (!assignment[arc.literal.variable]) continue;
    heads[arc.arc.dependent] = arc.arc.head;
    ++count;
  }
  if (count != graph.words || std::count(heads.begin(), heads.end(), -1) != 1) {
    base::input_error("heads_of", "assignment: not one head for each word");
  }
  return heads;
}

std::vector<ArcPair> sibling_pairs(const MatrixRef& scores) {
  return pairs_where(scores, [](Arc a, Arc b) { return a.head == b.head && a.dependent < b.dependent; });
}

std::vector<ArcPair> grandparent_pairs(const MatrixRef& scores) {
  return pairs_where(scores, [](Arc a, Arc b) { return a.dependent == b.head && a.head != b.dependent; });
}

std::vector<ArcPair> head_bigram_pairs(const MatrixRef& scores) {
  return pairs_where(scores, [](Arc a, Arc b) { return b.dependent == a.dependent + 1; });
}

}  // namespace kirchhoff
