// Complete features of second order, which grow while learning, against the same learning with all of them from the
// start.
#include "parser/training/second_order_trainer.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/shuffle.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

namespace kirchhoff::parser {
namespace {

struct Corpus {
  Corpus() : inventory(make_inventory(sentences)) {
    for (const Sentence& s : sentences) encoded.push_back(encode(s, inventory));
    for (const Encoded& s : encoded) {
      Candidates all;
      all.begin = {0, 0};
      for (int d = 1; d <= s.words; ++d) {
        for (int h = 0; h <= s.words; ++h) {
          if (h != d && std::abs(h - d) <= 3) all.heads.push_back(static_cast<std::uint16_t>(h));
        }
        all.begin.push_back(static_cast<std::uint32_t>(all.heads.size()));
      }
      candidates.push_back(with_tree(all, s.heads));
    }
  }

  std::unique_ptr<SecondOrderTrainer> trainer(Loss loss, FeatureSet features) const {
    TrainOptions options{.root = Root::single};
    options.loss = loss;
    options.features = features;
    options.batch = 4;
    auto trainer = std::make_unique<SecondOrderTrainer>(encoded, arcs, parts, options, crew);
    trainer->take(candidates);
    return trainer;
  }

  /// Keys of the features of all candidates: of arcs, siblings and grandparents.
  std::array<std::set<std::uint64_t>, 3> all_keys() const {
    std::array<std::set<std::uint64_t>, 3> sets;
    const std::array<const Templates*, 3> templates = {&arcs, &parts.siblings, &parts.grandparents};
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      const dependency::DependencyParts listed = dependency::list_parts(encoded[i].words, candidates[i], parts.set);
      std::array<std::vector<Nodes>, 3> nodes;
      for (const auto& n : listed.siblings) nodes[1].push_back({n[0], n[1], n[2]});
      for (const auto& n : listed.grandparents) nodes[2].push_back({n[0], n[1], n[2]});
      for (std::size_t c = 0; c < candidates[i].size(); ++c) {
        nodes[0].push_back({candidates[i].heads[c], listed.dependents[c]});
      }
      for (std::size_t kind = 0; kind < 3; ++kind) {
        FeatureKeys features(*templates[kind]);
        features.read(encoded[i]);
        std::vector<std::uint64_t> keys;
        for (const Nodes& n : nodes[kind]) {
          if (kind < 2 || n[0] != n[2]) features.append(n, keys);
        }
        sets[kind].insert(keys.begin(), keys.end());
      }
    }
    return sets;
  }

  std::vector<Sentence> sentences = ToyTreebank(5).sentences(12);
  Inventory inventory;
  std::vector<Encoded> encoded;
  std::vector<Candidates> candidates;
  mutable base::Crew crew{2};
  Templates arcs{"hd", kArcTemplates};
  PartTemplates parts = part_templates(kNextSiblings);
};

double learn(SecondOrderTrainer& trainer, std::size_t sentences) {
  double loss = 0.0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const auto order = shuffled(sentences, 1, epoch, 2);
    trainer.learn(order, [&](std::size_t, double batch_loss) { loss += batch_loss; });
  }
  return loss;
}

/// Those that are not 0.
std::map<std::uint64_t, float> weights_of(SecondOrderTrainer& trainer) {
  const std::vector<std::uint64_t> keys = trainer.keys();
  const auto weights = trainer.learner().weights();
  EXPECT_EQ(keys.size(), weights.size());
  std::map<std::uint64_t, float> result;
  for (std::size_t f = 0; f < keys.size(); ++f) {
    if (weights[f] != 0.0F) result[keys[f]] = weights[f];
  }
  return result;
}

TEST(SecondOrderTrainer, FeaturesThatGrowAreAsGoodAsThoseThatWereThere) {
  const Corpus corpus;
  const auto late_trainer = corpus.trainer(kSvmLoss, FeatureSet::complete);
  const auto early_trainer = corpus.trainer(kSvmLoss, FeatureSet::complete);
  SecondOrderTrainer &late = *late_trainer, &early = *early_trainer;
  const std::vector<std::uint64_t> before = early.keys();
  const std::set<std::uint64_t> supported(before.begin(), before.end());
  const auto all = corpus.all_keys();
  std::vector<std::uint64_t> others;
  for (const auto& kind : all) {
    std::copy_if(kind.begin(), kind.end(), std::back_inserter(others),
                 [&](auto key) { return !supported.contains(key); });
  }
  early.grow(others);
  EXPECT_EQ(learn(late, corpus.encoded.size()), learn(early, corpus.encoded.size()));
  EXPECT_EQ(weights_of(late), weights_of(early));
  // Some of each kind came, and not all there are.
  std::array<std::size_t, 3> came{};
  for (const std::uint64_t key : late.grown()) {
    for (std::size_t kind = 0; kind < 3; ++kind) came[kind] += all[kind].count(key);
  }
  for (std::size_t kind = 0; kind < 3; ++kind) EXPECT_GT(came[kind], 0U) << kind;
  EXPECT_LT(late.grown().size(), others.size());
}

TEST(SecondOrderTrainer, SupportedFeaturesDoNotGrow) {
  const Corpus corpus;
  for (const Loss loss : {kSvmLoss, kSoftmaxMarginLoss}) {
    const auto trainer = corpus.trainer(loss, FeatureSet::supported);
    const std::vector<std::uint64_t> before = trainer->keys();
    learn(*trainer, corpus.encoded.size());
    EXPECT_EQ(trainer->keys(), before);
  }
}

}  // namespace
}  // namespace kirchhoff::parser
