// Trees by decreasing score: the trees that are left are split by one arc at a time, the best part first [Camerini80,
// Zmigrod21k].
//
// A part of all trees is given by arcs that are required and arcs that are excluded. Its best tree A has been handed
// out, and of its second best we know the score and an arc e of A that it lacks. When that one is the next best
// overall, the part splits into the trees without e, whose best tree it is, and the trees with e, whose best is still
// A. Should solving it give another tree B, of equal score, then B is its second best: so no tree comes twice, whatever
// the rounding. Each tree takes two contractions; every word's best heads are ranked once, and only words with excluded
// arcs are looked at anew. O(n^2) for each tree.
#include "base/check.hpp"
#include "decode/constraints.hpp"
#include "decode/contraction.hpp"
#include "decode/labels.hpp"
#include "kirchhoff/decode.hpp"
#include "numeric/sum.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <utility>

namespace kirchhoff {
namespace {

constexpr int kRanked = 4;  // heads of a word kept in order; if none of them fits, all are looked at
constexpr int kAll = -1;    // the part with all trees

/// A part is its parent with one arc more required or excluded.
struct Part {
  int parent = kAll;
  Arc arc;
  bool required = false;
};

struct Candidate {
  double score = 0.0;  ///< the score of the part's second best tree
  int part = kAll;
  Arc arc;  ///< an arc of the part's best tree that its second best lacks
  std::shared_ptr<const Heads> best;
  std::size_t serial = 0;
};

struct Worse {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.score != b.score ? a.score < b.score : a.serial > b.serial;
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
  double& cell(Arc arc) { return storage.data()[arc.dependent * columns.stride + arc.head]; }
  void rank_heads(int word);
  void start(const MatrixRef& scores);
  decode::LabelChoice after(Arc arc);
  void exclude(Arc arc);
  void apply(int part);
  void restore();
  int best_head(int word) const;
  double elsewhere(int word) const;
  double parallel(int word);
  double score() const;
  bool solve(int part);
  void push_second_best(int part);
  void push_other_best(int part, const Heads& best);
  Tree tree() const;

  int n = 0;
  Root root;
  base::Buffer storage;
  decode::Columns columns;  // in `storage`, for the part at hand
  LabelledMatrix labelled_scores;
  std::vector<int> label;  // at dependent * (n+1) + head, for the part at hand
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
  n = base::check_square("KBestTrees", "scores", scores);
  base::check_scores("KBestTrees", scores);
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
  columns = decode::read_scores(scores, root, storage, contraction.start(n)).columns;
  ranked.resize(size);
  changed.assign(size, 0);
  for (int word = 1; word <= n; ++word) rank_heads(word);
  if (!solve(kAll)) tree::require_feasible(scores, root);  // throws, and says why there is no tree
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
  const double* scores = columns.of(word);
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

int KBestTrees::State::best_head(int word) const {
  if (!changed[word]) return ranked[word][0];
  return decode::best_of_column(columns.stride, columns.of(word), root == Root::single ? 1 : 0);
}

double KBestTrees::State::elsewhere(int word) const {
  const int head = contraction.heads()[word];
  const int lowest = root == Root::single ? 1 : 0;
  const double* scores = columns.of(word);
  for (int r = 0; r < kRanked && !changed[word]; ++r) {
    const int h = ranked[word][r];
    if (h < lowest) return -HUGE_VAL;  // there are no more
    if (h != head && !contraction.below(h, word)) return scores[h];
  }
  double best = -HUGE_VAL;
  for (int h = lowest; h <= n; ++h) {
    if (scores[h] > best && h != head && !contraction.below(h, word)) best = scores[h];
  }
  return best;
}

double KBestTrees::State::parallel(int word) {
  return labelled() ? after({contraction.heads()[word], word}).score : -HUGE_VAL;
}

/// Finds the part's best tree, and leaves the part applied.
bool KBestTrees::State::solve(int part) {
  std::vector<decode::ContractionNode>& nodes = contraction.start(n);
  apply(part);
  const std::vector<int>& fixed = contraction.fixed();
  for (int word = 1; word <= n; ++word) {
    const int head = fixed[word] >= 0 ? fixed[word] : best_head(word);
    nodes[word].head = head;
    if (head >= 0) nodes[word].weight = columns(head, word);
  }
  return contraction.run(columns, root);
}

double KBestTrees::State::score() const {
  numeric::Sum sum;
  for (int d = 1; d <= n; ++d) sum.add(columns(contraction.heads()[d], d));
  return sum.value();
}

void KBestTrees::State::push_second_best(int part) {
  const decode::Deviation deviation = contraction.best_deviation([this](int word) { return elsewhere(word); },
                                                                 [this](int word) { return parallel(word); });
  if (deviation.loss == HUGE_VAL) return;
  queue.push(
      {score() - deviation.loss, part, deviation.arc, std::make_shared<const Heads>(contraction.heads()), serial++});
}

/// The part's best tree has been handed out, and the contraction has found another that is as good.
void KBestTrees::State::push_other_best(int part, const Heads& best) {
  int word = 1;
  while (best[word] == contraction.heads()[word]) ++word;
  queue.push({score(), part, {best[word], word}, std::make_shared<const Heads>(best), serial++});
}

Tree KBestTrees::State::tree() const {
  Tree result;
  result.heads = contraction.heads();
  if (labelled()) result.labels.assign(n + 1, 0);
  for (int d = 1; d <= n && labelled(); ++d) result.labels[d] = label[d * (n + 1) + result.heads[d]];
  result.score = score();
  return result;
}

std::optional<Tree> KBestTrees::State::next() {
  if (first) return std::exchange(first, std::nullopt);
  if (to_split) {
    parts.push_back({to_split->part, to_split->arc, true});
    const int with = static_cast<int>(parts.size()) - 1;
    const Heads& best = *to_split->best;
    if (solve(with)) contraction.heads() == best ? push_second_best(with) : push_other_best(with, best);
    restore();
    to_split.reset();
  }
  if (queue.empty()) return std::nullopt;
  to_split = queue.top();
  queue.pop();
  parts.push_back({to_split->part, to_split->arc, false});
  const int without = static_cast<int>(parts.size()) - 1;
  std::optional<Tree> result;
  if (solve(without)) {
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
