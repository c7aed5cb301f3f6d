// Scores of a model on held-out sentences: UAS and LAS by evaluate(), the temperature that fits its probabilities best,
// and how well they are calibrated then.
#include "parser/training/held_out.hpp"

#include "kirchhoff/evaluate.hpp"
#include "kirchhoff/projective.hpp"
#include "learn/labelled_loss.hpp"
#include "parser/inference/labeller.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr Accuracy kEnough{.tolerance = 1e-6, .floor = 1e-3};
constexpr std::size_t kFew = 8, kSome = 32;  // sentences for a task: fewer where they take longer

/// What scores are about: trees of which kind, and how many children the root has.
struct TreeKind {
  Root root;
  bool projective;
};
Matrix marginals_of(const Matrix& scores, const TreeKind& kind) {
  if (kind.projective) return ProjectiveTreeDistribution(scores, kind.root, kEnough).marginals();
  return TreeDistribution(scores, kind.root, kEnough).marginals();
}

/// The negative log of the gold arcs' marginals. Arcs that were pruned count the same for every temperature.
double arc_loss(const std::vector<Matrix>& scores, const std::vector<Sentence>& gold, const TreeKind& kind,
                double temperature, base::Crew& crew) {
  std::vector<double> losses(scores.size(), 0.0);
  const auto add = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Matrix marginals = marginals_of(scores[i] / temperature, kind);
      for (int d = 1; d <= gold[i].size(); ++d) losses[i] -= std::log(std::max(1e-4, marginals(gold[i].head(d), d)));
    }
  };
  crew.chunks(scores.size(), add, kSome);
  double sum = 0.0;
  for (const double loss : losses) sum += loss;
  return sum;
}

/// The temperature with the least loss, by a golden-section search over its logarithm in [-limit, limit].
template <class LossAt>
double best_temperature(double limit, const LossAt& loss_at) {
  const double ratio = (std::sqrt(5.0) - 1.0) / 2.0;
  const auto loss = [&](double x) { return loss_at(std::exp(x)); };
  double low = -limit, high = limit;
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

/// The temperature at which the gold relations of gold arcs are most likely, for a model of joint ones. A relation that
/// was not seen in training counts the same for every temperature.
double best_label_temperature(const ParserModel& parser_model, const std::vector<Sentence>& gold, base::Crew& crew) {
  const Model& model = *ModelAccess::model_of(parser_model);
  if (!model.settings.joint) return 1.0;
  std::vector<std::vector<Labeller::Choice>> choices(gold.size());
  const auto read = [&](std::size_t first, std::size_t last) {
    Labeller labeller(model);
    for (std::size_t i = first; i < last; ++i) {
      const Encoded encoded = encode(gold[i], model.inventory);
      labeller.read(encoded);
      for (int d = 1; d <= gold[i].size(); ++d) {
        auto choice = labeller.choice({gold[i].head(d), d}, model.inventory.labels.find(gold[i].deprel(d)));
        if (choice.scores.size() > 1) choices[i].push_back(std::move(choice));
      }
    }
  };
  crew.chunks(gold.size(), read, kFew);
  // Scores of an SVM have any scale.
  constexpr double kLimit = 4.0;
  return best_temperature(kLimit, [&](double temperature) {
    double loss = 0.0;
    for (const auto& of_sentence : choices) {
      for (const Labeller::Choice& c : of_sentence) {
        std::vector<double> scaled = c.scores;
        for (double& s : scaled) s /= temperature;
        const double own = scaled[c.gold];
        loss += learn::fold_labels(scaled, 1.0) - own;
      }
    }
    return loss;
  });
}

/// Expected calibration error [Guo17]: arcs of the parses in ten bins by their probability; the mean over arcs of the
/// distance between a bin's mean probability and its share of right arcs.
double calibration_error(const std::vector<Matrix>& scores, const std::vector<Sentence>& parses,
                         const std::vector<Sentence>& gold, const TreeKind& kind, double temperature,
                         base::Crew& crew) {
  std::vector<std::vector<double>> probabilities(scores.size());
  const auto compute = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Matrix marginals = marginals_of(scores[i] / temperature, kind);
      for (int d = 1; d <= gold[i].size(); ++d) probabilities[i].push_back(marginals(parses[i].head(d), d));
    }
  };
  crew.chunks(scores.size(), compute, kSome);
  constexpr int kBins = 10;
  std::array<double, kBins> excess{};  // The sum over a bin's arcs of probability minus rightness.
  double arcs = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (int d = 1; d <= gold[i].size(); ++d) {
      const double probability = probabilities[i][static_cast<std::size_t>(d - 1)];
      const auto bin = static_cast<std::size_t>(std::clamp(static_cast<int>(probability * kBins), 0, kBins - 1));
      excess[bin] += probability - (parses[i].head(d) == gold[i].head(d) ? 1.0 : 0.0);
      arcs += 1.0;
    }
  }
  double sum = 0.0;
  for (const double e : excess) sum += std::abs(e);
  return 100.0 * sum / arcs;
}

}  // namespace

HeldOutScores held_out_scores(const ParserModel& model, const std::vector<Sentence>& gold, base::Crew& crew,
                              bool projective) {
  std::vector<Matrix> scores(gold.size());
  std::vector<Sentence> parses(gold.size());
  const auto parse = [&](std::size_t first, std::size_t last) {
    Parser parser(model);
    for (std::size_t i = first; i < last; ++i) {
      Parsed parsed = parser.parse(gold[i], {.projective = projective, .arc_scores = true});
      parses[i] = model.annotate(gold[i], parsed.tree);
      scores[i] = std::move(parsed.arc_scores);
    }
  };
  crew.chunks(gold.size(), parse, kFew);
  HeldOutScores result;
  const auto count = [&] {
    const Evaluation evaluation = evaluate(gold, parses, model.root());
    const auto percent = [&](Metric metric) {
      const Score& score = evaluation[metric];
      return static_cast<double>(score.correct) * (100.0 / static_cast<double>(score.gold));
    };
    result.uas = percent(Metric::uas);
    result.las = percent(Metric::las);
  };
  const auto fit = [&] {
    const TreeKind kind{model.root(), projective};
    const double t = best_temperature(1.5, [&](double x) { return arc_loss(scores, gold, kind, x, crew); });
    result.temperatures = {t, best_label_temperature(model, gold, crew)};
    result.calibration = calibration_error(scores, parses, gold, kind, t, crew);
  };
  crew.loop(2, [&](std::size_t question) { question == 0 ? fit() : count(); });
  return result;
}

}  // namespace kirchhoff::parser
