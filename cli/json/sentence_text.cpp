// Writes sentences as JSON: with all columns, or as displaCy draws them; CoNLL is the library's.
#include "json/sentence_text.hpp"

#include "json/writer.hpp"

#include <algorithm>

namespace kirchhoff::cli {
namespace {

/// A column's text, or null for "_".
std::string json_value(std::string_view value) { return value == "_" ? "null" : json_string(value); }

void write_id(const Sentence& sentence, JsonWriter& out) {
  out.key("id");
  const auto id = sentence.comment("sent_id");
  out.raw(id ? json_string(*id) : "null");
}

struct NamedColumn {
  const char* name;
  Column column;
};
constexpr NamedColumn kLists[] = {{"lemmas", Column::lemma}, {"upos", Column::upos},      {"xpos", Column::xpos},
                                  {"feats", Column::feats},  {"deprels", Column::deprel}, {"deps", Column::deps},
                                  {"misc", Column::misc}};

void write_row(const std::array<std::string_view, kColumns>& columns, JsonWriter& out) {
  out.raw("[");
  for (std::size_t i = 0; i < columns.size(); ++i) out.raw((i > 0 ? "," : "") + json_string(columns[i]));
  out.raw("]");
}

/// Writes lists with an entry for each word; "words" and "heads" are as the other verbs have them.
std::string json_of(const Sentence& sentence) {
  const int n = sentence.size();
  JsonWriter out;
  write_id(sentence, out);
  const auto comments = sentence.comments();
  out.key("comments");
  out.list(comments.size(), [&](std::size_t i) { out.write(comments[i]); });
  out.key("words");
  out.list(n, [&](int i) { out.write(sentence.form(i + 1)); });
  out.key("heads");
  out.list(n, [&](int i) { out.raw(sentence.head(i + 1) < 0 ? "null" : std::to_string(sentence.head(i + 1))); });
  for (const NamedColumn& list : kLists) {
    out.key(list.name);
    // The lemma "_" of the word "_" is that very sign.
    out.list(n, [&](int i) {
      const std::string_view value = sentence.get(i + 1, list.column);
      const bool literal = list.column == Column::lemma && sentence.form(i + 1) == "_";
      out.raw(literal ? json_string(value) : json_value(value));
    });
  }
  const auto tokens = sentence.multiword_tokens();
  out.key("multiword_tokens");
  out.list(tokens.size(), [&](std::size_t i) { write_row(tokens[i].columns, out); });
  const auto nodes = sentence.empty_nodes();
  out.key("empty_nodes");
  out.list(nodes.size(), [&](std::size_t i) { write_row(nodes[i].columns, out); });
  out.close();
  return out.take();
}

/// Writes what displaCy draws with manual=True, where words count from 0 and arcs go from left to right.
std::string displacy_of(const Sentence& sentence) {
  JsonWriter out;
  out.key("words");
  out.list(sentence.size(), [&](int i) {
    out.raw(fmt::format("{{\"text\":{},\"tag\":{}}}", json_string(sentence.form(i + 1)),
                        json_string(sentence.upos(i + 1) == "_" ? "" : sentence.upos(i + 1))));
  });
  std::vector<int> attached;
  for (int word = 1; word <= sentence.size(); ++word) {
    if (sentence.head(word) > 0) attached.push_back(word);
  }
  out.key("arcs");
  out.list(attached.size(), [&](std::size_t i) {
    const int word = attached[i];
    const int left = std::min(word, sentence.head(word));
    const int right = std::max(word, sentence.head(word));
    out.raw(fmt::format("{{\"start\":{},\"end\":{},\"label\":{},\"dir\":\"{}\"}}", left - 1, right - 1,
                        json_string(sentence.deprel(word)), word == left ? "left" : "right"));
  });
  const auto id = sentence.comment("sent_id");
  if (id) {
    out.key("title");
    out.write(*id);
  }
  out.close();
  return out.take();
}

}  // namespace

std::string text_in(const Sentence& sentence, SentenceFormat format) {
  switch (format) {
    case SentenceFormat::conllu:
      return to_text(converted(sentence, ConllFormat::conllu));
    case SentenceFormat::conllx:
      return to_text(converted(sentence, ConllFormat::conllx));
    case SentenceFormat::json:
      return json_of(sentence);
    case SentenceFormat::displacy:
      return displacy_of(sentence);
  }
  return {};
}

std::string text_of(const Sentence& sentence) {
  if (const auto text = sentence.comment("text")) return std::string(*text);
  std::string words;
  for (int w = 1; w <= sentence.size(); ++w) words += (w == 1 ? "" : " ") + std::string(sentence.form(w));
  return words;
}

}  // namespace kirchhoff::cli
