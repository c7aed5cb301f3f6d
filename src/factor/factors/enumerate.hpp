// Messages, best entry and relaxation of a potential given as a list of entries.
//
// With r(slot, state) the log-weight of a state under the log-ratios, that of the likeliest being 0, and w(e) the score
// of entry e plus the r of its states, B(slot, state) is the logsumexp of w(e) - r(slot, state) over the entries with
// that state. Everything takes entries x slots steps. Large log-ratios take no digits from small ones: what all entries
// share is taken off first, and a large r is left out of the sum rather than subtracted from it.
#pragma once

#include "factor/factors/slots.hpp"
#include "kirchhoff/factor.hpp"
#include "numeric/log_space.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

namespace kirchhoff::factor {

/// What a sum becomes in max-product.
inline double larger(double a, double b) { return std::max(a, b); }

/// Storage of one thread, used again from call to call.
struct EnumerationScratch {
  std::vector<int> state;
  std::vector<double> r, highest, sum, own;
  double shift = 0.0;  ///< what was taken off all r together
  std::vector<char> weak;
  static EnumerationScratch& get() {
    thread_local EnumerationScratch scratch;
    return scratch;
  }
};

/// Computes scratch.r from log-ratios, and returns false when two inputs of one slot are required.
bool state_weights(const Slots& slots, std::span<const double> q, EnumerationScratch& scratch);
/// Computes messages from B, given in `b`.
void slot_messages(const Slots& slots, std::span<const double> q, const std::vector<double>& b,
                   EnumerationScratch& scratch, std::span<double> messages);

/// The same with max for sum.
void max_slot_messages(const Slots& slots, std::span<const double> q, const std::vector<double>& b,
                       std::span<double> messages);

/// A number larger than this is not added where it is to be subtracted again.
constexpr double kLargeWeight = 1e4;

/// w of an entry with score s without the r of one of its slots.
inline double weight_without(const Slots& slots, const EnumerationScratch& scratch, double s, double w, int slot) {
  const double own = scratch.r[slots.offset[slot] + scratch.state[slot]];
  if (own == -HUGE_VAL) return w;
  if (own >= -kLargeWeight) return w - own;
  double sum = s;
  for (int k = 0; k < slots.count(); ++k) {
    if (k != slot) sum += scratch.r[slots.offset[k] + scratch.state[k]];
  }
  return sum;
}

/// Calls visit(s, w, impossible, slot) for every entry: w without impossible states, whose number is `impossible`,
/// and one of which `slot` has.
template <class Score, class Visit>
void for_each_entry(const Slots& slots, EnumerationScratch& scratch, Score score, Visit visit) {
  scratch.state.assign(slots.inputs.size(), 0);
  std::size_t index = 0;
  do {
    const double s = score(index, scratch.state);
    if (s != -HUGE_VAL) {
      double w = s;
      int impossible = 0;
      int slot = -1;
      for (int k = 0; k < slots.count(); ++k) {
        const double r = scratch.r[slots.offset[k] + scratch.state[k]];
        if (r == -HUGE_VAL) {
          ++impossible;
          slot = k;
        } else {
          w += r;
        }
      }
      visit(s, w, impossible, slot);
    }
    ++index;
  } while (slots.next(scratch.state));
}

/// Computes scratch.highest, which is B with max for logsumexp, and returns the best w.
template <class Score>
double highest_entries(const Slots& slots, EnumerationScratch& scratch, Score score) {
  scratch.highest.assign(slots.state_count(), -HUGE_VAL);
  double best = -HUGE_VAL;
  const auto raise = [&](int slot, double s, double w) {
    const int at = slots.offset[slot] + scratch.state[slot];
    scratch.highest[at] = std::max(scratch.highest[at], weight_without(slots, scratch, s, w, slot));
  };
  for_each_entry(slots, scratch, score, [&](double s, double w, int impossible, int slot) {
    if (impossible == 0) best = std::max(best, w);
    if (impossible == 1) raise(slot, s, w);
    for (int k = 0; impossible == 0 && k < slots.count(); ++k) raise(k, s, w);
  });
  return best;
}

template <class Score>
double max_by_enumeration(const Slots& slots, std::span<const double> q, std::span<double> messages, Score score) {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots, q, scratch)) return -HUGE_VAL;
  const double best = highest_entries(slots, scratch, score);
  if (best == -HUGE_VAL) return best;
  max_slot_messages(slots, q, scratch.highest, messages);
  return best + scratch.shift;
}

template <class Score>
Factor::Sum sum_by_enumeration(const Slots& slots, std::span<const double> q, std::span<double> messages, Score score) {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots, q, scratch)) return {};
  const double best = highest_entries(slots, scratch, score);
  if (best == -HUGE_VAL) return {};
  // One exp for an entry serves all its states, but for states that would underflow beside the best entry.
  constexpr double kSafeRange = 600.0;
  scratch.sum.assign(slots.state_count(), 0.0);
  scratch.weak.resize(slots.state_count());
  for (int i = 0; i < slots.state_count(); ++i) {
    scratch.weak[i] = scratch.r[i] < -kLargeWeight || best - (scratch.highest[i] + scratch.r[i]) > kSafeRange;
  }
  double total = 0.0;
  double expected = 0.0;
  const auto add = [&](int slot, double s, double w, double e) {
    const int i = slots.offset[slot] + scratch.state[slot];
    scratch.sum[i] += scratch.weak[i] ? std::exp(weight_without(slots, scratch, s, w, slot) - scratch.highest[i]) : e;
  };
  for_each_entry(slots, scratch, score, [&](double s, double w, int impossible, int slot) {
    if (impossible == 1) add(slot, s, w, 0.0);
    if (impossible > 0) return;
    const double e = std::exp(w - best);
    total += e;
    expected += e == 0.0 ? 0.0 : e * s;
    for (int k = 0; k < slots.count(); ++k) add(k, s, w, e);
  });
  for (int i = 0; i < slots.state_count(); ++i) {
    const double shift = scratch.weak[i] ? scratch.highest[i] : best - scratch.r[i];
    scratch.sum[i] = scratch.highest[i] == -HUGE_VAL ? -HUGE_VAL : shift + std::log(scratch.sum[i]);
  }
  slot_messages(slots, q, scratch.sum, scratch, messages);
  return {best + std::log(total) + scratch.shift, expected / total};
}

template <class Score>
double best_by_enumeration(const Slots& slots, std::span<const double> q, std::span<std::uint8_t> y, Score score) {
  EnumerationScratch& scratch = EnumerationScratch::get();
  double best = -HUGE_VAL;
  if (!state_weights(slots, q, scratch)) return best;
  for_each_entry(slots, scratch, score, [&](double, double w, int impossible, int) {
    if (impossible > 0 || w <= best) return;
    best = w;
    slots.write(scratch.state, y);
  });
  return best + scratch.shift;
}

/// There is one column for each entry that is allowed: they sum to 1, and an input is the sum of those of its entries.
template <class Score>
Relaxation relaxation_by_enumeration(const Slots& slots, Score score) {
  Relaxation result;
  const int arity = slots.arity();
  result.rows.resize(static_cast<std::size_t>(arity) + 1);
  for (int i = 0; i < arity; ++i) {
    result.rows[i].terms.emplace_back(i, -1.0);
    result.rows[i].lower = result.rows[i].upper = 0.0;
  }
  result.rows[arity].lower = result.rows[arity].upper = 1.0;
  std::vector<int> state(slots.inputs.size(), 0);
  std::vector<std::uint8_t> y(static_cast<std::size_t>(arity));
  std::size_t index = 0;
  do {
    const double s = score(index++, state);
    if (s == -HUGE_VAL) continue;
    const int column = arity + static_cast<int>(result.costs.size());
    result.costs.push_back(s);
    slots.write(state, y);
    for (int i = 0; i < arity; ++i) {
      if (y[i]) result.rows[i].terms.emplace_back(column, 1.0);
    }
    result.rows[arity].terms.emplace_back(column, 1.0);
  } while (slots.next(state));
  return result;
}

}  // namespace kirchhoff::factor
