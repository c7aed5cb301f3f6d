// The best tag sequences: Viterbi's algorithm from the end, and a best-first search whose bound is exact.
//
// rest_t(i) is the best score of what follows tag i at position t. A prefix is as good as the best sequence that begins
// with it, and going on with tag j loses loss(i, j) = rest_t(i) - (s(i, j) + e(j) + rest_{t+1}(j)) >= 0: prefixes are
// taken by the sum of their losses, so that whole sequences come best first [Soong91].
#include "base/check.hpp"
#include "base/stop.hpp"
#include "chain/state.hpp"
#include "kirchhoff/chain_paths.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <string>

namespace kirchhoff {
namespace {

/// rest_t(i), less a constant for each position, so that sums stay as small as scores are.
Matrix best_rest(const ChainArrays& scores) {
  const int length = scores.length(), tags = scores.tags();
  Matrix rest = Matrix::Zero(length, tags);
  std::vector<double> next(tags);
  for (int t = length - 1; t > 0; --t) {
    double top = -HUGE_VAL;
    for (int j = 0; j < tags; ++j) {
      next[j] = scores.emission(t, j) + rest(t, j);
      top = std::max(top, next[j]);
    }
    if (top != -HUGE_VAL) {
      for (double& x : next) x -= top;
    }
    for (int i = 0; i < tags; ++i) {
      const double* const row = &scores.transitions(static_cast<Eigen::Index>(t - 1) * tags + i, 0);
      double best = -HUGE_VAL;
      for (int j = 0; j < tags; ++j) best = std::max(best, row[j] + next[j]);
      rest(t - 1, i) = best;
    }
  }
  return rest;
}

/// What going on from a tag, or beginning, with each tag loses; +inf if that is impossible.
class Losses {
 public:
  explicit Losses(const ChainArrays& scores) : scores_(scores), rest_(best_rest(scores)), loss_(scores.tags()) {}

  const std::vector<double>& at(int t, int from) {
    double best = -HUGE_VAL;
    for (int j = 0; j < scores_.tags(); ++j) {
      const double step = t == 0 ? 0.0 : scores_.transition(t, from, j);
      loss_[j] = step + (scores_.emission(t, j) + rest_(t, j));
      best = std::max(best, loss_[j]);
    }
    for (double& x : loss_) x = x == -HUGE_VAL ? HUGE_VAL : best - x;
    return loss_;
  }

 private:
  const ChainArrays& scores_;
  Matrix rest_;
  std::vector<double> loss_;
};

Tags viterbi(const ChainArrays& scores) {
  Losses losses(scores);
  Tags tags;
  for (int t = 0; t < scores.length(); ++t) {
    const std::vector<double>& loss = losses.at(t, t == 0 ? 0 : tags.back());
    tags.push_back(static_cast<int>(std::min_element(loss.begin(), loss.end()) - loss.begin()));
  }
  return tags;
}

TagSequence sequence_of(const ChainDistribution& p, Tags tags) {
  const double score = chain::score_of(p.scores(), tags).value(), log_prob = p.log_prob(tags);
  return {std::move(tags), score, log_prob};
}

/// Prefixes, each with the one before it.
struct Prefix {
  int tag, before, position;
};
struct Candidate {
  double loss;
  int position;
  std::size_t prefix;
  /// Of equals the longer one comes first, then the one that was found first.
  bool operator<(const Candidate& other) const {
    if (loss != other.loss) return loss > other.loss;
    return position != other.position ? position < other.position : prefix > other.prefix;
  }
};

}  // namespace

TagSequence best_tags(const ChainDistribution& p) { return sequence_of(p, viterbi(p.scores())); }

TagSequence mbr_tags(const ChainDistribution& p) {
  ChainArrays gains = p.scores();
  const auto none = [](double x) { return x == -HUGE_VAL ? x : 0.0; };
  gains.transitions = gains.transitions.unaryExpr(none).eval();
  for (Eigen::Index k = 0; k < gains.emissions.size(); ++k) {
    double& x = gains.emissions.data()[k];
    if (x != -HUGE_VAL) x = p.marginals().emissions.data()[k];
  }
  return sequence_of(p, viterbi(gains));
}

std::vector<TagSequence> k_best_tags(const ChainDistribution& p, int k, const Stop& stop) {
  if (k < 0) base::input_error("k_best_tags", "k is " + std::to_string(k) + ", expected 0 or more");
  Losses losses(p.scores());
  std::vector<Prefix> prefixes;
  std::priority_queue<Candidate> queue;
  const auto extend = [&](double lost, int before, int position) {
    const std::vector<double>& loss = losses.at(position, before < 0 ? 0 : prefixes[before].tag);
    for (int j = 0; j < p.tags(); ++j) {
      if (loss[j] == HUGE_VAL) continue;
      queue.push({lost + loss[j], position, prefixes.size()});
      prefixes.push_back({j, before, position});
    }
  };
  std::vector<TagSequence> found;
  if (k > 0) extend(0.0, -1, 0);
  while (!queue.empty() && found.size() < static_cast<std::size_t>(k)) {
    const Candidate best = queue.top();
    queue.pop();
    if (best.position + 1 < p.length()) {
      extend(best.loss, static_cast<int>(best.prefix), best.position + 1);
      continue;
    }
    Tags tags(p.length());
    for (int at = static_cast<int>(best.prefix); at >= 0; at = prefixes[at].before) {
      tags[prefixes[at].position] = prefixes[at].tag;
    }
    found.push_back(sequence_of(p, std::move(tags)));
    if (base::stops(stop)) break;
  }
  return found;
}

}  // namespace kirchhoff
