// Reads sentences and checks that they are trees; bad ones are errors, or reported and skipped.
#include "io/treebank_input.hpp"

#include "io/files.hpp"
#include "io/terminal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace kirchhoff::cli {
namespace {

/// A sentence that is well-formed, but no tree.
class NotATree : public FileError {
 public:
  using FileError::FileError;
};

bool is_standard_input(const std::string& file) { return file.empty() || file == "-"; }

std::istream& standard_input() {
  std::ios::sync_with_stdio(false);  // Otherwise every character would be read by itself.
  return std::cin;
}

/// Opens a file. A folder would open as well, and then could not be read.
std::ifstream opened(const std::string& file) {
  if (is_standard_input(file)) return {};
  const bool is_folder = std::filesystem::is_directory(file);
  std::ifstream in(file, std::ios::binary);
  if (!in || is_folder) {
    throw FileError(fmt::format("{}: cannot open: {}", file, std::strerror(is_folder ? EISDIR : errno)));
  }
  return in;
}

}  // namespace

TreebankInput::TreebankInput(const TreebankOptions& options, Need need)
    : options_(options),
      need_(need),
      name_(is_standard_input(options.file) ? "standard input" : options.file),
      file_(opened(options.file)),
      reader_(is_standard_input(options.file) ? standard_input() : file_, name_, options.format) {}

std::optional<Sentence> TreebankInput::next_tree() {
  auto sentence = reader_.next();
  if (!sentence || need_ == Need::sentences) return sentence;
  const auto problem = tree_problem(sentence->heads(), options_.root);
  if (problem) throw NotATree(about(name_, *sentence, *problem));
  return sentence;
}

std::optional<Sentence> TreebankInput::next() {
  if (!options_.skip_bad) return next_tree();
  while (true) {
    try {
      return next_tree();
    } catch (const ParseError& e) {
      complain(fmt::format("{} (skipped)", e.what()));
    } catch (const NotATree& e) {
      complain(fmt::format("{} (skipped)", e.what()));
    }
  }
}

std::vector<Sentence> read_all(TreebankInput& input) {
  std::vector<Sentence> sentences;
  while (auto sentence = input.next()) sentences.push_back(std::move(*sentence));
  return sentences;
}

std::string about(const std::string& file, const Sentence& sentence, const std::string& problem, int word) {
  const auto id = sentence.comment("sent_id");
  return fmt::format("{}:{}: {}{}", file, word > 0 ? sentence.line(word) : sentence.line(),
                     id ? fmt::format("sentence '{}': ", *id) : "", problem);
}

}  // namespace kirchhoff::cli
