// Features of words for tags: forms, affixes and shapes of a word and its neighbours, what the lexicons say of them,
// and the tags that are known already.
#include "text/feature_hash.hpp"
#include "text/tag_model.hpp"

#include <algorithm>

namespace kirchhoff::text {
namespace {

const WordView kNoWord;

const WordView& near(std::span<const WordView> words, std::size_t i, int offset) {
  const std::size_t place = i + static_cast<std::size_t>(offset);  // wraps below 0, beyond the end
  return place < words.size() ? words[place] : kNoWord;
}

void add_neighbours(FeatureWriter& out, std::span<const WordView> words, std::size_t i, std::uint64_t context) {
  const WordView &word = words[i], &left = near(words, i, -1), &right = near(words, i, 1);
  for (const int offset : {-2, -1, 1, 2}) out.add({context, near(words, i, offset).lower});
  for (const WordView* other : {&left, &right}) {
    out.add({context, other->end()});
    out.add({context, other->suffix[1]});
    out.add({context, other->shape});
    out.add({context, other->end(), word.end()});
  }
  out.add({context, left.lower, word.lower});
  out.add({context, word.lower, right.lower});
  out.add({context, left.lower, right.lower});
  out.add({context, near(words, i, -2).lower, left.lower});
  out.add({context, right.lower, near(words, i, 2).lower});
  out.add({context, left.end(), word.end(), right.end()});
  out.add({context, left.suffix[1], word.suffix[1], right.suffix[1], word.shape});
  out.add({context, static_cast<std::uint64_t>(i == 0), word.shape});
}

/// The longest proper beginning of a word that is a lemma of one of some universal tags: which of them, and the rest.
struct Stem {
  std::uint64_t upos = 0, rest = 0;
};
Stem stem_of(const WordView& word, std::uint64_t upos) {
  for (std::size_t cut = 1; cut < word.lemma_of.size() && cut < word.characters.size(); ++cut) {
    const std::uint64_t some = word.lemma_of[cut] & upos;
    if (some == 0) continue;
    return {some, parser::hash_text(std::string_view(word.lower_text).substr(word.start(cut).size()))};
  }
  return {};
}

/// What the lexicons say of the universal tags of the word and of those beside it.
void add_seen(FeatureWriter& out, std::span<const WordView> words, std::size_t i) {
  const WordView &word = words[i], &left = near(words, i, -1), &right = near(words, i, 1);
  out.add({word.upos_seen});
  out.add({word.feats_seen});
  out.add({word.upos_seen, word.shape});
  out.add({word.upos_seen, word.end()});
  for (const int offset : {-2, -1, 1, 2}) out.add({near(words, i, offset).upos_seen});
  for (const WordView* other : {&left, &right}) {
    out.add({word.upos_seen, other->upos_seen});
    out.add({word.upos_seen, other->lower});
    out.add({word.end(), other->upos_seen});
  }
  out.add({left.upos_seen, word.upos_seen, right.upos_seen});
  out.add({near(words, i, -2).upos_seen, left.upos_seen, word.upos_seen});
  out.add({word.upos_seen, right.upos_seen, near(words, i, 2).upos_seen});
  const Stem stem = stem_of(word, ~std::uint64_t{0});
  out.add({word.lemma_of[0], word.upos_seen});
  out.add({stem.upos, word.upos_seen});
  out.add({stem.rest, word.upos_seen});
  out.add({stem.upos, stem.rest, word.lemma_of[0]});
}

/// What they say of XPOS and FEATS, given the universal tag.
void add_seen_feats(FeatureWriter& out, std::span<const WordView> words, std::size_t i, int upos,
                    std::span<const Morphology> morphologies) {
  const auto tag = static_cast<std::uint64_t>(upos + 2);
  const WordView& word = words[i];
  std::uint64_t all = 0;
  Lexicon::Entry best;
  for (const Lexicon::Entry& entry : word.seen) {
    if (morphologies[static_cast<std::size_t>(entry.id)].upos != upos) continue;
    all = parser::mix(all ^ static_cast<std::uint64_t>(entry.id + 1));
    if (entry.count > best.count) best = entry;
  }
  out.add({tag, all});
  out.add({tag, static_cast<std::uint64_t>(best.count == 0 ? 0 : best.id + 1)});
  out.add({tag, all, word.end()});
  for (const int offset : {-1, 1}) {
    const WordView& other = near(words, i, offset);
    out.add({tag, other.feats_seen});
    out.add({tag, all, other.feats_seen});
    out.add({tag, word.end(), other.feats_seen});
    out.add({tag, all, other.end()});
  }
  const Stem stem = stem_of(word, upos_set(upos));
  const std::uint64_t itself = word.lemma_of[0] & upos_set(upos);
  out.add({tag, stem.rest, all});
  out.add({tag, stem.rest, itself});
  out.add({tag, itself, all});
}

}  // namespace

void add_word(FeatureWriter& out, const WordView& word, std::uint64_t context) {
  out.add({context, word.form});
  out.add({context, word.lower});
  for (const std::uint64_t suffix : word.suffix) suffix == 0 ? out.skip() : out.add({context, suffix});
  for (const std::uint64_t prefix : word.prefix) prefix == 0 ? out.skip() : out.add({context, prefix});
  out.add({context, word.shape});
}

void find_upos_features(std::span<const WordView> words, SequenceKeys& keys) {
  FeatureWriter out(keys);
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.add({});
    add_word(out, words[i], 0);
    add_neighbours(out, words, i, 0);
    add_seen(out, words, i);
    out.end_position();
  }
}

void find_feats_features(std::span<const WordView> words, const Tags& upos, std::span<const Morphology> morphologies,
                         SequenceKeys& keys) {
  FeatureWriter out(keys);
  const auto tag = [&](std::size_t i, int offset) {
    const std::size_t place = i + static_cast<std::size_t>(offset);
    return static_cast<std::uint64_t>((place < upos.size() ? upos[place] : -1) + 2);
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t own = tag(i, 0);
    out.add({own});
    add_word(out, words[i], own);
    add_neighbours(out, words, i, own);
    add_seen_feats(out, words, i, upos[i], morphologies);
    for (const int offset : {-2, -1, 1, 2}) out.add({own, tag(i, offset)});
    for (const int offset : {-2, -1, 1, 2}) out.add({own, tag(i, offset), near(words, i, offset).lower});
    for (const int offset : {-1, 1}) out.add({own, words[i].end(), tag(i, offset), near(words, i, offset).suffix[1]});
    out.add({own, tag(i, -1), tag(i, 1)});
    out.add({own, tag(i, -2), tag(i, -1)});
    out.end_position();
  }
}

}  // namespace kirchhoff::text
