// The pruner of a training without trees: the same objectives make the same kind of tables as trees do.
#include "parser/file/model.hpp"
#include "parser/training/arc_text.hpp"
#include "parser/training/constraints.hpp"
#include "parser/training/pruner_trainer.hpp"
#include "parser/training/shuffle.hpp"
#include "parser/training/unannotated.hpp"

namespace kirchhoff::parser {
namespace {

constexpr std::uint64_t kOrder = 0x7072757465ULL;  // Names the random numbers that shuffle its sentences.

/// Sentences under the pruner, whose candidates are all arcs.
class PrunerText : public TextModel {
 public:
  PrunerText(const ArcTables& tables, Learner& learner, Root root, base::Crew& crew)
      : TextModel(learner, root, crew), tables_(&tables) {}

  std::unique_ptr<TextTrees> trees(std::size_t i) const override {
    const Matrix scores = table_scores(*tables_, learner_->weights(), sentence(i));
    return std::make_unique<ExactTrees>(candidates(i), list_of(candidates(i), scores), root(), std::nullopt,
                                        [this, i](std::span<const double> gradient, Contribution& updates) {
                                          add_table_updates(*tables_, sentence(i),
                                                            matrix_of(candidates(i), gradient, 0.0), updates);
                                        });
  }

 private:
  const ArcTables* tables_;
};

}  // namespace

GivenPruner given_pruner(GivenPruner there, const TrainOptions& options, const ArcTables& tables) {
  const auto prunes = [](const Pruning& p) { return p.threshold > 0.0 || p.max_heads < kMaxWords; };
  if (options.start) {
    const Model& start = *ModelAccess::model_of(*options.start);
    if (options.parts == kArcs || prunes(start.settings.pruning)) {
      return {start.settings.pruning, std::vector(start.pruner.begin(), start.pruner.end()),
              "that of the model that training begins with"};
    }
  }
  if (options.parts != kArcs) return there;
  return {kNoPruning, std::vector(tables.size(), 0.0F), "none is learnt without trees"};
}

std::vector<float> train_pruner_on_text(const std::vector<Encoded>& sentences, const Inventory& inventory,
                                        const ArcTables& tables, const TrainOptions& options, base::Crew& crew,
                                        const std::function<bool(std::size_t)>& progress) {
  Learner learner(tables.size(), kPrunerRule);
  std::vector<Candidates> all = prune_all(sentences, {tables, learner.weights()}, options.root, kNoPruning, crew);
  const Unannotated of_trees = without_relations(options.unannotated);
  UnannotatedTrainer trainer(of_trees, inventory, sentences, std::move(all),
                             std::make_unique<PrunerText>(tables, learner, options.root, crew), options, crew);
  for (int epoch = 0; epoch < options.pruner_epochs; ++epoch) {
    const auto order = shuffled(sentences.size(), options.seed, epoch, kOrder);
    for (std::size_t from = 0; from < order.size(); from += kUninterrupted) {
      const std::size_t count = std::min(kUninterrupted, order.size() - from);
      trainer.learn(std::span(order).subspan(from, count));
      if (!progress(static_cast<std::size_t>(epoch) * order.size() + from + count)) return learner.averaged(crew);
    }
  }
  return learner.averaged(crew);
}

}  // namespace kirchhoff::parser
