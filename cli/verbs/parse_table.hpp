// `kirchhoff parse` for a Parquet or Arrow file, which the Python package does.
#pragma once

#include <span>

namespace kirchhoff::cli {

/// Becomes `python3 -m kirchhoff.arrow parse` if the command line, from the program's name on, asks to parse a table:
/// one of its words names a Parquet or Arrow file. Returns if it does not, and throws FileError if there is no Python,
/// or none with the package.
void parse_table_in_python(std::span<const char* const> words);

}  // namespace kirchhoff::cli
