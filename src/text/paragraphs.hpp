// Raw text from a stream, paragraph by paragraph, in bounded memory.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace kirchhoff::text {

/// Text between blank lines, with the white space that follows it; or as much of it as fits.
struct Paragraph {
  std::string_view spaces;  ///< White space before it. Both hold until the next peek().
  std::string_view text;
  bool is_whole = true;  ///< False: more of the paragraph follows.
};

class Paragraphs {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 16;  ///< Bytes.

  Paragraphs(std::istream& in, std::string name) : in_(&in), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// What comes next; no text and no spaces at the end. It takes no more from the stream than it must. Throws
  /// ParseError where that is not UTF-8.
  Paragraph peek();
  /// Goes on after this many bytes of what peek() gave.
  void take(std::size_t size);
  /// The number of characters that were taken.
  std::size_t characters() const { return characters_; }

 private:
  std::string_view rest() const { return std::string_view(buffer_).substr(front_); }
  bool fill();
  std::size_t cut() const;
  void check(std::size_t size) const;

  std::istream* in_;
  std::string name_;
  std::string buffer_;
  std::size_t front_ = 0;  ///< What lies before was taken.
  bool at_start_ = true;
  std::size_t line_ = 1, column_ = 1;  ///< Of the next byte.
  std::size_t characters_ = 0;
};

/// The number of characters of well-formed UTF-8.
std::size_t character_count(std::string_view text);

}  // namespace kirchhoff::text
