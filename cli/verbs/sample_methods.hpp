// The methods of `sample`: their names, and which options they fit.
#pragma once

#include "verbs/verbs.hpp"

#include <kirchhoff/sample.hpp>

#include <optional>
#include <string_view>

namespace kirchhoff::cli {

enum class Draws { independent, trie, beam };

struct SampleMethod {
  std::string_view name;
  Draws draws;
  Sampler sampler;           ///< of independent draws
  std::optional<Root> only;  ///< the root mode it is for; nothing: both
  std::string_view about;
};

/// Of options.method, or beam where the options leave the choice. Throws UsageError when it does not fit them.
const SampleMethod& method_of(const SamplingOptions& options);

/// As on the command line.
std::string_view name_of(Sampler sampler);

}  // namespace kirchhoff::cli
