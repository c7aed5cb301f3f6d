// SEQUENCE: variables in a row, with a score for each pair of values of neighbours. With r_t(a) the log-weight of value
// a at place t and s_t(a, b) the transitions:
//   before_t(b) = logsumexp over a of before_{t-1}(a) + r_{t-1}(a) + s_{t-1}(a, b), and after_t(a) the other way round
//   Z = sum over a of exp(before_t + r_t + after_t), the log-weight for the message is before_t(a) + after_t(a)
// max-product has max for logsumexp, and is Viterbi's algorithm. The relaxation has a flow along the sequence, which
// describes the hull. O(sum of products of neighbours' numbers of values); the projection is by the active set.
#include "factor/factors/sequence.hpp"

#include <utility>

namespace kirchhoff::factor {
namespace {

struct SequenceScratch {
  std::vector<double> before, after;  // by state
  std::vector<int> from;
  static SequenceScratch& get() {
    thread_local SequenceScratch scratch;
    return scratch;
  }
};

}  // namespace

SequenceFactor::SequenceFactor(Slots slots, std::vector<double> transitions)
    : PartsFactor(slots.arity()), slots_(std::move(slots)), transitions_(std::move(transitions)), first_{0} {
  for (int t = 0; t + 1 < slots_.count(); ++t) {
    first_.push_back(first_.back() + static_cast<std::size_t>(slots_.states(t)) * slots_.states(t + 1));
  }
  for (int t = 0; t < slots_.count(); ++t) {
    if (slots_.inputs[t] == 1) continue;
    for (int i = slots_.first[t]; i < slots_.first[t + 1]; ++i) grouped_inputs_.push_back(i);
    group_first_.push_back(static_cast<int>(grouped_inputs_.size()));
  }
}

std::size_t SequenceFactor::size(const Slots& slots) {
  std::size_t sum = 0;
  for (int t = 0; t + 1 < slots.count(); ++t) sum += static_cast<std::size_t>(slots.states(t)) * slots.states(t + 1);
  return sum;
}

double SequenceFactor::score(Configuration y) const {
  double sum = 0.0;
  int last = -1;
  for (int t = 0; t < slots_.count(); ++t) {
    const int state = slots_.state(t, y);
    if (state < 0) return -HUGE_VAL;
    if (t > 0) sum += transition(t - 1, last, state);
    last = state;
  }
  return sum;
}

double SequenceFactor::least_score() const {
  double sum = 0.0;
  for (int t = 0; t + 1 < slots_.count(); ++t) {
    double least = HUGE_VAL;
    for (std::size_t k = first_[t]; k < first_[t + 1]; ++k) {
      if (transitions_[k] != -HUGE_VAL) least = std::min(least, transitions_[k]);
    }
    if (least != HUGE_VAL) sum += least;
  }
  return sum;
}

bool SequenceFactor::soft() const {
  return slots_.arity() == slots_.count() &&
         std::find(transitions_.begin(), transitions_.end(), -HUGE_VAL) == transitions_.end();
}

/// Fills before and after; `gather(values)` is the logarithm of their sum, or the largest.
template <class Gather>
void SequenceFactor::pass(const std::vector<double>& r, Gather gather) const {
  auto& [before, after, from] = SequenceScratch::get();
  before.assign(r.size(), 0.0);
  after.assign(r.size(), 0.0);
  std::vector<double>& terms = EnumerationScratch::get().own;
  for (int t = 1; t < slots_.count(); ++t) {
    const int last = slots_.offset[t - 1], own = slots_.offset[t];
    terms.resize(slots_.states(t - 1));
    for (int b = 0; b < slots_.states(t); ++b) {
      for (int a = 0; a < slots_.states(t - 1); ++a)
        terms[a] = before[last + a] + r[last + a] + transition(t - 1, a, b);
      before[own + b] = gather(terms);
    }
  }
  for (int t = slots_.count() - 2; t >= 0; --t) {
    const int own = slots_.offset[t], next = slots_.offset[t + 1];
    terms.resize(slots_.states(t + 1));
    for (int a = 0; a < slots_.states(t); ++a) {
      for (int b = 0; b < slots_.states(t + 1); ++b) terms[b] = after[next + b] + r[next + b] + transition(t, a, b);
      after[own + a] = gather(terms);
    }
  }
}

/// Calls visit(place, p) for the probability of each transition, and returns log Z; -inf when there is no sequence.
template <class Visit>
double SequenceFactor::for_each_probability(const std::vector<double>& r, Visit visit) const {
  const auto log_sum = [](std::span<const double> values) {
    const double highest = *std::max_element(values.begin(), values.end());
    if (highest == -HUGE_VAL) return highest;
    double sum = 0.0;
    for (const double v : values) sum += std::exp(v - highest);
    return highest + std::log(sum);
  };
  pass(r, log_sum);
  const auto& [before, after, from] = SequenceScratch::get();
  std::vector<double>& own_terms = EnumerationScratch::get().own;
  own_terms.resize(slots_.states(0));
  for (int a = 0; a < slots_.states(0); ++a) own_terms[a] = r[a] + after[a];
  const double log_z = log_sum(own_terms);
  if (log_z == -HUGE_VAL) return log_z;
  for (int t = 0; t + 1 < slots_.count(); ++t) {
    const int own = slots_.offset[t], next = slots_.offset[t + 1];
    for (int a = 0; a < slots_.states(t); ++a) {
      for (int b = 0; b < slots_.states(t + 1); ++b) {
        const double s = transition(t, a, b);
        visit(place(t, a, b), std::exp(before[own + a] + r[own + a] + s + r[next + b] + after[next + b] - log_z));
      }
    }
  }
  return log_z;
}

Factor::Sum SequenceFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots_, q, scratch)) return {};
  const std::vector<double>& r = scratch.r;
  double expected = 0.0;
  const double log_z = for_each_probability(r, [&](std::size_t k, double p) {
    if (p > 0.0) expected += p * transitions_[k];
  });
  if (log_z == -HUGE_VAL) return {};
  const auto& [before, after, from] = SequenceScratch::get();
  scratch.sum.resize(r.size());
  for (std::size_t k = 0; k < r.size(); ++k) scratch.sum[k] = before[k] + after[k];
  slot_messages(slots_, q, scratch.sum, scratch, messages);
  return {log_z + scratch.shift, expected};
}

void SequenceFactor::add_own_marginals(std::span<const double> q, std::span<double> marginals) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots_, q, scratch)) return;
  for_each_probability(scratch.r, [&](std::size_t k, double p) { marginals[k] += p; });
}

void SequenceFactor::add_own_parts(Configuration y, double weight, std::span<double> parts) const {
  for (int t = 1; t < slots_.count(); ++t) parts[place(t - 1, slots_.state(t - 1, y), slots_.state(t, y))] += weight;
}

std::shared_ptr<const PartsFactor> SequenceFactor::with_own_scores(std::vector<double> scores) const {
  return std::make_shared<SequenceFactor>(slots_, std::move(scores));
}

double SequenceFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots_, q, scratch)) return -HUGE_VAL;
  pass(scratch.r, [](std::span<const double> values) { return *std::max_element(values.begin(), values.end()); });
  const auto& [before, after, from] = SequenceScratch::get();
  double best = -HUGE_VAL;
  for (int a = 0; a < slots_.states(0); ++a) best = std::max(best, scratch.r[a] + after[a]);
  if (best == -HUGE_VAL) return best;
  scratch.highest.resize(scratch.r.size());
  for (std::size_t k = 0; k < scratch.r.size(); ++k) scratch.highest[k] = before[k] + after[k];
  max_slot_messages(slots_, q, scratch.highest, messages);
  return best + scratch.shift;
}

double SequenceFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots_, q, scratch)) return -HUGE_VAL;
  const std::vector<double>& r = scratch.r;
  auto& [value, after, from] = SequenceScratch::get();
  value = r;
  from.assign(r.size(), 0);
  for (int t = 1; t < slots_.count(); ++t) {
    const int last = slots_.offset[t - 1], own = slots_.offset[t];
    for (int b = 0; b < slots_.states(t); ++b) {
      double highest = -HUGE_VAL;
      for (int a = 0; a < slots_.states(t - 1); ++a) {
        const double v = value[last + a] + transition(t - 1, a, b);
        if (v > highest) from[own + b] = a;
        highest = std::max(highest, v);
      }
      value[own + b] += highest;
    }
  }
  const int end = slots_.offset[slots_.count() - 1];
  const auto top = std::max_element(value.begin() + end, value.end());
  if (*top == -HUGE_VAL) return -HUGE_VAL;
  scratch.state.resize(slots_.inputs.size());
  int state = static_cast<int>(top - value.begin()) - end;
  for (int t = slots_.count() - 1; t >= 0; --t) {
    scratch.state[t] = state;
    state = from[slots_.offset[t] + state];
  }
  slots_.write(scratch.state, y);
  return *top + scratch.shift;
}

Relaxation SequenceFactor::relaxation() const {
  Relaxation result;
  // A row says that the flow through a state is its input, or for a binary variable that is 0, what is left of 1.
  const auto through = [&](int t, int state) {
    Relaxation::Row row;
    const bool is_rest = slots_.inputs[t] == 1 && state == 0;
    row.terms.emplace_back(slots_.first[t] + (slots_.inputs[t] == 1 ? 0 : state), is_rest ? 1.0 : -1.0);
    row.lower = row.upper = is_rest ? 1.0 : 0.0;
    return row;
  };
  if (slots_.inputs[0] > 1) {
    Relaxation::Row& one = result.rows.emplace_back();
    for (int i = 0; i < slots_.inputs[0]; ++i) one.terms.emplace_back(i, 1.0);
    one.lower = one.upper = 1.0;
  }
  for (int t = 0; t + 1 < slots_.count(); ++t) {
    std::vector<Relaxation::Row> out, in;
    for (int a = 0; a < slots_.states(t); ++a) out.push_back(through(t, a));
    for (int b = 0; b < slots_.states(t + 1); ++b) in.push_back(through(t + 1, b));
    for (int a = 0; a < slots_.states(t); ++a) {
      for (int b = 0; b < slots_.states(t + 1); ++b) {
        if (transition(t, a, b) == -HUGE_VAL) continue;
        result.costs.push_back(transition(t, a, b));
        const int column = arity() + static_cast<int>(result.costs.size()) - 1;
        out[a].terms.emplace_back(column, 1.0);
        in[b].terms.emplace_back(column, 1.0);
      }
    }
    for (std::vector<Relaxation::Row>* rows : {&out, &in}) {
      for (Relaxation::Row& row : *rows) result.rows.push_back(std::move(row));
    }
  }
  return result;
}

}  // namespace kirchhoff::factor
