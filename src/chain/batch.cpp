// Batches of chains: blocks of chains for each thread, whose workspaces are used again.
#include "kirchhoff/chain_batch.hpp"

#include "base/check.hpp"
#include "base/large_pages.hpp"
#include "base/stop.hpp"
#include "chain/solve.hpp"
#include "chain/state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>

namespace kirchhoff {
namespace {

constexpr std::size_t kChainsAtOnce = 4;                   // so that few threads wait for the last ones
constexpr std::size_t kLargeArray = std::size_t{1} << 19;  // 4 MB
constexpr std::size_t kPastCaches = std::size_t{1} << 21;  // 16 MB, half of a usual third cache
constexpr std::size_t kPage = 4096;

/// Memory for pairs at the same place within a page as the scores. Processors compare a read's place in its page with
/// those of earlier writes that still wait for memory, and delay it where they agree: so a score is 4 kB away from the
/// last write that can delay it.
class Pairs {
 public:
  void take(std::size_t size, const double* scores) {
    memory_ = std::make_unique_for_overwrite<double[]>(size + kPage / sizeof(double));
    const auto place = reinterpret_cast<std::uintptr_t>(scores),
               begin = reinterpret_cast<std::uintptr_t>(memory_.get());
    data_ = memory_.get() + (place - begin) % kPage / sizeof(double);
    if (size >= kLargeArray) base::ask_for_large_pages(data_, size * sizeof(double));
  }
  double* get() const { return data_; }

 private:
  std::unique_ptr<double[]> memory_;
  double* data_ = nullptr;
};

}  // namespace

struct ChainBatch::State {
  std::vector<ChainView> chains;
  ChainBatchOptions options;
  std::vector<double> log_partition;
  std::vector<Report> reports;
  std::vector<InfeasibleChain> infeasible;
  std::vector<std::size_t> emission_offset, transition_offset;
  std::unique_ptr<double[]> emissions;
  Pairs transitions;

  void lay_out() {
    std::size_t emission = 0, transition = 0;
    for (const ChainView& chain : chains) {
      emission_offset.push_back(emission);
      transition_offset.push_back(transition);
      const auto tags = static_cast<std::size_t>(chain.tags);
      const auto length = static_cast<std::size_t>(options.padded_length > 0 ? options.padded_length : chain.length);
      emission += length * tags;
      transition += (length - 1) * tags * tags;
    }
    emission_offset.push_back(emission);
    transition_offset.push_back(transition);
    emissions = std::make_unique_for_overwrite<double[]>(emission);
    transitions.take(transition, chains.empty() ? nullptr : chains[0].transitions);
  }

  void solve(std::size_t i, chain::Workspace& workspace, std::string& message) {
    const ChainView& chain = chains[i];
    const std::size_t tags = static_cast<std::size_t>(chain.tags), length = static_cast<std::size_t>(chain.length);
    double *const unary = &emissions[emission_offset[i]], *const pairs = transitions.get() + transition_offset[i];
    std::fill(unary + length * tags, emissions.get() + emission_offset[i + 1], 0.0);
    std::fill(pairs + (length - 1) * tags * tags, transitions.get() + transition_offset[i + 1], 0.0);
    try {
      reports[i] = chain::solve("ChainBatch", chain, options.method, workspace,
                                {&log_partition[i], unary, pairs, transition_offset.back() >= kPastCaches});
    } catch (const Infeasible& error) {
      log_partition[i] = -HUGE_VAL;
      std::fill_n(unary, length * tags, 0.0);
      std::fill_n(pairs, (length - 1) * tags * tags, 0.0);
      message = error.what();
    } catch (const InputError& error) {
      throw InputError("chain " + std::to_string(i) + ": " + error.what());
    }
  }
};

ChainBatch::ChainBatch(std::vector<ChainView> chains, const ChainBatchOptions& options, const Stop& stop) {
  auto state = std::make_shared<State>();
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const std::string name = "chain " + std::to_string(i) + ": ";
    if (chains[i].length < 1 || chains[i].tags < 1) base::input_error("ChainBatch", name + "no position or no tag");
    if (chains[i].tags != chains[0].tags) {
      base::input_error("ChainBatch", name + std::to_string(chains[i].tags) + " tags, where the first has " +
                                          std::to_string(chains[0].tags));
    }
    if (options.padded_length > 0 && chains[i].length > options.padded_length) {
      base::input_error("ChainBatch",
                        name + std::to_string(chains[i].length) +
                            " positions, more than padded_length = " + std::to_string(options.padded_length));
    }
  }
  state->chains = std::move(chains);
  state->options = options;
  const std::size_t count = state->chains.size();
  state->log_partition.resize(count);
  state->reports.resize(count);
  state->lay_out();
  std::mutex mutex;
  parallel_for((count + kChainsAtOnce - 1) / kChainsAtOnce, options.threads, [&](std::size_t block) {
    thread_local chain::Workspace workspace;
    base::check_stop(stop);
    for (std::size_t i = block * kChainsAtOnce; i < std::min(count, (block + 1) * kChainsAtOnce); ++i) {
      std::string message;
      state->solve(i, workspace, message);
      if (message.empty()) continue;
      const std::lock_guard lock(mutex);
      state->infeasible.push_back({i, message});
    }
  });
  std::sort(state->infeasible.begin(), state->infeasible.end(),
            [](const InfeasibleChain& a, const InfeasibleChain& b) { return a.chain < b.chain; });
  state_ = std::move(state);
}

std::span<const ChainView> ChainBatch::chains() const { return state_->chains; }
int ChainBatch::tags() const { return state_->chains.empty() ? 0 : state_->chains[0].tags; }
const ChainBatchOptions& ChainBatch::options() const { return state_->options; }
std::span<const double> ChainBatch::log_partition() const { return state_->log_partition; }
std::span<const Report> ChainBatch::reports() const { return state_->reports; }
std::span<const InfeasibleChain> ChainBatch::infeasible() const { return state_->infeasible; }
std::span<const double> ChainBatch::emission_marginals() const {
  return {state_->emissions.get(), state_->emission_offset.back()};
}
std::span<const double> ChainBatch::transition_marginals() const {
  return {state_->transitions.get(), state_->transition_offset.back()};
}
std::size_t ChainBatch::emission_offset(std::size_t i) const { return state_->emission_offset[i]; }
std::size_t ChainBatch::transition_offset(std::size_t i) const { return state_->transition_offset[i]; }

ChainDistribution ChainBatch::operator[](std::size_t i) const {
  const State& s = *state_;
  for (const InfeasibleChain& none : s.infeasible) {
    if (none.chain == i) throw Infeasible(none.message);
  }
  const ChainView& chain = s.chains[i];
  auto state = std::make_shared<ChainAccess::State>();
  state->scores = chain::arrays_of(chain);
  state->marginals = ChainArrays(chain.length, chain.tags);
  std::copy_n(&s.emissions[s.emission_offset[i]], state->marginals.emissions.size(), state->marginals.emissions.data());
  std::copy_n(s.transitions.get() + s.transition_offset[i], state->marginals.transitions.size(),
              state->marginals.transitions.data());
  state->log_partition = s.log_partition[i];
  state->report = s.reports[i];
  state->method = s.options.method;
  return ChainAccess::make(std::move(state));
}

void ChainBatch::visit(const Visitor& visit, const Stop& stop) const {
  parallel_for(size(), state_->options.threads, [&](std::size_t i) {
    base::check_stop(stop);
    if (state_->log_partition[i] != -HUGE_VAL) visit(i, (*this)[i]);
  });
}

}  // namespace kirchhoff
