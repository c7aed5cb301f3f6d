// Learning arc and second-order weights together. Features are looked up again at every step: a sentence has some fifty
// parts a word, too many to keep. This needs no weights, and is what threads do that would have to wait.
//
// With complete features, those that gold trees do not have grow while learning: one gets a weight when a part that has
// it is wrong by enough, for beta = inf when it is in a tree that was taken for the best [Martins10, section 5].
#pragma once

#include "dependency/second_order.hpp"
#include "parser/training/arc_trainer.hpp"

namespace kirchhoff::parser {

/// The second-order templates and a place to make their keys in.
struct SecondFeatures {
  SecondFeatures(const Templates& siblings_in, const Templates& grands_in) : siblings(siblings_in), grands(grands_in) {}
  void read(const Encoded& sentence) {
    siblings.read(sentence);
    grands.read(sentence);
  }
  /// Calls part(keys) for each part in turn.
  template <class Part>
  void each(const std::vector<dependency::PartNodes>& sibling_parts,
            const std::vector<dependency::PartNodes>& grand_parts, const Part& part) {
    for (const auto& nodes : sibling_parts) {
      keys.clear();
      siblings.append({nodes[0], nodes[1], nodes[2]}, keys);
      part(keys);
    }
    for (const auto& nodes : grand_parts) {
      keys.clear();
      if (nodes[0] != nodes[2]) grands.append({nodes[0], nodes[1], nodes[2]}, keys);
      part(keys);
    }
  }

  Features siblings, grands;
  std::vector<std::uint64_t> keys;
};

class SecondTrainer : public ArcTrainer {
 public:
  SecondTrainer(const std::vector<Encoded>& sentences, std::vector<Candidates> candidates, const Templates& arcs,
                const Templates& siblings, const Templates& grands, const TrainOptions& options, base::Crew& crew);

  std::vector<std::uint64_t> keys() const override;
  std::span<const std::uint64_t> grown() const override { return grown_.keys(); }
  void grow(std::span<const std::uint64_t> keys) override;

 private:
  /// Parts and features.
  bool prepares() const override { return true; }
  void prepare(std::size_t sentence, Result& result) const override;
  void find_grown(Result& result) const;
  void read_sentence(std::size_t sentence, Result& result) override;
  void add_growth(Result& result) override;

  std::vector<Candidates> candidates_;
  const Templates* arcs_;
  const Templates* siblings_;
  const Templates* grands_;
  std::vector<std::uint64_t> keys_;  ///< of gold arcs, then of gold second-order parts
  FeatureIndex grown_;               ///< after them
  Buckets buckets_;
  BucketTable table_;  ///< 1 + number of the weight
};

}  // namespace kirchhoff::parser
