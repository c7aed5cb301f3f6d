// The tables of names: every value has one name, and every name leads back to its value.
#include "kirchhoff/accuracy.hpp"
#include "kirchhoff/types.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {

enum class Fruit { green_apple, pear };
template <>
inline constexpr std::array<std::string_view, 2> kNames<Fruit> = {"green_apple", "pear"};

namespace {

template <class Enum>
void expect_round_trips() {
  for (std::size_t i = 0; i < kNames<Enum>.size(); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(to_string(value), kNames<Enum>[i]);
    EXPECT_EQ(parse_name<Enum>(to_string(value)), value);
  }
}

TEST(Names, LeadBackToTheirValues) {
  expect_round_trips<Root>();
  expect_round_trips<Method>();
  expect_round_trips<Fruit>();
  EXPECT_EQ(to_string(Root::multi), "multi");
  EXPECT_EQ(to_string(Method::automatic), "automatic");
}

TEST(Names, TakeAHyphenForAnUnderscore) {
  EXPECT_EQ(parse_name<Fruit>("green-apple"), Fruit::green_apple);
  EXPECT_EQ(parse_name<Fruit>("green apple"), std::nullopt);
}

TEST(Names, AreSpelledInFull) {
  for (const char* text : {"", "p", "pea", "pears", "Pear", "pear "}) {
    EXPECT_EQ(parse_name<Fruit>(text), std::nullopt) << text;
  }
}

TEST(Names, AreListedForMessages) {
  EXPECT_EQ(all_names<Fruit>(), "green_apple, pear");
  EXPECT_EQ(all_names<Root>(" or "), "single or multi");
}

}  // namespace
}  // namespace kirchhoff
