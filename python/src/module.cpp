// kirchhoff._core: batches of distributions. The Python side (python/kirchhoff) gives them shapes and names.
#include "batch.hpp"

#include <kirchhoff/version.hpp>

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  m.attr("__version__") = kirchhoff::kVersion;
  nb::exception<kirchhoff::Infeasible>(m, "Infeasible", PyExc_ValueError);
  kirchhoff::python::bind_tree(m);
  kirchhoff::python::bind_estimates(m);
  kirchhoff::python::bind_wfsm(m);
  kirchhoff::python::bind_factor(m);
}
