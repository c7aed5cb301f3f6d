// Reads bytes as CoNLL-U and as CoNLL-X: whatever they are, there are sentences or a ParseError with a place in the
// text. What it reads it writes back byte by byte (surplus blank lines and a byte order mark apart), and trees
// evaluated against themselves are perfect.
#include <kirchhoff/evaluate.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace {

using namespace kirchhoff;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Takes out a byte order mark and blank lines that end no sentence.
std::string normalised(std::string_view text) {
  std::string out;
  bool in_sentence = false;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    const bool blank = line == "\n" || line == "\r\n";
    if (!blank || in_sentence) out += line;
    in_sentence = !blank;
  }
  return out;
}

void check_sentence(Sentence sentence) {
  require(sentence.size() >= 1, "a sentence without words");
  const std::string text = to_text(sentence);
  for (int word = 1; word <= sentence.size(); ++word) {
    sentence.set_head(word, sentence.head(word));
    sentence.set(word, Column::misc, sentence.misc(word));
  }
  require(to_text(sentence).size() >= text.size(), "setting the same values loses text");
  if (sentence.format() == ConllFormat::conllu) {
    sentence.set_comment("checked", "yes");
    require(sentence.comment("checked") == "yes", "a comment is not set");
  }
  for (const ConllFormat format : {ConllFormat::conllu, ConllFormat::conllx}) {
    std::istringstream in(to_text(converted(sentence, format)));
    require(read_sentences(in, "converted", format).size() == 1, "a converted sentence cannot be read");
  }
  if (tree_problem(sentence.heads(), Root::multi)) return;
  try {
    const std::span<const Sentence> one(&sentence, 1);
    for (const Score& score : evaluate(one, one, Root::multi).total) {
      require(score.correct == score.gold && score.correct == score.system, "a copy is not perfect");
    }
  } catch (const InputError&) {  // a form of blanks only
  }
}

void check(const std::string& text, ConllFormat format) {
  std::istringstream in(text);
  SentenceReader reader(in, "fuzz", format);
  std::string written;
  bool complete = true;
  while (true) {
    try {
      const auto sentence = reader.next();
      if (!sentence) break;
      written += to_text(*sentence);
      check_sentence(*sentence);
    } catch (const ParseError& e) {
      complete = false;
      require(e.line() >= 1 && e.column() >= 1, "an error without place");
      require(std::string_view(e.what()).find('\n') == std::string_view::npos, "a message of several lines");
    }
  }
  require(!complete || written == normalised(text), "other bytes written than read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text, ConllFormat::conllu);
  check(text, ConllFormat::conllx);
  return 0;
}
