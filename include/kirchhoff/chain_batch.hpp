// Many chains at once: solved in parallel and answered in the order of the input. The answers for a chain have the same
// bits whatever the number of threads and whatever other chains there are.
#pragma once

#include "kirchhoff/chain.hpp"
#include "kirchhoff/parallel.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kirchhoff {

struct ChainBatchOptions {
  int threads = kAllCores;
  Method method = Method::automatic;
  /// Arrays get room for this many positions in every chain, the rest filled with zeros, as frameworks want them. With
  /// 0 the arrays of the chains lie one after the other without gaps.
  int padded_length = 0;
};

/// A chain without a possible sequence, and what there is to say about it.
struct InfeasibleChain {
  std::size_t chain;
  std::string message;
};

/// Distributions of many chains with the same number of tags. The constructor solves them all. Copies are cheap and
/// share everything, and all members may be called from several threads at once.
class ChainBatch {
 public:
  /// Reads the scores where they lie: they must stay there, unchanged, as long as this batch or a copy of it is used.
  /// An InputError names the chain. Throws Stopped when `stop` says so; all threads call it, here and below.
  explicit ChainBatch(std::vector<ChainView> chains, const ChainBatchOptions& options = {}, const Stop& stop = {});

  std::size_t size() const { return chains().size(); }
  std::span<const ChainView> chains() const;
  int tags() const;
  const ChainBatchOptions& options() const;

  /// -inf for a chain without a sequence.
  std::span<const double> log_partition() const;
  std::span<const Report> reports() const;
  /// In the order of the chains; empty when every chain has a sequence.
  std::span<const InfeasibleChain> infeasible() const;

  /// The marginals of all chains, those of chain i from an offset on: length x tags numbers for tags, and
  /// (length - 1) x tags x tags for pairs. They are 0 for a chain without a sequence.
  std::span<const double> emission_marginals() const;
  std::span<const double> transition_marginals() const;
  std::size_t emission_offset(std::size_t i) const;
  std::size_t transition_offset(std::size_t i) const;

  /// The distribution of chain i, with copies of its scores and marginals; throws Infeasible.
  ChainDistribution operator[](std::size_t i) const;
  /// Calls visit(i, distribution of chain i) for every chain that has a sequence, in parallel and in no particular
  /// order.
  using Visitor = std::function<void(std::size_t, const ChainDistribution&)>;
  void visit(const Visitor& visit, const Stop& stop = {}) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace kirchhoff
