// Reads sentences from a stream: the lines up to the next blank one are gathered, then parsed. What the stream holds
// ready is taken at once and never more, so that a sentence typed at a terminal or sent through a pipe is answered when
// complete.
#include "conllu/parse.hpp"

#include <algorithm>
#include <istream>

namespace kirchhoff {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kMaxText = std::size_t{1} << 30;  // So that no stream without line breaks fills the memory.

bool is_blank(std::string_view line) { return line == "\n" || line == "\r\n"; }

}  // namespace

SentenceReader::SentenceReader(std::istream& in, std::string name, ConllFormat format)
    : in_(&in), name_(std::move(name)), format_(format) {}

/// Reads more of the stream; false at its end.
bool SentenceReader::fill() {
  std::streambuf* source = in_->rdbuf();
  if (source->sgetc() == std::istream::traits_type::eof()) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const auto ready = static_cast<std::size_t>(std::max<std::streamsize>(source->in_avail(), 1));
  const std::size_t size = buffer_.size();
  if (size > kMaxText) {
    buffer_.clear();
    throw ParseError(name_, line_ + 1, 1, "the line is longer than 1 GB");
  }
  buffer_.resize(size + std::min(ready, kPiece));
  const std::streamsize got = source->sgetn(buffer_.data() + size, static_cast<std::streamsize>(buffer_.size() - size));
  buffer_.resize(size + static_cast<std::size_t>(got));
  return true;
}

/// The next line with its line break. The view holds until the next call.
std::optional<std::string_view> SentenceReader::next_line() {
  std::size_t searched = 0;
  while (true) {
    const std::size_t feed = buffer_.find('\n', begin_ + searched);
    if (feed != std::string::npos) {
      const std::string_view line = std::string_view(buffer_).substr(begin_, feed + 1 - begin_);
      begin_ = feed + 1;
      ++line_;
      return line;
    }
    searched = buffer_.size() - begin_;
    if (!fill()) break;
  }
  if (begin_ == buffer_.size()) return std::nullopt;
  const std::string_view line = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  ++line_;
  return line;
}

std::optional<Sentence> SentenceReader::next() {
  std::string text;
  std::size_t first_line = 0;
  while (auto line = next_line()) {
    if (line_ == 1 && line->starts_with("\xEF\xBB\xBF")) line->remove_prefix(3);
    if (text.empty()) {
      if (line->empty() || is_blank(*line)) continue;
      first_line = line_;
    }
    text.append(*line);
    if (is_blank(*line)) break;
    if (text.size() > kMaxText) throw ParseError(name_, line_, 1, "the sentence is longer than 1 GB");
  }
  if (text.empty()) return std::nullopt;
  return SentenceParser(name_, std::move(text), first_line, format_).parse();
}

std::vector<Sentence> read_sentences(std::istream& in, const std::string& name, ConllFormat format) {
  SentenceReader reader(in, name, format);
  std::vector<Sentence> sentences;
  while (auto sentence = reader.next()) sentences.push_back(std::move(*sentence));
  return sentences;
}

}  // namespace kirchhoff
