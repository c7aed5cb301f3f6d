// Training: first the pruner, then epochs of learning arcs and labels, each with scores on dev that choose the model.
#include "parser/features/hash.hpp"
#include "parser/file/model.hpp"
#include "parser/training/arc_trainer.hpp"
#include "parser/training/check_training.hpp"
#include "parser/training/checkpoint.hpp"
#include "parser/training/held_out.hpp"
#include "parser/training/joint_labels.hpp"
#include "parser/training/label_trainer.hpp"
#include "parser/training/model_card.hpp"
#include "parser/training/pruner_trainer.hpp"
#include "parser/training/second_order_trainer.hpp"
#include "parser/training/shuffle.hpp"
#include "parser/training/unannotated.hpp"
#include "parser/training/warm_start.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kirchhoff {
namespace {

using parser::Candidates;
using parser::Encoded;
using parser::ModelAccess;

/// A training under way.
class Trainer {
 public:
  Trainer(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const TrainOptions& options,
          const TrainEvents& events)
      : options_(options),
        events_(events),
        dev_(dev),
        start_(options.start ? ModelAccess::model_of(*options.start) : nullptr),
        inventory_(parser::first_inventory(train, options)),
        arc_templates_("hd", options.arc_templates.empty() ? parser::kArcTemplates : options.arc_templates),
        part_templates_(parser::part_templates(options.parts)),
        label_templates_(parser::label_templates(options)),
        tables_(inventory_),
        crew_(options.threads),
        checkpoints_(options.checkpoint, crew_),
        pruner_{options.pruning, {}, "that of the checkpoint"} {
    crew_.loop(2, [&](std::size_t part) {
      if (part == 0) train_ = parser::encode_all(train, inventory_, crew_);
      if (part == 1) position_.fingerprint = parser::fingerprint(train, dev, options);
    });
  }

  TrainResult run() {
    parser::Checkpoint checkpoint;
    if (options_.resume) {
      checkpoint = parser::load_checkpoint(options_.checkpoint, {position_.fingerprint, epoch_size(), tables_.size()});
    }
    pruner_.weights = checkpoint.pruner;
    if (!prepare()) {
      save({}, {}, {});  // This says that there is no pruner yet. It is learnt in seconds, so it begins anew.
      checkpoints_.finish();
      return {std::nullopt, {}, true};
    }
    note("features: " + std::to_string(arcs_->learner().weights().size()) + " of parts, " +
         std::to_string(labels_->keys().size()) + " of relations");
    if (start_) parser::begin_with(*start_, *arcs_, *labels_, inventory_.labels);
    if (!options_.unannotated.sentences.empty()) make_unannotated();
    if (!checkpoint.pruner.empty()) restore(checkpoint);
    bool stopped = false;
    while (position_.epoch <= options_.epochs && !stopped) {
      stopped = !run_epoch();
      // The model itself follows on the last epoch, and its checkpoint would be of no use.
      const bool ends = !stopped && position_.epoch > options_.epochs && !options_.model.empty();
      if (!ends) save(arcs_->grown(), arcs_->learner(), labels_->learner());
    }
    checkpoints_.finish();
    if (!best_) return {std::nullopt, reports_, stopped};
    if (!stopped && !options_.model.empty()) write_model();
    return {ModelAccess::wrap(best_), reports_, stopped};
  }

 private:
  bool is_joint() const { return options_.labels == Labelling::joint; }
  void note(const std::string& text) const {
    if (events_.note) events_.note(text);
  }
  bool stop() const { return events_.stop && events_.stop(); }
  void progress(const std::string& stage, std::size_t done, std::size_t all, double loss) const {
    if (events_.progress) events_.progress({stage, done, all, loss});
  }

  void save(std::span<const std::uint64_t> grown, const parser::Learner& arcs, const parser::Learner& labels) {
    checkpoints_.save({position_, reports_, pruner_.weights, grown, arcs, labels, best_.get(),
                       unannotated_ ? std::span<const double>(unannotated_->state()) : std::span<const double>()});
  }

  void write_model() try { parser::replace_checkpoint(options_, *best_); } catch (const ModelError&) {
    // All that was learnt is kept for when the model can be written.
    save(arcs_->grown(), arcs_->learner(), labels_->learner());
    checkpoints_.finish();
    throw;
  }

  void restore(const parser::Checkpoint& checkpoint) {
    position_ = checkpoint.position;
    reports_ = checkpoint.reports;
    arcs_->grow(checkpoint.grown);
    parser::restore(arcs_->learner(), checkpoint.arcs, options_.checkpoint);
    parser::restore(labels_->learner(), checkpoint.labels, options_.checkpoint);
    if (unannotated_) {
      unannotated_->restore(checkpoint.sums, options_.checkpoint, static_cast<std::size_t>(position_.sentence));
    }
    best_ = checkpoint.best;
  }

  /// Learns the pruner, unless that is known, and makes the learners. Returns false when it was stopped. The pruner is
  /// a sequence of short loops, which leaves most of many threads idle; they count features meanwhile.
  bool prepare() {
    const auto make_arcs = [&](std::size_t) {
      arcs_ = parser::make_arc_trainer(train_, arc_templates_, part_templates_, options_, crew_);
    };
    const auto make_labels = [&](std::size_t) {
      labels_ = parser::make_label_trainer(train_, inventory_, label_templates_, options_, crew_);
    };
    base::Crew::Loop arcs(crew_, 1, make_arcs, base::Crew::Kind::background);
    base::Crew::Loop labels(crew_, 1, make_labels, base::Crew::Kind::background);
    text_ = parser::encode_all(options_.unannotated.sentences, inventory_, crew_);
    if (train_.empty()) pruner_ = parser::given_pruner(std::move(pruner_), options_, tables_);
    if (pruner_.weights.empty() && !learn_pruner()) return false;
    std::vector<Candidates> kept = candidates(train_);
    note(train_.empty() ? "pruner: " + pruner_.origin : parser::add_gold_heads(kept, train_));
    arcs.finish();
    if (is_joint()) {
      labels.finish();
      joint_.emplace(*labels_, crew_);
      arcs_->join(*joint_);
    }
    read_unannotated();
    arcs_->take(std::move(kept));
    labels.finish();
    return true;
  }

  /// Returns false when it was stopped; then there is no pruner.
  bool learn_pruner() {
    const std::size_t all = epoch_size() * static_cast<std::size_t>(options_.pruner_epochs);
    bool stopped = false;
    const auto go_on = [&](std::size_t done) {
      progress("pruner", done, all, 0.0);
      return !(stopped = stop());
    };
    auto learnt = train_.empty() ? parser::train_pruner_on_text(text_, inventory_, tables_, options_, crew_, go_on)
                                 : parser::train_pruner(train_, tables_, options_, crew_, go_on);
    if (!stopped) pruner_ = {pruner_.pruning, std::move(learnt), "learnt from sentences without trees"};
    return !stopped;
  }

  /// Prunes the sentences without trees, and gives their features a place.
  void read_unannotated() {
    text_candidates_ = candidates(text_);
    const int least = options_.unannotated.min_count.value_or(train_.empty() ? 20 : 0);
    if (least > 0 && !text_.empty()) arcs_->admit(text_, text_candidates_, least);
    if (is_joint() && train_.empty()) {
      labels_->admit(text_, text_candidates_, least, parser::open_relations(inventory_, options_), start_.get());
    }
  }

  void make_unannotated() {
    unannotated_ =
        std::make_unique<parser::UnannotatedTrainer>(options_.unannotated, inventory_, std::move(text_),
                                                     std::move(text_candidates_), arcs_->text_model(), options_, crew_);
    note("unannotated: " + std::to_string(unannotated_->size()) + " sentences");
  }

  std::vector<Candidates> candidates(const std::vector<Encoded>& sentences) {
    return parser::prune_all(sentences, {tables_, pruner_.weights}, options_.root, pruner_.pruning, crew_);
  }

  /// The number of sentences that an epoch goes through: trees, where there are any.
  std::size_t epoch_size() const { return train_.empty() ? options_.unannotated.sentences.size() : train_.size(); }

  /// Runs the epoch that position_ names. Returns false when it was stopped before its end.
  bool run_epoch() {
    constexpr std::uint64_t kOrder = 0x65706f6368ULL, kTextOrder = 0x756e6c6162ULL;
    const auto start = std::chrono::steady_clock::now();
    const int number = static_cast<int>(position_.epoch);
    const auto order = parser::shuffled(epoch_size(), options_.seed, number, train_.empty() ? kTextOrder : kOrder);
    const bool has_text = unannotated_ && !train_.empty() && number >= options_.unannotated.first_epoch;
    const auto text_order = parser::shuffled(has_text ? unannotated_->size() : 0, options_.seed, number, kTextOrder);
    const std::size_t block = parser::block_size(options_, order.size(), has_text, crew_);
    auto done = static_cast<std::size_t>(position_.sentence);
    if (has_text && !unannotated_->follow(text_order, done, events_.stop)) return false;  // what was left, if any
    while (done < order.size()) {
      const std::size_t end = std::min(done + block, order.size());
      learn(std::span(order).subspan(done, end - done));
      done = end;
      position_.sentence = static_cast<std::int64_t>(done);
      if (has_text && !unannotated_->follow(text_order, done, events_.stop)) return false;
      progress("epoch " + std::to_string(number), done, order.size(), position_.loss / static_cast<double>(done));
      checkpoints_.check();
      if (stop()) return false;
    }
    EpochReport report{.epoch = number, .loss = position_.loss / static_cast<double>(order.size())};
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    judge_epoch(report);
    position_.epoch += 1;
    position_.sentence = 0;
    position_.loss = 0.0;
    return true;
  }

  /// Learns from these trees, or where there are none from these sentences.
  void learn(std::span<const std::size_t> trees) {
    if (train_.empty()) {
      position_.loss += unannotated_->learn(trees);
      return;
    }
    // The two learners know nothing of each other: a thread that has nothing to do for one works for the other.
    crew_.loop(is_joint() ? 1 : 2, [&](std::size_t learner) {
      if (learner == 1) return labels_->learn(trees, static_cast<std::size_t>(options_.batch));
      arcs_->learn(trees, [&](std::size_t, double loss) { position_.loss += loss; });
    });
  }

  void judge_epoch(EpochReport& report) {
    report.best = dev_.empty();
    if (dev_.empty()) reports_.push_back(report);  // The card of the model that is made here has this epoch too.
    auto made = model();
    parser::HeldOutScores scores;
    if (!dev_.empty()) scores = parser::held_out_scores(ModelAccess::wrap(made), dev_, crew_, options_.projective);
    report.uas = scores.uas;
    report.las = scores.las;
    report.calibration = scores.calibration;
    // Relations are learnt from trees alone, unless they are joint ones.
    const double score = train_.empty() && !is_joint() ? report.uas : report.las;
    report.best = dev_.empty() || score > position_.best_las;
    if (!dev_.empty()) reports_.push_back(report);
    if (report.best) {
      position_.best_las = score;
      best_.reset();  // Models are large, so there should not be two of them.
      best_ = dev_.empty() ? std::move(made) : parser::revised(*made, card(), scores.temperatures, crew_);
    }
    if (events_.epoch) events_.epoch(report);
  }

  std::shared_ptr<const parser::Model> model() {
    const std::vector<float> arc_weights = parser::checked_weights(arcs_->learner().averaged(crew_), options_.step);
    const std::vector<float> label_weights = parser::checked_weights(labels_->learner().averaged(crew_), options_.step);
    size_ = parser::training_size(train_.size(), arc_weights);
    auto made = parser::make_model(
        {card(),
         {options_.root, options_.parts, std::isinf(options_.loss.beta), pruner_.pruning, is_joint()},
         inventory_,
         labels_->label_use(),
         arc_templates_.text(),
         label_templates_.text(),
         part_templates_,
         pruner_.weights,
         arcs_->keys(),
         arc_weights,
         {labels_->keys(), labels_->begin(), labels_->ids(), label_weights}},
        crew_);
    return train_.empty() && start_ && !is_joint() ? parser::with_relations_of(*start_, *made, crew_) : made;
  }

  parser::Card card() const { return parser::model_card(options_, size_, reports_, !dev_.empty()); }

  const TrainOptions& options_;
  const TrainEvents& events_;
  const std::vector<Sentence>& dev_;
  std::shared_ptr<const parser::Model> start_;  ///< The model that training begins with, if there is one.
  parser::Inventory inventory_;
  parser::Templates arc_templates_;
  parser::PartTemplates part_templates_;
  parser::Templates label_templates_;
  parser::ArcTables tables_;
  base::Crew crew_;
  parser::CheckpointWriter checkpoints_;
  std::vector<Encoded> train_;
  std::vector<Encoded> text_;  ///< The sentences without trees, until their trainer takes them.
  std::vector<Candidates> text_candidates_;
  parser::GivenPruner pruner_;
  std::unique_ptr<parser::ArcTrainer> arcs_;
  std::unique_ptr<parser::LabelTrainer> labels_;
  std::optional<parser::JointLabels> joint_;  ///< Nothing where relations are learnt on their own.
  std::unique_ptr<parser::UnannotatedTrainer> unannotated_;
  parser::TrainPosition position_;
  std::vector<EpochReport> reports_;
  parser::TrainingSize size_;
  std::shared_ptr<const parser::Model> best_;
};

}  // namespace

TrainResult train_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                         const TrainOptions& options, const TrainEvents& events) {
  parser::check_training(train, dev, options);
  const std::unique_ptr<base::FileLock> lock = parser::lock_outputs(options);
  return Trainer(train, dev, options, events).run();
}

}  // namespace kirchhoff
