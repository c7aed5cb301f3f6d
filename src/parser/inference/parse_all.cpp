// Parses streams of sentences: the one place that decides about order, threads and seeds.
//
// Sentences are read in chunks. While all threads parse a chunk, the first one that comes passes the chunk before it on
// to the sink and reads the next, so that reading, parsing and writing overlap and everything stays in order.
#include "base/stop.hpp"
#include "kirchhoff/parser.hpp"

#include <mutex>
#include <utility>

namespace kirchhoff {
namespace {

constexpr std::size_t kChunkSize = 256;

struct Chunk {
  std::uint64_t first = 0;  ///< The number of its first sentence.
  std::vector<ParsedSentence> sentences;
  std::exception_ptr error;  ///< What ended the reading after these sentences, if it was an error.
  bool last = false;         ///< There is nothing to read after these sentences.

  std::uint64_t end() const { return first + sentences.size(); }
};

Chunk read_chunk(const SentenceSource& source, std::uint64_t first) {
  Chunk chunk{first, {}, nullptr, false};
  try {
    while (chunk.sentences.size() < kChunkSize) {
      std::optional<Sentence> sentence = source();
      if (!sentence) {
        chunk.last = true;
        break;
      }
      chunk.sentences.push_back({std::move(*sentence), {}, nullptr});
    }
  } catch (...) {
    chunk.error = std::current_exception();
    chunk.last = true;
  }
  return chunk;
}

void pass_on(Chunk& chunk, const ParsedSink& sink) {
  for (ParsedSentence& sentence : chunk.sentences) sink(std::move(sentence));
  chunk.sentences.clear();
}

/// Parsers that wait for a thread to use them. There are never more of them than threads.
class ParserPool {
 public:
  ParserPool(const ParserModel& model, const Stop& stop) : model_(model), stop_(stop) {}

  void parse(ParsedSentence& sentence, const ParseOptions& options) {
    std::unique_ptr<Parser> parser = take();
    try {
      if (options.prepare) sentence.sentence = options.prepare(sentence.sentence);
      sentence.parsed = parser->parse(sentence.sentence, options);
    } catch (...) {
      sentence.error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(parser));
  }

 private:
  /// Also asks whether to stop, because this is where threads come one at a time.
  std::unique_ptr<Parser> take() {
    const std::lock_guard lock(mutex_);
    base::check_stop(stop_);
    if (idle_.empty()) return std::make_unique<Parser>(model_);
    std::unique_ptr<Parser> parser = std::move(idle_.back());
    idle_.pop_back();
    return parser;
  }

  const ParserModel& model_;
  const Stop& stop_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Parser>> idle_;
};

}  // namespace

void parse_all(const ParserModel& model, const SentenceSource& source, const ParsedSink& sink,
               const ParseOptions& options, int threads, const Stop& stop) {
  ParserPool parsers(model, stop);
  Chunk before, chunk = read_chunk(source, 0), after;
  while (!chunk.sentences.empty()) {
    parallel_for(chunk.sentences.size() + 1, threads, [&](std::size_t item) {
      if (item == 0) {
        pass_on(before, sink);
        after = chunk.last ? Chunk{chunk.end(), {}, chunk.error, true} : read_chunk(source, chunk.end());
        return;
      }
      ParseOptions own = options;
      const std::uint64_t number = chunk.first + item - 1;
      own.seed += number << 32;  // The samples of different sentences are independent.
      if (options.constraints_of) own.constraints = options.constraints_of(number);
      parsers.parse(chunk.sentences[item - 1], own);
    });
    before = std::move(chunk);
    chunk = std::exchange(after, {});
  }
  pass_on(before, sink);
  if (chunk.error) std::rethrow_exception(chunk.error);
}

std::vector<Parsed> parse_all(const ParserModel& model, std::span<const Sentence> sentences,
                              const ParseOptions& options, int threads, const Stop& stop) {
  std::size_t next = 0;
  const auto source = [&]() -> std::optional<Sentence> {
    if (next == sentences.size()) return std::nullopt;
    return sentences[next++];
  };
  std::vector<Parsed> all;
  all.reserve(sentences.size());
  const auto sink = [&](ParsedSentence&& sentence) {
    if (sentence.error) std::rethrow_exception(sentence.error);
    all.push_back(std::move(sentence.parsed));
  };
  parse_all(model, source, sink, options, threads, stop);
  return all;
}

}  // namespace kirchhoff
