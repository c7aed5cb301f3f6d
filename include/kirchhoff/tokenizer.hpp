// Raw text to sentences of words: a tokenizer and sentence splitter that is learnt from a treebank.
//
//   const Pipeline pipeline = Pipeline::open("en.model");
//   for (const Sentence& sentence : tokenize(pipeline.tokenizer(), "Dogs bark. Cats don't.")) ...
//
// Every character is the first of a token, inside one, the first of a sentence, or between tokens, by a linear-chain
// conditional random field; tokens of several words are split by learnt scripts. The sentences say in MISC which white
// space there was, so the text can be rebuilt byte for byte. Method: docs/methods/text.md.
#pragma once

#include "kirchhoff/conllu.hpp"

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff {

namespace text {
struct TokenModel;
struct TextAccess;
}  // namespace text

/// A learnt tokenizer. It is immutable, copies share it, and several threads may use it.
class Tokenizer {
 public:
  /// A token as it stands in the text, and the words it is split into.
  struct Token {
    std::size_t begin = 0, end = 0;  ///< In bytes.
    bool starts_sentence = false;
    double probability = 1.0;  ///< That a token begins here, and a sentence if it starts one.
    std::vector<std::string> words;
  };
  /// The tokens of one paragraph. It must be well-formed UTF-8 of no more than 2^20 bytes, and have no white space at
  /// its beginning. Throws InputError.
  std::vector<Token> tokens(std::string_view paragraph) const;

 private:
  friend struct text::TextAccess;
  explicit Tokenizer(std::shared_ptr<const text::TokenModel> model) : model_(std::move(model)) {}
  std::shared_ptr<const text::TokenModel> model_;
};

struct TokenizeOptions {
  bool ranges = false;  ///< TokenRange=BEGIN:END in MISC says where a token stands, in characters of the whole text.
};

/// Reads sentences from raw text one after the other. Blank lines end sentences. Memory holds one paragraph, or 64 kB
/// of a longer one, which is then cut where a sentence begins.
class TextReader {
 public:
  /// `name` is for messages. Stream and tokenizer must outlive the reader.
  TextReader(std::istream& in, std::string name, const Tokenizer& tokenizer, const TokenizeOptions& options = {});
  ~TextReader();
  TextReader(TextReader&&) noexcept;
  TextReader& operator=(TextReader&&) noexcept;

  /// The next sentence, or nothing at the end. Throws ParseError where the text is not UTF-8.
  std::optional<Sentence> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The sentences of a text. Throws ParseError where it is not UTF-8.
std::vector<Sentence> tokenize(const Tokenizer& tokenizer, std::string_view text, const TokenizeOptions& options = {});

/// The text that sentences were read from: their tokens with the white space that MISC tells (SpacesBefore,
/// SpacesAfter, SpaceAfter=No), one blank where it tells nothing. What TextReader has read comes back byte for byte,
/// but for a byte-order mark.
std::string plain_text(std::span<const Sentence> sentences);

}  // namespace kirchhoff
