// The options of the verb `train` about sentences without trees.
#pragma once

#include "io/treebank_input.hpp"

#include <kirchhoff/train.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kirchhoff::cli {

/// Files by name, and what needs none.
struct UnannotatedOptions {
  std::string file, constraints, features, teacher;
  Unannotated learnt;
};
void add_unannotated(CLI::App& verb, UnannotatedOptions& options);
/// Throws UsageError for options that nothing uses.
void check_unannotated_uses(const CLI::App& verb, const UnannotatedOptions& options, bool has_trees);
/// Reads the files. The format of the treebank is that of the sentences.
Unannotated unannotated_of(const UnannotatedOptions& options, const TreebankOptions& treebank);

/// The sentences of another file in the same format.
std::vector<Sentence> read_sentences_of(TreebankOptions options, const std::string& file, TreebankInput::Need need);

}  // namespace kirchhoff::cli
