// Text from streams: nothing is lost, whatever a stream holds ready, and paragraphs end where blank lines do.
#include "text/paragraphs.hpp"
#include "base/utf8.hpp"
#include "kirchhoff/types.hpp"
#include "text/characters.hpp"
#include "text/surface.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <streambuf>

namespace kirchhoff::text {
namespace {

/// A stream that has a few bytes ready at a time.
class Drops : public std::streambuf {
 public:
  Drops(std::string text, std::size_t size) : text_(std::move(text)), size_(size) {}

 private:
  int_type underflow() override {
    if (at_ == text_.size()) return traits_type::eof();
    const std::size_t size = std::min(size_, text_.size() - at_);
    setg(text_.data() + at_, text_.data() + at_, text_.data() + at_ + size);
    at_ += size;
    return traits_type::to_int_type(text_[at_ - size]);
  }
  std::string text_;
  std::size_t size_, at_ = 0;
};

struct Piece {
  std::string spaces, text;
  bool is_whole;
};

std::vector<Piece> pieces_of(const std::string& text, std::size_t drop) {
  Drops buffer(text, drop);
  std::istream in(&buffer);
  Paragraphs paragraphs(in, "f");
  std::vector<Piece> pieces;
  for (;;) {
    const Paragraph next = paragraphs.peek();
    if (next.spaces.empty() && next.text.empty()) return pieces;
    pieces.push_back({std::string(next.spaces), std::string(next.text), next.is_whole});
    paragraphs.take(next.spaces.size() + next.text.size());
  }
}

TEST(Paragraphs, EndAtBlankLines) {
  const auto pieces = pieces_of("\n One.\ntwo \n \t\r\nThree.\n\n\n", 1000);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].spaces, "\n ");
  EXPECT_EQ(pieces[0].text, "One.\ntwo \n \t\r\n");
  EXPECT_EQ(pieces[1].text, "Three.\n\n\n");
}

TEST(Paragraphs, LoseNothing) {
  std::mt19937 random(1);
  const std::vector<std::string> bits = {"a",  "B.", " ",        "\n", "\n\n", "\r\n",
                                         "\t", "é",  "\xC2\xA0", "漢", "😀",    "\xE2\x80\xA8"};
  for (int trial = 0; trial < 300; ++trial) {
    std::string text;
    for (std::size_t n = random() % 60; n > 0; --n) text += bits[random() % bits.size()];
    const auto whole = pieces_of(text, 1 << 20);
    for (const std::size_t drop : {1U, 2U, 7U}) {
      const auto pieces = pieces_of(text, drop);
      std::string together;
      for (const Piece& piece : pieces) {
        together += piece.spaces + piece.text;
        EXPECT_TRUE(piece.is_whole);
        EXPECT_TRUE(piece.text.empty() || !characters(piece.text)[0].is_space());
      }
      EXPECT_EQ(together, text);
      EXPECT_EQ(pieces.size(), whole.size());
    }
  }
}

TEST(Paragraphs, LongOnesAreCutBetweenCharacters) {
  std::string text = "x";
  while (text.size() < 3 * Paragraphs::kLongest) text += "漢";
  std::string together;
  for (const Piece& piece : pieces_of(text, 1000)) {
    EXPECT_LE(piece.text.size(), Paragraphs::kLongest);
    EXPECT_EQ(base::invalid_utf8(piece.text), std::string::npos);
    together += piece.text;
  }
  EXPECT_EQ(together, text);
}

TEST(Paragraphs, SayWhereTextIsNotUtf8) {
  try {
    pieces_of("\xEF\xBB\xBFgood\n\nab\xFFz", 3);
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(), "f:3:3: not UTF-8");
  }
  EXPECT_THROW(pieces_of("cut \xE6\xBC", 1), ParseError);
}

TEST(Paragraphs, AByteOrderMarkIsNoText) {
  EXPECT_EQ(pieces_of("\xEF\xBB\xBFgood", 1)[0].text, "good");
  EXPECT_EQ(pieces_of("go\xEF\xBB\xBFod", 1)[0].text, "go\xEF\xBB\xBFod");
}

TEST(Surface, SpacesComeBack) {
  std::mt19937 random(2);
  const std::string any = " \t\n\r|\\sntrp=x";
  for (int trial = 0; trial < 2000; ++trial) {
    std::string spaces;
    for (std::size_t n = random() % 8; n > 0; --n) spaces += any[random() % any.size()];
    const std::string escaped = escaped_spaces(spaces);
    EXPECT_EQ(escaped.find_first_of(" \t\n\r|"), std::string::npos);
    EXPECT_EQ(unescaped_spaces(escaped), spaces);
  }
  EXPECT_EQ(unescaped_spaces("\\u00A0\\s\\u3000"), "\xC2\xA0 \xE3\x80\x80");
  for (const char* none : {"\\u00A", "\\uD800", "\\u0041", "\\u-123", "\\uxyzw"})
    EXPECT_EQ(unescaped_spaces(none), none);
  EXPECT_EQ(spaces_after("_"), " ");
  EXPECT_EQ(spaces_after("A=b|SpaceAfter=No"), "");
  EXPECT_EQ(spaces_after("SpacesAfter=\\s\\n"), " \n");
}

}  // namespace
}  // namespace kirchhoff::text
