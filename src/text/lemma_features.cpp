// Features of the scripts that lead from words to lemmas.
#include "text/feature_hash.hpp"
#include "text/tag_model.hpp"

#include <algorithm>

namespace kirchhoff::text {
namespace {

/// Which beginnings of a word are known lemmas of its universal tag, or such lemmas without their ending. `own` is the
/// lemma that does not count, if there is one.
void add_known(FeatureWriter& out, const WordView& word, int upos, const Lexicon& lemmas, std::string_view own) {
  const std::vector<Character> c = characters(own);
  const auto tag = static_cast<std::uint64_t>(upos + 1);
  std::vector<Lexicon::Entry> found;
  for (std::size_t ending = 0; ending <= kEndings; ++ending) {
    const std::string_view mine = ending == 0         ? own
                                  : ending < c.size() ? own.substr(0, c[c.size() - ending].begin)
                                                      : std::string_view();
    bool first = true;
    for (std::size_t cut = 0; cut <= kCuts; ++cut) {
      bool known = false;
      if (cut < word.characters.size()) {
        const std::string_view start = word.start(cut);
        lemmas.find(lemma_key(start, ending), start == mine ? upos : Lexicon::kNothing, found);
        known = std::any_of(found.begin(), found.end(), [&](const Lexicon::Entry& entry) { return entry.id == upos; });
      }
      if (!known) {
        out.skip(3);
        continue;
      }
      out.add({tag, cut});
      out.add({tag, parser::hash_text(std::string_view(word.lower_text).substr(word.start(cut).size()))});
      first ? out.add({tag, cut}) : out.skip();
      first = false;
    }
  }
}

/// The scripts that the word was seen with.
void add_scripts(FeatureWriter& out, const WordView& word, bool begins, std::span<const Lexicon::Entry> seen) {
  std::uint64_t all = 0;
  Lexicon::Entry best;
  for (const Lexicon::Entry& entry : seen) {
    all = parser::mix(all ^ static_cast<std::uint64_t>(entry.id + 1));
    if (entry.count > best.count) best = entry;
  }
  out.add({all});
  out.add({static_cast<std::uint64_t>(best.count == 0 ? 0 : best.id + 1)});
  out.add({all, static_cast<std::uint64_t>(begins), word.shape});
}

}  // namespace

void find_lemma_features(std::span<const WordView> words, const Tags& upos, const Tags& feats,
                         const TagLexicons& lexicons, const OwnAnswers& own, SequenceKeys& keys) {
  FeatureWriter out(keys);
  std::vector<Lexicon::Entry> seen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto tag = static_cast<std::uint64_t>(upos[i] + 1), morphology = static_cast<std::uint64_t>(feats[i] + 1);
    out.add({tag});
    out.add({tag, morphology});
    add_word(out, words[i], tag);
    add_word(out, words[i], morphology << 32);
    out.add({words[i].shape, static_cast<std::uint64_t>(i == 0), tag});
    out.add({i == 0 ? kOutside : words[i - 1].lower, words[i].lower});
    add_known(out, words[i], upos[i], lexicons.lemmas, own.lemmas.empty() ? std::string_view() : own.lemmas[i]);
    for (const int given : {feats[i], -1 - upos[i]}) {
      const int mine = own.scripts.empty() ? Lexicon::kNothing : own.scripts[i];
      lexicons.scripts.find(script_key(words[i].lower_text, given), mine, seen);
      add_scripts(out, words[i], i == 0, seen);
    }
    out.end_position();
  }
}

}  // namespace kirchhoff::text
