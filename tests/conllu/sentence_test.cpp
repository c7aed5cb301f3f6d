// Sentences as values: changes, comments, attributes, conversion, and whether heads are a tree.
#include "kirchhoff/conllu.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kirchhoff {
namespace {

Sentence read_one(const std::string& text, ConllFormat format = ConllFormat::conllu) {
  std::istringstream in(text);
  return read_sentences(in, "f", format).at(0);
}

const std::string kTwo =
    "# sent_id = a\n1\tIn\tin\tADP\tIN\t_\t2\tcase\t_\t_\n2\ttown\ttown\tNOUN\tNN\tNumber=Sing\t0\troot\t_\tX=1\n\n";

TEST(Sentence, ChangesAreWritten) {
  Sentence s = read_one(kTwo);
  const Sentence before = s;
  s.set(1, Column::form, "Outside of");
  s.set(1, Column::lemma, "o");
  s.set_head(1, 0);
  s.set_head(2, 12);
  s.set_head(2, -1);
  s.set(2, Column::misc, s.form(1));  // a view into the sentence itself
  EXPECT_EQ(
      to_text(s),
      "# sent_id = a\n1\tOutside of\to\tADP\tIN\t_\t0\tcase\t_\t_\n2\ttown\ttown\tNOUN\tNN\tNumber=Sing\t_\troot\t_"
      "\tOutside of\n\n");
  EXPECT_EQ(s.heads(), (Heads{-1, 0, -1}));
  EXPECT_EQ(to_text(before), kTwo);
  const Sentence moved = std::move(s);
  EXPECT_EQ(moved.form(1), "Outside of");
}

TEST(Sentence, RefusesWhatCannotBeWritten) {
  Sentence s = read_one(kTwo);
  for (const char* bad : {"", "a\tb", "a\nb", "a\rb"}) EXPECT_THROW(s.set(1, Column::form, bad), InputError);
  EXPECT_THROW(s.set(1, Column::id, "3"), InputError);
  EXPECT_THROW(s.set(1, Column::head, "3"), InputError);
  EXPECT_THROW(s.set_head(1, -2), InputError);
  EXPECT_THROW(s.set_comment("a", "b\nc"), InputError);
  EXPECT_THROW(Sentence({"a", ""}), InputError);
  EXPECT_EQ(to_text(s), kTwo);
}

TEST(Sentence, CommentsAreReplacedOrAdded) {
  Sentence s = read_one("\n" + kTwo);
  s.set_comment("log_prob", "-1.5");
  s.set_comment("sent_id", "a longer one");
  EXPECT_EQ(s.comments(), (std::vector<std::string_view>{"# sent_id = a longer one", "# log_prob = -1.5"}));
  EXPECT_EQ(s.line(2), 4U);
  EXPECT_EQ(to_text(s).substr(0, 45), "# sent_id = a longer one\n# log_prob = -1.5\n1\t");
  Sentence crlf = read_one("1\ta\t_\t_\t_\t_\t0\t_\t_\t_\r\n\r\n");
  crlf.set_comment("x", "y");
  EXPECT_EQ(to_text(crlf), "# x = y\r\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\r\n\r\n");
}

TEST(Sentence, FromForms) {
  Sentence s({"Hello", "there world"});
  s.set_comment("sent_id", "new");
  EXPECT_EQ(to_text(s),
            "# sent_id = new\n1\tHello\t_\t_\t_\t_\t_\t_\t_\t_\n2\tthere world\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
  EXPECT_EQ(to_text(read_one(to_text(s))), to_text(s));
  EXPECT_EQ(s.line(1), 0U);
}

TEST(Sentence, ConvertsBothWays) {
  const Sentence u = read_one(
      "# c\n1-2\tau\t_\t_\t_\t_\t_\t_\t_\t_\n1\tà "
      "la\tà\tADP\tP\t_\t0\troot\t0:root\tX=1\n2\tle\tle\tDET\tD\t_\t1\tdet\t_\t_\n\n");
  const Sentence x = converted(u, ConllFormat::conllx);
  EXPECT_EQ(to_text(x), "1\tà_la\tà\tADP\tP\t_\t0\troot\t_\t_\n2\tle\tle\tDET\tD\t_\t1\tdet\t_\t_\n\n");
  EXPECT_EQ(x.heads(), u.heads());
  EXPECT_EQ(to_text(converted(u, ConllFormat::conllu)), to_text(u));
  const Sentence phead = read_one("1\ta\t_\t_\t_\t_\t0\tR\t0\tR\n\n", ConllFormat::conllx);
  EXPECT_EQ(to_text(converted(phead, ConllFormat::conllu)), "1\ta\t_\t_\t_\t_\t0\tR\t_\t_\n\n");
  EXPECT_THROW(Sentence(phead).set_comment("a", "b"), InputError);
}

TEST(Attributes, AreFoundAndSet) {
  EXPECT_EQ(attribute("Case=Nom|Number=Sing", "Number"), "Sing");
  EXPECT_EQ(attribute("Case=Nom|Number=Sing", "Num"), std::nullopt);
  EXPECT_EQ(attribute("_", "Case"), std::nullopt);
  EXPECT_EQ(attribute("A=b=c|A=d", "A"), "b=c");
  EXPECT_EQ(attribute("A=", "A"), "");
  EXPECT_EQ(with_attribute("_", "P", "0.5"), "P=0.5");
  EXPECT_EQ(with_attribute("A=1|P=2|B=3", "P", "0.5"), "A=1|P=0.5|B=3");
  EXPECT_EQ(with_attribute("A=1", "P", "0.5"), "A=1|P=0.5");
  EXPECT_EQ(universal_relation("nsubj:pass"), "nsubj");
  EXPECT_EQ(universal_relation("det"), "det");
}

}  // namespace
}  // namespace kirchhoff
