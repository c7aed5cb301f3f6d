// HEAD: its scores, its best configuration by dynamic programming over both chains, and its relaxation.
#include "factor/factors/head.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kirchhoff::factor {
namespace {

struct BestScratch {
  std::vector<double> gains, value;
  std::vector<std::size_t> before;
  std::vector<std::uint8_t> chosen;
  static BestScratch& get() {
    thread_local BestScratch scratch;
    return scratch;
  }
};

}  // namespace

HeadFactor::HeadFactor(const HeadShape& shape, std::span<const double> part_scores)
    : PartsFactor(static_cast<int>(shape.heads + shape.dependents[0] + shape.dependents[1])),
      shape_(shape),
      part_scores_(part_scores),
      chains_(2 * (transitions(shape.dependents[0]) + transitions(shape.dependents[1]))),
      heads_(shape.heads),
      first_head_{0, static_cast<int>(shape.heads)} {
  std::iota(heads_.begin(), heads_.end(), 0);
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t k = shape.dependents[side];
    const double* own = part_scores.data() + shape.first_sibling[side];
    double* scores = chains_.data() + chain_begin(side);
    double* weights = scores + transitions(k);
    for (std::size_t j = 1; j <= k + 1; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const double score = own[transition(k, i, j)];
        scores[chain_column(j) + i] = score;
        weights[chain_column(j) + i] = std::exp(score);
      }
    }
  }
  for (const auto [first, size] : ranges()) {
    for (const double score : part_scores.subspan(size == 0 ? 0 : first, size)) {
      has_forbidden_ = has_forbidden_ || score == -HUGE_VAL;
      is_moderate_ = is_moderate_ && std::abs(score) <= kLargestScore;
    }
  }
}

HeadFactor::HeadFactor(const HeadShape& shape, OwnScores own)
    : HeadFactor({shape.heads,
                  shape.dependents,
                  {0, transitions(shape.dependents[0])},
                  transitions(shape.dependents[0]) + transitions(shape.dependents[1])},
                 std::span<const double>(own.scores)) {
  kept_scores_ = std::move(own.scores);  // which stay where they are, so that part_scores_ is right
}

std::array<HeadFactor::Range, 3> HeadFactor::ranges() const {
  const auto [left, right] = shape_.dependents;
  return {Range{shape_.first_sibling[0], transitions(left)}, Range{shape_.first_sibling[1], transitions(right)},
          Range{shape_.first_grandparent, shape_.heads * (left + right)}};
}

std::vector<double> HeadFactor::own_scores() const {
  std::vector<double> scores;
  for (const auto [first, size] : ranges()) {
    const auto own = part_scores_.subspan(size == 0 ? 0 : first, size);
    scores.insert(scores.end(), own.begin(), own.end());
  }
  return scores;
}

void HeadFactor::add_own_parts(Configuration y, double weight, std::span<double> parts) const {
  for_each_part(y, [&](std::size_t part) {
    std::size_t before = 0;
    for (const auto [first, size] : ranges()) {
      if (part >= first && part < first + size) {
        parts[before + part - first] += weight;
        return;
      }
      before += size;
    }
  });
}

void HeadFactor::add_own_marginals(std::span<const double> q, std::span<double> marginals) const {
  HeadFactor(shape_, OwnScores{own_scores()}).add_marginals(q, marginals);
}

std::shared_ptr<const PartsFactor> HeadFactor::with_own_scores(std::vector<double> scores) const {
  return std::make_shared<HeadFactor>(shape_, OwnScores{std::move(scores)});
}

double HeadFactor::grandparent(std::size_t in, std::size_t out) const {
  return shape_.heads == 0 ? 0.0 : part_scores_[grandparent_part(in, out)];
}

/// Calls visit(part) for each part that the configuration has.
template <class Visit>
void HeadFactor::for_each_part(Configuration y, const Visit& visit) const {
  const std::size_t ins = shape_.heads;
  const auto in = static_cast<std::size_t>(std::find(y.begin(), y.end(), 1) - y.begin());
  std::size_t out = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t k = shape_.dependents[side];
    std::size_t last = 0;
    for (std::size_t j = 1; j <= k + 1; ++j) {
      if (j <= k && y[ins + out++] == 0) continue;
      visit(shape_.first_sibling[side] + transition(k, last, j));
      if (j <= k && ins > 0) visit(grandparent_part(in, out - 1));
      last = j;
    }
  }
}

double HeadFactor::score(Configuration y) const {
  const auto ins = static_cast<std::ptrdiff_t>(shape_.heads);
  if (ins > 0 && std::count(y.begin(), y.begin() + ins, 1) != 1) return -HUGE_VAL;
  double sum = 0.0;
  for_each_part(y, [&](std::size_t part) { sum += part_scores_[part]; });
  return sum;
}

void HeadFactor::add_parts(Configuration y, double weight, std::span<double> parts) const {
  for_each_part(y, [&](std::size_t part) { parts[part] += weight; });
}

/// Returns the value of the best chain, `gains` being what each dependent adds, and writes its dependents into y.
double HeadFactor::best_chain(std::size_t side, std::span<const double> gains, std::span<std::uint8_t> y) const {
  const std::size_t k = shape_.dependents[side];
  std::vector<double>& value = BestScratch::get().value;
  std::vector<std::size_t>& before = BestScratch::get().before;
  value.assign(k + 2, -HUGE_VAL);
  before.assign(k + 2, 0);
  value[0] = 0.0;
  std::size_t required = 0;  // the last dependent that must be there: no transition may pass over it
  for (std::size_t j = 1; j <= k + 1; ++j) {
    const double* scores = chain_scores(side) + chain_column(j);
    double highest = -HUGE_VAL;
    std::size_t last = 0;
    for (std::size_t i = required; i < j; ++i) {
      const double v = value[i] + scores[i];
      last = v > highest ? i : last;
      highest = std::max(highest, v);
    }
    value[j] = highest;
    before[j] = last;
    if (j > k) break;
    if (gains[j - 1] == HUGE_VAL) {
      required = j;
    } else {
      value[j] += gains[j - 1];
    }
  }
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  for (std::size_t j = before[k + 1]; j > 0; j = before[j]) y[j - 1] = 1;
  return value[k + 1];
}

double HeadFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  const std::size_t ins = shape_.heads, outs = shape_.dependents[0] + shape_.dependents[1];
  const auto q_in = q.subspan(0, ins), q_out = q.subspan(ins);
  const auto decided = std::count(q_in.begin(), q_in.end(), HUGE_VAL);
  double highest = -HUGE_VAL;
  if (decided > 1) return highest;
  std::vector<double>& gains = BestScratch::get().gains;
  std::vector<std::uint8_t>& chosen = BestScratch::get().chosen;
  gains.resize(outs);
  chosen.resize(outs);
  for (std::size_t g = 0; g < std::max<std::size_t>(1, ins); ++g) {
    if (ins > 0 && (q_in[g] == -HUGE_VAL || (decided == 1 && q_in[g] != HUGE_VAL))) continue;
    double value = ins == 0 || decided == 1 ? 0.0 : q_in[g];
    for (std::size_t d = 0; d < outs; ++d) {
      const double pair = grandparent(g, d);
      gains[d] = std::isinf(q_out[d]) ? q_out[d] : q_out[d] + pair;
      if (q_out[d] == HUGE_VAL) value += pair;
    }
    const std::span<const double> all(gains);
    const std::span<std::uint8_t> chain(chosen);
    value += best_chain(0, all.first(shape_.dependents[0]), chain.first(shape_.dependents[0])) +
             best_chain(1, all.subspan(shape_.dependents[0]), chain.subspan(shape_.dependents[0]));
    if (!(value > highest)) continue;
    highest = value;
    std::fill(y.begin(), y.end(), std::uint8_t{0});
    if (ins > 0) y[g] = 1;
    std::copy(chosen.begin(), chosen.end(), y.begin() + static_cast<std::ptrdiff_t>(ins));
  }
  return highest;
}

/// A chain has one transition into each dependent it has, and each of these one pair at most.
double HeadFactor::least_score() const {
  const auto lowest = [](double a, double b) { return b == -HUGE_VAL ? a : std::min(a, b); };
  double sum = 0.0;
  std::size_t first = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t k = shape_.dependents[side];
    for (std::size_t j = 1; j <= k + 1; ++j) {
      const double* scores = chain_scores(side) + chain_column(j);
      sum += std::accumulate(scores, scores + j, 0.0, lowest);
      double pair = 0.0;
      for (std::size_t g = 0; j <= k && g < shape_.heads; ++g) pair = lowest(pair, grandparent(g, first + j - 1));
      sum += pair;
    }
    first += k;
  }
  return sum;
}

/// A configuration is a choice of the arc in and, given that, a path along each chain. So the hull has flows along both
/// chains for each arc in, of as much as that arc is 1: the usual form of the hull of a union.
Relaxation HeadFactor::relaxation() const {
  using Row = Relaxation::Row;
  Relaxation r;
  const std::size_t ins = shape_.heads;
  const auto equal = [&](Row row, double value) {
    row.lower = row.upper = value;
    r.rows.push_back(std::move(row));
  };
  if (ins > 0) {
    Row one;
    for (std::size_t g = 0; g < ins; ++g) one.terms.emplace_back(static_cast<int>(g), 1.0);
    equal(std::move(one), 1.0);
  }
  std::size_t first = 0;  // dependent of the side
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t k = shape_.dependents[side];
    std::vector<Row> all(k + 1);  // the flows into each dependent
    for (std::size_t g = 0; g < std::max<std::size_t>(1, ins); ++g) {
      std::vector<Row> through(k + 1);  // what comes in less what goes out
      for (std::size_t i = 0; i <= k; ++i) {
        for (std::size_t j = i + 1; j <= k + 1; ++j) {
          const double pair = j <= k ? grandparent(g, first + j - 1) : 0.0;
          const double score = part_scores_[shape_.first_sibling[side] + transition(k, i, j)] + pair;
          if (score == -HUGE_VAL) continue;
          r.costs.push_back(score);
          const int column = arity() + static_cast<int>(r.costs.size()) - 1;
          through[i].terms.emplace_back(column, -1.0);
          if (j > k) continue;
          through[j].terms.emplace_back(column, 1.0);
          all[j].terms.emplace_back(column, 1.0);
        }
      }
      if (ins > 0) through[0].terms.emplace_back(static_cast<int>(g), 1.0);
      equal(std::move(through[0]), ins > 0 ? 0.0 : -1.0);
      for (std::size_t j = 1; j <= k; ++j) equal(std::move(through[j]), 0.0);
    }
    for (std::size_t j = 1; j <= k; ++j) {
      all[j].terms.emplace_back(static_cast<int>(ins + first + j) - 1, -1.0);
      equal(std::move(all[j]), 0.0);
    }
    first += k;
  }
  return r;
}

}  // namespace kirchhoff::factor
