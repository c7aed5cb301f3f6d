// Log-weights of the states of slots, and messages to inputs from sums over entries. Linear in the inputs.
#include "factor/factors/enumerate.hpp"

namespace kirchhoff::factor {

bool state_weights(const Slots& slots, std::span<const double> q, EnumerationScratch& scratch) {
  scratch.r.resize(slots.state_count());
  scratch.shift = 0.0;
  for (int k = 0; k < slots.count(); ++k) {
    const auto own = q.subspan(slots.first[k], slots.inputs[k]);
    double* r = scratch.r.data() + slots.offset[k];
    if (slots.inputs[k] == 1) {
      r[0] = own[0] == HUGE_VAL ? -HUGE_VAL : 0.0;
      r[1] = own[0] == HUGE_VAL ? 0.0 : own[0];
    } else {
      const int required = numeric::count_required(own);
      if (required > 1) return false;
      for (int j = 0; j < slots.inputs[k]; ++j) r[j] = required == 0 ? own[j] : own[j] == HUGE_VAL ? 0.0 : -HUGE_VAL;
    }
    const double largest = *std::max_element(r, r + slots.states(k));
    if (largest == -HUGE_VAL) continue;
    for (int j = 0; j < slots.states(k); ++j) r[j] -= largest;
    scratch.shift += largest;
  }
  return true;
}

void slot_messages(const Slots& slots, std::span<const double> q, const std::vector<double>& b,
                   EnumerationScratch& scratch, std::span<double> messages) {
  for (int k = 0; k < slots.count(); ++k) {
    const double* own_b = b.data() + slots.offset[k];
    const int first = slots.first[k];
    if (slots.inputs[k] == 1) {
      messages[first] = own_b[1] - own_b[0];
      continue;
    }
    scratch.own.resize(slots.inputs[k]);
    for (int j = 0; j < slots.inputs[k]; ++j) {
      scratch.own[j] = own_b[j] == -HUGE_VAL ? -HUGE_VAL : q[first + j] + own_b[j];
    }
    numeric::log_sums_without(scratch.own, -HUGE_VAL, scratch.own);
    for (int j = 0; j < slots.inputs[k]; ++j) messages[first + j] = own_b[j] - scratch.own[j];
  }
}

void max_slot_messages(const Slots& slots, std::span<const double> q, const std::vector<double>& b,
                       std::span<double> messages) {
  for (int k = 0; k < slots.count(); ++k) {
    const double* own_b = b.data() + slots.offset[k];
    const int first = slots.first[k];
    if (slots.inputs[k] == 1) {
      messages[first] = own_b[1] - own_b[0];
      continue;
    }
    const auto own = messages.subspan(first, slots.inputs[k]);
    for (int j = 0; j < slots.inputs[k]; ++j) own[j] = own_b[j] == -HUGE_VAL ? -HUGE_VAL : q[first + j] + own_b[j];
    numeric::maxima_without(own, -HUGE_VAL, own);
    for (int j = 0; j < slots.inputs[k]; ++j) own[j] = own_b[j] - own[j];
  }
}

}  // namespace kirchhoff::factor
