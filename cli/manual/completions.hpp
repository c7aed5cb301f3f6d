// Completions of the command line for bash, zsh and fish.
#pragma once

#include "manual/command.hpp"

#include <kirchhoff/names.hpp>

#include <array>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

enum class Shell { bash, zsh, fish };

/// A script that the shell reads: it completes verbs, options, the values that an option can have, and files.
std::string completions(const Command& program, Shell shell);

}  // namespace kirchhoff::cli

namespace kirchhoff {

template <>
inline constexpr std::array<std::string_view, 3> kNames<cli::Shell> = {"bash", "zsh", "fish"};

}  // namespace kirchhoff
