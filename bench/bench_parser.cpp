// Measures the parser on en_ewt: seconds per epoch, two threads against one, words per second, and where the time goes.
//
//   bench_parser FOLDER [MODEL]     FOLDER is for the model that is trained; with MODEL that one is used instead
#include "timing.hpp"
#include "treebank.hpp"

#include <kirchhoff/train.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace kirchhoff::bench {
namespace {

constexpr double kParseBar = 40'000;  // Words per second, with relations.
constexpr double kEpochBar = 40;      // Seconds for an epoch.
constexpr double kThreadsBar = 1.7;   // How many times as fast two threads must be.
constexpr double kProbsBar = 2;       // How many times as long probabilities may take.
constexpr double kSizeBar = 150;      // The size of the model in MB.

const char* verdict(bool good) { return good ? "" : "  MISSED"; }

std::vector<kirchhoff::Sentence> read(const std::string& name) {
  const std::string path = treebank_folder() + "/" + name + ".conllu";
  std::ifstream in(path);
  return in ? read_sentences(in, path, ConllFormat::conllu) : std::vector<kirchhoff::Sentence>();
}

void print_threads(const char* what, int order, double one, double two) {
  std::printf("%-8s order %d, two threads           %6.2f x        bar %g%s\n", what, order, one / two, kThreadsBar,
              verdict(one / two >= kThreadsBar));
}

/// Trains on one thread and on two, and returns the least number of seconds that an epoch takes on one.
double train(const std::vector<kirchhoff::Sentence>& sentences, int order, const std::string& path) {
  TrainOptions options{.root = Root::single};
  options.parts = order == 1 ? kArcs : kNextSiblings;
  options.epochs = 3;
  options.model = path;
  double seconds[2] = {HUGE_VAL, HUGE_VAL};
  for (const int threads : {2, 1, 2, 1}) {  // They run in turn, because other programs come and go.
    options.threads = threads;
    for (const EpochReport& epoch : train_parser(sentences, {}, options).epochs) {
      seconds[threads - 1] = std::min(seconds[threads - 1], epoch.seconds);
    }
  }
  print_threads("training", order, seconds[0], seconds[1]);
  return seconds[0];
}

/// Times the whole command, from file to file, on one thread and on two.
void parse_threads(const std::string& model, int order, const std::string& treebank) {
  double seconds[2] = {HUGE_VAL, HUGE_VAL};
  for (int pass = 0; pass < 6; ++pass) {
    const int threads = 1 + pass % 2;
    const std::string command = std::string(KIRCHHOFF_PROGRAM) + " parse --model '" + model + "' --threads " +
                                std::to_string(threads) + " '" + treebank_folder() + "/" + treebank +
                                ".conllu' >/dev/null";
    const double start = seconds_now(Clock::wall);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot run " + command);
    seconds[threads - 1] = std::min(seconds[threads - 1], seconds_now(Clock::wall) - start);
  }
  print_threads("parsing", order, seconds[0], seconds[1]);
}

/// Uses a part of the treebank, because a sentence of second order takes ten times as long.
void second_order(std::vector<kirchhoff::Sentence> sentences, const std::string& path) {
  sentences.resize(std::min<std::size_t>(sentences.size(), 1500));
  train(sentences, 2, path);
  parse_threads(path, 2, "en_ewt-ud-dev");
}

struct Speed {
  double words_per_second = 0;
  ParseTimes times;
};

/// Takes the best of five passes, because the first one also brings the model into memory.
Speed speed(const ParserModel& model, const std::vector<kirchhoff::Sentence>& sentences, const ParseOptions& options) {
  double words = 0;
  for (const auto& s : sentences) words += s.size();
  Speed best;
  for (int pass = 0; pass < 5; ++pass) {
    Parser parser(model);
    const double start = seconds_now(Clock::cpu);
    for (const auto& s : sentences) parser.parse(s, options);
    const double rate = words / (seconds_now(Clock::cpu) - start);
    if (rate > best.words_per_second) best = {rate, parser.times()};
  }
  return best;
}

void print_shares(const char* name, const ParseTimes& t) {
  const double all = t.encode + t.prune + t.score + t.tree + t.label;
  std::printf(
      "%-12s encode %2.0f %%, prune %2.0f %%, features and scores %2.0f %%, tree %2.0f %%, relations %2.0f %%\n", name,
      100 * t.encode / all, 100 * t.prune / all, 100 * t.score / all, 100 * t.tree / all, 100 * t.label / all);
}

void run(const std::string& folder, const std::string& given) {
  const auto dev = read("en_ewt-ud-dev");
  if (dev.empty()) {
    std::printf("parser: skipped, no en_ewt in %s (set KIRCHHOFF_TREEBANKS)\n", treebank_folder().c_str());
    return;
  }
  std::filesystem::create_directories(folder);
  const std::string path = given.empty() ? folder + "/en_ewt.model" : given;
  if (given.empty()) {
    const auto sentences = read("en_ewt-ud-train");
    const double seconds = train(sentences, 1, path);
    std::printf("labelled epoch on en_ewt train     %6.1f s        bar %g%s\n", seconds, kEpochBar,
                verdict(seconds <= kEpochBar));
    parse_threads(path, 1, "en_ewt-ud-train");
    second_order(sentences, folder + "/en_ewt.2.model");
  }
  const ParserModel model = ParserModel::open(path);
  const Speed plain = speed(model, dev, {}), probs = speed(model, dev, {.probabilities = true});
  const double cost = plain.words_per_second / probs.words_per_second, size = static_cast<double>(model.bytes()) / 1e6;
  std::printf("parsing en_ewt dev, one thread     %6.0f words/s  bar %g%s\n", plain.words_per_second, kParseBar,
              verdict(plain.words_per_second >= kParseBar));
  std::printf("with probabilities                 %6.2f times as long, bar %g%s\n", cost, kProbsBar,
              verdict(cost <= kProbsBar));
  std::printf("model                              %6.1f MB       bar %g%s\n", size, kSizeBar,
              verdict(size <= kSizeBar));
  print_shares("parsing", plain.times);
  print_shares("with probs", probs.times);
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  try {
    kirchhoff::bench::run(argc > 1 ? argv[1] : ".", argc > 2 ? argv[2] : "");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_parser: %s\n", error.what());
    return 1;
  }
}
