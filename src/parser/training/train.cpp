// Training: first the pruner, then epochs of learning arcs and labels, each with scores on dev that choose the model.
#include "base/file_lock.hpp"
#include "kirchhoff/output_file.hpp"
#include "parser/features/hash.hpp"
#include "parser/file/model.hpp"
#include "parser/training/arc_trainer.hpp"
#include "parser/training/check_training.hpp"
#include "parser/training/checkpoint.hpp"
#include "parser/training/held_out.hpp"
#include "parser/training/label_trainer.hpp"
#include "parser/training/model_card.hpp"
#include "parser/training/pruner_trainer.hpp"
#include "parser/training/second_order_trainer.hpp"
#include "parser/training/shuffle.hpp"
#include "parser/training/unannotated.hpp"

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
        inventory_(parser::make_inventory(train)),
        arc_templates_("hd", options.arc_templates.empty() ? parser::kArcTemplates : options.arc_templates),
        part_templates_(parser::part_templates(options.parts)),
        label_templates_("hdglraz",
                         options.label_templates.empty() ? parser::kLabelTemplates : options.label_templates),
        tables_(inventory_),
        crew_(options.threads) {
    const auto& teacher = options.unannotated.teacher;
    const std::uint64_t taught_by = teacher ? ModelAccess::model_of(*teacher)->file.checksum() : 0;
    position_.fingerprint = parser::mix(parser::fingerprint(train, dev, options) ^ taught_by);
    for (const Sentence& s : train) train_.push_back(parser::encode(s, inventory_));
  }

  TrainResult run() {
    parser::Checkpoint checkpoint;
    if (options_.resume) {
      checkpoint = parser::load_checkpoint(options_.checkpoint, {position_.fingerprint, train_.size(), tables_.size()});
    }
    pruner_ = checkpoint.pruner;
    if (pruner_.empty() && !learn_pruner()) {
      save({}, {}, {});  // This says that there is no pruner yet. It is learnt in seconds, so it begins anew.
      return {std::nullopt, {}, true};
    }
    std::vector<Candidates> kept = candidates();
    std::unique_ptr<parser::ArcTrainer> arc_trainer;
    std::unique_ptr<parser::LabelTrainer> label_trainer;
    crew_.loop(2, [&](std::size_t learner) {
      if (learner == 0) {
        arc_trainer = make_arc_trainer(std::move(kept));
      } else {
        label_trainer = std::make_unique<parser::LabelTrainer>(train_, inventory_, label_templates_, crew_);
      }
    });
    parser::ArcTrainer& arcs = *arc_trainer;
    parser::LabelTrainer& labels = *label_trainer;
    if (!options_.unannotated.sentences.empty()) make_unannotated(arcs);
    note("features: " + std::to_string(arcs.learner().weights().size()) + " of parts, " +
         std::to_string(labels.index().size()) + " of relations");
    if (!checkpoint.pruner.empty()) restore(checkpoint, arcs, labels);
    bool stopped = false;
    while (position_.epoch <= options_.epochs && !stopped) {
      stopped = !run_epoch(arcs, labels);
      save(arcs.grown(), arcs.learner(), labels.learner());
    }
    if (!best_) return {std::nullopt, reports_, stopped};
    if (!stopped && !options_.model.empty()) parser::replace_checkpoint(options_, *best_);
    return {ModelAccess::wrap(best_), reports_, stopped};
  }

 private:
  void note(const std::string& text) const {
    if (events_.note) events_.note(text);
  }
  bool stop() const { return events_.stop && events_.stop(); }
  void progress(const std::string& stage, std::size_t done, std::size_t all, double loss) const {
    if (events_.progress) events_.progress({stage, done, all, loss});
  }

  void save(std::span<const std::uint64_t> grown, const parser::Learner& arcs, const parser::Learner& labels) const {
    if (options_.checkpoint.empty()) return;
    parser::save_checkpoint(options_.checkpoint, {position_, reports_, pruner_, grown, arcs, labels, best_.get()});
  }

  void restore(const parser::Checkpoint& checkpoint, parser::ArcTrainer& arcs, parser::LabelTrainer& labels) {
    position_ = checkpoint.position;
    reports_ = checkpoint.reports;
    arcs.grow(checkpoint.grown);
    parser::restore(arcs.learner(), checkpoint.arcs, options_.checkpoint);
    parser::restore(labels.learner(), checkpoint.labels, options_.checkpoint);
    best_ = checkpoint.best;
  }

  /// Returns false when it was stopped; then there is no pruner.
  bool learn_pruner() {
    const std::size_t all = train_.size() * static_cast<std::size_t>(options_.pruner_epochs);
    bool stopped = false;
    std::vector<float> learnt;
    crew_.loop(1, [&](std::size_t) {  // One loop around all others, between which the crew would sleep.
      learnt = parser::train_pruner(train_, tables_, options_, crew_, [&](std::size_t done) {
        progress("pruner", done, all, 0.0);
        stopped = stop();
        return !stopped;
      });
    });
    if (!stopped) pruner_ = std::move(learnt);
    return !stopped;
  }

  std::unique_ptr<parser::ArcTrainer> make_arc_trainer(std::vector<Candidates> kept) {
    if (options_.parts == kArcs) {
      return std::make_unique<parser::ArcTrainer>(train_, std::move(kept), arc_templates_, options_, crew_);
    }
    return std::make_unique<parser::SecondOrderTrainer>(train_, std::move(kept), arc_templates_, part_templates_,
                                                        options_, crew_);
  }

  void make_unannotated(parser::ArcTrainer& arcs) {
    std::vector<Encoded> sentences;
    for (const Sentence& s : options_.unannotated.sentences) sentences.push_back(parser::encode(s, inventory_));
    std::vector<Candidates> kept = pruned(sentences);
    unannotated_ = std::make_unique<parser::UnannotatedTrainer>(options_.unannotated, std::move(sentences),
                                                                std::move(kept), arc_templates_, arcs, options_, crew_);
    note("unannotated: " + std::to_string(unannotated_->size()) + " sentences");
  }

  /// Takes as many unannotated sentences as there were trees in the last batch, going round in an order of their own.
  void step_unannotated(std::span<const std::size_t> order, std::size_t first, std::size_t count) {
    std::vector<std::size_t> batch;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i) batch.push_back(order[(first + i) % order.size()]);
    unannotated_->step(batch);
  }

  std::vector<Candidates> pruned(const std::vector<Encoded>& sentences) {
    std::vector<Candidates> kept(sentences.size());
    crew_.loop(sentences.size(), [&](std::size_t i) {
      kept[i] = parser::prune(parser::table_scores(tables_, pruner_, sentences[i]), options_.root, options_.pruning);
    });
    return kept;
  }

  /// The heads that the pruner leaves, and the gold ones, which it may have missed.
  std::vector<Candidates> candidates() {
    std::vector<Candidates> all = pruned(train_);
    double heads = 0.0, words = 0.0, lost = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t kept = all[i].size();
      all[i] = parser::with_tree(all[i], train_[i].heads);
      heads += static_cast<double>(kept);
      lost += static_cast<double>(all[i].size() - kept);
      words += train_[i].words;
    }
    note("pruner: " + parser::fixed(heads / words, 2) + " heads per word, recall on train " +
         parser::fixed(100.0 * (1.0 - lost / words), 2) + " %");
    return all;
  }

  /// The number of sentences between two calls of stop and progress: all batches whose gradients are computed together.
  std::size_t block_size() const {
    const auto batch = static_cast<std::size_t>(options_.batch);
    const std::size_t round = batch * parser::batches_together(options_.step, train_.size(), batch);
    return std::max<std::size_t>(1, 128 / round) * round;
  }

  /// Runs the epoch that position_ names. Returns false when it was stopped before its end.
  bool run_epoch(parser::ArcTrainer& arcs, parser::LabelTrainer& labels) {
    constexpr std::uint64_t kOrder = 0x65706f6368ULL, kUnannotatedOrder = 0x756e6c6162ULL;
    const auto start = std::chrono::steady_clock::now();
    const int number = static_cast<int>(position_.epoch);
    const auto order = parser::shuffled(train_.size(), options_.seed, number, kOrder);
    const auto unannotated_order =
        parser::shuffled(unannotated_ ? unannotated_->size() : 0, options_.seed, number, kUnannotatedOrder);
    auto done = static_cast<std::size_t>(position_.sentence);
    while (done < order.size()) {
      const std::size_t end = std::min(done + block_size(), order.size());
      // The two learners know nothing of each other: a thread that has nothing to do for one works for the other.
      const auto sentences = std::span(order).subspan(done, end - done);
      crew_.loop(2, [&](std::size_t learner) {
        if (learner == 1) return labels.learn(sentences, static_cast<std::size_t>(options_.batch));
        std::size_t first = done;
        arcs.learn(sentences, [&](std::size_t count, double loss) {
          position_.loss += loss;
          if (unannotated_) step_unannotated(unannotated_order, first, count);
          first += count;
        });
      });
      done = end;
      position_.sentence = static_cast<std::int64_t>(done);
      progress("epoch " + std::to_string(number), done, order.size(), position_.loss / static_cast<double>(done));
      if (stop()) return false;
    }
    EpochReport report;
    report.epoch = number;
    report.loss = position_.loss / static_cast<double>(order.size());
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    judge_epoch(arcs, labels, report);
    position_.epoch += 1;
    position_.sentence = 0;
    position_.loss = 0.0;
    return true;
  }

  void judge_epoch(parser::ArcTrainer& arcs, parser::LabelTrainer& labels, EpochReport& report) {
    report.best = dev_.empty();
    if (dev_.empty()) reports_.push_back(report);  // The card of the model that is made here has this epoch too.
    auto made = model(arcs, labels);
    parser::HeldOutScores scores;
    if (!dev_.empty()) scores = parser::held_out_scores(ModelAccess::wrap(made), dev_, crew_, options_.projective);
    report.uas = scores.uas;
    report.las = scores.las;
    report.calibration = scores.calibration;
    report.best = dev_.empty() || report.las > position_.best_las;
    if (!dev_.empty()) reports_.push_back(report);
    if (report.best) {
      position_.best_las = report.las;
      best_.reset();  // Models are large, so there should not be two of them.
      best_ = dev_.empty() ? std::move(made) : parser::revised(*made, card(), scores.temperature);
    }
    if (events_.epoch) events_.epoch(report);
  }

  std::shared_ptr<const parser::Model> model(parser::ArcTrainer& arcs, parser::LabelTrainer& labels) {
    const std::vector<float> arc_weights = arcs.learner().averaged();
    size_ = parser::training_size(train_.size(), arc_weights);
    return parser::make_model({card(),
                               {options_.root, options_.parts, std::isinf(options_.loss.beta), options_.pruning, 1.0},
                               inventory_,
                               labels.label_use(),
                               arc_templates_.text(),
                               label_templates_.text(),
                               part_templates_,
                               pruner_,
                               arcs.keys(),
                               arc_weights,
                               labels.index().keys(),
                               labels.begin(),
                               labels.ids(),
                               labels.learner().averaged()});
  }

  parser::Card card() const { return parser::model_card(options_, size_, reports_, !dev_.empty()); }

  const TrainOptions& options_;
  const TrainEvents& events_;
  const std::vector<Sentence>& dev_;
  parser::Inventory inventory_;
  parser::Templates arc_templates_;
  parser::PartTemplates part_templates_;
  parser::Templates label_templates_;
  parser::ArcTables tables_;
  base::Crew crew_;
  std::vector<Encoded> train_;
  std::vector<float> pruner_;
  std::unique_ptr<parser::UnannotatedTrainer> unannotated_;
  parser::TrainPosition position_;
  std::vector<EpochReport> reports_;
  parser::TrainingSize size_;
  std::shared_ptr<const parser::Model> best_;
};

/// Checks that both files can be written before hours are spent, and keeps other trainings away from them.
std::unique_ptr<base::FileLock> lock_outputs(const TrainOptions& options) try {
  std::unique_ptr<base::FileLock> lock;
  for (const std::string& path : {options.model, options.checkpoint}) {
    if (path.empty()) continue;
    const OutputFile file(path);
    if (lock || file.is_special()) continue;
    lock = std::make_unique<base::FileLock>(file.target(), "another training writes");
  }
  return lock;
} catch (const FileError& error) {
  throw ModelError(error.what());
}

}  // namespace

TrainResult train_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                         const TrainOptions& options, const TrainEvents& events) {
  parser::check_training(train, dev, options);
  const std::unique_ptr<base::FileLock> lock = lock_outputs(options);
  return Trainer(train, dev, options, events).run();
}

}  // namespace kirchhoff
