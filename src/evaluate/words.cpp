// Turns sentences into one row of words [Zeman18]. Blanks (Unicode category Zs) are taken out of tokens, so that a file
// that splits "in spite of" and one that does not have the same text.
#include "evaluate/words.hpp"

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "kirchhoff/evaluate.hpp"

#include <algorithm>

namespace kirchhoff::evaluation {
namespace {

constexpr std::string_view kContent[] = {
    "nsubj", "obj",      "iobj",      "csubj",     "ccomp",  "xcomp",    "obl",        "vocative", "expl", "dislocated",
    "advcl", "advmod",   "discourse", "nmod",      "appos",  "nummod",   "acl",        "amod",     "conj", "fixed",
    "flat",  "compound", "list",      "parataxis", "orphan", "goeswith", "reparandum", "root",     "dep"};
constexpr std::string_view kFunctional[] = {"aux", "cop", "mark", "det", "clf", "case", "cc"};
constexpr std::string_view kUniversalFeatures[] = {
    "PronType", "NumType",  "Poss", "Reflex", "Foreign", "Abbr",  "Gender",  "Animacy",  "Number", "Case",  "Definite",
    "Degree",   "VerbForm", "Mood", "Tense",  "Aspect",  "Voice", "Evident", "Polarity", "Person", "Polite"};

template <std::size_t n>
bool contains(const std::string_view (&list)[n], std::string_view item) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

bool is_blank(char32_t code) {
  return code == 0x20 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

void append_token(std::string& text, std::string_view form) {
  while (!form.empty()) {
    const std::string_view character = form.substr(0, base::character_size(form));
    form.remove_prefix(character.size());
    if (!is_blank(base::code_point(character))) text += character;
  }
}

std::string universal_features(std::string_view list) {
  std::vector<std::string_view> kept;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find('|'));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
    if (contains(kUniversalFeatures, item.substr(0, item.find('=')))) kept.push_back(item);
  }
  std::sort(kept.begin(), kept.end());
  std::string out;
  for (const std::string_view item : kept) out.append(item).push_back('|');
  return out;
}

int parent_of(const Sentence& sentence, int word, int first) {
  const int head = sentence.head(word);
  if (head == 0) return kRoot;
  return head > 0 && head <= sentence.size() ? first + head - 1 : kNone;
}

EvaluatedWord word_of(const Sentence& sentence, int word, int first) {
  EvaluatedWord out;
  out.number = word;
  out.parent = parent_of(sentence, word, first);
  out.form = sentence.form(word);
  out.lemma = sentence.lemma(word);
  out.upos = sentence.upos(word);
  out.xpos = sentence.xpos(word);
  out.relation = universal_relation(sentence.deprel(word));
  out.feats = universal_features(sentence.feats(word));
  out.content = contains(kContent, out.relation);
  return out;
}

bool is_blank(std::string_view form) {
  std::string text;
  append_token(text, form);
  return text.empty();
}

void add_sentence(WordsOfFile& file, const Sentence& sentence) {
  const auto first = static_cast<int>(file.words.size());
  const std::vector<MultiwordToken> tokens = sentence.multiword_tokens();
  auto token = tokens.begin();
  for (int word = 1; word <= sentence.size(); ++word) {
    EvaluatedWord out = word_of(sentence, word, first);
    out.sentence = static_cast<int>(file.sentences.size());
    while (token != tokens.end() && token->last < word) ++token;
    out.multiword = token != tokens.end() && token->first <= word;
    const bool begins = !out.multiword || token->first == word;
    out.begin = begins ? file.text.size() : file.words.back().begin;
    if (begins) append_token(file.text, out.multiword ? token->columns[1] : out.form);
    out.end = file.text.size();
    file.words.push_back(std::move(out));
  }
  file.sentences.push_back({file.text.size(), first, static_cast<int>(file.words.size())});
}

void attach_function_words(std::vector<EvaluatedWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].parent < 0 || !contains(kFunctional, words[i].relation)) continue;
    words[static_cast<std::size_t>(words[i].parent)].function_words.push_back(static_cast<int>(i));
  }
}

}  // namespace

WordsOfFile file_of(std::span<const Sentence> sentences, const char* which) {
  WordsOfFile file;
  for (const Sentence& sentence : sentences) {
    if (const int word = blank_word(sentence)) {
      base::input_error("evaluate", std::string(which) + ", line " + std::to_string(sentence.line(word)) +
                                        ": the form has blanks only");
    }
    add_sentence(file, sentence);
  }
  attach_function_words(file.words);
  return file;
}

bool same_head(const WordsOfFile& gold, const WordsOfFile& system, const Pairs& pairs, int gold_word, int system_word) {
  const int gold_parent = gold.words[static_cast<std::size_t>(gold_word)].parent;
  const int system_parent = system.words[static_cast<std::size_t>(system_word)].parent;
  if (gold_parent < 0 || system_parent < 0) return gold_parent == kRoot && system_parent == kRoot;
  return pairs.gold_of_system[static_cast<std::size_t>(system_parent)] == gold_parent;
}

}  // namespace kirchhoff::evaluation

namespace kirchhoff {

int blank_word(const Sentence& sentence) {
  const std::vector<MultiwordToken> tokens = sentence.multiword_tokens();
  auto token = tokens.begin();
  for (int word = 1; word <= sentence.size(); ++word) {
    while (token != tokens.end() && token->last < word) ++token;
    const bool multiword = token != tokens.end() && token->first <= word;
    if (evaluation::is_blank(multiword ? token->columns[1] : sentence.form(word))) return word;
  }
  return 0;
}

}  // namespace kirchhoff
