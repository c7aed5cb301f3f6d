// What training takes from Python, of the parser alone and of a pipeline.
#pragma once

#include "arrays.hpp"

#include <kirchhoff/train.hpp>

#include <cstddef>

namespace kirchhoff::python {

/// Takes options by name; those that are not given keep the library's defaults.
TrainOptions train_options(const nb::dict& given, std::size_t sentences);

/// Calls progress(stage, done, all) and epoch(number, loss, uas, las, calibration), which are Python's or None. They
/// must outlive the events.
TrainEvents train_events(const nb::object& progress, const nb::object& epoch);

}  // namespace kirchhoff::python
