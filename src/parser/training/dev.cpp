#include "parser/training/dev.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kirchhoff::parser {
namespace {

/// Negative log of the gold arcs' marginals; arcs that were pruned count the same for every temperature.
double arc_loss(const std::vector<Matrix>& scores, const std::vector<Sentence>& gold, Root root, double temperature,
                base::Crew& crew) {
  std::vector<double> losses(scores.size(), 0.0);
  crew.loop(scores.size(), [&](std::size_t i) {
    const TreeDistribution p(scores[i] / temperature, root, {.tolerance = 1e-6, .floor = 1e-3});
    const auto marginals = p.marginals();
    for (int d = 1; d <= gold[i].size(); ++d) losses[i] -= std::log(std::max(1e-4, marginals(gold[i].head(d), d)));
  });
  double sum = 0.0;
  for (const double loss : losses) sum += loss;
  return sum;
}

/// Golden section over log temperature in [-1.5, 1.5].
double best_temperature(const std::vector<Matrix>& scores, const std::vector<Sentence>& gold, Root root,
                        base::Crew& crew) {
  const double ratio = (std::sqrt(5.0) - 1.0) / 2.0;
  const auto loss = [&](double x) { return arc_loss(scores, gold, root, std::exp(x), crew); };
  double low = -1.5, high = 1.5;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double loss_a = loss(a), loss_b = loss(b);
  while (high - low > 0.02) {
    if (loss_a < loss_b) {
      high = b;
      b = a;
      loss_b = loss_a;
      a = high - ratio * (high - low);
      loss_a = loss(a);
    } else {
      low = a;
      a = b;
      loss_a = loss_b;
      b = low + ratio * (high - low);
      loss_b = loss(b);
    }
  }
  return std::exp((low + high) / 2.0);
}

/// Expected calibration error [Guo17]: arcs of the parses in ten bins by their probability; the mean over arcs of the
/// distance between a bin's mean probability and its share of right arcs.
double calibration_error(const std::vector<Matrix>& scores, const std::vector<Heads>& parses,
                         const std::vector<Sentence>& gold, Root root, double temperature) {
  constexpr int kBins = 10;
  std::array<double, kBins> excess{};  // probability minus share that is right, times arcs
  double arcs = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const TreeDistribution p(scores[i] / temperature, root, {.tolerance = 1e-6, .floor = 1e-3});
    const auto marginals = p.marginals();
    for (int d = 1; d <= gold[i].size(); ++d) {
      const int head = parses[i][static_cast<std::size_t>(d)];
      const double probability = marginals(head, d);
      const auto bin = static_cast<std::size_t>(std::clamp(static_cast<int>(probability * kBins), 0, kBins - 1));
      excess[bin] += probability - (head == gold[i].head(d) ? 1.0 : 0.0);
      arcs += 1.0;
    }
  }
  double sum = 0.0;
  for (const double e : excess) sum += std::abs(e);
  return 100.0 * sum / arcs;
}

}  // namespace

DevScores score(const ParserModel& model, const std::vector<Sentence>& gold, base::Crew& crew) {
  std::vector<Matrix> scores(gold.size());
  std::vector<Heads> parses(gold.size());
  std::vector<std::array<int, 3>> counts(gold.size());
  crew.chunks(gold.size(), [&](std::size_t first, std::size_t last) {
    Parser parser(model);
    for (std::size_t i = first; i < last; ++i) {
      const Sentence& s = gold[i];
      Parsed parsed = parser.parse(s, {.arc_scores = true});
      parses[i] = parsed.tree.heads;
      scores[i] = std::move(parsed.arc_scores);
      for (int d = 1; d <= s.size(); ++d) {
        const auto w = static_cast<std::size_t>(d);
        const bool head = parsed.tree.heads[w] == s.head(d);
        const std::string& label = model.labels()[static_cast<std::size_t>(parsed.tree.labels[w])];
        counts[i][0] += 1;
        counts[i][1] += head;
        counts[i][2] += head && universal_relation(label) == universal_relation(s.deprel(d));
      }
    }
  });
  double words = 0.0;
  DevScores result;
  for (const auto& c : counts) {
    words += c[0];
    result.uas += c[1];
    result.las += c[2];
  }
  result.uas *= 100.0 / words;
  result.las *= 100.0 / words;
  result.temperature = best_temperature(scores, gold, model.root(), crew);
  result.calibration = calibration_error(scores, parses, gold, model.root(), result.temperature);
  return result;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace kirchhoff::parser
