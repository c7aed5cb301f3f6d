// Training: pruner, then epochs of arc and label learning with a dev score after each, the best model kept.
#include "base/check.hpp"
#include "parser/features/hash.hpp"
#include "parser/file/checkpoint.hpp"
#include "parser/file/model.hpp"
#include "parser/training/arc_trainer.hpp"
#include "parser/training/dev.hpp"
#include "parser/training/label_trainer.hpp"
#include "parser/training/second_trainer.hpp"
#include "parser/training/shuffle.hpp"
#include "parser/training/unannotated.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kirchhoff {
namespace {

using parser::Candidates;
using parser::Encoded;

void check_trees(const std::string& name, const std::vector<Sentence>& sentences, Root root) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (const auto problem = tree_problem(sentences[i].heads(), root)) {
      base::input_error("train_parser", name + ": sentence " + std::to_string(i + 1) + ": " + *problem);
    }
  }
}

void check(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const TrainOptions& options) {
  constexpr const char* kName = "train_parser";
  if (train.empty()) base::input_error(kName, "train: has no sentences");
  if (options.order != 1 && options.order != 2) base::input_error(kName, "order: must be 1 or 2");
  if (options.epochs < 1 || options.batch < 1 || options.min_count < 1 || options.pruning.max_heads < 1 ||
      options.pruner_epochs < 1) {
    base::input_error(kName, "epochs, batch, min_count and max_heads must be at least 1");
  }
  // Their gradients are those of exact expectations; with order 2 they would go through belief propagation.
  if (options.order == 2 && options.loss.kind == Loss::Kind::expected_cost)
    base::input_error(kName, "the loss risk: needs order 1");
  if (options.order == 2 && !options.unannotated.sentences.empty()) {
    base::input_error(kName, "unannotated sentences (entropy, constraints, teacher): need order 1");
  }
  if (!(options.step.rate > 0.0) || !(options.step.cap > 0.0)) base::input_error(kName, "step: must be above 0");
  check_trees("train", train, options.root);
  check_trees("dev", dev, options.root);
}

/// Of everything the result depends on but the teacher.
std::uint64_t fingerprint(const std::vector<Sentence>& train, const TrainOptions& o) {
  std::uint64_t h = parser::hash_text(o.arc_templates + "/" + o.label_templates);
  const auto add = [&](auto value) { h = parser::mix(h ^ std::bit_cast<std::uint64_t>(static_cast<double>(value))); };
  for (const double value : {o.loss.beta, o.loss.gamma, o.step.rate, o.step.cap, o.pruning.threshold}) add(value);
  for (const int value : {static_cast<int>(o.root), o.order, static_cast<int>(o.step.kind), o.pruning.max_heads,
                          o.pruner_epochs, static_cast<int>(o.features), o.min_count, o.batch}) {
    add(value);
  }
  h = parser::mix(h ^ o.seed);
  for (const Sentence& s : train) h = parser::mix(h ^ parser::hash_text(to_text(s)));
  const Unannotated& u = o.unannotated;
  add(static_cast<int>(o.loss.kind));
  for (const double value : {u.entropy_weight, u.constraint_weight, u.teacher_weight}) add(value);
  for (const Sentence& s : u.sentences) h = parser::mix(h ^ parser::hash_text(to_text(s)));
  for (const TagConstraint& c : u.constraints) {
    h = parser::mix(h ^ parser::hash_text(c.dependent + ">" + c.head));
    add(static_cast<int>(c.side));
    add(c.share);
  }
  return h;
}

}  // namespace

class Trainer {
 public:
  Trainer(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const TrainOptions& options,
          const TrainEvents& events)
      : options_(options),
        events_(events),
        dev_(dev),
        inventory_(parser::make_inventory(train)),
        arc_templates_("hd", options.arc_templates.empty() ? parser::kArcTemplates : options.arc_templates),
        sibling_templates_("hds", options.order == 2 ? parser::kSiblingTemplates : ""),
        grand_templates_("ghd", options.order == 2 ? parser::kGrandTemplates : ""),
        label_templates_("hdglraz",
                         options.label_templates.empty() ? parser::kLabelTemplates : options.label_templates),
        tables_(inventory_),
        crew_(options.threads) {
    const auto& teacher = options.unannotated.teacher;
    position_.fingerprint = parser::mix(fingerprint(train, options) ^ (teacher ? teacher->model_->file.checksum() : 0));
    for (const Sentence& s : train) train_.push_back(parser::encode(s, inventory_));
  }

  TrainResult run() {
    parser::Checkpoint checkpoint;
    if (options_.resume) checkpoint = parser::load_checkpoint(options_.checkpoint, position_.fingerprint);
    pruner_ = checkpoint.pruner;
    if (pruner_.empty() && !learn_pruner()) {
      save({}, {}, {});  // says that there is no pruner yet: it is learnt in seconds, and from its start
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
      stopped = !epoch(arcs, labels);
      save(arcs.grown(), arcs.learner(), labels.learner());
    }
    if (!best_) return {std::nullopt, reports_, stopped};
    return {ParserModel(best_), reports_, stopped};
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
    parser::save_checkpoint(options_.checkpoint, position_, reports_, pruner_, grown, arcs, labels);
  }

  void restore(const parser::Checkpoint& checkpoint, parser::ArcTrainer& arcs, parser::LabelTrainer& labels) {
    position_ = checkpoint.position;
    reports_ = checkpoint.reports;
    arcs.grow(checkpoint.grown);
    parser::restore(arcs.learner(), checkpoint.arcs, options_.checkpoint);
    parser::restore(labels.learner(), checkpoint.labels, options_.checkpoint);
    if (position_.best_las < 0.0) return;
    if (options_.model.empty()) base::input_error("train_parser", "resume: needs the model file, for the best epoch");
    best_ = ParserModel::open(options_.model).model_;
  }

  /// False when it was stopped: then there is no pruner.
  bool learn_pruner() {
    const std::size_t all = train_.size() * static_cast<std::size_t>(options_.pruner_epochs);
    bool stopped = false;
    std::vector<float> learnt;
    crew_.loop(1, [&](std::size_t) {  // one around all of its own, between which the crew would sleep
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
    if (options_.order == 1) {
      return std::make_unique<parser::ArcTrainer>(train_, std::move(kept), arc_templates_, options_, crew_);
    }
    return std::make_unique<parser::SecondTrainer>(train_, std::move(kept), arc_templates_, sibling_templates_,
                                                   grand_templates_, options_, crew_);
  }

  void make_unannotated(parser::ArcTrainer& arcs) {
    std::vector<Encoded> sentences;
    for (const Sentence& s : options_.unannotated.sentences) sentences.push_back(parser::encode(s, inventory_));
    std::vector<Candidates> kept = pruned(sentences);
    unannotated_ = std::make_unique<parser::UnannotatedTrainer>(options_.unannotated, std::move(sentences),
                                                                std::move(kept), arc_templates_, arcs, options_, crew_);
    note("unannotated: " + std::to_string(unannotated_->size()) + " sentences");
  }

  /// As many unannotated sentences as were just done of the others, in an order of their own, again and again.
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

  /// With the gold arcs, which the pruner may have missed.
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

  std::size_t batch_size() const { return static_cast<std::size_t>(options_.batch); }
  /// Sentences between two looks at the world outside: whole batches.
  std::size_t block() const { return std::max<std::size_t>(1, 128 / batch_size()) * batch_size(); }

  /// False when it was stopped before its end.
  bool epoch(parser::ArcTrainer& arcs, parser::LabelTrainer& labels) {
    constexpr std::uint64_t kOrder = 0x65706f6368ULL, kUnannotatedOrder = 0x756e6c6162ULL;
    const auto start = std::chrono::steady_clock::now();
    const int number = static_cast<int>(position_.epoch);
    const auto order = parser::shuffled(train_.size(), options_.seed, number, kOrder);
    const auto unannotated_order =
        parser::shuffled(unannotated_ ? unannotated_->size() : 0, options_.seed, number, kUnannotatedOrder);
    auto done = static_cast<std::size_t>(position_.sentence);
    while (done < order.size()) {
      const std::size_t end = std::min(done + block(), order.size());
      // The two learners know nothing of each other: where one has nothing to do for a thread, the other has.
      const auto sentences = std::span(order).subspan(done, end - done);
      crew_.loop(2, [&](std::size_t learner) {
        if (learner == 1) {
          for (std::size_t i = 0; i < sentences.size(); i += batch_size()) {
            labels.step(sentences.subspan(i, std::min(batch_size(), sentences.size() - i)));
          }
          return;
        }
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
    finish_epoch(arcs, labels, report);
    position_.epoch += 1;
    position_.sentence = 0;
    position_.loss = 0.0;
    return true;
  }

  void finish_epoch(parser::ArcTrainer& arcs, parser::LabelTrainer& labels, EpochReport& report) {
    auto made = model(arcs, labels);
    parser::DevScores scores;
    if (!dev_.empty()) scores = parser::score(ParserModel(made), dev_, crew_);
    report.uas = scores.uas;
    report.las = scores.las;
    report.calibration = scores.calibration;
    report.best = dev_.empty() || report.las > position_.best_las;
    reports_.push_back(report);
    if (report.best) {
      position_.best_las = report.las;
      best_.reset();  // models are large
      best_ = dev_.empty() ? std::move(made) : parser::revised(*made, card(), scores.temperature);
      if (!options_.model.empty()) ParserModel(best_).save(options_.model);
    }
    if (events_.epoch) events_.epoch(report);
  }

  std::shared_ptr<const parser::Model> model(parser::ArcTrainer& arcs, parser::LabelTrainer& labels) {
    const std::vector<std::uint64_t> keys = arcs.keys();
    const std::vector<float> arc_weights = arcs.learner().averaged();
    const std::vector<float> label_weights = labels.learner().averaged();
    return parser::make_model({card(),
                               {options_.root, options_.order, std::isinf(options_.loss.beta), options_.pruning, 1.0},
                               inventory_,
                               labels.label_use(),
                               arc_templates_.text(),
                               sibling_templates_.text(),
                               grand_templates_.text(),
                               label_templates_.text(),
                               pruner_,
                               keys,
                               arc_weights,
                               labels.index().keys(),
                               labels.begin(),
                               labels.ids(),
                               label_weights});
  }

  parser::Card card() const {
    parser::Card card = options_.card;
    const auto add = [&](const char* name, const std::string& value) { card.emplace_back(name, value); };
    add("order", std::to_string(options_.order));
    add("root", options_.root == Root::single ? "single" : "multi");
    add("beta", parser::fixed(options_.loss.beta, 3));
    add("gamma", parser::fixed(options_.loss.gamma, 3));
    add("step", options_.step.kind == StepRule::Kind::adagrad
                    ? "adagrad, rate " + parser::fixed(options_.step.rate, 4)
                    : "aggressive, cap " + parser::fixed(options_.step.cap, 6));
    add("batch", std::to_string(options_.batch));
    add("seed", std::to_string(options_.seed));
    add("min_count", std::to_string(options_.min_count));
    add("sentences", std::to_string(train_.size()));
    for (const EpochReport& r : reports_) {
      add(("epoch " + std::to_string(r.epoch)).c_str(),
          "loss " + parser::fixed(r.loss, 4) +
              (dev_.empty() ? ""
                            : ", dev UAS " + parser::fixed(r.uas, 2) + " LAS " + parser::fixed(r.las, 2) +
                                  " calibration error " + parser::fixed(r.calibration, 2) + " %"));
    }
    return card;
  }

  const TrainOptions& options_;
  const TrainEvents& events_;
  const std::vector<Sentence>& dev_;
  parser::Inventory inventory_;
  parser::Templates arc_templates_, sibling_templates_, grand_templates_, label_templates_;
  parser::ArcTables tables_;
  base::Crew crew_;
  std::vector<Encoded> train_;
  std::vector<float> pruner_;
  std::unique_ptr<parser::UnannotatedTrainer> unannotated_;
  parser::TrainPosition position_;
  std::vector<EpochReport> reports_;
  std::shared_ptr<const parser::Model> best_;
};

TrainResult train_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                         const TrainOptions& options, const TrainEvents& events) {
  check(train, dev, options);
  return Trainer(train, dev, options, events).run();
}

}  // namespace kirchhoff
