// A small CoNLL-U reader: integer-numbered lines are words; columns 4 and 7 hold tag and head.
#include "treebank.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

namespace kirchhoff::bench {
namespace {

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  std::istringstream in(line);
  for (std::string column; std::getline(in, column, '\t');) columns.push_back(column);
  return columns;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Sentence empty_sentence() { return {{-1}, {"ROOT"}}; }

/// Skips multiword ranges (3-4) and empty nodes (8.1).
void add_word(Sentence& sentence, const std::string& line) {
  const std::vector<std::string> columns = columns_of(line);
  if (columns.size() < 8 || !is_number(columns[0]) || !is_number(columns[6])) return;
  sentence.tags.push_back(columns[3]);
  sentence.heads.push_back(std::stoi(columns[6]));
}

std::vector<int> synthetic_lengths(int count) {
  std::mt19937_64 rng(17);
  std::gamma_distribution<double> gamma(1.5, 10.4);
  std::vector<int> lengths;
  for (int i = 0; i < count; ++i) lengths.push_back(std::min(159, 1 + static_cast<int>(std::floor(gamma(rng)))));
  return lengths;
}

}  // namespace

std::string treebank_folder() {
  const char* folder = std::getenv("KIRCHHOFF_TREEBANKS");
  return folder != nullptr ? folder : KIRCHHOFF_SOURCE_DIR "/../shared/ud";
}

std::vector<Sentence> read_treebank(const std::string& name) {
  std::ifstream in(treebank_folder() + "/" + name + ".conllu");
  std::vector<Sentence> sentences;
  Sentence current = empty_sentence();
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) {
      add_word(current, line);
    } else if (current.words() > 0) {
      sentences.push_back(std::move(current));
      current = empty_sentence();
    }
  }
  if (current.words() > 0) sentences.push_back(std::move(current));
  return sentences;
}

Lengths english_lengths(int count) {
  Lengths lengths{{}, "en_ewt-ud-train"};
  for (const Sentence& sentence : read_treebank("en_ewt-ud-train")) {
    if (static_cast<int>(lengths.values.size()) < count) lengths.values.push_back(sentence.words());
  }
  if (lengths.values.empty()) return {synthetic_lengths(count), "synthetic lengths (no treebank found)"};
  return lengths;
}

}  // namespace kirchhoff::bench
