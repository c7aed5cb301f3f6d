// Binds kirchhoff/wfsm_batch.hpp: machines of one skeleton, with a row of weights for each.
#include "arrays.hpp"

#include <kirchhoff/wfsm_batch.hpp>

namespace kirchhoff::python {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

Eigen::Map<const Matrix> matrix_of(const Rows& rows) {
  return {rows.data(), static_cast<Eigen::Index>(rows.shape(0)), static_cast<Eigen::Index>(rows.shape(1))};
}

}  // namespace

void bind_wfsm_batch(nb::module_& m) {
  nb::class_<WfsmBatch> c(m, "WfsmBatch");
  c.def("__init__", [](WfsmBatch* self, const Wfsm& skeleton, const Rows& weights, int threads) {
    new (self) WfsmBatch(unlocked([&] { return WfsmBatch(skeleton, matrix_of(weights), threads); }));
  });
  c.def("log_partition", [](const WfsmBatch& b) { return array_of(b.log_partition()); });
  c.def("counts", [](const WfsmBatch& b) { return array_of(unlocked([&] { return b.counts(); })); });
  c.def("counts_along", [](const WfsmBatch& b, const Rows& r) {
    return array_of(unlocked([&] { return b.counts_along(matrix_of(r)); }));
  });
  c.def("third_along", [](const WfsmBatch& b, const Rows& r, const Rows& s) {
    return array_of(unlocked([&] { return b.third_along(matrix_of(r), matrix_of(s)); }));
  });
  c.def("entropies", [](const WfsmBatch& b) { return array_of(unlocked([&] { return entropies(b); })); });
  c.def("renyi",
        [](const WfsmBatch& b, double alpha) { return array_of(unlocked([&] { return renyi_entropies(b, alpha); })); });
  c.def("renyi_gradient",
        [](const WfsmBatch& b, double alpha) { return array_of(unlocked([&] { return renyi_gradients(b, alpha); })); });
  c.def("divergences",
        [](const WfsmBatch& p, const WfsmBatch& q) { return array_of(unlocked([&] { return divergences(p, q); })); });
}

}  // namespace kirchhoff::python
