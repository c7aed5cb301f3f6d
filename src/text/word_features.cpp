// Features of words: forms, affixes and shapes of a word and its neighbours, and the tags that are known already.
#include "evaluate/lower_case.hpp"
#include "text/characters.hpp"
#include "text/feature_hash.hpp"
#include "text/tag_model.hpp"

#include <algorithm>
#include <array>

namespace kirchhoff::text {
namespace {

constexpr std::size_t kSuffixes = 6, kPrefixes = 4;
constexpr std::uint64_t kOutside = 1;

/// What is seen of one word.
struct View {
  std::uint64_t form = kOutside, lower = kOutside, shape = kOutside;
  std::array<std::uint64_t, kSuffixes> suffix{};  ///< 0 where the word is shorter.
  std::array<std::uint64_t, kPrefixes> prefix{};
  std::uint64_t end() const { return suffix[2] != 0 ? suffix[2] : lower; }  ///< Its last three characters.
};

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

View view_of(const std::string& form, const std::string& lower) {
  View view;
  view.form = parser::hash_text(form);
  view.lower = parser::hash_text(lower);
  view.shape = shape_of(characters(form));
  const std::vector<Character> c = characters(lower);
  const std::string_view text = lower;
  for (std::size_t n = 1; n <= kSuffixes && n < c.size(); ++n) {
    view.suffix[n - 1] = parser::hash_text(text.substr(c[c.size() - n].begin));
  }
  for (std::size_t n = 1; n <= kPrefixes && n < c.size(); ++n) {
    view.prefix[n - 1] = parser::hash_text(text.substr(0, c[n].begin));
  }
  return view;
}

std::vector<View> views_of(const WordForms& words) {
  std::vector<View> views;
  for (std::size_t i = 0; i < words.form.size(); ++i) views.push_back(view_of(words.form[i], words.lower[i]));
  return views;
}

template <class T>
T at(const std::vector<T>& all, std::size_t i, int offset, T outside) {
  const std::size_t place = i + static_cast<std::size_t>(offset);  // wraps below 0, beyond the end
  return place < all.size() ? all[place] : outside;
}
View near(const std::vector<View>& views, std::size_t i, int offset) { return at(views, i, offset, View()); }

/// The word itself: what all three models look at.
void add_word(FeatureWriter& out, const View& word, std::uint64_t context) {
  out.add({context, word.form});
  out.add({context, word.lower});
  for (const std::uint64_t suffix : word.suffix) suffix == 0 ? out.skip() : out.add({context, suffix});
  for (const std::uint64_t prefix : word.prefix) prefix == 0 ? out.skip() : out.add({context, prefix});
  out.add({context, word.shape});
}

void add_neighbours(FeatureWriter& out, const std::vector<View>& views, std::size_t i) {
  const View word = views[i], left = near(views, i, -1), right = near(views, i, 1);
  for (const int offset : {-2, -1, 1, 2}) out.add({near(views, i, offset).lower});
  for (const int offset : {-1, 1}) {
    const View other = near(views, i, offset);
    out.add({other.end()});
    out.add({other.suffix[1]});
    out.add({other.shape});
    out.add({other.end(), word.end()});
  }
  out.add({left.lower, word.lower});
  out.add({word.lower, right.lower});
  out.add({left.lower, right.lower});
  out.add({near(views, i, -2).lower, left.lower});
  out.add({right.lower, near(views, i, 2).lower});
  out.add({left.end(), word.end(), right.end()});
  out.add({left.suffix[1], word.suffix[1], right.suffix[1], word.shape});
  out.add({static_cast<std::uint64_t>(i == 0), word.shape});
}

}  // namespace

WordForms::WordForms(const Sentence& sentence) {
  for (int word = 1; word <= sentence.size(); ++word) {
    form.emplace_back(sentence.form(word));
    lower.push_back(evaluation::lower_case(form.back()));
  }
}

void find_upos_features(const WordForms& words, SequenceKeys& keys) {
  const std::vector<View> views = views_of(words);
  FeatureWriter out(keys);
  for (std::size_t i = 0; i < views.size(); ++i) {
    out.add({});
    add_word(out, views[i], 0);
    add_neighbours(out, views, i);
    out.end_position();
  }
}

void find_feats_features(const WordForms& words, const Tags& upos, SequenceKeys& keys) {
  const std::vector<View> views = views_of(words);
  FeatureWriter out(keys);
  const auto tag = [&](std::size_t i, int offset) { return static_cast<std::uint64_t>(at(upos, i, offset, -1) + 2); };
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::uint64_t own = tag(i, 0);
    out.add({own});
    add_word(out, views[i], own);
    add_neighbours(out, views, i);
    for (const int offset : {-2, -1, 1, 2}) out.add({own, tag(i, offset)});
    for (const int offset : {-2, -1, 1, 2}) out.add({own, tag(i, offset), near(views, i, offset).lower});
    for (const int offset : {-1, 1}) out.add({own, views[i].end(), tag(i, offset), near(views, i, offset).suffix[1]});
    out.add({own, tag(i, -1), tag(i, 1)});
    out.add({own, tag(i, -2), tag(i, -1)});
    out.end_position();
  }
}

void find_lemma_features(const WordForms& words, const Tags& upos, const Tags& feats, SequenceKeys& keys) {
  const std::vector<View> views = views_of(words);
  FeatureWriter out(keys);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto tag = static_cast<std::uint64_t>(upos[i] + 1), morphology = static_cast<std::uint64_t>(feats[i] + 1);
    out.add({tag});
    out.add({tag, morphology});
    add_word(out, views[i], tag);
    add_word(out, views[i], morphology << 32);
    out.add({views[i].shape, static_cast<std::uint64_t>(i == 0), tag});
    out.add({near(views, i, -1).lower, views[i].lower});
    out.end_position();
  }
}

}  // namespace kirchhoff::text
