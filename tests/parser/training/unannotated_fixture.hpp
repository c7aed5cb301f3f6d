// Objectives on sentences without trees, of a model in the making.
#pragma once

#include "parser/toy_treebank.hpp"
#include "parser/training/second_order_trainer.hpp"
#include "parser/training/unannotated.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <random>

namespace kirchhoff::parser {

/// A model in the making, with random weights.
struct UnannotatedFixture {
  explicit UnannotatedFixture(const Unannotated& unannotated_in, int max_heads = 4, const PartSet& set = kArcs)
      : sentences(ToyTreebank(1).sentences(12)),
        inventory(make_inventory(sentences)),
        templates("hd", kArcTemplates),
        parts(part_templates(set)),
        tables(inventory),
        unannotated(unannotated_in) {
    for (const Sentence& s : sentences) encoded.push_back(encode(s, inventory));
    const std::vector<float> zero(tables.size(), 0.0F);
    for (const Encoded& s : encoded) {
      candidates.push_back(
          with_tree(prune(table_scores(tables, zero, s), Root::single, {.max_heads = max_heads}), s.heads));
    }
    options.parts = set;
    arcs = make_arc_trainer(encoded, templates, parts, options, crew);
    arcs->take(candidates);
    unannotated.sentences = sentences;
    trainer = std::make_unique<UnannotatedTrainer>(unannotated, inventory, encoded, candidates, arcs->text_model(),
                                                   options, crew);
    std::mt19937 random(3);
    std::normal_distribution<float> draw(0.0F, 0.1F);
    weights.assign(arcs->learner().weights().begin(), arcs->learner().weights().end());
    for (float& w : weights) w = draw(random);
    set_weights();
  }
  std::vector<std::size_t> everything() const {
    std::vector<std::size_t> batch(sentences.size());
    std::iota(batch.begin(), batch.end(), 0);
    return batch;
  }
  std::vector<double> gradient(const UnannotatedTrainer::Objective& objective) const {
    std::vector<double> sum(weights.size(), 0.0);
    for (const TextUpdates& updates : objective.updates) {
      for (const auto& [feature, amount] : updates.arcs.items()) sum[feature] += amount;
    }
    return sum;
  }
  void set_weights() { arcs->learner().restore(weights, std::vector<Learner::State>(weights.size()), 0); }

  TrainOptions options{.root = Root::single};
  base::Crew crew{1};
  std::vector<Sentence> sentences;
  Inventory inventory;
  Templates templates;
  PartTemplates parts;
  ArcTables tables;
  Unannotated unannotated;
  std::vector<Encoded> encoded;
  std::vector<Candidates> candidates;
  std::unique_ptr<ArcTrainer> arcs;
  std::unique_ptr<UnannotatedTrainer> trainer;
  std::vector<float> weights;
};

/// Compares gradients by some of the weights with finite differences.
inline void check_gradient(const Unannotated& unannotated, const PartSet& set = kArcs) {
  UnannotatedFixture f(unannotated, 4, set);
  const std::vector<std::size_t> batch = f.everything();
  const std::vector<double> gradient = f.gradient(f.trainer->objective(batch));
  int checked = 0;
  constexpr float kStep = 1.0F / 64;
  for (std::size_t feature = 0; feature < gradient.size() && checked < 40; feature += 37) {
    const float before = f.weights[feature];
    const auto value_at = [&](float w) {
      f.weights[feature] = w;
      f.set_weights();
      return f.trainer->objective(batch).value;
    };
    // Fourth order, as steps must be large: weights are floats.
    const double near = value_at(before + kStep) - value_at(before - kStep);
    const double far = value_at(before + 2 * kStep) - value_at(before - 2 * kStep);
    value_at(before);
    const double slope = (8.0 * near - far) / (12.0 * kStep);
    EXPECT_NEAR(gradient[feature], slope, 2e-4 * std::max(1.0, std::abs(slope))) << feature;
    checked += std::abs(slope) > 1e-3 ? 1 : 0;
  }
  EXPECT_GE(checked, 10);
}

}  // namespace kirchhoff::parser
