// Binds kirchhoff/expectation.hpp: expectations and information of batches, with gradients.
#include "batch.hpp"
#include "functions.hpp"
#include "trees.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

namespace kirchhoff::python {
namespace {

template <class D>
using PairFunction = std::vector<double> (*)(const BatchOf<D>&, const BatchOf<D>&, const PairSpans&, const Stop&);

/// A number for each pair of graphs.
template <class D, PairFunction<D> kFunction>
NumpyArray<double> pair_numbers(const Batch<D>& p, const Batch<D>& q) {
  auto all = over_graphs(p, [&](const Stop& stop) { return kFunction(p.graphs, q.graphs, {}, stop); });
  return array_over(std::move(all), {p.size()});
}

/// Two arrays of arcs for each pair of graphs.
template <class D, PairFunction<D> kFunction>
std::pair<NumpyArray<double>, NumpyArray<double>> pair_gradients(const Batch<D>& p, const Batch<D>& q) {
  const NewArray<double> of_p(p.arc_shape()), of_q(q.arc_shape());
  const PairSpans gradients{{of_p.data, of_p.array.size()}, {of_q.data, of_q.array.size()}};
  over_graphs(p, [&](const Stop& stop) { return kFunction(p.graphs, q.graphs, gradients, stop); });
  return {of_p.array, of_q.array};
}

/// Returns the entropies, and fills memory for gradients if there is any.
template <class D>
NumpyArray<double> entropy_array(const Batch<D>& b, std::span<double> gradients) {
  auto all = over_graphs(b, [&](const Stop& stop) { return entropies(b.graphs, gradients, stop); });
  return array_over(std::move(all), {b.size()});
}

}  // namespace

template <class D>
void bind_expectation(BatchClass<D>& c) {
  using B = Batch<D>;
  c.def("entropy", [](const B& b) { return entropy_array(b, {}); });
  c.def("entropy_with_gradient", [](const B& b) {
    const NewArray<double> gradient(b.arc_shape());
    return std::pair(entropy_array(b, {gradient.data, gradient.array.size()}), gradient.array);
  });
  c.def("renyi",
        [](const B& b, double alpha) { return numbers(b, [&](std::size_t i) { return renyi(b[i], alpha); }); });
  c.def("renyi_gradient", [](const B& b, double alpha) {
    return arc_arrays(b, 0.0, [&](std::size_t i) { return renyi_gradient(b[i], alpha); });
  });
  c.def("cross_entropy", pair_numbers<D, cross_entropies<D>>);
  c.def("cross_entropy_gradient", pair_gradients<D, cross_entropies<D>>);
  c.def("kl", pair_numbers<D, divergences<D>>);
  c.def("kl_gradient", pair_gradients<D, divergences<D>>);
  c.def(
      "risk",
      [](const B& b, const Ints& heads, const std::optional<Ints>& labels) {
        return row_numbers(b, heads, [&](std::size_t i, std::size_t row) {
          return risk(b[i], gold_of(heads, labels, row, b[i].words()));
        });
      },
      nb::arg("heads"), nb::arg("labels").none());
  c.def(
      "risk_gradient",
      [](const B& b, const Ints& heads, const std::optional<Ints>& labels) {
        return arc_arrays(b, 0.0,
                          [&](std::size_t i) { return risk_gradient(b[i], gold_of(heads, labels, i, b[i].words())); });
      },
      nb::arg("heads"), nb::arg("labels").none());
  c.def("expectation", [](const B& b, FunctionsArgument values) {
    const Functions<D> f(std::move(values));
    const std::size_t count = f.count();
    NewArray<double> out({b.size(), count}, 0.0);
    run(b.size(), b.threads(), [&](std::size_t i) {
      const Vector mean = expectation(b[i], f.of(b, i));
      std::copy_n(mean.data(), mean.size(), out.data + i * count);
    });
    return out.array;
  });
  const auto products = [](auto f) {
    return [f](const B& b, FunctionsArgument first, FunctionsArgument second) {
      const Functions<D> r(std::move(first)), s(std::move(second));
      const std::size_t rows = r.count(), columns = s.count();
      NewArray<double> out({b.size(), rows, columns}, 0.0);
      run(b.size(), b.threads(), [&](std::size_t i) {
        const Matrix result = f(b[i], r.of(b, i), s.of(b, i));
        std::copy_n(result.data(), result.size(), out.data + i * rows * columns);
      });
      return out.array;
    };
  };
  c.def("covariance", products([](const D& p, const Features& r, const Features& s) { return covariance(p, r, s); }));
  c.def("second_order",
        products([](const D& p, const Features& r, const Features& s) { return second_order(p, r, s); }));
  c.def("cumulants", [](const B& b, ArraysArgument values, int order) {
    const GraphArrays f(std::move(values), b.kAxes);
    const std::size_t count = static_cast<std::size_t>(checked_order(order)) + 1;
    NewArray<double> out({b.size(), count}, 0.0);
    run(b.size(), b.threads(), [&](std::size_t i) {
      const Vector kappa =
          b.with_arcs(f, i, [&](const auto& of_arcs) { return cumulants<D>(b[i], Array<D>(of_arcs), order); });
      std::copy_n(kappa.data(), count, out.data + i * count);
    });
    return out.array;
  });
  c.def("covariance_gradient", [](const B& b, ArraysArgument r, ArraysArgument s) {
    const GraphArrays firsts(std::move(r), b.kAxes), seconds(std::move(s), b.kAxes);
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      return b.with_arcs(firsts, i, [&](const auto& first) {
        return b.with_arcs(seconds, i,
                           [&](const auto& second) -> Array<D> { return covariance_gradient<D>(b[i], first, second); });
      });
    });
  });
}

template void bind_expectation(BatchClass<TreeDistribution>&);
template void bind_expectation(BatchClass<LabelledTreeDistribution>&);
template void bind_expectation(BatchClass<ProjectiveTreeDistribution>&);
template void bind_expectation(BatchClass<LabelledProjectiveTreeDistribution>&);

}  // namespace kirchhoff::python
