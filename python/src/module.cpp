// The extension module kirchhoff._core has batches of distributions over trees, chains and segmentations, machines,
// factor graphs and sentences. The Python side (python/kirchhoff) gives them shapes and names.
#include "batch.hpp"

#include <kirchhoff/version.hpp>

namespace kirchhoff::python {
void bind_chain(nb::module_& m);
void bind_conllu(nb::module_& m);
void bind_cuda(nb::module_& m);
void bind_cuda_beam(nb::module_& m);
void bind_cuda_gold(nb::module_& m);
void bind_cuda_trees(nb::module_& m);
void bind_draw(nb::module_& m);
void bind_evaluate(nb::module_& m);
void bind_exact_sum(nb::module_& m);
void bind_factor(nb::module_& m);
void bind_learn(nb::module_& m);
void bind_model_statistics(nb::module_& m);
void bind_parser(nb::module_& m);
void bind_parser_columns(nb::module_& m);
void bind_pipeline(nb::module_& m);
void bind_segment(nb::module_& m);
void bind_spanning(nb::module_& m);
void bind_sparsemap(nb::module_& m);
void bind_wfsm(nb::module_& m);
void bind_wfsm_batch(nb::module_& m);
void bind_xla(nb::module_& m);
}  // namespace kirchhoff::python

NB_MODULE(_core, m) {
  using namespace kirchhoff::python;
  m.attr("version") = kirchhoff::kVersion;
  bind_error<kirchhoff::Infeasible>(
      m, "Infeasible",
      R"(No tree, tag sequence, trajectory or assignment is possible. This is a ValueError.

>>> try:
...     kirchhoff.TreeDistribution(np.full((3, 3), -np.inf), root="single")
... except kirchhoff.Infeasible:
...     print("no tree")
no tree
)");
  m.def("set_leak_warnings", [](bool on) { nb::set_leak_warnings(on); });
  bind_features(m);
  bind_tree_lists(m);
  bind_tree(m);
  bind_decoding(m);
  bind_exact_sum(m);
  bind_estimates(m);
  bind_spanning(m);
  bind_chain(m);
  bind_wfsm(m);
  bind_wfsm_batch(m);
  bind_segment(m);
  bind_factor(m);
  bind_learn(m);
  bind_sparsemap(m);
  bind_conllu(m);
  bind_evaluate(m);
  bind_draw(m);
  bind_parser(m);
  bind_model_statistics(m);
  bind_parser_columns(m);
  bind_pipeline(m);
  bind_cuda(m);
  bind_cuda_beam(m);
  bind_cuda_gold(m);
  bind_cuda_trees(m);
  bind_xla(m);
}
