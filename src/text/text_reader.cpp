// Makes sentences of the tokens of paragraphs.
#include "conllu/parse.hpp"
#include "kirchhoff/tokenizer.hpp"
#include "text/characters.hpp"
#include "text/paragraphs.hpp"
#include "text/surface.hpp"

#include <algorithm>
#include <deque>
#include <sstream>

namespace kirchhoff {
namespace {

using Token = Tokenizer::Token;

constexpr std::size_t kMargin = 1024;  // Bytes that must follow where a long paragraph is cut.

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

/// How many tokens of a long paragraph's part to take: whole sentences that end well before it does, or else tokens.
std::size_t cut_before(std::span<const Token> tokens, std::size_t end) {
  std::size_t early = tokens.size();
  for (std::size_t i = tokens.size() - 1; i > 0; --i) {
    if (tokens[i].begin + kMargin > end) continue;
    if (tokens[i].starts_sentence) return i;
    if (early == tokens.size()) early = i;
  }
  return early;
}

}  // namespace

struct TextReader::State {
  text::Paragraphs paragraphs;
  const Tokenizer* tokenizer;
  TokenizeOptions options;
  std::deque<Sentence> ready = {};
  std::string spaces_before = {};  ///< White space that no token has.
  bool new_paragraph = true;
  std::size_t sentences = 0;  ///< How many there were.

  /// Makes sentences of what comes next. Returns false at the end of the text.
  bool read() {
    const text::Paragraph next = paragraphs.peek();
    if (next.text.empty() && next.spaces.empty()) return false;
    spaces_before += next.spaces;
    paragraphs.take(next.spaces.size());
    if (next.text.empty()) return true;
    const std::vector<Token> tokens = tokenizer->tokens(next.text);
    const std::size_t used = next.is_whole ? tokens.size() : cut_before(tokens, next.text.size());
    const std::size_t end = used < tokens.size() ? tokens[used].begin : next.text.size();
    add_sentences(std::span(tokens).first(used), next.text.substr(0, end));
    paragraphs.take(end);
    new_paragraph = next.is_whole;
    return true;
  }

  void add_sentences(std::span<const Token> tokens, std::string_view piece) {
    for (std::size_t first = 0; first < tokens.size();) {
      std::size_t last = first + 1;
      while (last < tokens.size() && !tokens[last].starts_sentence) ++last;
      const std::size_t end = last < tokens.size() ? tokens[last].begin : piece.size();
      ready.push_back(sentence_of(tokens.subspan(first, last - first), piece, end));
      first = last;
    }
  }

  /// The sentence of these tokens; white space belongs to the token before it, and the last one's ends at `end`.
  Sentence sentence_of(std::span<const Token> tokens, std::string_view piece, std::size_t end) {
    std::string text;
    if (new_paragraph) text += "# newpar\n";
    new_paragraph = false;
    text += "# sent_id = " + std::to_string(++sentences) + "\n";
    text += "# text = " + one_line(piece.substr(tokens[0].begin, tokens.back().end - tokens[0].begin)) + "\n";
    int word = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::size_t next = i + 1 < tokens.size() ? tokens[i + 1].begin : end;
      add_token(text, tokens[i], piece, misc_of(tokens[i], piece, next), word);
    }
    text += "\n";
    return SentenceParser(paragraphs.name(), std::move(text), 0, ConllFormat::conllu).parse();
  }

  static void add_token(std::string& text, const Token& token, std::string_view piece, const std::string& misc,
                        int& word) {
    const auto line = [&](const std::string& id, std::string_view form, std::string_view last) {
      text += id;
      (text += '\t') += form;
      ((text += "\t_\t_\t_\t_\t_\t_\t_\t") += last) += '\n';
    };
    const std::string_view form = piece.substr(token.begin, token.end - token.begin);
    if (token.words.size() == 1) return line(std::to_string(++word), token.words[0], misc);
    line(std::to_string(word + 1) + "-" + std::to_string(word + static_cast<int>(token.words.size())), form, misc);
    for (const std::string& part : token.words) line(std::to_string(++word), part, "_");
  }

  std::string misc_of(const Token& token, std::string_view piece, std::size_t next) {
    std::string misc = "_";
    if (!spaces_before.empty()) misc = with_attribute(misc, "SpacesBefore", text::escaped_spaces(spaces_before));
    spaces_before.clear();
    const std::string_view after = piece.substr(token.end, next - token.end);
    if (after.empty()) {
      misc = with_attribute(misc, "SpaceAfter", "No");
    } else if (after != " ") {
      misc = with_attribute(misc, "SpacesAfter", text::escaped_spaces(after));
    }
    if (!options.ranges) return misc;
    const std::size_t begin = paragraphs.characters() + text::character_count(piece.substr(0, token.begin));
    const std::size_t size = text::character_count(piece.substr(token.begin, token.end - token.begin));
    return with_attribute(misc, "TokenRange", std::to_string(begin) + ":" + std::to_string(begin + size));
  }
};

TextReader::TextReader(std::istream& in, std::string name, const Tokenizer& tokenizer, const TokenizeOptions& options)
    : state_(std::make_unique<State>(State{{in, std::move(name)}, &tokenizer, options})) {}
TextReader::~TextReader() = default;
TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;

std::optional<Sentence> TextReader::next() {
  while (state_->ready.empty()) {
    if (!state_->read()) return std::nullopt;
  }
  Sentence sentence = std::move(state_->ready.front());
  state_->ready.pop_front();
  return sentence;
}

std::vector<Sentence> tokenize(const Tokenizer& tokenizer, std::string_view text, const TokenizeOptions& options) {
  std::istringstream in{std::string(text)};
  TextReader reader(in, "text", tokenizer, options);
  std::vector<Sentence> sentences;
  while (std::optional<Sentence> sentence = reader.next()) sentences.push_back(std::move(*sentence));
  return sentences;
}

std::string plain_text(std::span<const Sentence> sentences) {
  std::string result;
  for (const Sentence& sentence : sentences) {
    for (const text::Surface& token : text::surfaces(sentence)) {
      if (const auto before = attribute(token.misc, "SpacesBefore")) result += text::unescaped_spaces(*before);
      result += token.form;
      result += text::spaces_after(token.misc);
    }
  }
  return result;
}

}  // namespace kirchhoff
