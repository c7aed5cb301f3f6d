// Trees by decreasing score: split the trees left by one arc at a time, best part first [Camerini80, Zmigrod21k].
//
// A part of all trees is given by arcs that are required and arcs that are excluded. Its best tree A has been handed
// out, and of its second best we know the score and an arc e of A that it lacks. When that one is the next best
// overall, the part splits into the trees without e, whose best tree it is, and the trees with e, whose best is still
// A (equal scores are decided in favour of A). Two contractions for each tree; every word's best heads are ranked once,
// and only words with excluded arcs are looked at anew. O(n^2) for each tree.
#include "core/check.hpp"
#include "core/sum.hpp"
#include "decode/column_max.hpp"
#include "decode/constraints.hpp"
#include "decode/contraction.hpp"
#include "decode/labels.hpp"
#include "kirchhoff/decode.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <utility>

namespace kirchhoff {
namespace {

using decode::Weight;

constexpr int kRanked = 4;  // heads of a word kept in order; if none of them fits, all are looked at
constexpr int kAll = -1;    // the part with all trees

/// A part: its parent with one arc more required or excluded.
struct Part {
  int parent = kAll;
  Arc arc;
  bool required = false;
};

struct Candidate {
  Weight total;  ///< of the part's second best tree
  int part = kAll;
  Arc arc;  ///< in the part's best tree, not in its second best
  std::shared_ptr<const Heads> best;
  std::size_t serial = 0;
};

struct Worse {
  bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.total.high != b.total.high) return a.total.high < b.total.high;
    if (a.total.low != b.total.low) return a.total.low < b.total.low;
    return a.serial > b.serial;
  }
};

/// A cell of the score table before it was changed for a part.
struct Undo {
  Arc arc;
  double score = 0.0;
  int label = 0;
};

}  // namespace

struct KBestTrees::State {
  State(const MatrixRef& scores, Root root_mode);
  State(const LabelledMatrix& scores, Root root_mode)
      : State(decode::best_labels("KBestTrees", scores), scores, root_mode) {}
  State(decode::BestLabels best, const LabelledMatrix& scores, Root root_mode);

  std::optional<Tree> next();

 private:
  bool labelled() const { return !label.empty(); }
  double& cell(Arc arc) { return columns(arc.dependent, arc.head); }
  Weight weight(Arc arc, double score) const { return contraction.weight(arc.head, arc.dependent, score); }
  void rank_heads(int word);
  void start(const MatrixRef& scores);
  decode::LabelChoice after(Arc arc);
  void exclude(Arc arc);
  void apply(int part);
  void restore();
  int scan(int word, const Heads* tree) const;
  int best_head(int word, const Heads* preferred) const;
  Weight word_alternative(int word) const;
  Weight parallel(int word);
  bool solve(int part, const Heads* preferred);
  void push_second_best(int part);
  Tree tree() const;

  int n = 0;
  Root root;
  Matrix columns;  // (dependent, head), for the part at hand
  LabelledMatrix labelled_scores;
  std::vector<int> label;  // dependent * (n+1) + head, for the part at hand
  std::vector<std::array<int, kRanked>> ranked;
  std::vector<char> changed;  // words with excluded arcs
  std::vector<Undo> undo;
  std::vector<int> chain;
  decode::Contraction contraction;
  std::vector<Part> parts;
  std::priority_queue<Candidate, std::vector<Candidate>, Worse> queue;
  std::optional<Tree> first;
  std::optional<Candidate> to_split;  // its part with the arc has not been solved yet
  std::size_t serial = 0;
};

KBestTrees::State::State(const MatrixRef& scores, Root root_mode) : root(root_mode) {
  n = core::check_square("KBestTrees", "scores", scores);
  decode::check_scores("KBestTrees", scores);
  start(scores);
}

KBestTrees::State::State(decode::BestLabels best, const LabelledMatrix& scores, Root root_mode)
    : n(scores.words()), root(root_mode), labelled_scores(scores), label(best.labels.size()) {
  for (int head = 0; head <= n; ++head) {
    for (int d = 0; d <= n; ++d) label[d * (n + 1) + head] = best.labels[head * (n + 1) + d];
  }
  start(best.scores);
}

void KBestTrees::State::start(const MatrixRef& scores) {
  const std::size_t size = static_cast<std::size_t>(n) + 1;
  columns = scores.transpose();
  columns.diagonal().setConstant(-HUGE_VAL);
  ranked.resize(size);
  changed.assign(size, 0);
  for (int word = 1; word <= n; ++word) rank_heads(word);
  if (!solve(kAll, nullptr)) {
    tree::require_feasible(scores, root);  // says why
    throw Infeasible("no tree");
  }
  first = tree();
  push_second_best(kAll);
  restore();
}

/// The best heads in order, -1 after the last possible one. For single-root, the root comes after all words.
void KBestTrees::State::rank_heads(int word) {
  std::array<int, kRanked>& best = ranked[word];
  std::array<double, kRanked> top;
  best.fill(-1);
  top.fill(-HUGE_VAL);
  const auto insert = [&](int head, double score) {
    int at = kRanked - 1;
    for (; at > 0 && score > top[at - 1]; --at) {
      top[at] = top[at - 1];
      best[at] = best[at - 1];
    }
    top[at] = score;
    best[at] = head;
  };
  const double* scores = columns.data() + static_cast<std::ptrdiff_t>(word) * (n + 1);
  for (int head = root == Root::single ? 1 : 0; head <= n; ++head) {
    if (scores[head] > top[kRanked - 1]) insert(head, scores[head]);
  }
  if (root == Root::multi || scores[0] == -HUGE_VAL) return;
  const auto free = std::find(best.begin(), best.end(), -1);
  if (free != best.end()) *free = 0;
}

decode::LabelChoice KBestTrees::State::after(Arc arc) {
  if (!labelled()) return {-1, -HUGE_VAL};
  return decode::next_label(labelled_scores, arc, {label[arc.dependent * (n + 1) + arc.head], cell(arc)});
}

/// Takes the arc with its present label away; its next label takes the place, if there is one.
void KBestTrees::State::exclude(Arc arc) {
  int* const present = labelled() ? &label[arc.dependent * (n + 1) + arc.head] : nullptr;
  const decode::LabelChoice next = after(arc);
  undo.push_back({arc, cell(arc), present ? *present : 0});
  cell(arc) = next.score;
  if (present) *present = next.label;
  changed[arc.dependent] = 1;
}

void KBestTrees::State::apply(int part) {
  chain.clear();
  for (; part != kAll; part = parts[part].parent) chain.push_back(part);
  for (auto id = chain.rbegin(); id != chain.rend(); ++id) {
    const Part& p = parts[*id];
    p.required ? void(contraction.fixed()[p.arc.dependent] = p.arc.head) : exclude(p.arc);
  }
}

void KBestTrees::State::restore() {
  for (; !undo.empty(); undo.pop_back()) {
    const Undo& u = undo.back();
    cell(u.arc) = u.score;
    if (labelled()) label[u.arc.dependent * (n + 1) + u.arc.head] = u.label;
    changed[u.arc.dependent] = 0;
  }
}

/// The best head of all; with a tree, of those that are neither the word's head nor below it.
int KBestTrees::State::scan(int word, const Heads* tree) const {
  int best = -1;
  Weight top;
  const double* scores = columns.data() + static_cast<std::ptrdiff_t>(word) * (n + 1);
  for (int head = 0; head <= n; ++head) {
    if (scores[head] == -HUGE_VAL) continue;
    if (tree != nullptr && ((*tree)[word] == head || contraction.below(head, word))) continue;
    const Weight w = weight({head, word}, scores[head]);
    if (!better(w, top)) continue;
    best = head;
    top = w;
  }
  return best;
}

int KBestTrees::State::best_head(int word, const Heads* preferred) const {
  if (changed[word]) return scan(word, nullptr);
  const int best = ranked[word][0];
  if (preferred == nullptr || best < 0) return best;
  const int other = (*preferred)[word];
  const bool same_kind = root == Root::multi || (best == 0) == (other == 0);
  return same_kind && columns(word, other) == columns(word, best) ? other : best;
}

Weight KBestTrees::State::word_alternative(int word) const {
  const Heads& heads = contraction.heads();
  int head = -1;
  bool more = true;
  for (int r = 0; r < kRanked && head < 0 && more && !changed[word]; ++r) {
    const int h = ranked[word][r];
    more = h >= 0;
    if (more && h != heads[word] && !contraction.below(h, word)) head = h;
  }
  if (head < 0 && more) head = scan(word, &heads);
  return head < 0 ? Weight{} : weight({head, word}, columns(word, head));
}

Weight KBestTrees::State::parallel(int word) {
  if (!labelled()) return {};
  const Arc arc{contraction.heads()[word], word};
  const double score = after(arc).score;
  return score == -HUGE_VAL ? Weight{} : weight(arc, score);
}

/// Leaves the part applied.
bool KBestTrees::State::solve(int part, const Heads* preferred) {
  std::vector<int>& heads = contraction.start(n);
  apply(part);
  contraction.prefer(preferred);
  const std::vector<int>& fixed = contraction.fixed();
  for (int word = 1; word <= n; ++word) heads[word] = fixed[word] >= 0 ? fixed[word] : best_head(word, preferred);
  const decode::ArcScores scores{columns.data(), 1, n + 1, n, root};
  return contraction.run(scores, /*keep_columns=*/true) && (root == Root::multi || contraction.root_arcs() == 1);
}

void KBestTrees::State::push_second_best(int part) {
  const decode::Deviation deviation = contraction.best_deviation([this](int word) { return word_alternative(word); },
                                                                 [this](int word) { return parallel(word); });
  if (!deviation.loss.possible()) return;
  core::Sum sum;
  for (int d = 1; d <= n; ++d) sum.add(columns(d, contraction.heads()[d]));
  const core::TwoSum score(sum.high, sum.low);
  const Weight best{score.high, score.low, root == Root::single ? 1 : 0, 0};
  const Weight total = best - deviation.loss;
  if (root == Root::single && total.roots != 1) return;  // only trees with more root arcs are left
  queue.push({total, part, deviation.arc, std::make_shared<const Heads>(contraction.heads()), serial++});
}

Tree KBestTrees::State::tree() const {
  Tree result;
  result.heads = contraction.heads();
  if (labelled()) result.labels.assign(n + 1, 0);
  core::Sum sum;
  for (int d = 1; d <= n; ++d) {
    const int head = result.heads[d];
    sum.add(columns(d, head));
    if (labelled()) result.labels[d] = label[d * (n + 1) + head];
  }
  result.score = sum.value();
  return result;
}

std::optional<Tree> KBestTrees::State::next() {
  if (first) return std::exchange(first, std::nullopt);
  if (to_split) {
    parts.push_back({to_split->part, to_split->arc, true});
    const int with = static_cast<int>(parts.size()) - 1;
    if (solve(with, to_split->best.get())) push_second_best(with);
    restore();
    to_split.reset();
  }
  if (queue.empty()) return std::nullopt;
  to_split = queue.top();
  queue.pop();
  parts.push_back({to_split->part, to_split->arc, false});
  const int without = static_cast<int>(parts.size()) - 1;
  std::optional<Tree> result;
  if (solve(without, nullptr)) {
    result = tree();
    push_second_best(without);
  }
  restore();
  return result;
}

KBestTrees::KBestTrees(const MatrixRef& scores, Root root, const Constraints& constraints)
    : state_(constraints.empty()
                 ? std::make_unique<State>(scores, root)
                 : std::make_unique<State>(decode::constrain("KBestTrees", scores, root, constraints), root)) {}
KBestTrees::KBestTrees(const LabelledMatrix& scores, Root root, const Constraints& constraints)
    : state_(std::make_unique<State>(decode::constrain("KBestTrees", scores, root, constraints), root)) {}
KBestTrees::~KBestTrees() = default;
KBestTrees::KBestTrees(KBestTrees&&) noexcept = default;
KBestTrees& KBestTrees::operator=(KBestTrees&&) noexcept = default;

std::optional<Tree> KBestTrees::next() { return state_->next(); }

}  // namespace kirchhoff
