// UTF-8 against an encoder written from the definition: every code point, and every way to be ill-formed.
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kirchhoff::base {
namespace {

/// The encoding of any number below 2^21 in `size` bytes, also where the standard forbids it.
std::string encode(char32_t code, int size) {
  if (size == 1) return std::string(1, static_cast<char>(code));
  constexpr unsigned kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  std::string text(1, static_cast<char>(kLead[size] | code >> (6 * (size - 1))));
  for (int i = size - 2; i >= 0; --i) text += static_cast<char>(0x80U | (code >> (6 * i) & 0x3FU));
  return text;
}

int size_of(char32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

TEST(Utf8, EveryCodePointIsReadBack) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    const std::string text = encode(code, size_of(code));
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    ASSERT_EQ(invalid_utf8(text), surrogate ? 0 : std::string::npos) << static_cast<unsigned>(code);
    if (surrogate) continue;
    ASSERT_EQ(character_size(text), text.size());
    ASSERT_EQ(code_point(text), code);
  }
}

TEST(Utf8, OverlongAndOutOfRangeAreInvalid) {
  for (int size = 2; size <= 4; ++size) {
    for (char32_t code = 0; size_of(code) < size && code < 0x10000; ++code) {
      ASSERT_EQ(invalid_utf8(encode(code, size)), 0u);
    }
  }
  for (char32_t code = 0x110000; code < 0x200000; code += 0xFFF) ASSERT_EQ(invalid_utf8(encode(code, 4)), 0u);
}

TEST(Utf8, TellsWhereTheFirstBadByteIs) {
  const std::string good = "tree \u00e9\u4e2d\U0001F333 and enough ASCII to be read eight bytes at a time";
  EXPECT_EQ(invalid_utf8(good), std::string::npos);
  EXPECT_EQ(invalid_utf8(""), std::string::npos);
  for (std::size_t i = 0; i <= good.size(); ++i) {
    if (i < good.size() && (static_cast<unsigned char>(good[i]) & 0xC0) == 0x80) continue;  // within a character
    std::string bad = good;
    bad.insert(i, "\x80");
    EXPECT_EQ(invalid_utf8(bad), i);
  }
}

TEST(Utf8, CutCharactersAreInvalid) {
  for (const char32_t code : {U'\u00e9', U'\u4e2d', U'\U0001F333'}) {
    const std::string text = "x" + encode(code, size_of(code));
    for (std::size_t size = 2; size < text.size(); ++size) EXPECT_EQ(invalid_utf8(text.substr(0, size)), 1u);
  }
}

}  // namespace
}  // namespace kirchhoff::base
