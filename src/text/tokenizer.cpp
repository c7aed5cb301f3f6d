// Finds the tokens of a paragraph: the most probable tags of its characters, and the best script for each token.
#include "base/check.hpp"
#include "base/utf8.hpp"
#include "evaluate/lower_case.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "text/feature_hash.hpp"
#include "text/scripts.hpp"
#include "text/token_features.hpp"
#include "text/token_model.hpp"
#include "text/word_forms.hpp"

#include <algorithm>

namespace kirchhoff {
namespace text {
namespace {

constexpr std::size_t kLargestParagraph = std::size_t{1} << 20;

/// The tokens between tags, without their words.
std::vector<Tokenizer::Token> tokens_of(std::string_view text, std::span<const Character> characters, const Tags& tags,
                                        const Matrix& marginals) {
  std::vector<Tokenizer::Token> tokens;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const std::size_t end = i + 1 < characters.size() ? characters[i + 1].begin : text.size();
    const int tag = tags[i];
    if (tag == kToken || tag == kSentence) {
      const double probability = marginals(static_cast<Eigen::Index>(i), tag);
      tokens.push_back({characters[i].begin, end, tag == kSentence, std::min(probability, 1.0), {}});
    } else if (tag != kBetween) {
      tokens.back().end = end;
    }
  }
  return tokens;
}

/// Chooses the best script that can be applied.
std::vector<std::string> words_of(const TokenModel& model, std::string_view form, std::span<const float> scores) {
  for (const std::size_t i : best_first(scores, scores[0])) {
    if (auto words = apply_split_script(model.scripts[i], form)) return *words;
  }
  return {std::string(form)};
}

void split_tokens(const TokenModel& model, std::string_view text, std::vector<Tokenizer::Token>& tokens) {
  std::vector<std::string_view> forms;
  for (const Tokenizer::Token& token : tokens) forms.push_back(text.substr(token.begin, token.end - token.begin));
  SequenceKeys keys;
  if (model.scripts.size() > 1) find_split_features(forms, model.seen, {}, keys);
  std::vector<float> scores(1);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (model.scripts.size() > 1) model.splits.score(keys.of(i), scores);
    tokens[i].words = words_of(model, forms[i], scores);
  }
}

}  // namespace

TokenModel::TokenModel(const parser::Container& container)
    : file(container),
      tokens(container, "token", kTokenTags),
      scripts(parser::read_lines(container.text("split.scripts"))),
      seen(container, "split.seen", static_cast<int>(scripts.size())),
      splits(container, "split", static_cast<int>(scripts.size())) {
  if (scripts.empty() || scripts[0] != kOneWord) file.fail("its scripts for tokens are damaged");
  for (const std::string& script : scripts) {
    if (base::invalid_utf8(script) != std::string::npos || script.find('\r') != std::string::npos) {
      file.fail("has a script for tokens that is not text");
    }
  }
  if (tokens.transitions().rows() != kTokenTags) file.fail("its tokenizer is no chain");
}

namespace {

/// What the lexicon says of a token: the scripts that it was seen with, and what follows its longest proper beginning
/// that is a token of one word.
void add_seen(FeatureWriter& out, const std::string& token, std::span<const Character> characters, const Lexicon& seen,
              int own) {
  std::vector<Lexicon::Entry> found;
  seen.find(word_key(token), own, found);
  std::uint64_t all = 0;
  for (const Lexicon::Entry& entry : found) all = parser::mix(all ^ static_cast<std::uint64_t>(entry.id + 1));
  out.add({all});
  out.add({all, parser::hash_text(token)});
  for (std::size_t n = 1; n <= kCuts && n < characters.size(); ++n) {
    const std::size_t end = characters[characters.size() - n].begin;
    seen.find(word_key(std::string_view(token).substr(0, end)), Lexicon::kNothing, found);
    if (found.empty() || found[0].id != 0) continue;
    const std::uint64_t rest = parser::hash_text(std::string_view(token).substr(end));
    out.add({rest});
    out.add({rest, all});
    return;
  }
  out.skip(2);
}

}  // namespace

void find_split_features(std::span<const std::string_view> tokens, const Lexicon& seen, std::span<const int> own,
                         SequenceKeys& keys) {
  constexpr std::size_t kLongestEnd = 5;
  FeatureWriter out(keys);
  std::vector<std::string> lower;
  for (const std::string_view token : tokens) lower.push_back(evaluation::lower_case(token));
  const auto hash = [&](std::size_t i, int offset) -> std::uint64_t {
    const std::size_t at = i + static_cast<std::size_t>(offset);  // wraps below 0, beyond the end
    return at < lower.size() ? parser::hash_text(lower[at]) : 1;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::vector<Character> c = characters(lower[i]);
    out.add({});
    out.add({parser::hash_text(tokens[i])});
    out.add({hash(i, 0)});
    out.add({hash(i, 0), hash(i, 1)});
    out.add({hash(i, -1), hash(i, 0)});
    for (std::size_t n = 1; n <= kLongestEnd; ++n) {
      if (n > c.size()) {
        out.skip();
        out.skip();
        continue;
      }
      const std::uint64_t ending = parser::hash_text(std::string_view(lower[i]).substr(c[c.size() - n].begin));
      out.add({ending});
      out.add({ending, hash(i, -1)});
    }
    out.add({std::min<std::size_t>(c.size(), 4)});
    add_seen(out, lower[i], c, seen, own.empty() ? Lexicon::kNothing : own[i]);
    out.end_position();
  }
}

}  // namespace text

std::vector<Tokenizer::Token> Tokenizer::tokens(std::string_view paragraph) const {
  if (paragraph.size() > text::kLargestParagraph) base::input_error("tokens", "a paragraph of more than 1 MiB");
  if (base::invalid_utf8(paragraph) != std::string_view::npos) base::input_error("tokens", "text that is not UTF-8");
  const std::vector<text::Character> characters = text::characters(paragraph);
  if (characters.empty()) return {};
  if (characters[0].is_space()) base::input_error("tokens", "a paragraph that begins with white space");
  text::SequenceKeys keys;
  text::find_token_features(paragraph, characters, keys);
  Matrix emissions = model_->tokens.emissions(keys);
  text::forbid_tags(characters, emissions);
  const Matrix transitions = model_->tokens.transitions() + text::token_transitions();
  const ChainDistribution p(emissions, transitions);
  std::vector<Token> tokens = text::tokens_of(paragraph, characters, best_tags(p).tags, p.marginals().emissions);
  text::split_tokens(*model_, paragraph, tokens);
  return tokens;
}

}  // namespace kirchhoff
