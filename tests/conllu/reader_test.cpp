// Reading and writing gives the same bytes; what is no CoNLL-U is named with line and column.
#include "kirchhoff/conllu.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kirchhoff {
namespace {

constexpr const char* kRest = "\t_\t_\t_\t_\t0\troot\t_\t_\n";

std::string row(const std::string& id, const std::string& form, const std::string& head = "_") {
  return id + "\t" + form + "\t_\t_\t_\t_\t" + head + "\t_\t_\t_\n";
}

std::vector<Sentence> read(const std::string& text, ConllFormat format = ConllFormat::conllu) {
  std::istringstream in(text);
  return read_sentences(in, "f", format);
}

std::string written(const std::vector<Sentence>& sentences) {
  std::ostringstream out;
  for (const Sentence& sentence : sentences) out << sentence;
  return out.str();
}

std::string error_of(const std::string& text, ConllFormat format = ConllFormat::conllu) {
  try {
    read(text, format);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "no error";
}

/// Comments, a multiword token with an empty node inside, and one before the first word.
const std::string kEverything = "# sent_id = s-1\n# text = vámonos al mar\n#odd\n" + row("0.1", "x") +
                                row("1-2", "vámonos") + row("1", "vamos", "0") + row("1.1", "pro") + row("1.2", "pro") +
                                row("2", "nos", "1") + row("3-4", "al") + row("3", "a", "5") + row("4", "el", "5") +
                                row("5", "in spite", "1") + "\n";

TEST(Reader, GivesBackTheSameBytes) {
  std::string crlf;
  for (const char c : kEverything) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string without_blank = kEverything.substr(0, kEverything.size() - 1);
  const std::string without_break = kEverything.substr(0, kEverything.size() - 2);
  for (const std::string& text :
       {kEverything, crlf, without_blank, without_break, kEverything + crlf + without_break}) {
    EXPECT_EQ(written(read(text)), text);
  }
  EXPECT_EQ(read(kEverything + crlf + without_break).size(), 3U);
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("\n\r\n\n").empty());
}

TEST(Reader, DropsByteOrderMarkAndSurplusBlankLines) {
  EXPECT_EQ(written(read("\xEF\xBB\xBF\n\n" + kEverything + "\n\n" + kEverything + "\n")), kEverything + kEverything);
}

TEST(Reader, UnderstandsWhatItReads) {
  const Sentence s = read("\n\n" + kEverything).at(0);
  ASSERT_EQ(s.size(), 5);
  EXPECT_EQ(s.form(5), "in spite");
  EXPECT_EQ(s.heads(), (Heads{-1, 0, 1, 5, 5, 1}));
  EXPECT_EQ(s.line(), 3U);
  EXPECT_EQ(s.line(1), 8U);
  EXPECT_EQ(s.line(5), 15U);
  EXPECT_EQ(s.comments(), (std::vector<std::string_view>{"# sent_id = s-1", "# text = vámonos al mar", "#odd"}));
  EXPECT_EQ(s.comment("sent_id"), "s-1");
  EXPECT_FALSE(s.comment("odd"));
  const auto tokens = s.multiword_tokens();
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[1].first, 3);
  EXPECT_EQ(tokens[1].last, 4);
  EXPECT_EQ(tokens[1].columns[1], "al");
  const auto nodes = s.empty_nodes();
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].word, 0);
  EXPECT_EQ(nodes[2].word, 1);
  EXPECT_EQ(nodes[2].index, 2);
}

TEST(Reader, NamesLineAndColumnOfErrors) {
  const std::string good = row("1", "a", "0");
  EXPECT_EQ(error_of(good + "2\tb\n"), "f:2:4: 2 columns separated by tabs, expected 10");
  EXPECT_EQ(error_of("\n" + good + "2\tb\t\tx\n"), "f:3:5: LEMMA: empty; nothing is written '_'");
  EXPECT_EQ(error_of("1\ta\t_\t_\t_\t_\t0\t_\t_\t_\tmore\n"), "f:1:21: more than 10 columns");
  EXPECT_EQ(error_of("1\ta\rb\t_\t_\t_\t_\t0\t_\t_\t_\r\n"), "f:1:4: a carriage return inside a line");
  EXPECT_EQ(error_of(row("1", "a", "x")), "f:1:13: HEAD: 'x' is neither a word number nor '_'");
  EXPECT_EQ(error_of(row("1", "a", "-1")), "f:1:13: HEAD: '-1' is neither a word number nor '_'");
  EXPECT_EQ(error_of(row("1", "a", "99999999999")), "f:1:13: HEAD: '99999999999' is neither a word number nor '_'");
  EXPECT_EQ(error_of(row("2", "a")), "f:1:1: ID: 2, expected 1");
  EXPECT_EQ(error_of(row("01", "a")), "f:1:1: ID: '01' is not a word number");
  EXPECT_EQ(error_of(good + row("3-4", "a")), "f:2:1: ID: a multiword token of words 3 to 4 before word 2");
  EXPECT_EQ(error_of(row("1-3", "a") + good + row("2-3", "b")), "f:3:1: ID: a multiword token inside another");
  EXPECT_EQ(error_of(row("1-2", "a") + good), "f:3:1: the sentence ends before word 2 of a multiword token");
  EXPECT_EQ(error_of(good + row("1.2", "a")), "f:2:1: ID: empty node 1.2, expected 1.1");
  EXPECT_EQ(error_of(good + "# late\n"), "f:2:1: a comment after the first word");
  EXPECT_EQ(error_of("# only\n\n"), "f:3:1: the sentence has no words");
  EXPECT_EQ(error_of(good + "\n" + "1\t\xC3(" + kRest), "f:3:3: not UTF-8");
  for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_EQ(error_of("1\t" + std::string(bad) + kRest), "f:1:3: not UTF-8");
  }
  EXPECT_EQ(error_of("1\t\xF0\x9F\x8C\xB3" + std::string(kRest)), "no error");
}

TEST(Reader, GoesOnAfterABadSentence) {
  std::istringstream in(row("2", "bad") + "\n" + row("1", "good", "0") + "\n");
  SentenceReader reader(in, "f", ConllFormat::conllu);
  EXPECT_THROW(reader.next(), ParseError);
  EXPECT_EQ(reader.next()->form(1), "good");
  EXPECT_FALSE(reader.next());
}

TEST(Reader, CoNLLXHasWordsOnly) {
  const std::string text = "1\tthe\tthe\tD\tDT\tx|y\t2\tNMOD\t2\tNMOD\n2\t#\t#\tN\tNN\t_\t0\tROOT\t_\t_\n\n";
  EXPECT_EQ(written(read(text, ConllFormat::conllx)), text);
  EXPECT_EQ(error_of("# text\n" + text, ConllFormat::conllx), "f:1:7: 1 columns separated by tabs, expected 10");
  EXPECT_EQ(error_of(row("1-2", "a"), ConllFormat::conllx), "f:1:1: ID: '1-2' is not a word number");
}

/// Hands out one byte at a time, as a slow pipe does.
class Dripping : public std::streambuf {
 public:
  explicit Dripping(std::string text) : text_(std::move(text)) {}

 protected:
  int_type underflow() override {
    if (at_ == text_.size()) return traits_type::eof();
    setg(text_.data() + at_, text_.data() + at_, text_.data() + at_ + 1);
    ++at_;
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

TEST(Reader, TakesPieces) {
  Dripping source(kEverything + kEverything);
  std::istream in(&source);
  EXPECT_EQ(written(read_sentences(in, "f", ConllFormat::conllu)), kEverything + kEverything);
}

/// Where the large treebanks are, or the one that comes with the sources.
std::string treebank_folder() {
  const char* given = std::getenv("KIRCHHOFF_TREEBANKS");
  const std::string folder = given != nullptr ? given : KIRCHHOFF_TREEBANKS;
  return std::filesystem::exists(folder) ? folder : KIRCHHOFF_EXAMPLE_TREEBANK;
}

TEST(Treebanks, RoundTripAndAreTrees) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(treebank_folder())) {
    if (entry.path().extension() != ".conllu") continue;
    SCOPED_TRACE(entry.path().filename());
    ++files;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::vector<Sentence> sentences = read(bytes);
    ASSERT_TRUE(written(sentences) == bytes);
    for (const Sentence& sentence : sentences) {
      ASSERT_EQ(tree_problem(sentence.heads(), Root::single), std::nullopt);
    }
  }
  EXPECT_GT(files, 0) << treebank_folder();
}

}  // namespace
}  // namespace kirchhoff
