// Seating as a factor graph: four guests, four seats, who likes whom beside them, and Ada the first seat. One XOR for
// each guest and each seat; a PAIR for each two guests on neighbouring seats. Best seating by AD3, how sure by belief
// propagation.
#include <kirchhoff/solve.hpp>

#include <array>
#include <iostream>

int main() {
  using kirchhoff::Literals;
  constexpr int kGuests = 4;
  constexpr std::array kNames = {"Ada", "Ben", "Cleo", "Dan"};
  constexpr double kLikes[kGuests][kGuests] = {{0, 2, -1, 0}, {2, 0, 1, -2}, {-1, 1, 0, 1.5}, {0, -2, 1.5, 0}};
  kirchhoff::FactorGraph graph;
  std::array<std::array<kirchhoff::Variable, kGuests>, kGuests> at;  // at[guest][seat]
  for (int guest = 0; guest < kGuests; ++guest) {
    for (int seat = 0; seat < kGuests; ++seat)
      at[guest][seat] = graph.add_variable(guest == 0 && seat == 0 ? 3.0 : 0.0);
  }
  for (int i = 0; i < kGuests; ++i) {
    graph.add_xor({at[i][0], at[i][1], at[i][2], at[i][3]});  // each guest has one seat
    graph.add_xor({at[0][i], at[1][i], at[2][i], at[3][i]});  // each seat has one guest
  }
  for (int seat = 0; seat + 1 < kGuests; ++seat) {
    for (int a = 0; a < kGuests; ++a) {
      for (int b = 0; b < kGuests; ++b) {
        if (a != b) graph.add_pair(at[a][seat], at[b][seat + 1], kLikes[a][b]);
      }
    }
  }
  const kirchhoff::MapResult best = kirchhoff::solve_ad3(graph, {.search = kirchhoff::Search::exact});
  const kirchhoff::ExactResult exact = kirchhoff::solve_exact(graph);
  for (int seat = 0; seat < kGuests; ++seat) {
    for (int guest = 0; guest < kGuests; ++guest) {
      const int v = at[guest][seat].index;
      if (best.assignment[v] == 0) continue;
      std::cout << "seat " << seat + 1 << ": " << kNames[guest] << ", p = " << exact.marginals[v] << '\n';
    }
  }
  std::cout << "score " << best.value << ", bound " << best.bound << '\n';
}
