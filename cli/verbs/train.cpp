// kirchhoff train: a treebank in, a model file out.
#include "io/files.hpp"
#include "verbs/parser_verbs.hpp"

#include <kirchhoff/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <sstream>

namespace kirchhoff::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int) { interrupted = 1; }

/// A line on a terminal that is written over.
class TrainLine {
 public:
  explicit TrainLine(bool quiet) : quiet_(quiet), terminal_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

  void progress(const TrainProgress& p) {
    if (!terminal_) return;
    using std::chrono::duration, std::chrono::milliseconds, std::chrono::steady_clock;
    const auto now = steady_clock::now();
    if (p.stage != stage_) {
      stage_ = p.stage;
      start_ = now;
      first_ = p.sentences;
    } else if (now - last_ < milliseconds(200)) {
      return;
    }
    last_ = now;
    const double seconds = duration<double>(now - start_).count();
    const double speed = static_cast<double>(p.sentences - first_) / std::max(seconds, 1e-3);
    const double left = static_cast<double>(p.all_sentences - p.sentences) / std::max(speed, 1e-3);
    fmt::print(stderr, "\r{:<9} {:3.0f} %  {:6.0f} sentences/s  loss {:8.4f}  {:4.0f} s left ", p.stage,
               100.0 * static_cast<double>(p.sentences) / static_cast<double>(p.all_sentences), speed, p.mean_loss,
               p.sentences == first_ ? 0.0 : left);
    written_ = true;
  }

  void say(const std::string& text) {
    if (quiet_) return;
    fmt::print(stderr, "{}{}\n", written_ ? "\r\x1b[K" : "", text);
    written_ = false;
  }

 private:
  bool quiet_, terminal_;
  bool written_ = false;
  std::string stage_;
  std::size_t first_ = 0;
  std::chrono::steady_clock::time_point start_, last_;
};

std::vector<Sentence> read(TreebankOptions options, const std::string& file) {
  options.file = file;
  TreebankInput input(options, TreebankInput::Need::trees);
  return read_all(input);
}

Unannotated unannotated(const TrainVerb& verb) {
  Unannotated u = verb.options.unannotated;
  TreebankOptions options = verb.train;
  options.file = verb.unannotated;
  TreebankInput input(options, TreebankInput::Need::sentences);
  u.sentences = read_all(input);
  if (!verb.constraints.empty()) {
    std::istringstream text(read_file(verb.constraints));
    u.constraints = read_tag_constraints(text, verb.constraints);
  }
  if (!verb.teacher.empty()) u.teacher = ParserModel::open(verb.teacher);
  return u;
}

void set_options(TrainVerb& verb, std::size_t sentences) {
  TrainOptions& o = verb.options;
  o.root = verb.train.root;
  if (verb.beta) o.loss.beta = *verb.beta;
  if (verb.gamma) o.loss.gamma = *verb.gamma;
  if (verb.lambda) o.step.cap = 1.0 / (*verb.lambda * static_cast<double>(sentences));
  if (!verb.unannotated.empty()) o.unannotated = unannotated(verb);
  o.model = verb.model;
  o.checkpoint = verb.model + ".checkpoint";
  const std::time_t now = std::time(nullptr);
  o.card = {{"program", fmt::format("kirchhoff {}", kVersion)},
            {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))},
            {"train", verb.train.file},
            {"dev", verb.dev.empty() ? "none" : verb.dev},
            {"command", verb.command},
            {"licence", verb.licence.empty() ? "not stated" : verb.licence}};
}

}  // namespace

int run_train(TrainVerb& verb) {
  const std::vector<Sentence> train = read(verb.train, verb.train.file);
  const std::vector<Sentence> dev = verb.dev.empty() ? std::vector<Sentence>() : read(verb.train, verb.dev);
  set_options(verb, train.size());
  TrainLine line(verb.quiet);
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
  const TrainEvents events{
      .progress = [&](const TrainProgress& p) { line.progress(p); },
      .note = [&](const std::string& text) { line.say(text); },
      .epoch =
          [&](const EpochReport& r) {
            line.say(fmt::format("epoch {}: loss {:.4f}, {:.1f} s{}{}", r.epoch, r.loss, r.seconds,
                                 dev.empty() ? ""
                                             : fmt::format(", dev UAS {:.2f} LAS {:.2f} calibration error {:.2f} %",
                                                           r.uas, r.las, r.calibration),
                                 r.best && !dev.empty() ? ", best so far" : ""));
          },
      .stop = [] { return interrupted != 0; }};
  const TrainResult result = train_parser(train, dev, verb.options, events);
  if (result.stopped) {
    complain(fmt::format("stopped; to go on, run the same command with --resume (state: {})", verb.options.checkpoint));
    return 130;
  }
  std::error_code ignored;
  std::filesystem::remove(verb.options.checkpoint, ignored);
  line.say(fmt::format("{}: {:.1f} MB", verb.model, static_cast<double>(result.model->bytes()) / 1e6));
  return 0;
}

int run_model_info(const ModelVerb& verb) {
  const ParserModel model = ParserModel::open(verb.model);
  std::string text;
  for (const auto& [name, value] : model.card()) text += fmt::format("{}: {}\n", name, value);
  text +=
      fmt::format("relations: {}\nsize: {:.1f} MB\n", model.labels().size(), static_cast<double>(model.bytes()) / 1e6);
  write_stdout(text);
  return 0;
}

}  // namespace kirchhoff::cli
