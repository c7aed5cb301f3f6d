// The table of [Zmigrod21, table 1]: entropy by T1 (the library) against [Smith & Eisner 2007], O(n^3) : O(n^4), on the
// sentence lengths of five treebanks. Weights are random, N(0,1) log-weights: only the lengths matter for the time.
//
//   entropy_table FOLDER      writes FOLDER/entropy_table.svg
#include "baselines/smith_eisner.hpp"
#include "check.hpp"
#include "experiments/experiment.hpp"
#include "experiments/sentence_times.hpp"
#include "graphs.hpp"
#include "treebank.hpp"

#include <cmath>
#include <cstdio>
#include <exception>

namespace kirchhoff::bench {
namespace {

constexpr int kRepetitions = 5;
constexpr std::size_t kDots = 1500;  // drawn in the plot, of each method

/// A line of the paper's table: mean length, nats per word, milliseconds by T1 and by the past approach and their
/// ratio, on their laptop, in Python, with the weights of a trained parser.
struct Language {
  const char* name;
  const char* treebank;
  double length, entropy, t1_ms, past_ms, speed_up;
};

constexpr Language kPaper[] = {
    {"Finnish", "fi_tdt-ud-test", 9.23, 0.6092, 0.4623, 1.882, 4.1},
    {"English", "en_ewt-ud-test", 12.45, 0.8264, 0.5102, 2.778, 5.4},
    {"German", "de_gsd-ud-test", 17.56, 0.8933, 0.5583, 4.104, 7.3},
    {"French", "fr_gsd-ud-test", 24.65, 0.8923, 0.5635, 5.742, 10.2},
    {"Arabic", "ar_pud-ud-test", 36.05, 0.7163, 0.6220, 9.368, 15.1},
};

struct Result {
  Race race;
  double entropy_per_word = 0;
};

Result measure(const std::vector<Sentence>& sentences) {
  Result result;
  double entropy_sum = 0, words = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const int n = sentences[i].words();
    const Matrix scores = random_scores(n, 1.0, i);
    double ours = 0, old = 0;
    const double our_time = fastest(kRepetitions, [&] { ours = entropy(TreeDistribution(scores, Root::single)); });
    const double old_time = fastest(kRepetitions, [&] { old = smith_eisner_entropy(scores.data(), n); });
    require_agreement(std::abs(ours - old), "entropy and smith_eisner_entropy");
    result.race.add(n, our_time, old_time);
    entropy_sum += ours;
    words += n;
  }
  result.entropy_per_word = entropy_sum / words;
  return result;
}

void print_header() {
  std::printf(
      "Entropy: T1 against Smith & Eisner's O(n^4). Ours: all sentences of the test parts, random weights; paper:\n");
  std::printf(
      "weights of a trained parser, Python, another machine and other treebank releases [Zmigrod21, table 1].\n\n");
  std::printf("%-9s | %7s %9s %9s %9s %8s | %7s %9s %9s %9s %8s\n", "", "ours:", "nats per", "T1", "past", "",
              "paper:", "nats per", "T1", "past", "");
  std::printf("%-9s | %7s %9s %9s %9s %8s | %7s %9s %9s %9s %8s\n", "language", "length", "word", "ms", "ms",
              "speed-up", "length", "word", "ms", "ms", "speed-up");
}

void print_row(const Language& paper, const Result& ours) {
  const double t1 = mean_y(ours.race.ours), past = mean_y(ours.race.old);
  std::printf("%-9s | %7.2f %9.4f %9.5f %9.4f %7.1fx | %7.2f %9.4f %9.4f %9.3f %7.1fx\n", paper.name,
              mean_x(ours.race.ours), ours.entropy_per_word, t1, past, past / t1, paper.length, paper.entropy,
              paper.t1_ms, paper.past_ms, paper.speed_up);
}

Plot plot_of(const Race& all) {
  std::vector<Point> paper_t1, paper_past;
  for (const Language& language : kPaper) {
    paper_t1.push_back({language.length, language.t1_ms});
    paper_past.push_back({language.length, language.past_ms});
  }
  return {"Entropy of a tree distribution",
          std::to_string(all.ours.size()) + " sentences of five treebanks; lines are medians",
          "words in the sentence",
          "milliseconds",
          {{"", kOldColour, Mark::dots, subsample(all.old, kDots)},
           {"", kOurColour, Mark::dots, subsample(all.ours, kDots)},
           {"Smith & Eisner 2007, O(n⁴), our C++", kOldColour, Mark::line, median_line(all.old)},
           {"T1, O(n³), Kirchhoff", kOurColour, Mark::line, median_line(all.ours)},
           {"Smith & Eisner in the paper (Python)", kOldColour, Mark::diamonds, paper_past},
           {"T1 in the paper (Python)", kOurColour, Mark::diamonds, paper_t1}}};
}

}  // namespace

int run_experiment(const std::string& folder) {
  print_header();
  Race all;
  for (const Language& language : kPaper) {
    const auto sentences = read_treebank(language.treebank);
    if (sentences.empty()) {
      std::printf("%-9s | skipped: no %s in %s\n", language.name, language.treebank, treebank_folder().c_str());
      continue;
    }
    const Result result = measure(sentences);
    print_row(language, result);
    all.ours.insert(all.ours.end(), result.race.ours.begin(), result.race.ours.end());
    all.old.insert(all.old.end(), result.race.old.begin(), result.race.old.end());
  }
  if (all.ours.empty()) return 0;
  write_svg(plot_of(all), folder + "/entropy_table.svg");
  std::printf("\nplot: %s/entropy_table.svg\n", folder.c_str());
  return 0;
}

}  // namespace kirchhoff::bench
