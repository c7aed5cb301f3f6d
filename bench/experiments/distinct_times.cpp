// Figures 3 and 5 of [Stanojevic22]: time for k distinct trees with one root child against k. Figure 3: 14 words,
// beside the older algorithm that keeps a list; figure 5: other lengths. Random weights, uniform as there.
//
//   distinct_times FOLDER      writes FOLDER/distinct_14.svg and FOLDER/distinct_lengths.svg
#include "baselines/list_sampling.hpp"
#include "check.hpp"
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

/// Milliseconds against k: medians over several graphs.
template <class MakeScores>
std::vector<Point> measure(int words, Run run, const MakeScores& make_scores) {
  std::vector<Point> line;
  for (const int k : kCounts) {
    std::vector<double> seconds;
    for (int g = 0; g < kGraphs; ++g) {
      const Matrix scores = make_scores(words, g);
      seconds.push_back(fastest(kRepetitions, [&] { run(scores, k); }));
    }
    line.push_back({static_cast<double>(k), 1e3 * median(seconds)});
  }
  return line;
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
  const auto by_beam = measure(kFigure3Words, beam, untrained_scores);
  const auto by_trie = measure(kFigure3Words, trie, untrained_scores);
  const auto by_list = measure(kFigure3Words, list, untrained_scores);
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
    rows.push_back({"beam, " + words, measure(kWords[i], beam, untrained_scores), "linear, faster than trie"});
    plot.series.push_back({words, colours[i], Mark::line, rows.back().line});
    rows.push_back({"trie, " + words, measure(kWords[i], trie, untrained_scores), "linear"});
    plot.series.push_back({"", colours[i], Mark::dashes, rows.back().line});
  }
  rows.push_back({"beam, 100 words, like a trained parser's", measure(100, beam, trained_scores)});
  rows.push_back({"trie, 100 words, like a trained parser's", measure(100, trie, trained_scores)});
  print("ms", rows);
  const std::string path = folder + "/distinct_lengths.svg";
  write_svg(plot, path);
  std::printf("\nplot: %s\n", path.c_str());
}

int run(const std::string& folder) {
  check_list();
  std::printf("Milliseconds for k distinct trees with one root child, from the scores [Stanojevic22, figures 3, 5].\n");
  figure3(folder);
  figure5(folder);
  return 0;
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  try {
    return kirchhoff::bench::run(argc > 1 ? argv[1] : ".");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "distinct_times: %s\n", error.what());
    return 1;
  }
}
