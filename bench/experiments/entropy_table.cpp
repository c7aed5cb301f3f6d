// The table of [Zmigrod21, table 1]: entropy by T1 (the library) against [SmithEisner07], O(n^3) : O(n^4), on the
// test sentences of five treebanks.
//
//   entropy_table [FOLDER]               random weights, N(0,1) log-weights; writes FOLDER/entropy_table.svg
//   entropy_table --results FILE         weights of parsers that are trained here; writes the table as Markdown
//   entropy_table --model M --data FILE  weights of that parser on those sentences; prints a line of that table
#include "baselines/smith_eisner.hpp"
#include "check.hpp"
#include "experiments/sentence_times.hpp"
#include "graphs.hpp"
#include "treebank.hpp"

#include <kirchhoff/train.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

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
  double entropy = 0;  // sum
  double length() const { return mean_x(race.ours); }
  double per_word() const { return entropy / (length() * static_cast<double>(race.ours.size())); }
};

void add(Result& result, const Matrix& scores) {
  const int n = static_cast<int>(scores.rows()) - 1;
  double ours = 0, old = 0;
  const double our_time = fastest(kRepetitions, [&] { ours = entropy(TreeDistribution(scores, Root::single)); });
  const double old_time = fastest(kRepetitions, [&] { old = smith_eisner_entropy(scores.data(), n); });
  require_agreement(std::abs(ours - old), "entropy and smith_eisner_entropy");
  result.race.add(n, our_time, old_time);
  result.entropy += ours;
}

Result measure_random(const std::vector<Sentence>& sentences) {
  Result result;
  for (std::size_t i = 0; i < sentences.size(); ++i) add(result, random_scores(sentences[i].words(), 1.0, i));
  return result;
}

/// Arcs that were pruned get e^-30 of the weight of the least likely other one: the old method knows no zeros.
Matrix without_zeros(const Matrix& scores) {
  double least = 0.0;
  for (const double s : scores.reshaped()) least = std::isinf(s) ? least : std::min(least, s);
  return scores.cwiseMax(least - 30.0);
}

Result measure_trained(const ParserModel& model, std::span<const kirchhoff::Sentence> sentences) {
  Result result;
  Parser parser(model);
  for (const auto& sentence : sentences) {
    if (sentence.size() > 0) add(result, without_zeros(parser.arc_scores(sentence)));
  }
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
  std::printf("%-9s | %7.2f %9.4f %9.5f %9.4f %7.1fx | %7.2f %9.4f %9.4f %9.3f %7.1fx\n", paper.name, ours.length(),
              ours.per_word(), t1, past, past / t1, paper.length, paper.entropy, paper.t1_ms, paper.past_ms,
              paper.speed_up);
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

std::vector<kirchhoff::Sentence> read_file(const std::string& path) {
  std::ifstream in(path);
  return in ? read_sentences(in, path, ConllFormat::conllu) : std::vector<kirchhoff::Sentence>();
}

/// A CRF over all arcs, as the paper's: nothing is pruned.
ParserModel trained(const std::vector<kirchhoff::Sentence>& sentences) {
  TrainOptions options{.root = Root::single};
  options.loss = kCrfLoss;
  options.epochs = 5;
  options.threads = 0;
  options.pruning = {.threshold = 0.0, .max_heads = 10000};
  options.pruner_epochs = 1;
  return train_parser(sentences, {}, options).model.value();
}

/// What a treebank has to learn from, and its test part; of a treebank that has a test part only, halves of it.
struct Split {
  std::string source;
  std::vector<kirchhoff::Sentence> train, test;
};
Split split_of(const std::string& test_name) {
  const std::string prefix = treebank_folder() + "/" + test_name.substr(0, test_name.size() - 4);
  Split split{"half of test", {}, read_file(prefix + "test.conllu")};
  for (const char* part : {"train", "dev"}) {
    if (split.train = read_file(prefix + part + ".conllu"); !split.train.empty()) {
      split.source = part;
      break;
    }
  }
  if (split.train.empty()) {
    const auto middle = split.test.begin() + static_cast<std::ptrdiff_t>(split.test.size() / 2);
    split.train.assign(split.test.begin(), middle);
    split.test.erase(split.test.begin(), middle);
  }
  std::erase_if(split.train, [](const auto& s) { return tree_problem(s.heads(), Root::single).has_value(); });
  return split;
}

std::string row(const std::string& name, const std::string& source, const Result& ours, const std::string& paper) {
  const double t1 = mean_y(ours.race.ours), past = mean_y(ours.race.old);
  char text[300];
  std::snprintf(text, sizeof(text), "| %s | %s | %.2f | %.4f | %.4f | %.3f | %.1f | %s |\n", name.c_str(),
                source.c_str(), ours.length(), ours.per_word(), t1, past, past / t1, paper.c_str());
  return text;
}

std::string paper_cells(const Language& paper) {
  char text[200];
  std::snprintf(text, sizeof(text), "%.2f | %.4f | %.4f | %.3f | %.1f", paper.length, paper.entropy, paper.t1_ms,
                paper.past_ms, paper.speed_up);
  return text;
}

void write_results(const std::string& path) {
  std::string text =
      "# Entropies of trained parsers\n\n"
      "[Zmigrod21, table 1] with the weights of CRFs over all arcs (`entropy_table --results`, `make experiments`): 5 "
      "epochs on\n"
      "the part of the treebank that is named. Entropy is in nats for each word, times are milliseconds for each "
      "sentence, on one\n"
      "thread; the paper's are those of its Python and its machine, with another parser and other releases of the "
      "treebanks.\n\n"
      "| | learnt from | length | entropy | T1 | past | speed-up | paper: length | entropy | T1 | past | speed-up |\n"
      "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const Language& language : kPaper) {
    const Split split = split_of(language.treebank);
    if (split.train.empty()) continue;
    const std::string line =
        row(language.name, split.source, measure_trained(trained(split.train), split.test), paper_cells(language));
    std::fputs(line.c_str(), stdout);
    text += line;
  }
  if (!(std::ofstream(path) << text)) throw std::runtime_error("cannot write " + path);
}

void print_model(const std::string& model, const std::string& data) {
  const auto sentences = read_file(data);
  if (sentences.empty()) throw std::runtime_error(data + ": no sentences");
  std::fputs(row(data, model, measure_trained(ParserModel::open(model), sentences), "").c_str(), stdout);
}

void random_table(const std::string& folder) {
  print_header();
  Race all;
  for (const Language& language : kPaper) {
    const auto sentences = read_treebank(language.treebank);
    if (sentences.empty()) {
      std::printf("%-9s | skipped: no %s in %s\n", language.name, language.treebank, treebank_folder().c_str());
      continue;
    }
    const Result result = measure_random(sentences);
    print_row(language, result);
    all.ours.insert(all.ours.end(), result.race.ours.begin(), result.race.ours.end());
    all.old.insert(all.old.end(), result.race.old.begin(), result.race.old.end());
  }
  if (all.ours.empty()) return;
  write_svg(plot_of(all), folder + "/entropy_table.svg");
  std::printf("\nplot: %s/entropy_table.svg\n", folder.c_str());
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  try {
    if (given.size() == 2 && given[0] == "--results") {
      kirchhoff::bench::write_results(given[1]);
    } else if (given.size() == 4 && given[0] == "--model" && given[2] == "--data") {
      kirchhoff::bench::print_model(given[1], given[3]);
    } else if (given.size() <= 1) {
      kirchhoff::bench::random_table(given.empty() ? "." : given[0]);
    } else {
      throw std::runtime_error("usage: entropy_table [FOLDER | --results FILE | --model M --data FILE]");
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "entropy_table: %s\n", error.what());
    return 1;
  }
}
