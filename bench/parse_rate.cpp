// How many sentences a second the library itself parses, for bench/server.py: parse_rate MODEL THREADS SECONDS < CONLLU
// parses the first sentence again and again, and prints sentences a second and seconds of processor time a sentence.
#include <kirchhoff/parallel.hpp>
#include <kirchhoff/parser.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: parse_rate MODEL THREADS SECONDS < CONLLU\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto model = kirchhoff::ParserModel::open(argv[1]);
  const auto sentences = kirchhoff::read_sentences(std::cin, "input", kirchhoff::ConllFormat::conllu);
  const int threads = std::atoi(argv[2]);
  std::atomic<long> parses = 0;
  const std::clock_t processor = std::clock();
  const Clock::time_point begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(std::atof(argv[3]));
  kirchhoff::parallel_for(static_cast<std::size_t>(threads), threads, [&](std::size_t) {
    kirchhoff::Parser parser(model);
    while (Clock::now() < end) {
      parser.parse(sentences.front());
      ++parses;
    }
  });
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double used = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  std::printf("%.1f %.3e\n", static_cast<double>(parses) / seconds, used / static_cast<double>(parses));
}
