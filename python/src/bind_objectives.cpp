// Binds the rest of kirchhoff/expectation.hpp: norms, expectation criteria, expectations of products, and Features.
#include "batch.hpp"
#include "functions.hpp"
#include "names.hpp"
#include "trees.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

namespace kirchhoff::python {
namespace {

/// Returns Features from parallel arrays: rows of `index` are features, heads, dependents and, if there are, labels.
Features features_from(int words, int count, int labels, const Ints& index, const Doubles& values) {
  const std::size_t entries = index.shape(1);
  std::vector<FeatureEntry> list(entries);
  const auto at = [&](std::size_t row, std::size_t k) { return int_of(index.data()[row * entries + k], "index"); };
  for (std::size_t k = 0; k < entries; ++k) {
    const double value = values.data()[static_cast<std::ptrdiff_t>(k) * values.stride(0)];
    list[k] = {at(1, k), at(2, k), at(0, k), value, index.shape(0) == 4 ? at(3, k) : 0};
  }
  return {words, count, std::move(list), labels};
}

/// The loss of D's trees and its gradient by the scores.
template <class D, class Scores>
auto loss_of_trees(const Scores& scores, const Gold& gold, Root root, Loss loss) {
  if constexpr (kHasLabels<D>) {
    const LabelledMatrix labelled(scores);
    return kProjective<D> ? structured_projective_loss(labelled, gold, root, loss)
                          : structured_loss(labelled, gold, root, loss);
  } else {
    return kProjective<D> ? structured_projective_loss(scores, gold.heads, root, loss)
                          : structured_loss(scores, gold.heads, root, loss);
  }
}

}  // namespace

void bind_features(nb::module_& m) {
  nb::class_<Features>(m, "Features").def("size", &Features::size);
  m.def("features", features_from);
}

template <class D>
void bind_objectives(BatchClass<D>& c) {
  using B = Batch<D>;
  c.def(
      "structured_loss",  // values, and gradients as arrays of arcs
      [](const B& b, const Ints& heads, const std::optional<Ints>& labels, std::string_view name,
         std::optional<double> beta, std::optional<double> gamma, std::string_view cost) {
        const Loss loss = with_cost(loss_of_names(name, beta, gamma), named<Cost>(cost, "cost"));
        const NewArray<double> values({b.size()}, 0.0), gradients(b.arc_shape(), 0.0);
        run(b.size(), b.threads(), [&](std::size_t i) {
          naming(i, b.size(), [&] {
            const Gold gold = gold_of(heads, labels, i, b[i].words());
            b.with_arcs(b.scores, i, [&](const auto& scores) {
              const auto at = loss_of_trees<D>(scores, gold, b[i].root(), loss);
              values.data[i] = at.value;
              write_graph(b, at.gradient, i, gradients.data);
            });
          });
        });
        return std::pair(values.array, gradients.array);
      },
      nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  c.def("norm", [](const B& b, double k) { return numbers(b, [&](std::size_t i) { return norm(b[i], k); }); });
  c.def("norm_gradient",
        [](const B& b, double k) { return arc_arrays(b, 0.0, [&](std::size_t i) { return norm_gradient(b[i], k); }); });
  c.def(
      "log_prob_gradient",
      [](const B& b, const Ints& heads, const std::optional<Ints>& labels) {
        return arc_arrays(b, 0.0, [&](std::size_t i) {
          Array<D> gradient = negative_log_likelihood_gradient(b[i], gold_of(heads, labels, i, b[i].words()));
          std::transform(gradient.data(), gradient.data() + gradient.size(), gradient.data(), std::negate<>());
          return gradient;
        });
      },
      nb::arg("heads"), nb::arg("labels").none());
  const auto target_of = [](const Doubles& targets, std::size_t i) {
    const std::size_t count = targets.shape(1);
    Vector target(static_cast<Eigen::Index>(count));
    for (std::size_t k = 0; k < count; ++k) {
      target[static_cast<Eigen::Index>(k)] = targets.data()[static_cast<std::ptrdiff_t>(i) * targets.stride(0) +
                                                            static_cast<std::ptrdiff_t>(k) * targets.stride(1)];
    }
    return target;
  };
  c.def("generalized_expectation", [target_of](const B& b, FunctionsArgument values, const Doubles& targets) {
    const Functions<D> f(std::move(values));
    return numbers(b, [&](std::size_t i) { return generalized_expectation(b[i], f.of(b, i), target_of(targets, i)); });
  });
  c.def("generalized_expectation_gradient", [target_of](const B& b, FunctionsArgument values, const Doubles& targets) {
    const Functions<D> f(std::move(values));
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      return generalized_expectation_gradient(b[i], f.of(b, i), target_of(targets, i));
    });
  });
  c.def("log_multiplicative_expectation", [](const B& b, ArraysArgument log_q) {
    const GraphArrays factors(std::move(log_q), b.kAxes);
    return numbers(b, [&](std::size_t i) {
      return b.with_arcs(factors, i,
                         [&](const auto& q) { return log_multiplicative_expectation<D>(b[i], Array<D>(q)); });
    });
  });
  c.def("log_multiplicative_expectation_gradient", [](const B& b, ArraysArgument log_q) {
    const GraphArrays factors(std::move(log_q), b.kAxes);
    const NewArray<double> of_p(b.arc_shape(), 0.0), of_q(b.arc_shape(), 0.0);
    run(b.size(), b.threads(), [&](std::size_t i) {
      const PairGradient<D> gradient = b.with_arcs(
          factors, i, [&](const auto& q) { return log_multiplicative_expectation_gradient<D>(b[i], Array<D>(q)); });
      write_graph(b, gradient.p, i, of_p.data);
      write_graph(b, gradient.q, i, of_q.data);
    });
    return std::pair(of_p.array, of_q.array);
  });
}

template void bind_objectives(BatchClass<TreeDistribution>&);
template void bind_objectives(BatchClass<LabelledTreeDistribution>&);
template void bind_objectives(BatchClass<ProjectiveTreeDistribution>&);
template void bind_objectives(BatchClass<LabelledProjectiveTreeDistribution>&);

}  // namespace kirchhoff::python
