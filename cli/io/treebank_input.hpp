// Sentences of a file or of standard input, for the verbs that take treebanks.
#pragma once

#include "verbs/verbs.hpp"

#include <kirchhoff/conllu.hpp>

#include <fstream>
#include <optional>

namespace kirchhoff::cli {

class TreebankInput {
 public:
  enum class Need { sentences, trees };

  /// "-" or "" is standard input. Throws FileError.
  TreebankInput(const TreebankOptions& options, Need need);

  /// Nothing at the end. A bad sentence (of wrong format, or no tree where trees are needed) is complained about and
  /// skipped with skip_bad, and otherwise an error: FileError or ParseError.
  std::optional<Sentence> next();

  /// For messages: the file's name, or "standard input".
  const std::string& name() const { return name_; }

 private:
  std::optional<Sentence> next_tree();

  TreebankOptions options_;
  Need need_;
  std::string name_;
  std::ifstream file_;
  SentenceReader reader_;
};

std::vector<Sentence> read_all(TreebankInput& input);

/// "file:12: sentence 'weblog-3': word 4 has no head"; of a word, if one is named.
std::string about(const std::string& file, const Sentence& sentence, const std::string& problem, int word = 0);

}  // namespace kirchhoff::cli
