// The best children of a level become the beam of the next.
//
// Mostly all of them do, and nothing is done: the order of prefixes in a beam does not matter. Otherwise a child's
// place is the number of children that are better: all places are found side by side. That is quadratic, so a list that
// is much longer than the beam is cut first, by a radix selection.
#pragma once

#include "cuda/kernels/beam_desk.hpp"
#include "cuda/kernels/numbers.hpp"

namespace kirchhoff::cuda {

/// Bits that are ordered as the numbers are.
KIRCHHOFF_BOTH std::uint64_t ordered_bits(double x) {
  const std::uint64_t bits = bits_of(x), sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// The number that has these bits.
KIRCHHOFF_BOTH double from_ordered_bits(std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t{1} << 63;
  return double_of((bits & sign) != 0 ? bits & ~sign : ~bits);
}

/// Counts numbers, digit by digit, until those from some bits on are at least `wanted` and at most `enough`, or all
/// digits are known. Returns these bits.
template <class Team>
KIRCHHOFF_BOTH std::uint64_t find_cut(const Team& team, const Prefix* list, int count, int wanted, int enough,
                                      int* histogram) {
  std::uint64_t cut = 0;
  int above = 0;  // numbers whose known digits are larger than the cut's
  for (int shift = 56; shift >= 0; shift -= 8) {
    team.each([&](int thread) {
      for (int digit = thread; digit < 256; digit += Team::kThreads) histogram[digit] = 0;
    });
    team.each([&](int thread) {
      for (int i = thread; i < count; i += Team::kThreads) {
        const std::uint64_t bits = ordered_bits(list[i].perturbed);
        const bool known = shift == 56 || bits >> (shift + 8) == cut >> (shift + 8);
        if (known) add_to(histogram[(bits >> shift) & 255], 1);
      }
    });
    int digit = 255;
    for (; digit > 0 && above + histogram[digit] < wanted; --digit) above += histogram[digit];
    cut |= static_cast<std::uint64_t>(digit) << shift;
    const int taken = above + histogram[digit];
    team.each([](int) {});  // before the histogram is cleared
    if (taken <= enough) break;
  }
  return cut;
}

/// Shortens a list of children if it is long. One team does it, while nobody looks.
template <class Team>
KIRCHHOFF_BOTH void thin_out(const Team& team, BeamChildren& children, const Prefix* list, Prefix* fewer, int kept,
                             int* histogram) {
  const int count = children.count, enough = 2 * kept + 256;
  if (count <= enough) return;
  const std::uint64_t cut = find_cut(team, list, count, kept, enough, histogram);
  team.each([&](int thread) {
    if (thread == 0) children.count = 0;
  });
  team.each([&](int thread) {
    for (int i = thread; i < count; i += Team::kThreads) {
      if (ordered_bits(list[i].perturbed) >= cut) fewer[add_to(children.count, 1)] = list[i];
    }
    if (thread == 0) children.thinned = 1;
  });
}

/// How many of every `step`th prefix from `first` on are better than one. Keys, which are as good as unique, decide
/// between equal ones.
KIRCHHOFF_BOTH int count_better(const Prefix* list, int count, int one, int first, int step) {
  const double mine = list[one].perturbed;
  int better = 0, equal = 0;
  KIRCHHOFF_EIGHT_AT_A_TIME
  for (int other = first; other < count; other += step) {
    const double x = list[other].perturbed;
    better += x > mine ? 1 : 0;
    equal += x == mine && other != one ? 1 : 0;
  }
  for (int other = first; equal > 0 && other < count; other += step) {
    if (list[other].perturbed != mine || other == one) continue;
    const std::uint64_t key = list[other].key, my_key = list[one].key;
    better += (key != my_key ? key < my_key : other < one) ? 1 : 0;
    --equal;
  }
  return better;
}

/// Puts those of a list that are team number `index` of `teams`'s to rank in their places.
template <class Team>
KIRCHHOFF_BOTH void rank_prefixes(const Team& team, const Prefix* list, int count, Prefix* places_of_best, int kept,
                                  int index, int teams, int* places) {
  int side = 1;  // prefixes at a time; the other threads share out those to compare with
  while (2 * side <= Team::kThreads && side < 256 && side * teams < count) side *= 2;
  const int shares = Team::kThreads / side;
  for (int begin = index * side; begin < count; begin += teams * side) {
    team.each([&](int thread) {
      for (int i = thread; i < side; i += Team::kThreads) places[i] = 0;
    });
    team.each([&](int thread) {
      const int mine = begin + thread % side;
      if (mine >= count || thread >= side * shares) return;
      add_to(places[thread % side], count_better(list, count, mine, thread / side, shares));
    });
    team.each([&](int thread) {
      if (thread >= side || begin + thread >= count || places[thread] >= kept) return;
      places_of_best[places[thread]] = list[begin + thread];
    });
  }
}

}  // namespace kirchhoff::cuda
