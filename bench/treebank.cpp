// Reads sentence lengths and trees from the treebanks that are there.
#include "treebank.hpp"

#include "kirchhoff/conllu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>

namespace kirchhoff::bench {
namespace {

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
  const std::string path = treebank_folder() + "/" + name + ".conllu";
  std::ifstream in(path);
  if (!in) return {};
  std::vector<Sentence> sentences;
  SentenceReader reader(in, path, ConllFormat::conllu);
  while (const auto read = reader.next()) {
    Sentence sentence{read->heads(), {"ROOT"}};
    for (int word = 1; word <= read->size(); ++word) sentence.tags.emplace_back(read->upos(word));
    sentences.push_back(std::move(sentence));
  }
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
