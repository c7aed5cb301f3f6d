// Orders sentences by what their trees would teach. With p over trees, arcs a and the features f of the model:
//
//   entropy             H(p)
//   margin              log p(best) - log p(second)
//   variance            sum_a p_a (1 - p_a) = words - sum_a p_a^2
//   expected gradient   E |grad log p(y)|^2 = sum_k Var(f_k) / T^2, because the mean of the gradient is 0
#include "kirchhoff/rank.hpp"

#include "base/stop.hpp"
#include "parser/statistics/arc_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kirchhoff {
namespace {

using parser::ArcReader;

constexpr std::size_t kTogether = 256;

template <class D>
double margin(const D& p) {
  const std::vector<Tree> best = k_best_trees(p, 2);
  if (best.size() < 2) return std::numeric_limits<double>::infinity();
  return std::max(0.0, best[0].score - best[1].score);
}

double expected_gradient(ArcReader& reader, const parser::Model& model) {
  const Matrix covariances =
      reader.with_trees([&](const auto& p) { return parser::arc_covariances(p, reader.arcs()); });
  double sum = 0.0;
  const auto places = [&](std::size_t arc) {
    std::vector<std::size_t> found;
    for (const std::uint64_t key : reader.keys(reader.arcs()[arc])) {
      if (const std::size_t place = model.arcs.place(key)) found.push_back(place);
    }
    return found;
  };
  parser::for_each_variance(covariances, places, [&](std::size_t, double variance) { sum += variance; });
  return sum / (model.settings.temperature * model.settings.temperature);
}

double value_of(ArcReader& reader, const parser::Model& model, RankBy by) {
  switch (by) {
    case RankBy::entropy:
      return reader.with_trees([](const auto& p) { return entropy(p); });
    case RankBy::margin:
      return reader.with_trees([](const auto& p) { return margin(p); });
    case RankBy::variance:
      return reader.with_trees([](const auto& p) { return p.words() - p.marginals().squaredNorm(); });
    case RankBy::expected_gradient:
      break;
  }
  return expected_gradient(reader, model);
}

bool teaches_more(const RankedSentence& a, const RankedSentence& b, RankBy by) {
  if (a.value != b.value) return by == RankBy::margin ? a.value < b.value : a.value > b.value;
  return a.number < b.number;
}

/// Some sentences of the stream, each with its value or what is wrong with it.
struct RankedPiece {
  std::vector<RankedSentence> sentences;
  std::vector<std::exception_ptr> errors;
  bool last = false;  ///< There is nothing to read after these.
};

RankedPiece read_piece(const SentenceSource& source, std::uint64_t& number) {
  RankedPiece part;
  while (part.sentences.size() < kTogether) {
    std::optional<Sentence> sentence = source();
    part.last = !sentence;
    if (part.last) break;
    if (sentence->size() > 0) part.sentences.push_back({std::move(*sentence), number, 0.0});
    ++number;
  }
  part.errors.resize(part.sentences.size());
  return part;
}

void evaluate(RankedPiece& part, const ParserModel& model, const RankOptions& rank, const StatisticsOptions& options) {
  constexpr std::size_t kPiece = 8;
  const parser::Model& parts = *parser::ModelAccess::model_of(model);
  const parser::Templates none("hd", "");
  const parser::Templates& templates = rank.by == RankBy::expected_gradient ? parts.arc_templates : none;
  const std::size_t size = part.sentences.size();
  parallel_for((size + kPiece - 1) / kPiece, options.threads, [&](std::size_t piece) {
    ArcReader reader(model, templates, options);
    for (std::size_t i = piece * kPiece; i < std::min(size, (piece + 1) * kPiece); ++i) {
      RankedSentence& item = part.sentences[i];
      try {
        reader.read(item.sentence);
        item.value = value_of(reader, parts, rank.by);
      } catch (...) {
        part.errors[i] = std::current_exception();
        continue;
      }
      if (rank.per == RankPer::word && rank.by != RankBy::margin) item.value /= item.sentence.size();
    }
  });
}

}  // namespace

std::vector<RankedSentence> rank_sentences(const ParserModel& model, const SentenceSource& source,
                                           const RankOptions& rank, const StatisticsOptions& options,
                                           const RankProblem& problem) {
  if (rank.by == RankBy::expected_gradient) parser::require_arcs("rank_sentences", model);
  const auto before = [&](const RankedSentence& a, const RankedSentence& b) { return teaches_more(a, b, rank.by); };
  const std::size_t top = rank.top == 0 ? std::numeric_limits<std::size_t>::max() : rank.top;
  std::vector<RankedSentence> kept;
  std::uint64_t number = 0;
  for (bool last = false; !last;) {
    base::check_stop(options.stop);
    RankedPiece part = read_piece(source, number);
    last = part.last;
    evaluate(part, model, rank, options);
    for (std::size_t i = 0; i < part.sentences.size(); ++i) {
      if (!part.errors[i]) {
        kept.push_back(std::move(part.sentences[i]));
      } else if (problem) {
        problem(part.sentences[i].sentence, part.errors[i]);
      } else {
        std::rethrow_exception(part.errors[i]);
      }
    }
    if (kept.size() <= top) continue;
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(top), kept.end(), before);
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(top), kept.end());
  }
  std::sort(kept.begin(), kept.end(), before);
  return kept;
}

}  // namespace kirchhoff
