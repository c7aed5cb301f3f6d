// Man pages of the program and its verbs.
#pragma once

#include "manual/command.hpp"

#include <string>

namespace kirchhoff::cli {

/// The page kirchhoff(1), in the language of troff.
std::string man_page(const Command& program);
/// The page kirchhoff-VERB(1).
std::string man_page_of_verb(const Command& verb);

}  // namespace kirchhoff::cli
