// Reads lines in chunks, answers each chunk on all threads, and writes the answers in the order of the lines.
#include "io/run_lines.hpp"

#include "io/files.hpp"
#include "io/progress.hpp"
#include "io/terminal.hpp"

#include <kirchhoff/parallel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <thread>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
constexpr std::size_t kLinesPerThread = 64;

std::size_t chunk_lines(const LineOptions& options, AnswerSize size) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores;
  return size == AnswerSize::much_larger ? threads : threads * kLinesPerThread;
}

std::vector<LineAnswer> answer_all(const std::vector<InputLine>& lines, std::size_t first, int threads,
                                   const AnswerLine& answer) {
  std::vector<LineAnswer> answers(lines.size());
  parallel_for(lines.size(), threads, [&](std::size_t i) {
    try {
      answers[i] = answer(lines[i].text, first + i);
    } catch (const std::bad_alloc&) {
      answers[i] = {LineAnswer::Status::bad, {}, "out of memory"};
    }
  });
  return answers;
}

/// The answers in order, up to the first line that ends the run if there is one.
struct ChunkOutput {
  std::string text;
  std::size_t infeasible = 0;
  std::size_t unanswered = 0;
  std::optional<std::size_t> fatal;  ///< The index of the line that ends the run.
};

ChunkOutput collect(const std::vector<LineAnswer>& answers, bool strict) {
  ChunkOutput out;
  for (std::size_t i = 0; i < answers.size() && !out.fatal; ++i) {
    const LineAnswer::Status status = answers[i].status;
    out.text += answers[i].output;
    out.infeasible += status == LineAnswer::Status::infeasible ? 1 : 0;
    out.unanswered += status == LineAnswer::Status::unanswered ? 1 : 0;
    if (answers[i].ends_run(strict)) out.fatal = i;
  }
  return out;
}

}  // namespace

int run_lines(const LineOptions& options, const LineQuestions& questions) {
  LineReader reader(options.input.file, options.input.max_line_mb << 20);
  if (!options.quiet) greet_terminal(options.input.file);
  Progress progress(options.quiet);
  std::size_t graphs = 0;
  std::size_t infeasible = 0;
  std::size_t unanswered = 0;
  const std::size_t at_once = chunk_lines(options, questions.size);
  for (auto lines = reader.next(at_once, kChunkBytes); !lines.empty(); lines = reader.next(at_once, kChunkBytes)) {
    const std::vector<LineAnswer> answers = answer_all(lines, graphs, options.threads, questions.answer);
    const ChunkOutput out = collect(answers, options.strict);
    write_stdout(out.text);
    if (out.fatal) {
      throw FileError(fmt::format("{}:{}: {}", reader.name(), lines[*out.fatal].number, answers[*out.fatal].message));
    }
    graphs += lines.size();
    infeasible += out.infeasible;
    unanswered += out.unanswered;
    progress.advance(lines.size());
  }
  complain_unanswered(reader.name(), infeasible, graphs, options.infeasible, options.items);
  complain_unanswered(reader.name(), unanswered, graphs, "without an answer", options.items);
  return infeasible + unanswered > 0 ? 1 : 0;
}

}  // namespace kirchhoff::cli
