// The inputs of a potential given as a list of entries, divided into slots.
//
// A slot of one input has two states, 0 and 1; a slot of s >= 2 inputs has s states, in each of which one input is 1.
// An entry is a state for each slot, the first slot varying slowest; every other configuration is forbidden.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kirchhoff::factor {

struct Slots {
  std::vector<int> inputs;  ///< number of inputs of each slot
  std::vector<int> first;   ///< its first input; at the end, their number
  std::vector<int> offset;  ///< where its states begin among all states; at the end, their number
  std::size_t entries = 1;

  Slots() = default;
  explicit Slots(std::vector<int> inputs_of_slots) : inputs(std::move(inputs_of_slots)), first{0}, offset{0} {
    for (const int s : inputs) {
      first.push_back(first.back() + s);
      offset.push_back(offset.back() + std::max(s, 2));
      entries *= static_cast<std::size_t>(std::max(s, 2));
    }
  }
  int count() const { return static_cast<int>(inputs.size()); }
  int states(int slot) const { return offset[slot + 1] - offset[slot]; }
  int state_count() const { return offset.back(); }
  int arity() const { return first.back(); }
  /// Goes on to the next entry, and returns false after the last. The first has state 0 everywhere.
  bool next(std::span<int> state) const {
    for (int s = count() - 1; s >= 0; --s) {
      if (++state[s] < states(s)) return true;
      state[s] = 0;
    }
    return false;
  }
  /// The state of a slot in a configuration; -1 when not exactly one of its several inputs is 1.
  int state(int slot, std::span<const std::uint8_t> y) const {
    const auto own = y.subspan(static_cast<std::size_t>(first[slot]), static_cast<std::size_t>(inputs[slot]));
    if (own.size() == 1) return own[0];
    if (std::count(own.begin(), own.end(), std::uint8_t{1}) != 1) return -1;
    return static_cast<int>(std::find(own.begin(), own.end(), std::uint8_t{1}) - own.begin());
  }
  /// Writes the configuration of an entry into y.
  void write(std::span<const int> state, std::span<std::uint8_t> y) const {
    std::fill(y.begin(), y.end(), std::uint8_t{0});
    for (int s = 0; s < count(); ++s) {
      if (inputs[s] == 1) {
        y[first[s]] = static_cast<std::uint8_t>(state[s]);
      } else {
        y[first[s] + state[s]] = 1;
      }
    }
  }
};

}  // namespace kirchhoff::factor
