// Finds what features see of words: hashes of forms, endings and shapes, and what the lexicons have.
#include "text/word_forms.hpp"

#include "evaluate/lower_case.hpp"
#include "parser/features/hash.hpp"

#include <algorithm>

namespace kirchhoff::text {
namespace {

// Seeds of hashes.
constexpr std::uint64_t kWords = 1, kLemmas = 2, kScripts = kLemmas + kEndings + 1, kAlike = kScripts + 1;

/// Runs of characters of one kind, at most four of them, each with whether it is longer than one.
std::uint64_t shape_of(const std::vector<Character>& characters) {
  std::uint64_t shape = 0;
  int runs = 0;
  for (std::size_t i = 0; i < characters.size() && runs < 4; ++runs) {
    std::size_t end = i;
    while (end < characters.size() && characters[end].kind == characters[i].kind) ++end;
    shape = shape * 32 + static_cast<std::uint64_t>(characters[i].kind) * 2 + (end - i > 1 ? 2 : 1);
    i = end;
  }
  return shape + 2;
}

WordView view_of(std::string_view form) {
  WordView view;
  view.text = form;
  view.lower_text = evaluation::lower_case(form);
  view.form = parser::hash_text(form);
  view.lower = parser::hash_text(view.lower_text);
  view.shape = shape_of(characters(form));
  view.characters = characters(view.lower_text);
  const auto& c = view.characters;
  const std::string_view text = view.lower_text;
  for (std::size_t n = 1; n <= kSuffixes && n < c.size(); ++n) {
    view.suffix[n - 1] = parser::hash_text(text.substr(c[c.size() - n].begin));
  }
  for (std::size_t n = 1; n <= kPrefixes && n < c.size(); ++n) {
    view.prefix[n - 1] = parser::hash_text(text.substr(0, c[n].begin));
  }
  return view;
}

bool joins(const Character& c) { return c.is_space() || c.code == '-' || c.code == '\'' || c.code == 0x2019; }

/// Finds the first and the last part of a word of several, and what the lexicon says of them.
void find_parts(WordView& view, const Lexicon& words, std::span<const Morphology> morphologies) {
  const auto& c = view.characters;
  std::size_t first = c.size(), last = 0;
  for (std::size_t i = 1; i + 1 < c.size(); ++i) {
    if (!joins(c[i])) continue;
    first = std::min(first, i);
    last = i + 1;
    if (view.parts < 4) ++view.parts;
  }
  if (last == 0) return;
  std::vector<Lexicon::Entry> found;
  const auto seen = [&](std::string_view part) {
    words.find(word_key(part), Lexicon::kNothing, found);
    std::uint64_t all = 0;
    for (const Lexicon::Entry& entry : found) all |= upos_set(morphologies[static_cast<std::size_t>(entry.id)].upos);
    return all;
  };
  const std::string_view text = view.lower_text, before = text.substr(0, c[first].begin),
                         after = text.substr(c[last].begin);
  view.first_part = parser::hash_text(before);
  view.last_part = parser::hash_text(after);
  view.first_seen = seen(before);
  view.last_seen = seen(after);
}

}  // namespace

std::uint64_t word_key(std::string_view lower) { return parser::hash_text(lower, kWords); }
std::uint64_t ending_key(std::string_view ending) { return parser::hash_text(ending, kAlike); }
std::uint64_t lemma_key(std::string_view lower, std::size_t ending) {
  return parser::hash_text(lower, kLemmas + ending);
}
std::uint64_t script_key(std::string_view lower, int given) {
  return parser::mix(parser::hash_text(lower, kScripts) ^ static_cast<std::uint64_t>(given));
}

void add_word(LexiconMaker& maker, std::string_view lower, int morphology) {
  maker.add(word_key(lower), morphology);
  const std::vector<Character> c = characters(lower);
  for (std::size_t size = kShortestEnding; size <= kLongestEnding && size <= c.size(); ++size) {
    maker.add(ending_key(last_of(lower, c, size)), morphology);
  }
}

void add_lemma(LexiconMaker& maker, std::string_view lower, int upos) {
  maker.add(lemma_key(lower, 0), upos);
  const std::vector<Character> c = characters(lower);
  for (std::size_t ending = 1; ending <= kEndings && ending + 1 < c.size(); ++ending) {
    maker.add(lemma_key(lower.substr(0, c[c.size() - ending].begin), ending), upos);
  }
}

std::vector<WordView> views_of(const Sentence& sentence, const TagLexicons& lexicons,
                               std::span<const Morphology> morphologies, const OwnAnswers& own) {
  std::vector<WordView> views;
  std::vector<Lexicon::Entry> found;
  const auto upos_of = [&](int morphology) { return morphologies[static_cast<std::size_t>(morphology)].upos; };
  for (int word = 1; word <= sentence.size(); ++word) {
    const auto i = static_cast<std::size_t>(word - 1);
    WordView& view = views.emplace_back(view_of(sentence.form(word)));
    const int mine = own.morphologies.empty() ? Lexicon::kNothing : own.morphologies[i];
    lexicons.words.find(word_key(view.lower_text), mine, view.seen);
    for (const Lexicon::Entry& entry : view.seen) {
      view.upos_seen |= upos_set(upos_of(entry.id));
      view.feats_seen = parser::mix(view.feats_seen ^ static_cast<std::uint64_t>(entry.id + 1));
    }
    for (std::size_t size = std::min(kLongestEnding, view.characters.size());
         size >= kShortestEnding && view.alike.empty(); --size) {
      lexicons.words.find(ending_key(view.last(size)), mine, view.alike);
    }
    lexicons.clusters.find(word_key(view.lower_text), Lexicon::kNothing, found);
    if (!found.empty()) view.cluster = lexicons.paths[static_cast<std::size_t>(found[0].id)];
    find_parts(view, lexicons.words, morphologies);
    for (std::size_t cut = 0; cut <= kCuts && cut < view.characters.size(); ++cut) {
      const bool itself = !own.lemmas.empty() && own.lemmas[i] == view.start(cut);
      lexicons.lemmas.find(lemma_key(view.start(cut), 0), itself ? upos_of(mine) : Lexicon::kNothing, found);
      for (const Lexicon::Entry& entry : found) view.lemma_of[cut] |= upos_set(entry.id);
    }
  }
  return views;
}

}  // namespace kirchhoff::text
