// Learning arc and second-order weights together. Features are looked up again at every step, because a sentence has
// some fifty parts a word, too many to keep. Looking them up needs no weights, so threads that would have to wait do it
// ahead of time.
//
// With complete features, those that gold trees do not have grow while learning. Such a feature gets a weight when a
// part that has it is wrong by enough; for beta = inf that is when the part is in a tree that was taken for the best
// [Martins10, section 5].
#pragma once

#include "dependency/second_order.hpp"
#include "parser/features/part_keys.hpp"
#include "parser/training/arc_trainer.hpp"

namespace kirchhoff::parser {

/// The parts over a sentence's candidates, with the numbers of their features.
struct PartFeatures {
  dependency::DependencyParts parts;
  std::vector<std::uint32_t> features;  ///< Those of arcs, then of parts; there may be room left.
  std::vector<std::uint32_t> begin;     ///< Arc or part p has features[begin[p]] ... features[begin[p + 1] - 1].
  std::vector<std::uint64_t> missing;   ///< Keys that have no weight yet; it may have room left.
  std::vector<std::uint32_t> missing_begin;

  std::span<const std::uint32_t> of(std::size_t place) const {
    return std::span<const std::uint32_t>(features).subspan(begin[place], begin[place + 1] - begin[place]);
  }
  /// The scores of this many candidates, and of the parts.
  TreeScores scores(std::size_t candidates, std::span<const float> weights) const;
};

/// Learns the weights of arcs and of parts with several arcs.
class SecondOrderTrainer : public ArcTrainer {
 public:
  SecondOrderTrainer(const std::vector<Encoded>& sentences, const Templates& arcs, const PartTemplates& parts,
                     const TrainOptions& options, base::Crew& crew);
  void admit(const std::vector<Encoded>& sentences, const std::vector<Candidates>& candidates, int least) override;
  std::unique_ptr<TextModel> text_model() override;
  /// The features of a sentence that have a weight by now.
  PartFeatures read_parts(const Encoded& sentence, const Candidates& candidates) const;
  const PartTemplates& parts() const { return *parts_; }

  std::vector<std::uint64_t> keys() const override;
  std::span<const std::uint64_t> grown() const override { return grown_.keys(); }
  void grow(std::span<const std::uint64_t> keys) override;

 protected:
  /// What a sentence contributes. Updates point into the features of its parts.
  struct PartResult : Result, PartFeatures {
    std::vector<char> gold;  ///< Whether the gold tree has the part.
    /// Each of the features with keys missing[begin] ... missing[end - 1] grows by `amount`.
    struct Growth {
      std::uint32_t begin = 0, end = 0;
      float amount = 0.0F;
    };
    std::vector<Growth> growth;
    std::vector<std::uint32_t> numbers;  ///< The numbers of those that grew.
  };
  void take_features() override {}  // They are looked up at every step.
  std::unique_ptr<Result> make_result() const override { return std::make_unique<PartResult>(); }
  bool prepares() const override { return true; }
  /// Lists the parts of a sentence and looks up their features.
  void prepare(std::size_t sentence, Result& prepared) const override;
  void number_keys();
  void look_up(const Encoded& sentence, const Candidates& candidates, PartFeatures& found) const;
  void find_grown(PartFeatures& result) const;
  void compute_updates(std::size_t sentence, Result& prepared) override;
  void add_growth(Result& computed) override;

 private:
  const PartTemplates* parts_;
  FeatureIndex grown_;  ///< The keys that come after those of gold arcs and those of gold second-order parts.
  Buckets buckets_;
  BucketTable table_;  ///< Gives 1 + the number of the weight.
};

/// The trainer that the parts of a model need.
std::unique_ptr<ArcTrainer> make_arc_trainer(const std::vector<Encoded>& sentences, const Templates& arcs,
                                             const PartTemplates& parts, const TrainOptions& options, base::Crew& crew);

}  // namespace kirchhoff::parser
