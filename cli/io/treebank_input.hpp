// Reads the sentences of a file or of standard input for the verbs that take treebanks.
#pragma once

#include "io/input_stream.hpp"

#include <kirchhoff/conllu.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kirchhoff::cli {

/// A file of sentences, and what is asked of them.
struct TreebankOptions {
  std::string file = "-";
  ByteRange range = {};
  ConllFormat format = ConllFormat::conllu;
  Root root = Root::single;
  bool skip_bad = false;
};

class TreebankInput {
 public:
  enum class Need { sentences, trees, trees_to_score };

  /// Opens a file; "-" is standard input. Throws FileError.
  TreebankInput(const TreebankOptions& options, Need need);

  /// Returns the next sentence, or nothing at the end. A bad sentence is one of the wrong format, or one that is no
  /// tree where trees are needed, or one with a blank form where its words are to be scored. With skip_bad it is
  /// reported and skipped; otherwise FileError or ParseError is thrown.
  std::optional<Sentence> next();

  /// What messages call the input: the file's name, or "standard input".
  const std::string& name() const { return file_.name(); }

 private:
  std::optional<Sentence> next_sentence();
  std::optional<Sentence> next_tree();

  TreebankOptions options_;
  Need need_;
  InputStream file_;
  SentenceReader reader_;
  std::size_t last_line_ = 0;  ///< The line of the last sentence; 0 before the first one.
};

std::vector<Sentence> read_all(TreebankInput& input);

/// Places a problem: "file:12: sentence 'weblog-3': word 4 has no head". The line is that of `word`, if one is given.
std::string about(const std::string& file, const Sentence& sentence, const std::string& problem, int word = 0);

}  // namespace kirchhoff::cli
