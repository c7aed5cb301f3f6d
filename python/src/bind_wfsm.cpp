// Binds kirchhoff/wfsm.hpp, wfsm_distinct.hpp, wfsm_product.hpp, wfsm_semiring.hpp and wfsm_text.hpp: machines.
#include "arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/wfsm_derivatives.hpp>
#include <kirchhoff/wfsm_distinct.hpp>
#include <kirchhoff/wfsm_expectation.hpp>
#include <kirchhoff/wfsm_product.hpp>
#include <kirchhoff/wfsm_semiring.hpp>
#include <kirchhoff/wfsm_text.hpp>

namespace kirchhoff::python {
namespace {

using Array = NumpyArray<double>;
using Weights = std::tuple<Array, Array, Array>;  // transitions, start, final
using Names = std::vector<std::pair<std::string, int>>;

Weights arrays_of(const WfsmWeights& w) { return {array_of(w.transitions), array_of(w.start), array_of(w.final)}; }

/// The arguments are in the order of WfsmWeights; the library checks the sizes.
WfsmWeights weights_of(const Doubles& transitions, const Doubles& start, const Doubles& final) {
  return {vector_of(transitions), vector_of(start), vector_of(final)};
}

SymbolTable table_of(const Names& names) {
  SymbolTable table;
  for (const auto& [name, symbol] : names) table.add(name, symbol);
  return table;
}

Names names_of(const SymbolTable& table) {
  Names names;
  for (const int symbol : table.symbols()) names.emplace_back(table.name(symbol), symbol);
  return names;
}

/// A row of arcs is (from, to, symbol, output).
WfsmBuilder builder_of(const Ints& arcs, const Doubles& log_weights, const Doubles& start, const Doubles& final,
                       const Names& input, const Names& output) {
  WfsmBuilder builder;
  builder.add_states(static_cast<int>(start.shape(0))).set_symbols({table_of(input), table_of(output)});
  const Vector w = vector_of(log_weights), first = vector_of(start), last = vector_of(final);
  for (std::size_t i = 0; i < arcs.shape(0); ++i) {
    const std::int64_t* row = arcs.data() + 4 * i;
    builder.add_transition({int_of(row[0], "from"), int_of(row[1], "to"), int_of(row[2], "symbol"),
                            w[static_cast<Eigen::Index>(i)], int_of(row[3], "output")});
  }
  for (int state = 0; state < first.size(); ++state) {
    if (first[state] != -HUGE_VAL) builder.set_start(state, first[state]);
    if (last[state] != -HUGE_VAL) builder.set_final(state, last[state]);
  }
  return builder;
}

/// A product with the machine, the states and the transitions that its own come from.
using Product = std::tuple<Wfsm, std::vector<int>, std::vector<int>, std::vector<int>, std::vector<int>>;

template <class Function>
Product product(const WfsmBuilder& a, const WfsmBuilder& b, Function function) {
  WfsmProduct p = interruptible([&](const Stop& stop) { return function(a, b, stop); });
  return {std::move(p.machine), std::move(p.left_states), std::move(p.right_states), std::move(p.left_transitions),
          std::move(p.right_transitions)};
}

WeightKind kind_named(std::string_view name) { return named<WeightKind>(name, "weights"); }

Wfsm wfsm_from_text(const std::string& text, const std::string& weights, const std::string& arcs,
                    const std::string& input, const std::string& output, const std::string& name) {
  return read_wfsm(text,
                   {kind_named(weights),
                    named<ArcFormat>(arcs, "arcs"),
                    WfsmSymbols{input.empty() ? SymbolTable() : read_symbols(input, name + " (symbols)"),
                                output.empty() ? SymbolTable() : read_symbols(output, name + " (output symbols)")},
                    name,
                    {}});
}

NumpyArray<std::int64_t> transitions_of(const Wfsm& machine) {
  const std::vector<Transition>& all = machine.transitions();
  NewArray<std::int64_t> out({all.size(), 4}, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t row[] = {all[i].from, all[i].to, all[i].symbol, all[i].output};
    std::copy_n(row, 4, out.data + 4 * i);
  }
  return out.array;
}

/// The arrays are (features, transitions), (features, states) and (features, states).
WfsmFeatures features_of(const Wfsm& machine, const Doubles& transitions, const Doubles& start, const Doubles& final) {
  std::vector<WfsmFeature> entries;
  const auto add = [&](const Doubles& values, WfsmPart part) {
    for (std::size_t f = 0; f < values.shape(0); ++f) {
      for (std::size_t i = 0; i < values.shape(1); ++i) {
        const double value = values.data()[static_cast<std::ptrdiff_t>(f) * values.stride(0) +
                                           static_cast<std::ptrdiff_t>(i) * values.stride(1)];
        if (value != 0.0) entries.push_back({static_cast<int>(i), static_cast<int>(f), value, part});
      }
    }
  };
  add(transitions, WfsmPart::transition);
  add(start, WfsmPart::start);
  add(final, WfsmPart::final);
  return {machine, static_cast<int>(transitions.shape(0)), entries};
}

using PathTuple = std::tuple<int, std::vector<int>, double, double>;

std::vector<PathTuple> tuples_of(std::vector<Path> paths) {
  std::vector<PathTuple> out;
  out.reserve(paths.size());
  for (Path& path : paths) out.emplace_back(path.start, std::move(path.transitions), path.log_weight, path.log_prob);
  return out;
}

std::vector<PathTuple> samples(const Wfsm& machine, int count, std::uint64_t seed, int threads) {
  if (count < 0) throw InputError("[sample_paths] count is negative");
  std::vector<Path> paths(static_cast<std::size_t>(count));
  run(paths.size(), threads, [&](std::size_t i) { paths[i] = sample_path(machine, seed, i); });
  return tuples_of(std::move(paths));
}

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

void bind_probabilities(nb::class_<Wfsm>& c) {
  c.def("states", &Wfsm::states);
  c.def("arcs", transitions_of);
  c.def("log_weights", [](const Wfsm& m) { return arrays_of(m.log_weights()); });
  c.def("symbols", [](const Wfsm& m) { return std::pair(names_of(m.symbols().input), names_of(m.symbols().output)); });
  c.def("useless_states", &Wfsm::useless_states);
  c.def("with_log_weights", [](const Wfsm& m, const Doubles& t, const Doubles& s, const Doubles& f) {
    return m.with_log_weights(weights_of(t, s, f));
  });
  c.def("to_text", [](const Wfsm& m, const std::string& weights) { return write_wfsm(m, kind_named(weights)); });
  c.def("symbols_text",
        [](const Wfsm& m) { return std::pair(write_symbols(m.symbols().input), write_symbols(m.symbols().output)); });
  c.def("to_dot", [](const Wfsm& m) { return to_dot(m); });
  c.def("log_partition", &Wfsm::log_partition);
  c.def("transition_marginals", [](const Wfsm& m) { return array_of(m.transition_marginals()); });
  c.def("state_visits", [](const Wfsm& m) { return array_of(m.state_visits()); });
  c.def("counts", [](const Wfsm& m) { return arrays_of(m.counts()); });
  c.def(
      "log_weight", [](const Wfsm& m, const std::vector<int>& s) { return log_weight(m, s); }, Unlocked());
  c.def(
      "log_prob", [](const Wfsm& m, const std::vector<int>& s) { return log_prob(m, s); }, Unlocked());
  c.def("string", [](const Wfsm& m, int start, const std::vector<int>& transitions) {
    return yield(m, Path{start, transitions, 0.0, 0.0});
  });
  c.def("best_paths", [](const Wfsm& m, int k) {
    return tuples_of(interruptible([&](const Stop& stop) { return best_paths(m, k, stop); }));
  });
  c.def("sample_paths", samples);
  c.def("sample_without_replacement", [](const Wfsm& m, int k, std::uint64_t seed) {
    PerturbedPaths found =
        interruptible([&](const Stop& stop) { return sample_without_replacement(m, k, seed, stop); });
    NewArray<double> perturbed({found.perturbed.size()}, 0.0);
    std::copy(found.perturbed.begin(), found.perturbed.end(), perturbed.data);
    return std::tuple(tuples_of(std::move(found.paths)), perturbed.array, found.threshold);
  });
  c.def("project_output", [](const Wfsm& m) { return project_output(m); });
  c.def("log_trajectories", [](const Wfsm& m) { return log_trajectories(m); });
}

void bind_derivatives(nb::class_<Wfsm>& c) {
  c.def("gradient", [](const Wfsm& m) { return arrays_of(gradient(m)); });
  c.def("hessian", [](const Wfsm& m) {
    return array_of(interruptible([&](const Stop& stop) { return hessian(m, kMaxBytes, stop); }));
  });
  c.def("hessian_rows", [](const Wfsm& m, int first, int count) {
    return array_of(interruptible([&](const Stop& stop) { return hessian_rows(m, first, count, stop); }));
  });
  c.def("hessian_vector", [](const Wfsm& m, const Doubles& t, const Doubles& s, const Doubles& f) {
    return arrays_of(hessian_vector(m, weights_of(t, s, f)));
  });
  c.def(
      "derivative", [](const Wfsm& m, const std::vector<int>& t) { return derivative(m, t); }, Unlocked());
  c.def(
      "log_derivative", [](const Wfsm& m, const std::vector<int>& t) { return log_derivative(m, t); }, Unlocked());
  c.def("closure_rows", [](const Wfsm& m, const std::vector<int>& states) {
    return array_of(unlocked([&] { return closure_rows(m, states); }));
  });
  c.def("derivatives", [](const Wfsm& m, int order) {
    auto all = interruptible([&](const Stop& stop) { return derivatives(m, order, kMaxBytes, stop); });
    const std::size_t size = all.size();
    return array_over(std::move(all), {size});
  });
}

void bind_expectations(nb::class_<Wfsm>& c) {
  c.def("expectation", [](const Wfsm& m, const Doubles& t, const Doubles& s, const Doubles& f) {
    return array_of(expectation(m, features_of(m, t, s, f)));
  });
  const auto pair = [&c](const char* name, Matrix (*function)(const Wfsm&, const WfsmFeatures&, const WfsmFeatures&)) {
    c.def(name, [function](const Wfsm& m, const Doubles& t, const Doubles& s, const Doubles& f, const Doubles& u,
                           const Doubles& v, const Doubles& w) {
      const WfsmFeatures left = features_of(m, t, s, f), right = features_of(m, u, v, w);
      return array_of(unlocked([&] { return function(m, left, right); }));
    });
  };
  pair("second_order", &second_order);
  pair("covariance", &covariance);
  c.def(
      "joint_count", [](const Wfsm& m, const std::vector<int>& t) { return joint_count(m, t); }, Unlocked());
  c.def(
      "contains_probability", [](const Wfsm& m, const std::vector<int>& t) { return contains_probability(m, t); },
      Unlocked());
  c.def("counts_along", [](const Wfsm& m, const Doubles& t, const Doubles& s, const Doubles& f) {
    return arrays_of(counts_along(m, weights_of(t, s, f)));
  });
  c.def("moments", [](const Wfsm& m, const Doubles& t, const Doubles& s, const Doubles& f, int order) {
    const Moments all = moments(m, weights_of(t, s, f), order);
    return std::tuple(array_of(all.raw), array_of(all.central), array_of(all.cumulants));
  });
  c.def("entropy", [](const Wfsm& m) { return entropy(m); });
  c.def("entropy_gradient", [](const Wfsm& m) { return arrays_of(entropy_gradient(m)); });
  c.def("kl", [](const Wfsm& p, const Wfsm& q) { return kl(p, q); });
  c.def("kl_gradient", [](const Wfsm& p, const Wfsm& q) {
    const WfsmPairGradient both = kl_gradient(p, q);
    return std::pair(arrays_of(both.p), arrays_of(both.q));
  });
  c.def("cross_entropy", [](const Wfsm& p, const Wfsm& q) { return cross_entropy(p, q); });
  c.def("cross_entropy_gradient", [](const Wfsm& p, const Wfsm& q) {
    const WfsmPairGradient both = cross_entropy_gradient(p, q);
    return std::pair(arrays_of(both.p), arrays_of(both.q));
  });
  c.def("renyi", [](const Wfsm& m, double alpha) { return renyi(m, alpha); });
  c.def("renyi_gradient", [](const Wfsm& m, double alpha) { return arrays_of(renyi_gradient(m, alpha)); });
  c.def("expected_length", [](const Wfsm& m) { return expected_length(m); });
  c.def("expected_length_gradient", [](const Wfsm& m) { return arrays_of(expected_length_gradient(m)); });
}

}  // namespace

void bind_wfsm(nb::module_& m) {
  bind_error<InfiniteSum>(m, "InfiniteSum",
                          R"(Z is infinite; the message names a cycle of weight 1 or more. This is a ValueError.

>>> try:
...     kirchhoff.Wfsm([(0, 0, 1, 0.0)], start={0: 0.0}, final={0: 0.0})
... except kirchhoff.InfiniteSum:
...     print("a loop of weight 1")
a loop of weight 1
)");
  nb::class_<Wfsm> c(m, "Wfsm");
  nb::class_<WfsmBuilder> builder(m, "WfsmBuilder");
  builder.def("build", [](const WfsmBuilder& b) { return b.build(); });
  builder.def("best_paths", [](const WfsmBuilder& b, int k) {
    return tuples_of(interruptible([&](const Stop& stop) { return best_paths(b, k, stop); }));
  });
  m.def("wfsm_builder", builder_of);
  m.def("builder_of", [](const Wfsm& machine) { return WfsmBuilder(machine); });
  m.def("intersect", [](const WfsmBuilder& a, const WfsmBuilder& b) {
    return product(a, b, [](const auto& x, const auto& y, const Stop& stop) { return intersect(x, y, {}, stop); });
  });
  m.def("compose", [](const WfsmBuilder& a, const WfsmBuilder& b) {
    return product(a, b, [](const auto& x, const auto& y, const Stop& stop) { return compose(x, y, {}, stop); });
  });
  m.def("string_acceptor", [](const std::vector<int>& string) { return string_acceptor(string); });
  m.def("read_wfsm", wfsm_from_text, Unlocked());
  bind_probabilities(c);
  bind_derivatives(c);
  bind_expectations(c);
}

}  // namespace kirchhoff::python
