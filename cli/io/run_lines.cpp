// JSON lines in, JSON lines out, in the same order.
#include "io/run_lines.hpp"

#include "io/files.hpp"
#include "io/line_reader.hpp"
#include "io/progress.hpp"

#include <kirchhoff/parallel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
constexpr std::size_t kLinesPerThread = 64;

std::size_t chunk_lines(const LineOptions& options, bool bulky) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores;
  return bulky ? threads : threads * kLinesPerThread;
}

std::vector<Answer> answer_all(const std::vector<Line>& lines, std::size_t first, int threads,
                               const AnswerLine& answer) {
  std::vector<Answer> answers(lines.size());
  parallel_for(lines.size(), threads, [&](std::size_t i) { answers[i] = answer(lines[i].text, first + i); });
  return answers;
}

/// The answers in order up to the first line that ends the run, if there is one.
struct Output {
  std::string text;
  std::size_t infeasible = 0;
  std::optional<std::size_t> fatal;
};

Output collect(const std::vector<Answer>& answers, bool strict) {
  Output out;
  for (std::size_t i = 0; i < answers.size() && !out.fatal; ++i) {
    const Answer::Status status = answers[i].status;
    const bool infeasible = status == Answer::Status::infeasible;
    out.text += answers[i].output;
    out.infeasible += infeasible ? 1 : 0;
    if (status != Answer::Status::good && (strict || !infeasible)) out.fatal = i;
  }
  return out;
}

}  // namespace

int run_lines(const LineOptions& options, bool bulky, const AnswerLine& answer) {
  LineReader reader(options.input.file, options.input.max_line_mb << 20);
  greet_terminal(options.input.file);
  Progress progress(options.quiet);
  std::size_t graphs = 0;
  std::size_t infeasible = 0;
  const std::size_t at_once = chunk_lines(options, bulky);
  for (auto lines = reader.next(at_once, kChunkBytes); !lines.empty(); lines = reader.next(at_once, kChunkBytes)) {
    const std::vector<Answer> answers = answer_all(lines, graphs, options.threads, answer);
    const Output out = collect(answers, options.strict);
    write_stdout(out.text);
    if (out.fatal) {
      throw FileError(fmt::format("{}:{}: {}", reader.name(), lines[*out.fatal].number, answers[*out.fatal].message));
    }
    graphs += lines.size();
    infeasible += out.infeasible;
    progress.advance(lines.size());
  }
  if (infeasible > 0 && !options.quiet) {
    complain(fmt::format("{}: {} of {} graphs {}", reader.name(), infeasible, graphs, options.none));
  }
  return infeasible > 0 ? 1 : 0;
}

}  // namespace kirchhoff::cli
