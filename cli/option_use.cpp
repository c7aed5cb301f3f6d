// Looks for options that nothing uses.
#include "option_use.hpp"

#include "usage_error.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {

void refuse_unused(const CLI::App& verb, std::initializer_list<OptionUse> table) {
  for (const OptionUse& use : table) {
    if (use.used || verb.count(use.option) == 0) continue;
    throw UsageError(fmt::format("{} would change nothing here: it is for {}", use.option, use.users));
  }
}

void refuse_unused(const CLI::App& verb, std::initializer_list<const char*> options, bool used,
                   std::string_view users) {
  for (const char* option : options) refuse_unused(verb, {{option, used, users}});
}

}  // namespace kirchhoff::cli
