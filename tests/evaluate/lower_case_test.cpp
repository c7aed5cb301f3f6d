// Small letters of one to four bytes, from capitals of one to four bytes.
#include "evaluate/lower_case.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::evaluation {
namespace {

TEST(LowerCase, KeepsAndChangesTheLengthInBytes) {
  EXPECT_EQ(lower_case("Ab c1"), "ab c1");
  EXPECT_EQ(lower_case("ÀÉΣЖ"), "àéσж");
  EXPECT_EQ(lower_case("\u1E9E"), "\u00DF");              // three bytes become two
  EXPECT_EQ(lower_case("\u212A"), "k");                   // the sign of kelvin: three become one
  EXPECT_EQ(lower_case("\uFF21\u13A0"), "\uFF41\uAB70");  // three stay three
  EXPECT_EQ(lower_case("\U00010400"), "\U00010428");      // four stay four
  EXPECT_EQ(lower_case("\u0130"), "i\u0307");             // two letters
  EXPECT_EQ(lower_case("\u65E5\u672C"), "\u65E5\u672C");
}

}  // namespace
}  // namespace kirchhoff::evaluation
