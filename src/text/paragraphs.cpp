// Finds blank lines in what a stream holds ready.
#include "text/paragraphs.hpp"

#include "base/utf8.hpp"
#include "kirchhoff/types.hpp"
#include "text/characters.hpp"

#include <algorithm>
#include <istream>

namespace kirchhoff::text {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The bytes of the character at the front if it is white space, else 0. The text may end within a character.
std::size_t space_size(std::string_view text) {
  if (is_ascii_space(text.front())) return 1;
  const std::size_t size = base::character_size(text);
  if (size == 1 || size > text.size() || base::invalid_utf8(text.substr(0, size)) != std::string_view::npos) return 0;
  return text::characters(text.substr(0, size))[0].is_space() ? size : 0;
}

/// The bytes of white space at the front.
std::size_t leading_space(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = space_size(text.substr(at));
    if (size == 0) break;
    at += size;
  }
  return at;
}

/// Where the next paragraph begins, after two line breaks with nothing but white space between; npos where the text
/// does not tell.
std::size_t next_paragraph(std::string_view text) {
  constexpr std::size_t kLongestCharacter = 4;
  for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i)) {
    const std::size_t end = i + leading_space(text.substr(i));
    const auto breaks = std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                   text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    i = end;
    if (breaks < 2 || end == text.size()) continue;
    const bool known = base::character_size(text.substr(end)) <= text.size() - end;
    if (known || text.size() - end >= kLongestCharacter) return end;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t character_count(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues));
}

/// Reads what the stream holds ready, or waits for one byte; false at its end.
bool Paragraphs::fill() {
  std::streambuf* source = in_->rdbuf();
  if (source->sgetc() == std::istream::traits_type::eof()) return false;
  buffer_.erase(0, front_);
  front_ = 0;
  const std::size_t size = buffer_.size();
  const auto ready = static_cast<std::size_t>(std::max<std::streamsize>(source->in_avail(), 1));
  buffer_.resize(size + std::min(ready, kLongest));
  const std::streamsize got = source->sgetn(buffer_.data() + size, static_cast<std::streamsize>(buffer_.size() - size));
  buffer_.resize(size + static_cast<std::size_t>(got));
  return true;
}

/// kLongest, or a little less where that is within a character.
std::size_t Paragraphs::cut() const {
  std::size_t end = kLongest;
  while (end > kLongest - 4 && continues(rest()[end])) --end;
  return end;
}

void Paragraphs::check(std::size_t size) const {
  const std::size_t bad = base::invalid_utf8(rest().substr(0, size));
  if (bad == std::string_view::npos) return;
  const std::string_view before = rest().substr(0, bad);
  const std::size_t last = before.rfind('\n');
  throw ParseError(name_, line_ + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
                   last == std::string_view::npos ? column_ + bad : bad - last, "not UTF-8");
}

Paragraph Paragraphs::peek() {
  bool more = true;
  std::size_t end = next_paragraph(rest().substr(0, std::min(rest().size(), kLongest)));
  while (more && end == std::string_view::npos && rest().size() <= kLongest) {
    more = fill();
    if (at_start_ && rest().size() >= kMark.size()) {
      if (rest().starts_with(kMark)) front_ += kMark.size();
      at_start_ = false;
    }
    end = next_paragraph(rest().substr(0, std::min(rest().size(), kLongest)));
  }
  const bool is_whole = end != std::string_view::npos || rest().size() <= kLongest;
  if (end == std::string_view::npos) end = is_whole ? rest().size() : cut();
  check(end);
  const std::string_view all = rest().substr(0, end);
  const std::size_t spaces = leading_space(all);
  return {all.substr(0, spaces), all.substr(spaces), is_whole};
}

void Paragraphs::take(std::size_t size) {
  const std::string_view gone = rest().substr(0, size);
  const std::size_t last = gone.rfind('\n');
  line_ += static_cast<std::size_t>(std::count(gone.begin(), gone.end(), '\n'));
  column_ = last == std::string_view::npos ? column_ + size : size - last;
  characters_ += character_count(gone);
  front_ += size;
}

}  // namespace kirchhoff::text
