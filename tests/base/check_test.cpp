// What the argument checks let pass, what they refuse, and how they say so.
#include "base/check.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kirchhoff {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The message of the InputError that the call throws; empty when it throws none.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Check, SquareMatricesHaveAWord) {
  EXPECT_EQ(base::check_square("f", "m", Matrix::Zero(2, 2)), 1);
  EXPECT_EQ(base::check_square("f", "m", Matrix::Zero(7, 7)), 6);
  EXPECT_EQ(message_of([] { base::check_square("f", "m", Matrix::Zero(4, 5)); }), "[f] m: 4x5 is not square");
  for (const int size : {0, 1}) {
    EXPECT_NE(message_of([&] { base::check_square("f", "m", Matrix::Zero(size, size)); }), "");
  }
}

TEST(Check, ShapesMustBeThoseOfTheWords) {
  EXPECT_EQ(message_of([] { base::check_shape("f", "m", Matrix::Zero(3, 3), 2); }), "");
  EXPECT_EQ(message_of([] { base::check_shape("f", "m", Matrix::Zero(3, 4), 2); }), "[f] m: 3x4, expected 3x3");
}

TEST(Check, OnlyCellsOfArcsMustBeFinite) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    for (int head = 0; head < 3; ++head) {
      for (int dependent = 0; dependent < 3; ++dependent) {
        Matrix m = Matrix::Zero(3, 3);
        m(head, dependent) = bad;
        const bool is_arc = dependent != 0 && head != dependent;
        EXPECT_EQ(message_of([&] { base::check_finite("f", "m", m); }) != "", is_arc);
        EXPECT_EQ(message_of([&] { base::check_scores("f", m); }) != "", is_arc && bad != -kInfinity);
      }
    }
  }
}

TEST(Check, ScoresAreMinusInfinityOrOfModestSize) {
  for (const double good : {0.0, -kInfinity, 1e100, -1e100, 5e-324}) EXPECT_TRUE(base::is_score(good)) << good;
  for (const double bad : {kNaN, kInfinity, 1.0000001e100, -1.0000001e100}) {
    EXPECT_FALSE(base::is_score(bad)) << bad;
    LabelledMatrix labelled(2, 3);
    labelled(1, 2, 1) = bad;
    const std::string message = message_of([&] { base::check_scores("f", labelled); });
    EXPECT_EQ(message.find("[f] scores(1, 2, 1): "), 0u) << message;
    EXPECT_EQ(message_of([&] { base::check_scores("f", labelled, {0, 2}); }), "");
    EXPECT_EQ(message_of([&] { base::check_scores("f", labelled, {1, 2}); }), message);
    EXPECT_EQ(message_of([&] { base::check_score("f", "x", bad); }).find("[f] x: "), 0u);
  }
}

TEST(Check, ArcsExist) {
  for (int head = -1; head <= 4; ++head) {
    for (int dependent = -1; dependent <= 4; ++dependent) {
      const bool exists = head >= 0 && head <= 3 && dependent >= 1 && dependent <= 3 && head != dependent;
      EXPECT_EQ(message_of([&] { base::check_arc("f", {head, dependent}, 3); }) == "", exists);
    }
  }
}

TEST(Check, LabelledMatricesHaveAWordAndALabel) {
  EXPECT_EQ(LabelledMatrix(2, 3, 0.5).size(), 27u);
  EXPECT_THROW(LabelledMatrix(0, 3), InputError);
  EXPECT_THROW(LabelledMatrix(2, 0), InputError);
}

}  // namespace
}  // namespace kirchhoff
