// Looks for a table among the words, and calls Python.
#include "verbs/parse_table.hpp"

#include "io/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace kirchhoff::cli {
namespace {

/// What Python runs, but not from the folder it happens to be in. Its first argument is the table.
constexpr const char* kScript = R"(import sys
sys.path = [folder for folder in sys.path if folder]
try:
    from kirchhoff._arrow_command import main
except ImportError as error:
    sys.exit(f"kirchhoff: {sys.argv.pop(1)}: is a table, which {sys.executable} would read and write, but {error}; "
             "install the package there: pip install 'kirchhoff[arrow]'")
sys.argv.pop(1)
sys.exit(main())
)";

/// Is it a Parquet or Arrow file? The first bytes tell.
bool is_table(const char* file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return false;
  std::string start(6, ' ');
  std::ifstream(file, std::ios::binary).read(start.data(), 6);
  return start.starts_with("PAR1") || start == "ARROW1";
}

}  // namespace

void parse_table_in_python(std::span<const char* const> words) {
  if (words.size() < 3 || words[1] != std::string_view("parse")) return;
  const char* table = nullptr;
  for (const char* word : words.subspan(2)) {
    if (is_table(word)) table = word;
  }
  if (table == nullptr) return;
  std::vector<std::string> given{"python3", "-c", kScript, table};
  given.insert(given.end(), words.begin() + 1, words.end());
  std::vector<char*> arguments;
  for (std::string& word : given) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp("python3", arguments.data());
  throw FileError(fmt::format("{}: is a table, which python3 would read and write: {}", table,
                              std::generic_category().message(errno)));
}

}  // namespace kirchhoff::cli
