// The examples of a tokenizer: texts rebuilt from treebanks, and the scripts of their tokens.
#include "text/train_tokenizer.hpp"

#include "evaluate/lower_case.hpp"
#include "text/characters.hpp"
#include "text/numbering.hpp"
#include "text/scripts.hpp"
#include "text/surface.hpp"
#include "text/token_features.hpp"
#include "text/token_model.hpp"
#include "text/word_forms.hpp"

#include <algorithm>
#include <memory>

namespace kirchhoff::text {
namespace {

constexpr std::size_t kTogether = 8;  // Sentences where no paragraphs are marked.

/// Adds a token to a text. Returns false, with the text as it was, when its characters cannot be inside one.
bool add_token(TaggedText& text, std::string_view form, bool starts_sentence) {
  const std::vector<Character> all = characters(form);
  const auto breaks = [](const Character& c) { return c.kind == CharacterKind::line_break; };
  if (all.empty() || all.front().is_space() || all.back().is_space()) return false;
  if (std::any_of(all.begin(), all.end(), breaks)) return false;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i].is_space() && all[i + 1].is_space()) return false;
  }
  text.text += form;
  text.tags.push_back(starts_sentence ? kSentence : kToken);
  for (std::size_t i = 1; i < all.size(); ++i) text.tags.push_back(all[i].is_space() ? kBlank : kInside);
  return true;
}

void add_sentence(TaggedText& text, const Sentence& sentence) {
  bool starts = true;
  for (const Surface& token : surfaces(sentence)) {
    if (!add_token(text, token.form, starts)) continue;
    starts = false;
    if (spaces_after(token.misc).empty()) continue;
    text.text += ' ';
    text.tags.push_back(kBetween);
  }
}

std::string script_of(const Sentence& sentence, const Surface& token) {
  if (token.first == token.last) return std::string(kOneWord);
  std::vector<std::string_view> words;
  for (int word = token.first; word <= token.last; ++word) words.push_back(sentence.form(word));
  return split_script(token.form, words);
}

}  // namespace

std::vector<TaggedText> tagged_texts(const std::vector<Sentence>& sentences) {
  const auto paragraphs = std::count_if(sentences.begin(), sentences.end(), begins_paragraph);
  const bool has_paragraphs = static_cast<std::size_t>(paragraphs) * 8 * kTogether > sentences.size();
  std::vector<TaggedText> texts;
  std::size_t count = 0;
  for (const Sentence& sentence : sentences) {
    const bool begins = has_paragraphs ? begins_paragraph(sentence) : count == kTogether;
    if (texts.empty() || begins) {
      texts.emplace_back();
      count = 0;
    }
    add_sentence(texts.back(), sentence);
    ++count;
  }
  std::erase_if(texts, [](const TaggedText& text) { return text.text.empty(); });
  return texts;
}

std::optional<TokenizerParts> train_tokenizer(const std::vector<Sentence>& sentences, std::uint64_t seed,
                                              base::Crew& crew, const SequenceProgress& progress) {
  TokenizerParts parts;
  const std::vector<TaggedText> texts = tagged_texts(sentences);
  SequenceTask tokens{.tags = kTokenTags, .chain = true};
  std::vector<std::vector<Character>> all;
  for (const TaggedText& text : texts) {
    tokens.gold.push_back(text.tags);
    all.push_back(characters(text.text));
  }
  tokens.features = [&]() -> FeaturesOf {
    return [&](std::size_t i, SequenceKeys& keys) { find_token_features(texts[i].text, all[i], keys); };
  };
  tokens.forbid = [&](std::size_t i, Matrix& emissions) { forbid_tags(all[i], emissions); };
  tokens.transitions = token_transitions();
  auto learnt =
      train_sequences(tokens, {.epochs = 20, .rate = 0.3, .batch = 4, .seed = seed, .dropout = 0.4}, crew, progress);
  if (!learnt) return std::nullopt;
  parts.tokens = std::move(*learnt);

  Numbering scripts;
  scripts.add(std::string(kOneWord));
  SequenceTask splits;
  LexiconMaker seen;
  std::vector<std::vector<std::string_view>> forms(sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    Tags& gold = splits.gold.emplace_back();
    for (const Surface& token : surfaces(sentences[i])) {
      forms[i].push_back(token.form);
      gold.push_back(scripts.add(script_of(sentences[i], token)));
      seen.add(word_key(evaluation::lower_case(token.form)), gold.back());
    }
  }
  parts.seen = scripts.size() == 1 ? LexiconMaker().tables(crew) : seen.tables(crew);
  const Lexicon lexicon = LexiconMaker::lexicon(parts.seen);
  splits.tags = scripts.size();
  splits.features = [&]() -> FeaturesOf {
    return [&](std::size_t i, SequenceKeys& keys) { find_split_features(forms[i], lexicon, splits.gold[i], keys); };
  };
  learnt = train_sequences(
      splits, {.epochs = splits.tags == 1 ? 0 : 6, .min_count = 1, .min_first = 2, .seed = seed, .least = 0.05F}, crew,
      progress);
  if (!learnt) return std::nullopt;
  parts.splits = std::move(*learnt);
  parts.scripts = scripts.names();
  return parts;
}

void add_sections(parser::ContainerWriter& writer, const TokenizerParts& parts, base::Crew& crew) {
  add_sections(writer, "token", parts.tokens, crew);
  writer.add("split.scripts", parser::write_lines(parts.scripts));
  add_lexicon(writer, "split.seen", parts.seen);
  add_sections(writer, "split", parts.splits, crew);
}

}  // namespace kirchhoff::text
