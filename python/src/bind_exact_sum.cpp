// Binds kirchhoff/exact_sum.hpp: many exact sums side by side, and their digits as the columns of a table.
#include "arrays.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <kirchhoff/exact_sum.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace kirchhoff::python {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::device::cpu, nb::c_contig, nb::ndim<1>>;
struct Sums {
  std::vector<ExactSum> all;
};

/// Adds rows of numbers, one to each sum, or none at all when one is not finite.
void add(Sums& sums, const nb::ndarray<const double, nb::device::cpu, nb::c_contig, nb::ndim<2>>& rows) {
  if (rows.shape(1) != sums.all.size()) {
    throw InputError("values: " + std::to_string(rows.shape(1)) + " in a row, expected " +
                     std::to_string(sums.all.size()));
  }
  const double* const data = rows.data();
  const std::size_t count = rows.shape(0) * rows.shape(1);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(data[i])) throw InputError("values: " + std::to_string(data[i]) + " is not finite");
  }
  for (std::size_t i = 0; i < count; ++i) sums.all[i % sums.all.size()].add(data[i]);
}

/// Adds sum i of a table to the sum numbered places[i].
void add_digits(Sums& sums, const Ints& places, const Ints& exponents, const Ints& offsets, const Bytes& bytes) {
  const std::size_t count = places.shape(0);
  if (exponents.shape(0) != count || offsets.shape(0) != count + 1) {
    throw InputError("digits: the columns are of different lengths");
  }
  std::vector<ExactSum> changed = sums.all;  // all or nothing
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t place = places.data()[i], begin = offsets.data()[i], end = offsets.data()[i + 1];
    if (place < 0 || static_cast<std::size_t>(place) >= sums.all.size())
      throw InputError("digits: there is no such sum");
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > bytes.shape(0)) {
      throw InputError("digits: the bytes of a sum do not lie in the column");
    }
    changed[static_cast<std::size_t>(place)].add(int_of(exponents.data()[i], "digits: exponent"),
                                                 {bytes.data() + begin, bytes.data() + end});
  }
  sums.all = std::move(changed);
}

NumpyArray<double> values(const Sums& sums) {
  NewArray<double> out({sums.all.size()});
  for (std::size_t i = 0; i < sums.all.size(); ++i) out.data[i] = sums.all[i].value();
  return out.array;
}

/// Exponents, offsets into the bytes, and bytes.
std::tuple<NumpyArray<std::int64_t>, NumpyArray<std::int64_t>, NumpyArray<std::uint8_t>> digits(const Sums& sums) {
  NewArray<std::int64_t> exponents({sums.all.size()}), offsets({sums.all.size() + 1}, 0);
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < sums.all.size(); ++i) {
    const ExactSum::Digits one = sums.all[i].digits();
    exponents.data[i] = one.exponent;
    all.insert(all.end(), one.bytes.begin(), one.bytes.end());
    offsets.data[i + 1] = static_cast<std::int64_t>(all.size());
  }
  NewArray<std::uint8_t> bytes({all.size()});
  std::copy(all.begin(), all.end(), bytes.data);
  return {exponents.array, offsets.array, bytes.array};
}

}  // namespace

void bind_exact_sum(nb::module_& m) {
  nb::class_<Sums> c(m, "ExactSums");
  c.def("__init__", [](Sums* self, std::size_t count) { new (self) Sums{std::vector<ExactSum>(count)}; });
  c.def("__len__", [](const Sums& sums) { return sums.all.size(); });
  c.def("add", add);
  c.def("add_digits", add_digits);
  c.def("values", values);
  c.def("digits", digits);
}

}  // namespace kirchhoff::python
