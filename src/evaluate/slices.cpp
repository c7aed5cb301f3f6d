// Scores words that have something in common, slice by slice.
#include "kirchhoff/evaluate.hpp"

#include "evaluate/words.hpp"

#include <algorithm>
#include <map>

namespace kirchhoff {
namespace {

using evaluation::EvaluatedSentence;
using evaluation::EvaluatedWord;
using evaluation::kNone;
using evaluation::kRoot;
using evaluation::WordsOfFile;

/// Sorts by rank first, then by name.
struct Key {
  int rank = 0;
  std::string name;
  friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr): the compiler's 0
};

Key by_length(const WordsOfFile& file, const EvaluatedWord& word) {
  constexpr int kStep = 10;
  constexpr int kLast = 5;
  const EvaluatedSentence& sentence = file.sentences[static_cast<std::size_t>(word.sentence)];
  const int step = std::min((sentence.last - sentence.first - 1) / kStep, kLast);
  const std::string first = std::to_string(step * kStep + 1);
  return {step, step == kLast ? first + "+" : first + "-" + std::to_string((step + 1) * kStep)};
}

Key by_pos(const WordsOfFile&, const EvaluatedWord& word) { return {0, std::string(word.upos)}; }

Key by_relation(const WordsOfFile&, const EvaluatedWord& word) { return {0, std::string(word.relation)}; }

/// The distance from the head, which is negative when the head is to the right.
Key by_distance(const WordsOfFile& file, const EvaluatedWord& word) {
  constexpr int kExact = 3;
  constexpr int kFar = 7;
  if (word.parent == kRoot) return {kFar + 1, "root"};
  if (word.parent == kNone) return {kFar + 2, "none"};
  const int distance = word.number - file.words[static_cast<std::size_t>(word.parent)].number;
  const int size = std::abs(distance);
  const std::string sign = distance < 0 ? "-" : "+";
  const int rank = size <= kExact ? size : size < kFar ? kExact + 1 : kFar;
  const std::string range = size <= kExact ? std::to_string(size) : size < kFar ? "4..6" : "7..";
  return {distance < 0 ? -rank : rank, sign + range};
}

using KeyOf = Key (*)(const WordsOfFile&, const EvaluatedWord&);

KeyOf key_of(SliceBy by) {
  switch (by) {
    case SliceBy::length:
      return by_length;
    case SliceBy::deprel:
      return by_relation;
    case SliceBy::distance:
      return by_distance;
    case SliceBy::pos:
      break;
  }
  return by_pos;
}

}  // namespace

std::vector<Slice> slices(std::span<const Sentence> gold, std::span<const Sentence> system, SliceBy by) {
  const WordsOfFile gold_file = evaluation::file_of(gold, "gold standard");
  const WordsOfFile system_file = evaluation::file_of(system, "system");
  const evaluation::Pairs pairs = evaluation::align(gold_file, system_file);
  const KeyOf key = key_of(by);
  std::map<Key, Slice> found;
  for (const EvaluatedWord& word : system_file.words) ++found[key(system_file, word)].system;
  for (std::size_t g = 0; g < gold_file.words.size(); ++g) {
    Slice& slice = found[key(gold_file, gold_file.words[g])];
    ++slice.gold;
    const int s = pairs.system_of_gold[g];
    if (s == kNone || !evaluation::same_head(gold_file, system_file, pairs, static_cast<int>(g), s)) continue;
    ++slice.right_heads;
    const std::string_view relation = system_file.words[static_cast<std::size_t>(s)].relation;
    slice.right_arcs += gold_file.words[g].relation == relation ? 1 : 0;
  }
  std::vector<Slice> out;
  for (auto& [where, slice] : found) {
    slice.name = where.name;
    out.push_back(slice);
  }
  if (by == SliceBy::pos || by == SliceBy::deprel) {
    std::stable_sort(out.begin(), out.end(), [](const Slice& a, const Slice& b) { return a.gold > b.gold; });
  }
  return out;
}

}  // namespace kirchhoff
