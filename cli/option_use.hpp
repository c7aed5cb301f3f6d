// Options that only some methods, models or other options use: to give one where nothing uses it is an error, because
// its user expects it to matter. Each verb has one table of them.
#pragma once

#include <kirchhoff/accuracy.hpp>

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace kirchhoff::cli {

/// An option, whether anything uses it here, and what does.
struct OptionUse {
  std::string option;
  bool used = true;
  std::string_view users;
};

/// An option that the automatic method alone looks at: --tolerance or --floor.
inline OptionUse automatic_use(std::string option, const Accuracy& accuracy) {
  return {std::move(option), accuracy.method == Method::automatic, "--method automatic"};
}

/// Throws UsageError for the first option of the table that is on the command line although nothing uses it.
void refuse_unused(const CLI::App& verb, std::initializer_list<OptionUse> table);
/// The same for options that are all used by the same.
void refuse_unused(const CLI::App& verb, std::initializer_list<const char*> options, bool used, std::string_view users);

}  // namespace kirchhoff::cli
