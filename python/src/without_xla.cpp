// Stands in for bind_xla.cpp in a package that was built without XLA's header: there are no handlers for JAX.
#include "arrays.hpp"

namespace kirchhoff::python {

void bind_xla(nb::module_& m) {
  m.def("xla_version", [] { return nb::make_tuple(0, 0); });
  m.def("xla_handlers", [] { return nb::dict(); });
  m.def("xla_tree_handlers", [] { return nb::dict(); });
}

}  // namespace kirchhoff::python
