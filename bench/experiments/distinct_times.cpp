// Figures 3 and 5 of [Stanojevic22]: time for k distinct trees with one root child against k. Figure 3: 14 words,
// beside the older algorithm that keeps a list; figure 5: other lengths. Random weights, uniform as there.
//
//   distinct_times FOLDER      writes FOLDER/distinct_14.svg and FOLDER/distinct_lengths.svg
#include "baselines/list_sampling.hpp"
#include "check.hpp"
#include "experiments/experiment.hpp"
#include "experiments/sentence_times.hpp"
#include "graphs.hpp"

#include <kirchhoff/sample.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <set>

namespace kirchhoff::bench {
namespace {

constexpr std::array kCounts = {10, 20, 50, 100, 200, 500, 1000};
constexpr std::array kWords = {10, 25, 50, 100};
constexpr int kGraphs = 5, kRepetitions = 3, kFigure3Words = 14;

void beam(const Matrix& scores, int k) { sample_without_replacement(TreeDistribution(scores, Root::single), k); }

void trie(const Matrix& scores, int k) {
  DistinctTrees trees(TreeDistribution(scores, Root::single));
  for (int t = 0; t < k; ++t) trees.next();
}

void list(const Matrix& scores, int k) { list_sampling(scores.data(), static_cast<int>(scores.rows()) - 1, k, 1); }

using Run = void (*)(const Matrix&, int);

/// Milliseconds against k for each method: medians over several graphs; the methods take turns.
template <class MakeScores>
std::vector<std::vector<Point>> measure(int words, const std::vector<Run>& methods, const MakeScores& make_scores) {
  std::vector<std::vector<Point>> lines(methods.size());
  for (const int k : kCounts) {
    std::vector<std::vector<double>> seconds(methods.size());
    for (int g = 0; g < kGraphs; ++g) {
      const Matrix scores = make_scores(words, g);
      for (std::size_t m = 0; m < methods.size(); ++m) {
        seconds[m].push_back(fastest(kRepetitions, [&] { methods[m](scores, k); }));
      }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
      lines[m].push_back({static_cast<double>(k), 1e3 * median(seconds[m])});
    }
  }
  return lines;
}

/// How the last tenfold of k shows in the time: 10 is linear.
double tenfold(const std::vector<Point>& line) { return line.back().y / line[3].y; }

struct Row {
  std::string name;
  std::vector<Point> line;
  const char* paper = "";
};

void print(const char* title, const std::vector<Row>& rows) {
  std::printf("\n| %s |", title);
  for (const int k : kCounts) std::printf(" k = %d |", k);
  std::printf(" 1000 : 100 | paper |\n|---|");
  for (std::size_t i = 0; i <= kCounts.size(); ++i) std::printf("--:|");
  std::printf("---|\n");
  for (const Row& row : rows) {
    std::printf("| %s |", row.name.c_str());
    for (const Point& point : row.line) std::printf(" %.3f |", point.y);
    std::printf(" %.1f | %s |\n", tenfold(row.line), row.paper);
  }
}

/// The older algorithm is what it claims to be: right first trees, and distinct ones. (Asked for all trees it may give
/// some twice: rounding errors are left when everything has been subtracted.)
void check_list() {
  constexpr int kSamples = 20000;
  const Matrix scores = untrained_scores(4, 1);
  const TreeDistribution p(scores, Root::single);
  std::map<Heads, double> frequency;
  for (int i = 0; i < kSamples; ++i) frequency[list_sampling(scores.data(), 4, 1, i).front()] += 1.0 / kSamples;
  for (const auto& [heads, f] : frequency) {
    require(std::abs(f - std::exp(p.log_prob(heads))) < 0.02, "list_sampling is biased");
  }
  const auto trees = list_sampling(scores.data(), 4, 40, 1);
  require(std::set<Heads>(trees.begin(), trees.end()).size() == 40, "list_sampling repeats trees");
}

void figure3(const std::string& folder) {
  const auto lines = measure(kFigure3Words, {beam, trie, list}, untrained_scores);
  const auto &by_beam = lines[0], &by_trie = lines[1], &by_list = lines[2];
  print("ms, 14 words", {{"beam", by_beam, "linear, the fastest"},
                         {"trie", by_trie, "linear, slightly slower"},
                         {"list (Zmigrod et al. 2021)", by_list, "quadratic, the slowest"}});
  const std::string path = folder + "/distinct_14.svg";
  write_svg({"Distinct trees of 14 words",
             "one root child, random weights, from the scores",
             "trees",
             "milliseconds",
             {{"list of trees, our C++", kOldColour, Mark::line, by_list},
              {"trie, Kirchhoff", kThirdColour, Mark::line, by_trie},
              {"beam, Kirchhoff", kOurColour, Mark::line, by_beam},
              {"list in the reference code (Python)", kOldColour, Mark::diamonds, {{100, 146}}},
              {"trie in the reference code (Python)", kThirdColour, Mark::diamonds, {{100, 124}}}}},
            path);
  std::printf("\nplot: %s\n", path.c_str());
}

void figure5(const std::string& folder) {
  const std::array colours = {kOldColour, kThirdColour, kFourthColour, kOurColour};
  Plot plot{"Distinct trees with one root child",
            "random weights, from the scores; lines: beam, dashes: trie",
            "trees",
            "milliseconds",
            {}};
  std::vector<Row> rows;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    const std::string words = std::to_string(kWords[i]) + " words";
    const auto lines = measure(kWords[i], {beam, trie}, untrained_scores);
    rows.push_back({"beam, " + words, lines[0], "linear, faster than trie"});
    rows.push_back({"trie, " + words, lines[1], "linear"});
    plot.series.push_back({words, colours[i], Mark::line, lines[0]});
    plot.series.push_back({"", colours[i], Mark::dashes, lines[1]});
  }
  const auto trained = measure(kWords.back(), {beam, trie}, trained_scores);
  rows.push_back({"beam, 100 words, like a trained parser's", trained[0]});
  rows.push_back({"trie, 100 words, like a trained parser's", trained[1]});
  print("ms", rows);
  const std::string path = folder + "/distinct_lengths.svg";
  write_svg(plot, path);
  std::printf("\nplot: %s\n", path.c_str());
}

}  // namespace

int run_experiment(const std::string& folder) {
  check_list();
  std::printf("Milliseconds for k distinct trees with one root child, from the scores [Stanojevic22, figures 3, 5].\n");
  figure3(folder);
  figure5(folder);
  return 0;
}

}  // namespace kirchhoff::bench
