// Encodes sentences: hashes of what is written in their columns, small ids for tags, and counts of what lies between.
#include "parser/features/encode.hpp"

#include "parser/features/hash.hpp"

#include <algorithm>
#include <map>

namespace kirchhoff::parser {
namespace {

/// Lists the most frequent names first, and equally frequent ones in the order of the alphabet.
NameList by_frequency(const std::map<std::string, int>& counts, std::size_t max_names) {
  std::vector<std::pair<int, std::string>> order;
  order.reserve(counts.size());
  for (const auto& [name, count] : counts) order.emplace_back(-count, name);
  std::sort(order.begin(), order.end());
  if (order.size() > max_names) order.resize(max_names);
  std::vector<std::string> names;
  names.reserve(order.size());
  for (auto& [count, name] : order) names.push_back(std::move(name));
  return NameList(std::move(names));
}

std::uint64_t hashed_shape(std::string_view shape) {
  std::uint64_t h = 0;
  for (const char k : shape) h = mix(h ^ static_cast<unsigned char>(k));
  return h;
}

constexpr std::array<std::string_view, 4> kAgreeing = {"Number", "Person", "Gender", "Case"};

std::array<std::uint32_t, 4> agreement(std::string_view feats) {
  std::array<std::uint32_t, 4> values{};
  if (feats == "_") return values;
  while (!feats.empty()) {
    const std::string_view item = feats.substr(0, feats.find('|'));
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) {
      for (std::size_t k = 0; k < kAgreeing.size(); ++k) {
        if (item.substr(0, equals) == kAgreeing[k]) {
          values[k] = static_cast<std::uint32_t>(hash_text(item.substr(equals + 1))) | 1U;
        }
      }
    }
    feats.remove_prefix(std::min(feats.size(), item.size() + 1));
  }
  return values;
}

Encoded::Row word_row(const Sentence& s, int w, std::uint64_t tag) {
  const std::string_view form = s.form(w);
  return {hash_text(form),           hash_text(s.lemma(w)),
          hash_text(s.upos(w)),      hash_text(s.xpos(w)),
          hash_text(s.feats(w)),     tag,
          hash_text(suffix(form)),   hash_text(prefix(form)),
          hashed_shape(shape(form)), 0};
}

bool is_one_of(std::string_view upos, std::initializer_list<std::string_view> tags) {
  return std::find(tags.begin(), tags.end(), upos) != tags.end();
}

std::uint64_t hashed_lead(const Sentence& s, int word) {
  const Lead found = lead(s, word);
  if (found.word == 0) return 0;
  const std::uint64_t tag = hash_text(s.upos(found.word));
  return found.by_lemma ? hash_text(s.lemma(found.word), tag) : tag;
}

Encoded::Row constant_row(std::uint64_t value) {
  Encoded::Row row;
  row.fill(mix(value));
  return row;
}

std::uint8_t small_id(const NameList& names, std::string_view name) {
  return static_cast<std::uint8_t>(kFirstTag + names.find(name));
}

}  // namespace

NameList::NameList(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) ids_.emplace(hash_text(names_[i]), static_cast<int>(i));
}

int NameList::find(std::string_view name) const {
  const auto found = ids_.find(hash_text(name));
  return found == ids_.end() ? unknown() : found->second;
}

std::string_view prefix(std::string_view form) {
  std::size_t end = 0;
  for (int characters = 4; end < form.size() && characters > 0; --characters) {
    for (++end; end < form.size() && (form[end] & 0xc0) == 0x80;) ++end;
  }
  return form.substr(0, end);
}

std::string_view suffix(std::string_view form) {
  std::size_t begin = form.size();
  for (int characters = 3; begin > 0 && characters > 0; --characters) {
    for (--begin; begin > 0 && (form[begin] & 0xc0) == 0x80;) --begin;
  }
  return form.substr(begin);
}

std::string shape(std::string_view form) {
  std::string classes;
  for (const char c : form) {
    const auto u = static_cast<unsigned char>(c);
    const char k = u >= 0x80              ? 'u'
                   : c >= 'a' && c <= 'z' ? 'a'
                   : c >= 'A' && c <= 'Z' ? 'A'
                   : c >= '0' && c <= '9' ? '9'
                                          : c;
    if (classes.empty() || classes.back() != k) classes += k;
  }
  return classes;
}

Lead lead(const Sentence& s, int word) {
  const bool verbal = is_one_of(s.upos(word), {"VERB", "AUX"});
  for (int w = word - 1; w >= 1; --w) {
    const std::string_view upos = s.upos(w);
    if (is_one_of(upos, {"ADP", "SCONJ", "CCONJ", "PART", "PUNCT"})) return {w, true};
    const bool inside = is_one_of(upos, {"NOUN", "PROPN", "ADJ", "DET", "NUM", "ADV", "SYM", "X"}) ||
                        (verbal && is_one_of(upos, {"AUX", "PRON"}));
    if (!inside) return {w, false};
  }
  return {};
}

std::string fine_tag(const Sentence& sentence, int word) {
  const std::string_view xpos = sentence.xpos(word);
  if (xpos != "_") return std::string(xpos);
  return std::string(sentence.upos(word)) + "|" + std::string(sentence.feats(word));
}

Inventory make_inventory(const std::vector<Sentence>& sentences) {
  std::map<std::string, int> upos, tags, labels;
  for (const Sentence& s : sentences) {
    for (int w = 1; w <= s.size(); ++w) {
      ++upos[std::string(s.upos(w))];
      ++tags[fine_tag(s, w)];
      ++labels[std::string(s.deprel(w))];
    }
  }
  return {by_frequency(upos, Inventory::kMaxUpos), by_frequency(tags, Inventory::kMaxTags),
          by_frequency(labels, 65535)};
}

std::optional<std::string> length_problem(const Sentence& sentence) {
  if (sentence.size() <= kMaxWords) return std::nullopt;
  return "has " + std::to_string(sentence.size()) + " words, and the parser takes at most " + std::to_string(kMaxWords);
}

Encoded encode(const Sentence& s, const Inventory& inventory) {
  Encoded e;
  const int n = e.words = s.size();
  const std::size_t rows = static_cast<std::size_t>(n) + 2 + 2 * Encoded::kMargin;
  e.rows.reserve(rows);
  e.upos.assign(rows, 2);
  e.tags.assign(rows, 2);
  e.agreement.assign(rows, {});
  e.upos[0] = e.tags[0] = 0;
  e.upos[1] = e.tags[1] = 1;
  for (const int value : {1, 2, 3, 4}) e.rows.push_back(constant_row(static_cast<std::uint64_t>(value)));
  e.verbs.assign(static_cast<std::size_t>(n) + 1, 0);
  e.puncts = e.conjunctions = e.verbs;
  e.labels.assign(static_cast<std::size_t>(n) + 1, 0);
  e.heads = s.heads();
  for (int w = 1; w <= n; ++w) {
    const auto i = static_cast<std::size_t>(w);
    const auto r = static_cast<std::size_t>(e.row(w));
    const std::string tag = fine_tag(s, w);
    e.rows.push_back(word_row(s, w, hash_text(tag)));
    e.rows.back()[static_cast<std::size_t>(Attribute::lead)] = hashed_lead(s, w);
    e.upos[r] = small_id(inventory.upos, s.upos(w));
    e.tags[r] = small_id(inventory.tags, tag);
    e.agreement[r] = agreement(s.feats(w));
    e.verbs[i] = e.verbs[i - 1] + (s.upos(w) == "VERB");
    e.puncts[i] = e.puncts[i - 1] + (s.upos(w) == "PUNCT");
    e.conjunctions[i] = e.conjunctions[i - 1] + (s.upos(w) == "CCONJ");
    e.labels[i] = inventory.labels.find(s.deprel(w));
  }
  for (const int value : {5, 6}) e.rows.push_back(constant_row(static_cast<std::uint64_t>(value)));
  return e;
}

std::vector<Encoded> encode_all(const std::vector<Sentence>& sentences, const Inventory& inventory, base::Crew& crew) {
  std::vector<Encoded> all(sentences.size());
  const auto encode_some = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) all[i] = encode(sentences[i], inventory);
  };
  crew.chunks(all.size(), encode_some);
  return all;
}

}  // namespace kirchhoff::parser
