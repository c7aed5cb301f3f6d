// Features of words for tags: forms, affixes and shapes of a word and its neighbours, what the lexicons say of them,
// and the tags that are known already.
#include "text/feature_hash.hpp"
#include "text/tag_model.hpp"

#include <algorithm>
#include <array>

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

/// Morphologies of one universal tag in a list: a hash of all of them, and the most frequent one.
struct Summary {
  std::uint64_t all = 0, best = 0;
};
Summary summary(std::span<const Lexicon::Entry> entries, int upos, std::span<const Morphology> morphologies) {
  Summary result;
  int most = 0;
  for (const Lexicon::Entry& entry : entries) {
    if (morphologies[static_cast<std::size_t>(entry.id)].upos != upos) continue;
    result.all = parser::mix(result.all ^ static_cast<std::uint64_t>(entry.id + 1));
    if (entry.count <= most) continue;
    most = entry.count;
    result.best = static_cast<std::uint64_t>(entry.id + 1);
  }
  return result;
}

/// The universal tags of morphologies as a set, and the most frequent one.
Summary upos_summary(std::span<const Lexicon::Entry> entries, std::span<const Morphology> morphologies) {
  Summary result;
  int most = 0;
  for (const Lexicon::Entry& entry : entries) {
    const int upos = morphologies[static_cast<std::size_t>(entry.id)].upos;
    result.all |= upos_set(upos);
    if (entry.count <= most) continue;
    most = entry.count;
    result.best = static_cast<std::uint64_t>(upos + 1);
  }
  return result;
}

/// The beginnings of the paths to the clusters of the word and of those beside it.
void add_clusters(FeatureWriter& out, std::span<const WordView> words, std::size_t i, std::uint64_t context) {
  constexpr std::array<std::size_t, 4> kBeginnings = {4, 6, 10, 64};
  for (const int offset : {0, -1, 1}) {
    const std::string_view path = near(words, i, offset).cluster;
    for (const std::size_t size : kBeginnings) {
      path.empty() ? out.skip() : out.add({context, parser::hash_text(path.substr(0, size))});
    }
  }
}

void add_parts(FeatureWriter& out, const WordView& word, std::uint64_t context) {
  if (word.parts == 1) {
    out.add({context, word.parts});
    out.skip(5);
    return;
  }
  out.add({context, word.parts});
  out.add({context, word.first_part});
  out.add({context, word.last_part});
  out.add({context, word.first_seen});
  out.add({context, word.last_seen});
  out.add({context, word.first_seen, word.last_seen, word.parts});
}

/// What the lexicons say of the universal tags of the word and of those beside it.
void add_seen(FeatureWriter& out, std::span<const WordView> words, std::size_t i,
              std::span<const Morphology> morphologies) {
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
  const Summary alike = upos_summary(word.alike, morphologies);
  out.add({alike.all, word.upos_seen});
  out.add({alike.best, word.upos_seen});
  out.add({alike.best, word.shape});
}

/// What they say of XPOS and FEATS, given the universal tag.
void add_seen_feats(FeatureWriter& out, std::span<const WordView> words, std::size_t i, const Tags& upos,
                    std::span<const Morphology> morphologies) {
  const auto tag = [&](int offset) {
    const std::size_t place = i + static_cast<std::size_t>(offset);
    return static_cast<std::uint64_t>((place < upos.size() ? upos[place] : -1) + 2);
  };
  const std::uint64_t own = tag(0);
  const WordView& word = words[i];
  const Summary seen = summary(word.seen, upos[i], morphologies), alike = summary(word.alike, upos[i], morphologies);
  out.add({own, seen.all});
  out.add({own, seen.best});
  out.add({own, seen.all, word.end()});
  out.add({own, seen.all, alike.best});
  out.add({own, seen.all, alike.all});
  for (const int offset : {-1, 1}) {
    const WordView& other = near(words, i, offset);
    out.add({own, other.feats_seen});
    out.add({own, seen.all, other.feats_seen});
    out.add({own, word.end(), other.feats_seen});
    out.add({own, seen.all, other.end()});
    out.add({own, seen.all, tag(offset)});
    out.add({own, word.end(), tag(offset)});
  }
  out.add({own, seen.all, tag(-1), tag(1)});
  const Stem stem = stem_of(word, upos_set(upos[i]));
  const std::uint64_t itself = word.lemma_of[0] & upos_set(upos[i]);
  out.add({own, stem.rest, seen.all});
  out.add({own, stem.rest, itself});
  out.add({own, itself, seen.all});
}

}  // namespace

void add_word(FeatureWriter& out, const WordView& word, std::uint64_t context) {
  out.add({context, word.form});
  out.add({context, word.lower});
  for (const std::uint64_t suffix : word.suffix) suffix == 0 ? out.skip() : out.add({context, suffix});
  for (const std::uint64_t prefix : word.prefix) prefix == 0 ? out.skip() : out.add({context, prefix});
  out.add({context, word.shape});
}

void find_upos_features(std::span<const WordView> words, std::span<const Morphology> morphologies, SequenceKeys& keys) {
  FeatureWriter out(keys);
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.add({});
    add_word(out, words[i], 0);
    add_neighbours(out, words, i, 0);
    add_parts(out, words[i], 0);
    add_clusters(out, words, i, 0);
    add_seen(out, words, i, morphologies);
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
    add_parts(out, words[i], own);
    add_clusters(out, words, i, own);
    add_seen_feats(out, words, i, upos, morphologies);
    for (const int offset : {-2, -1, 1, 2}) out.add({own, tag(i, offset)});
    for (const int offset : {-2, -1, 1, 2}) out.add({own, tag(i, offset), near(words, i, offset).lower});
    for (const int offset : {-1, 1}) out.add({own, words[i].end(), tag(i, offset), near(words, i, offset).suffix[1]});
    out.add({own, tag(i, -1), tag(i, 1)});
    out.add({own, tag(i, -2), tag(i, -1)});
    out.end_position();
  }
}

}  // namespace kirchhoff::text
