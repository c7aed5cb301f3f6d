// The values of the library's enums from their names, which are the same in Python as in C++.
#pragma once

#include <kirchhoff/learn.hpp>
#include <kirchhoff/types.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::python {

/// A ValueError names the argument and all values that it may have.
template <NamedEnum Enum>
Enum named(std::string_view text, const char* argument) {
  if (const auto value = parse_name<Enum>(text)) return *value;
  throw InputError(std::string(argument) + " is '" + std::string(text) + "', expected one of " + all_names<Enum>());
}

/// The names of a loss and the numbers in their place.
inline Loss loss_of_names(std::string_view name, std::optional<double> beta, std::optional<double> gamma) {
  Loss loss = loss_of(named<NamedLoss>(name, "loss"));
  if (beta) loss.beta = *beta;
  if (gamma) loss.gamma = *gamma;
  return loss;
}

}  // namespace kirchhoff::python
