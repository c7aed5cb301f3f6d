// Batches of linear chains over NumPy arrays of scores, and arrays of results for them.
#pragma once

#include "arrays.hpp"

#include <nanobind/stl/pair.h>
#include <kirchhoff/chain_batch.hpp>
#include <kirchhoff/chain_expectation.hpp>

#include <algorithm>
#include <utility>

namespace kirchhoff::python {

using Tables = std::pair<NumpyArray<double>, NumpyArray<double>>;  // of tags, and of pairs of tags

/// Calls f; an error names the chain where there are several.
template <class F>
auto for_chain(std::size_t i, std::size_t count, F f) {
  const auto named = [&](const std::exception& e) {
    return (count == 1 ? "" : "chain " + std::to_string(i) + ": ") + e.what();
  };
  try {
    return f();
  } catch (const Infeasible& e) {
    throw Infeasible(named(e));
  } catch (const InputError& e) {
    throw InputError(named(e));
  }
}

/// Chains in arrays (batch, length, tags) and (batch, length - 1, tags, tags), where tags are contiguous and other axes
/// may have any stride. The Python side has checked the shapes.
struct Chains {
  Doubles emissions, transitions;
  std::size_t length, tags;
  ChainBatch batch;

  Chains(Doubles e, Doubles t, const Ints& lengths, int threads, Method method)
      : emissions(std::move(e)),
        transitions(std::move(t)),
        length(emissions.shape(1)),
        tags(emissions.shape(2)),
        batch(interruptible([&](const Stop& stop) {
          const ChainBatchOptions options{
              .threads = threads, .method = method, .padded_length = static_cast<int>(length)};
          return ChainBatch(views(lengths), options, stop);
        })) {
    if (batch.infeasible().empty()) return;
    const InfeasibleChain& first = batch.infeasible()[0];
    for_chain(first.chain, batch.size(), [&]() -> int { throw Infeasible(first.message); });
  }

  std::vector<ChainView> views(const Ints& lengths) const {
    std::vector<ChainView> all;
    all.reserve(emissions.shape(0));
    for (std::size_t i = 0; i < emissions.shape(0); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      all.push_back({emissions.data() + at * emissions.stride(0), transitions.data() + at * transitions.stride(0),
                     int_of(lengths.data()[i], "lengths"), static_cast<int>(tags), emissions.stride(1),
                     transitions.stride(1), transitions.stride(2)});
    }
    return all;
  }
  std::size_t size() const { return batch.size(); }
  int words(std::size_t i) const { return batch.chains()[i].length; }
  int threads() const { return batch.options().threads; }
  std::vector<std::size_t> emission_shape() const { return {size(), length, tags}; }
  std::vector<std::size_t> transition_shape() const { return {size(), length - 1, tags, tags}; }
};

/// Numbers of chain i in arrays of the shapes of the scores; `axis` leading axes come before those of one chain.
inline ChainArrays arrays_at(const Doubles& e, const Doubles& t, std::ptrdiff_t e_offset, std::ptrdiff_t t_offset,
                             std::size_t axis, int length) {
  const auto tags = static_cast<int>(e.shape(axis + 1));
  ChainArrays out(length, tags);
  const auto copy = [tags](const double* from, std::ptrdiff_t stride, double* to) {
    if (stride == 1) {
      std::copy_n(from, tags, to);
    } else {
      for (int j = 0; j < tags; ++j) to[j] = from[j * stride];
    }
  };
  for (int p = 0; p < length; ++p) {
    copy(e.data() + e_offset + p * e.stride(axis), e.stride(axis + 1), &out.emission(p, 0));
    for (int i = 0; p > 0 && i < tags; ++i) {
      const double* const row = t.data() + t_offset + (p - 1) * t.stride(axis) + i * t.stride(axis + 1);
      copy(row, t.stride(axis + 2), &out.transition(p, i, 0));
    }
  }
  return out;
}
inline ChainArrays function_of(const Chains& c, const Doubles& e, const Doubles& t, std::size_t i) {
  const auto at = static_cast<std::ptrdiff_t>(i);
  return arrays_at(e, t, at * e.stride(0), at * t.stride(0), 1, c.words(i));
}
/// Functions (batch, functions, ...) of chain i.
inline std::vector<ChainArrays> functions_of(const Chains& c, const Doubles& e, const Doubles& t, std::size_t i) {
  std::vector<ChainArrays> all;
  const auto at = static_cast<std::ptrdiff_t>(i);
  for (std::ptrdiff_t f = 0; f < static_cast<std::ptrdiff_t>(e.shape(1)); ++f) {
    all.push_back(
        arrays_at(e, t, at * e.stride(0) + f * e.stride(1), at * t.stride(0) + f * t.stride(1), 2, c.words(i)));
  }
  return all;
}

/// Arrays of the shapes of the scores to be filled.
struct NewTables {
  NewArray<double> emissions, transitions;
  NewTables(const Chains& c, double fill)
      : emissions(c.emission_shape(), fill), transitions(c.transition_shape(), fill) {}
  void write(const Chains& c, std::size_t i, const ChainArrays& from) const {
    std::copy_n(from.emissions.data(), from.emissions.size(), emissions.data + c.batch.emission_offset(i));
    std::copy_n(from.transitions.data(), from.transitions.size(), transitions.data + c.batch.transition_offset(i));
  }
  Tables tables() const { return {emissions.array, transitions.array}; }
};

/// f(distribution of chain i, i) for every chain.
template <class F>
void each(const Chains& c, F f) {
  run(c.size(), c.threads(), [&](std::size_t i) {
    for_chain(i, c.size(), [&] {
      f(c.batch[i], i);
      return 0;
    });
  });
}
/// The same with f(distribution, i, stop), for work that takes long for a single chain; it ends early when stop() is
/// true.
template <class F>
void each_until(const Chains& c, F f) {
  interruptible([&](const Stop& stop) {
    parallel_for(c.size(), c.threads(), [&](std::size_t i) {
      for_chain(i, c.size(), [&] {
        f(c.batch[i], i, stop);
        return 0;
      });
      if (stop()) throw Stopped();  // which ends the other threads' work
    });
    return 0;
  });
}
template <class F>
NumpyArray<double> numbers(const Chains& c, F f) {
  NewArray<double> out({c.size()}, 0.0);
  each(c, [&](const ChainDistribution& p, std::size_t i) { out.data[i] = f(p, i); });
  return out.array;
}
template <class F>
Tables tables(const Chains& c, F f, double fill = 0.0) {
  const NewTables out(c, fill);
  each(c, [&](const ChainDistribution& p, std::size_t i) { out.write(c, i, f(p, i)); });
  return out.tables();
}
/// The gradients of a function of two distributions, by the first and by the second.
template <class F>
std::pair<Tables, Tables> pair_tables(const Chains& c, const Chains& other, F f) {
  const NewTables first(c, 0.0), second(c, 0.0);
  each(c, [&](const ChainDistribution& p, std::size_t i) {
    const ChainPairGradient gradient = f(p, other.batch[i]);
    first.write(c, i, gradient.p);
    second.write(c, i, gradient.q);
  });
  return {first.tables(), second.tables()};
}

using ChainsClass = nb::class_<Chains>;
void bind_chain_paths(ChainsClass& c);

}  // namespace kirchhoff::python
