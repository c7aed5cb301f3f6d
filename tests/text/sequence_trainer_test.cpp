// What training finds is judged by all tag sequences: at the maximum of the likelihood the expected counts of features
// and of neighbouring tags are those of the data.
#include "text/sequence_trainer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace kirchhoff::text {
namespace {

constexpr int kTags = 3;

/// Sequences of random symbols, 0 to 3, with tags that depend on the symbol and on the tag before.
struct Data {
  std::vector<std::vector<int>> symbols;
  SequenceTask task;

  explicit Data(bool chain) {
    std::mt19937 random(4);
    task.tags = kTags;
    task.chain = chain;
    for (int i = 0; i < 60; ++i) {
      symbols.emplace_back();
      task.gold.emplace_back();
      int before = 0;
      for (int t = 0; t < 4; ++t) {
        symbols.back().push_back(static_cast<int>(random() % 4));
        before = random() % 3 == 0 ? static_cast<int>(random() % kTags) : (symbols.back().back() + before) % kTags;
        task.gold.back().push_back(before);
      }
    }
    task.features = [this]() -> FeaturesOf {
      return [this](std::size_t i, SequenceKeys& keys) {
        for (const int symbol : symbols[i]) {
          keys.add(1000);
          keys.add(static_cast<std::uint64_t>(symbol) + 1);
          keys.end_position();
        }
      };
    };
    if (chain) task.transitions = Matrix::Zero(kTags, kTags);
  }
};

struct Model {
  std::map<std::pair<std::uint64_t, int>, double> pairs;
  std::vector<float> transitions;

  explicit Model(const SequenceWeights& w) : transitions(w.transitions) {
    for (std::size_t f = 0; f < w.keys.size(); ++f) {
      for (std::size_t i = w.begin[f]; i < w.begin[f + 1]; ++i) {
        pairs[{w.keys[f], w.tags[i]}] = static_cast<double>(w.weights[i]);
      }
    }
  }
  double score(const std::vector<int>& symbols, const Tags& tags) const {
    double sum = 0.0;
    for (std::size_t t = 0; t < tags.size(); ++t) {
      for (const std::uint64_t key : {std::uint64_t{1000}, static_cast<std::uint64_t>(symbols[t]) + 1}) {
        const auto found = pairs.find({key, tags[t]});
        if (found != pairs.end()) sum += found->second;
      }
      if (t > 0 && !transitions.empty()) {
        sum += static_cast<double>(transitions[static_cast<std::size_t>(tags[t - 1] * kTags + tags[t])]);
      }
    }
    return sum;
  }
};

std::vector<Tags> all_sequences(std::size_t length) {
  std::vector<Tags> all = {{}};
  for (std::size_t t = 0; t < length; ++t) {
    std::vector<Tags> longer;
    for (const Tags& tags : all) {
      for (int tag = 0; tag < kTags; ++tag) {
        longer.push_back(tags);
        longer.back().push_back(tag);
      }
    }
    all = longer;
  }
  return all;
}

using Counts = std::map<std::pair<int, int>, double>;  // (symbol or 10 + tag before, tag)

void add_counts(const std::vector<int>& symbols, const Tags& tags, double weight, Counts& counts) {
  for (std::size_t t = 0; t < tags.size(); ++t) {
    counts[{symbols[t], tags[t]}] += weight;
    if (t > 0) counts[{10 + tags[t - 1], tags[t]}] += weight;
  }
}

void expect_moments_match(bool chain) {
  const Data data(chain);
  base::Crew crew(2);
  const auto weights = train_sequences(data.task, {.epochs = 300, .min_count = 1}, crew, {});
  ASSERT_TRUE(weights);
  const Model model(*weights);
  Counts observed, expected;
  for (std::size_t i = 0; i < data.symbols.size(); ++i) {
    add_counts(data.symbols[i], data.task.gold[i], 1.0, observed);
    const std::vector<Tags> all = all_sequences(data.symbols[i].size());
    double z = 0.0;
    for (const Tags& tags : all) z += std::exp(model.score(data.symbols[i], tags));
    for (const Tags& tags : all) {
      add_counts(data.symbols[i], tags, std::exp(model.score(data.symbols[i], tags)) / z, expected);
    }
  }
  for (const auto& [pair, count] : observed) {
    if (!chain && pair.first >= 10) continue;  // Such a model knows nothing of neighbours.
    // The average of AdaGrad's iterates is within a few hundredths of the maximum after 300 epochs; a wrong gradient
    // leaves several counts off by 5 to 30.
    EXPECT_NEAR((expected[pair]), count, 1.0) << pair.first << " " << pair.second;
  }
}

TEST(SequenceTrainer, MomentsOfAChainAreThoseOfTheData) { expect_moments_match(true); }
TEST(SequenceTrainer, MomentsOfSinglePositionsAreThoseOfTheData) { expect_moments_match(false); }

TEST(SequenceTrainer, TheSameForAnyNumberOfThreads) {
  for (const bool chain : {false, true}) {
    const Data data(chain);
    std::vector<SequenceWeights> found;
    for (const int threads : {1, 2, 3}) {
      base::Crew crew(threads);
      found.push_back(*train_sequences(data.task, {.epochs = 3, .dropout = 0.3}, crew, {}));
    }
    for (const SequenceWeights& other : found) {
      EXPECT_EQ(other.keys, found[0].keys);
      EXPECT_EQ(other.weights, found[0].weights);
      EXPECT_EQ(other.transitions, found[0].transitions);
    }
  }
}

/// A sure sign, and one that is right eight times of ten. Where the sure one is seen there is nothing more to learn, so
/// the likelihood is that of the positions without it: twice the difference of the weak one's weights is log 4.
TEST(SequenceTrainer, DroppedFeaturesLeaveSomethingToOthers) {
  SequenceTask task{.tags = 2};
  std::vector<int> weak;
  for (int i = 0; i < 400; ++i) {
    task.gold.push_back({i % 2});
    weak.push_back(i / 2 % 5 == 0 ? 1 - i % 2 : i % 2);
  }
  task.features = [&]() -> FeaturesOf {
    return [&](std::size_t i, SequenceKeys& keys) {
      keys.add(static_cast<std::uint64_t>(task.gold[i][0]) + 1);
      keys.add(static_cast<std::uint64_t>(weak[i]) + 11);
      keys.end_position();
    };
  };
  base::Crew crew(1);
  Model model(*train_sequences(task, {.epochs = 200, .dropout = 0.5}, crew, {}));
  EXPECT_NEAR((model.pairs[{11, 0}] - model.pairs[{11, 1}]), std::log(4.0) / 2.0, 0.1);
  EXPECT_NEAR((model.pairs[{12, 1}] - model.pairs[{12, 0}]), std::log(4.0) / 2.0, 0.1);
}

/// Features 1 and 2 are seen once, with the first label and with another one; 3 and 4 twice.
TEST(SequenceTrainer, RareFeaturesOfTheFirstLabelAndSmallWeightsAreLeftOut) {
  SequenceTask task{.tags = 2, .gold = {{0, 1, 0, 1}, {0, 1}}};
  task.features = []() -> FeaturesOf {
    return [](std::size_t i, SequenceKeys& keys) {
      for (const std::uint64_t key :
           i == 0 ? std::vector<std::uint64_t>{1, 2, 3, 4} : std::vector<std::uint64_t>{3, 4}) {
        keys.add(key);
        keys.end_position();
      }
    };
  };
  base::Crew crew(1);
  const auto weights = [&](int min_first, float least) {
    return Model(*train_sequences(task, {.min_count = 1, .min_first = min_first, .least = least}, crew, {})).pairs;
  };
  const std::map<std::pair<std::uint64_t, int>, double> all = weights(0, 0.0F), some = weights(2, 0.0F);
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(some.size(), 3U);
  EXPECT_FALSE(some.contains({1, 0}));
  for (const auto& [pair, weight] : weights(0, 1e3F)) EXPECT_EQ(weight, 0.0);
}

TEST(SequenceTrainer, EndsWhenToldTo) {
  const Data data(true);
  base::Crew crew(1);
  int calls = 0;
  EXPECT_FALSE(train_sequences(data.task, {}, crew, [&](std::size_t, std::size_t) { return ++calls < 3; }));
  EXPECT_EQ(calls, 3);
}

TEST(SequenceTrainer, RefusesMoreTagsThanAFileCanHave) {
  Data data(false);
  data.task.tags = 65536;
  base::Crew crew(1);
  EXPECT_THROW(train_sequences(data.task, {}, crew, {}), InputError);
}

TEST(SequenceTrainer, PositionsWithoutATagAreLeftOut) {
  Data data(false);
  for (Tags& gold : data.task.gold) std::fill(gold.begin() + 1, gold.end(), -1);
  base::Crew crew(1);
  const Model model(*train_sequences(data.task, {.epochs = 300, .min_count = 1}, crew, {}));
  std::map<int, std::array<double, kTags + 1>> counts;
  for (std::size_t i = 0; i < data.symbols.size(); ++i) {
    ++counts[data.symbols[i][0]][static_cast<std::size_t>(data.task.gold[i][0])];
    ++counts[data.symbols[i][0]][kTags];
  }
  for (const auto& [symbol, count] : counts) {
    double z = 0.0;
    for (int tag = 0; tag < kTags; ++tag) z += std::exp(model.score({symbol}, {tag}));
    for (int tag = 0; tag < kTags; ++tag) {
      const double p = std::exp(model.score({symbol}, {tag})) / z;
      EXPECT_NEAR(p, count[static_cast<std::size_t>(tag)] / count[kTags], 0.05);
    }
  }
}

/// A classifier of pairs (a, b), whose score is the sum of what its features give a and b, among those with the same a.
/// At the maximum of the likelihood the expected counts of (symbol, label) are those of the data.
TEST(SequenceTrainer, LabelsOfTagsAmongRivals) {
  Data data(false);
  data.task.tags = 4;
  data.task.labels = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};  // Tags 0 and 1 are rivals, and so are 2 and 3.
  std::mt19937 random(7);
  for (std::size_t i = 0; i < data.symbols.size(); ++i) {
    for (std::size_t t = 0; t < data.symbols[i].size(); ++t) {
      const bool second = random() % 8 <= 2 * static_cast<unsigned>(data.symbols[i][t]);
      data.task.gold[i][t] = static_cast<int>(2 * (random() % 2)) + (second ? 1 : 0);
    }
  }
  const std::vector<std::vector<int>> rivals = {{0, 1}, {2, 3}};
  data.task.rivals = [&](int gold) { return std::span<const int>(rivals[static_cast<std::size_t>(gold / 2)]); };
  base::Crew crew(1);
  const Model model(*train_sequences(data.task, {.epochs = 300, .min_count = 1}, crew, {}));
  Counts observed, expected;
  const auto score = [&](int symbol, int tag) {
    double sum = 0.0;
    for (const int label : data.task.labels[static_cast<std::size_t>(tag)]) sum += model.score({symbol}, {label});
    return sum;
  };
  for (std::size_t i = 0; i < data.symbols.size(); ++i) {
    for (std::size_t t = 0; t < data.symbols[i].size(); ++t) {
      const int symbol = data.symbols[i][t], gold = data.task.gold[i][t];
      double z = 0.0;
      for (const int tag : rivals[static_cast<std::size_t>(gold / 2)]) z += std::exp(score(symbol, tag));
      for (const int tag : rivals[static_cast<std::size_t>(gold / 2)]) {
        for (const int label : data.task.labels[static_cast<std::size_t>(tag)]) {
          expected[{symbol, label}] += std::exp(score(symbol, tag)) / z;
          if (tag == gold) observed[{symbol, label}] += 1.0;
        }
      }
    }
  }
  for (const auto& [pair, count] : expected)
    EXPECT_NEAR(observed[pair], count, 1.0) << pair.first << " " << pair.second;
}

}  // namespace
}  // namespace kirchhoff::text
