// Universal Dependencies treebanks, as a source of realistic sentence lengths, tags and trees.
//
// They are looked for in $KIRCHHOFF_TREEBANKS, by default ../shared/ud beside the source folder.
#pragma once

#include "kirchhoff/types.hpp"

#include <string>
#include <vector>

namespace kirchhoff::bench {

/// What the benchmarks need of a sentence.
struct Sentence {
  Heads heads;                    ///< heads[0] == -1
  std::vector<std::string> tags;  ///< universal part of speech; tags[0] is "ROOT"
  int words() const { return static_cast<int>(heads.size()) - 1; }
};

/// Where treebanks are looked for.
std::string treebank_folder();

/// The sentences of e.g. "en_ewt-ud-test"; none when the file is absent.
std::vector<Sentence> read_treebank(const std::string& name);

/// Every k-th item so that at most `count` remain, spread over the whole.
template <class T>
std::vector<T> subsample(const std::vector<T>& items, std::size_t count) {
  if (items.size() <= count) return items;
  std::vector<T> kept;
  for (std::size_t i = 0; i < count; ++i) kept.push_back(items[i * items.size() / count]);
  return kept;
}

/// Lengths of `count` English sentences: the first ones of en_ewt's training part or, when it is absent, drawn from
/// 1 + floor(Gamma(shape 1.5, scale 10.4)), capped at 159, which has the same mean (16) and deviation (13).
struct Lengths {
  std::vector<int> values;
  std::string source;
};
Lengths english_lengths(int count);

}  // namespace kirchhoff::bench
