// Binds kirchhoff/chain.hpp, chain_batch.hpp and chain_expectation.hpp: batches of linear chains.
#include "chains.hpp"
#include "names.hpp"

#include <nanobind/stl/string_view.h>

namespace kirchhoff::python {
namespace {

void bind_moments(ChainsClass& c) {
  using P = ChainDistribution;
  c.def("marginals_along", [](const Chains& b, const Doubles& e, const Doubles& t) {
    return tables(b, [&](const P& p, std::size_t i) { return p.marginals_along(function_of(b, e, t, i)); });
  });
  c.def("covariance_gradient",
        [](const Chains& b, const Doubles& re, const Doubles& rt, const Doubles& se, const Doubles& st) {
          return tables(b, [&](const P& p, std::size_t i) {
            return covariance_gradient(p, function_of(b, re, rt, i), function_of(b, se, st, i));
          });
        });
  c.def("expectation", [](const Chains& b, const Doubles& e, const Doubles& t) {
    const NewArray<double> out({b.size(), e.shape(1)}, 0.0);
    each(b, [&](const P& p, std::size_t i) {
      const Vector mean = expectation(p, functions_of(b, e, t, i));
      std::copy_n(mean.data(), mean.size(), out.data + i * e.shape(1));
    });
    return out.array;
  });
  const auto products = [](auto f) {
    return [f](const Chains& b, const Doubles& re, const Doubles& rt, const Doubles& se, const Doubles& st) {
      const NewArray<double> out({b.size(), re.shape(1), se.shape(1)}, 0.0);
      each(b, [&](const P& p, std::size_t i) {
        const Matrix found = f(p, functions_of(b, re, rt, i), functions_of(b, se, st, i));
        std::copy_n(found.data(), found.size(), out.data + i * re.shape(1) * se.shape(1));
      });
      return out.array;
    };
  };
  using Functions = std::vector<ChainArrays>;
  c.def("covariance", products([](const P& p, const Functions& r, const Functions& s) { return covariance(p, r, s); }));
  c.def("second_order",
        products([](const P& p, const Functions& r, const Functions& s) { return second_order(p, r, s); }));
  c.def("cumulants", [](const Chains& b, const Doubles& e, const Doubles& t, int order) {
    const NewArray<double> out({b.size(), static_cast<std::size_t>(checked_order(order)) + 1}, 0.0);
    each(b, [&](const P& p, std::size_t i) {
      const Vector found = cumulants(p, function_of(b, e, t, i), order);
      std::copy_n(found.data(), found.size(), out.data + i * (static_cast<std::size_t>(order) + 1));
    });
    return out.array;
  });
}

void bind_information(ChainsClass& c) {
  using P = ChainDistribution;
  c.def("entropy", [](const Chains& b) { return numbers(b, [](const P& p, std::size_t) { return entropy(p); }); });
  c.def("entropy_gradient",
        [](const Chains& b) { return tables(b, [](const P& p, std::size_t) { return entropy_gradient(p); }); });
  c.def("renyi", [](const Chains& b, double alpha) {
    return numbers(b, [&](const P& p, std::size_t) { return renyi(p, alpha); });
  });
  c.def("renyi_gradient", [](const Chains& b, double alpha) {
    return tables(b, [&](const P& p, std::size_t) { return renyi_gradient(p, alpha); });
  });
  c.def("cross_entropy", [](const Chains& b, const Chains& q) {
    return numbers(b, [&](const P& p, std::size_t i) { return cross_entropy(p, q.batch[i]); });
  });
  c.def("kl", [](const Chains& b, const Chains& q) {
    return numbers(b, [&](const P& p, std::size_t i) { return kl(p, q.batch[i]); });
  });
  c.def("cross_entropy_gradient", [](const Chains& b, const Chains& q) {
    return pair_tables(b, q, [](const P& p, const P& other) { return cross_entropy_gradient(p, other); });
  });
  c.def("kl_gradient", [](const Chains& b, const Chains& q) {
    return pair_tables(b, q, [](const P& p, const P& other) { return kl_gradient(p, other); });
  });
}

/// The batch's own marginals, which cannot be written to.
NumpyArray<const double> view_of(std::span<const double> values, const std::vector<std::size_t>& shape,
                                 nb::handle owner) {
  return {values.data(), shape.size(), shape.data(), owner};
}

}  // namespace

void bind_chain(nb::module_& m) {
  ChainsClass c(m, "ChainBatch");
  c.def(
      "__init__",
      [](Chains* self, const Doubles& emissions, const Doubles& transitions, const Ints& lengths, int threads,
         std::string_view method) {
        new (self) Chains(emissions, transitions, lengths, threads, named<Method>(method, "method"));
      },
      nb::arg("emissions"), nb::arg("transitions"), nb::arg("lengths"), nb::arg("threads"), nb::arg("method"));
  c.def("log_partition", [](const Chains& b) {
    NewArray<double> out({b.size()});
    std::ranges::copy(b.batch.log_partition(), out.data);
    return out.array;
  });
  c.def("emission_marginals", [](nb::pointer_and_handle<Chains> self) {
    return view_of(self.p->batch.emission_marginals(), self.p->emission_shape(), self.h);
  });
  c.def("transition_marginals", [](nb::pointer_and_handle<Chains> self) {
    return view_of(self.p->batch.transition_marginals(), self.p->transition_shape(), self.h);
  });
  c.def("methods", [](const Chains& b) {
    nb::list names;
    for (const Report& report : b.batch.reports()) names.append(to_string(report.method));
    return names;
  });
  c.def("log_marginals", [](const Chains& b) {
    return tables(
        b, [](const ChainDistribution& p, std::size_t) { return p.log_marginals(); }, -HUGE_VAL);
  });
  c.def("log_count", [](const Chains& b) {
    return numbers(b, [](const ChainDistribution& p, std::size_t) { return p.log_count(); });
  });
  bind_chain_paths(c);
  bind_moments(c);
  bind_information(c);
}

}  // namespace kirchhoff::python
