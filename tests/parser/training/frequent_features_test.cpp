// Features that occur often enough, against a count in a map.
#include "parser/training/frequent_features.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace kirchhoff::parser {
namespace {

std::vector<std::uint64_t> expected_keys(const std::vector<std::vector<std::uint64_t>>& sentences, int least) {
  std::map<std::uint64_t, int> counts;
  std::vector<std::uint64_t> in_order, kept;
  for (const auto& sentence : sentences) {
    for (const std::uint64_t key : sentence) {
      if (++counts[key] == 1) in_order.push_back(key);
    }
  }
  for (const std::uint64_t key : in_order) {
    if (counts[key] >= least) kept.push_back(key);
  }
  return kept;
}

TEST(FrequentFeatures, AreThoseOfACountInTheOrderOfTheirFirstOccurrence) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> names(3000);
  for (std::uint64_t& name : names) name = random();
  std::vector<std::vector<std::uint64_t>> sentences(9000);  // more than are counted at once
  for (auto& sentence : sentences) {
    sentence.resize(random() % 12);
    for (std::uint64_t& key : sentence) key = names[random() % names.size() * (random() % 1000) / 1000];
  }
  const auto make = [&]() -> KeysOf {
    return [&](std::size_t i, std::vector<std::uint64_t>& keys) {
      keys.insert(keys.end(), sentences[i].begin(), sentences[i].end());
    };
  };
  for (const int threads : {1, 4}) {
    base::Crew crew(threads);
    for (const int least : {1, 2, 7, 1000000}) {
      EXPECT_EQ(frequent_features(sentences.size(), make, least, crew), expected_keys(sentences, least));
    }
    EXPECT_EQ(frequent_features(0, make, 1, crew).size(), 0U);
  }
}

}  // namespace
}  // namespace kirchhoff::parser
