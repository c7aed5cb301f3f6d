// Batches of chains: the bits of one chain alone, whatever the layout, the threads and the neighbours.
#include "kirchhoff/chain_batch.hpp"

#include "chain/oracle.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace kirchhoff {
namespace {

using chains::random_chain;

std::vector<ChainArrays> some_chains(int count, int tags) {
  chains::Random random(89);
  std::vector<ChainArrays> all;
  for (int k = 0; k < count; ++k) {
    const double scale = k % 5 == 4 ? 1e4 : 2.0;  // every fifth needs the robust method
    all.push_back(random_chain(1 + static_cast<int>(random() % 9), tags, scale, k % 2 == 0 ? 2.0 : 0.7, random));
  }
  return all;
}

std::vector<ChainView> views(const std::vector<ChainArrays>& chains) {
  std::vector<ChainView> all;
  for (const ChainArrays& scores : chains) all.push_back(chain_view(scores));
  return all;
}

void expect_bits(std::span<const double> all, std::size_t offset, std::size_t end, const Matrix& expected) {
  for (Eigen::Index k = 0; k < expected.size(); ++k) ASSERT_EQ(all[offset + k], expected.data()[k]);
  for (std::size_t k = offset + expected.size(); k < end; ++k) ASSERT_EQ(all[k], 0.0);
}

TEST(ChainBatch, EqualsOneByOne) {
  for (const int tags : {1, 5, 8, 9, 19}) {
    const std::vector<ChainArrays> chains = some_chains(50, tags);
    for (const int padded : {0, 9, 12}) {
      for (const int threads : {1, 3}) {
        const ChainBatch batch(views(chains), {.threads = threads, .padded_length = padded});
        ASSERT_EQ(batch.size(), chains.size());
        EXPECT_EQ(batch.tags(), tags);
        EXPECT_TRUE(batch.infeasible().empty());
        for (std::size_t i = 0; i < chains.size(); ++i) {
          const ChainDistribution one(chains[i]);
          EXPECT_EQ(batch.log_partition()[i], one.log_partition());
          EXPECT_EQ(batch.reports()[i].method, one.report().method);
          const std::size_t next = i + 1;
          expect_bits(batch.emission_marginals(), batch.emission_offset(i), batch.emission_offset(next),
                      one.marginals().emissions);
          expect_bits(batch.transition_marginals(), batch.transition_offset(i), batch.transition_offset(next),
                      one.marginals().transitions);
          EXPECT_EQ(batch[i].marginals().transitions, one.marginals().transitions);
          EXPECT_EQ(batch[i].log_partition(), one.log_partition());
          EXPECT_EQ(entropy(batch[i]), entropy(one));
        }
      }
    }
  }
}

// 17 MB of pairs, which do not stay in a cache: with a matrix for all positions they are written past it.
TEST(ChainBatch, LargeOnesEqualOneByOne) {
  constexpr int kChains = 60, kLength = 24, kTags = 41;
  chains::Random random(97);
  const Matrix shared = random_chain(2, kTags, 2.0, 0.8, random).transitions;
  std::vector<ChainArrays> chains;
  for (int i = 0; i < kChains; ++i) chains.push_back(random_chain(kLength, kTags, 2.0, 0.8, random));
  std::vector<ChainView> with_shared = views(chains);
  for (ChainView& chain : with_shared) {
    chain.transitions = shared.data();
    chain.transition_stride = 0;
  }
  for (const int threads : {1, 3}) {
    const ChainBatch own(views(chains), {.threads = threads}), one_matrix(with_shared, {.threads = threads});
    ASSERT_GT(own.transition_marginals().size(), std::size_t{1} << 21);
    for (std::size_t i = 0; i < chains.size(); i += 7) {
      const ChainDistribution p(chains[i]), q(chains[i].emissions, shared);
      expect_bits(own.transition_marginals(), own.transition_offset(i), own.transition_offset(i + 1),
                  p.marginals().transitions);
      expect_bits(own.emission_marginals(), own.emission_offset(i), own.emission_offset(i + 1),
                  p.marginals().emissions);
      expect_bits(one_matrix.transition_marginals(), one_matrix.transition_offset(i),
                  one_matrix.transition_offset(i + 1), q.marginals().transitions);
      EXPECT_EQ(one_matrix.log_partition()[i], q.log_partition());
    }
  }
}

TEST(ChainBatch, VisitsEveryChain) {
  const std::vector<ChainArrays> chains = some_chains(40, 4);
  const ChainBatch batch(views(chains), {.threads = 3});
  std::vector<std::atomic<int>> visits(chains.size());
  batch.visit([&](std::size_t i, const ChainDistribution& p) {
    visits[i] += p.log_partition() == ChainDistribution(chains[i]).log_partition() ? 1 : 100;
  });
  for (const std::atomic<int>& each : visits) EXPECT_EQ(each.load(), 1);
}

TEST(ChainBatch, ChainsWithoutSequences) {
  std::vector<ChainArrays> chains = some_chains(20, 4);
  for (const std::size_t i : {3, 11}) chains[i].emissions.row(0).setConstant(-HUGE_VAL);
  const ChainBatch batch(views(chains), {.threads = 2, .padded_length = 9});
  ASSERT_EQ(batch.infeasible().size(), 2u);
  EXPECT_EQ(batch.infeasible()[0].chain, 3u);
  EXPECT_EQ(batch.infeasible()[1].chain, 11u);
  EXPECT_EQ(batch.log_partition()[11], -HUGE_VAL);
  for (std::size_t k = batch.transition_offset(3); k < batch.transition_offset(4); ++k) {
    ASSERT_EQ(batch.transition_marginals()[k], 0.0);
  }
  EXPECT_THROW(batch[3], Infeasible);
  EXPECT_EQ(batch[4].log_partition(), ChainDistribution(chains[4]).log_partition());
  int visits = 0;
  ChainBatch(views(chains), {.threads = 1}).visit([&](std::size_t, const ChainDistribution&) { ++visits; });
  EXPECT_EQ(visits, 18);
}

TEST(ChainBatch, NamesWhatIsWrong) {
  std::vector<ChainArrays> chains = some_chains(8, 4);
  chains[5].emission(0, 2) = std::nan("");
  const std::string message = message_of<InputError>([&] { ChainBatch{views(chains)}; });
  EXPECT_NE(message.find("chain 5"), std::string::npos) << message;
  EXPECT_NE(message.find("emissions[0, 2]"), std::string::npos) << message;
  chains = some_chains(3, 4);
  chains.push_back(ChainArrays(3, 5));
  EXPECT_THROW(ChainBatch{views(chains)}, InputError);
  chains.pop_back();
  chains.push_back(ChainArrays(10, 4));
  EXPECT_THROW(ChainBatch(views(chains), {.padded_length = 9}), InputError);
  EXPECT_THROW(ChainBatch(views(chains), {}, [] { return true; }), Stopped);
  EXPECT_EQ(ChainBatch({}).size(), 0u);
}

}  // namespace
}  // namespace kirchhoff
