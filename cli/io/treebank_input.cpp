// Reads sentences and checks that they are trees; bad ones are errors, or reported and skipped.
#include "io/treebank_input.hpp"

#include "io/files.hpp"
#include "io/terminal.hpp"

#include <kirchhoff/evaluate.hpp>

#include <fmt/format.h>

#include <new>

namespace kirchhoff::cli {
namespace {

/// A sentence that is well-formed, but no tree, or not one that can be scored.
class UnfitSentence : public FileError {
 public:
  using FileError::FileError;
};

}  // namespace

TreebankInput::TreebankInput(const TreebankOptions& options, Need need)
    : options_(options),
      need_(need),
      file_(options.file, options.range),
      reader_(file_, file_.name(), options.format) {}

std::optional<Sentence> TreebankInput::next_sentence() {
  try {
    auto sentence = reader_.next();
    if (sentence) last_line_ = sentence->line();
    return sentence;
  } catch (const std::bad_alloc&) {
    throw FileError(
        fmt::format("{}: out of memory while reading what follows the sentence of line {}", name(), last_line_));
  }
}

std::optional<Sentence> TreebankInput::next_tree() {
  auto sentence = next_sentence();
  if (!sentence || need_ == Need::sentences) return sentence;
  const auto problem = tree_problem(sentence->heads(), options_.root);
  if (problem) throw UnfitSentence(about(name(), *sentence, *problem));
  const int blank = need_ == Need::trees_to_score ? blank_word(*sentence) : 0;
  if (blank > 0)
    throw UnfitSentence(about(name(), *sentence, "the form has blanks only, so it cannot be scored", blank));
  return sentence;
}

std::optional<Sentence> TreebankInput::next() {
  if (!options_.skip_bad) return next_tree();
  while (true) {
    try {
      return next_tree();
    } catch (const ParseError& e) {
      complain(fmt::format("{} (skipped)", e.what()));
    } catch (const UnfitSentence& e) {
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
