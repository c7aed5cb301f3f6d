// Model files: damage of any kind is a ModelError, never a crash.
#include "parser/file/model.hpp"
#include "kirchhoff/train.hpp"
#include "parser/file/container.hpp"
#include "parser/file/crafted.hpp"
#include "parser/toy_treebank.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

namespace kirchhoff {
namespace {

std::string path() { return testing::TempDir() + "/file.model"; }

void write(const std::string& bytes) { std::ofstream(path(), std::ios::binary) << bytes; }

std::string toy_bytes() {
  static const std::string bytes = [] {
    TrainOptions options{.root = Root::single};
    options.epochs = 1;
    options.pruner_epochs = 1;
    train_parser(ToyTreebank(1).sentences(20), {}, options).model->save(path());
    std::ifstream file(path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}

TEST(Container, GivesBackItsSections) {
  parser::ContainerWriter writer(7);
  const std::vector<double> numbers = {1.5, -2.5};
  writer.add("text", std::string_view("hello"));
  writer.add("empty", std::string_view());
  writer.add_array("numbers", std::span<const double>(numbers));
  base::Crew crew(2);
  const auto bytes = std::move(writer).finish(crew);
  const parser::Container c(bytes, "test", 7);
  EXPECT_EQ(c.text("text"), "hello");
  EXPECT_EQ(c.text("empty"), "");
  EXPECT_EQ(c.array<double>("numbers")[1], -2.5);
  EXPECT_THROW(c.section("other"), ModelError);
  EXPECT_THROW(c.array<double>("text"), ModelError);
  EXPECT_THROW(parser::Container(bytes, "test", 8), ModelError);
}

TEST(Container, NoticesEveryTruncationAndEveryFlippedBit) {
  parser::ContainerWriter writer(7);
  writer.add("one", std::string_view("some text"));
  writer.add("two", std::string_view("more text"));
  base::Crew crew(1);
  const auto good = std::move(writer).finish(crew);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parser::Container({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}, "cut", 7),
                 ModelError);
  }
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    auto bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_THROW(parser::Container(bad, "flipped", 7), ModelError) << bit;
  }
}

TEST(ModelFile, NoticesTruncationAndFlippedBits) {
  const std::string good = toy_bytes();
  std::mt19937_64 random(17);
  for (int trial = 0; trial < 60; ++trial) {
    write(good.substr(0, trial < 30 ? static_cast<std::size_t>(trial) * 40 : random() % good.size()));
    EXPECT_THROW(ParserModel::open(path()), ModelError);
    std::string bad = good;
    const std::size_t bit = random() % (8 * bad.size());
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    write(bad);
    EXPECT_THROW(ParserModel::open(path()), ModelError);
  }
}

TEST(ModelFile, NoticesEveryTruncation) {
  // Every length in the front, where the header and the small sections are, and at the end; every 97th between.
  const std::string good = toy_bytes();
  write(good);
  for (std::size_t size = good.size(); size > 0;) {
    size -= size > good.size() - 1000 || size <= 8192 ? 1 : 97;
    std::filesystem::resize_file(path(), size);
    ASSERT_THROW(ParserModel::open(path()), ModelError) << size;
  }
}

TEST(ModelFile, SurvivesDamageWithARightChecksum) {
  // As if someone made the file on purpose: either it is refused, or it parses without a crash.
  const std::string good = toy_bytes();
  const Sentence sentence = ToyTreebank(2).sentences(1)[0];
  std::mt19937_64 random(19);
  int opened = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::string bad = good;
    // Half of the damage goes to the small sections at the front.
    const std::size_t within = trial % 2 == 0 ? std::min<std::size_t>(bad.size(), 20000) : bad.size();
    for (int k = 0; k < 8; ++k) bad[32 + random() % (within - 32)] = static_cast<char>(random());
    repair(bad);
    write(bad);
    try {
      Parser parser(ParserModel::open(path()));
      ++opened;
      const Parsed parsed = parser.parse(sentence, {.probabilities = true});
      check_tree(parsed.tree.heads, sentence.size(), parser.model().root(), "test");
      for (const double p : parsed.label_probabilities) EXPECT_TRUE(p >= 0.0 && p <= 1.0) << p;
      for (const double p : parsed.arc_probabilities) EXPECT_TRUE(p >= 0.0 && p <= 1.0 + 1e-9) << p;
    } catch (const ModelError&) {
    }
  }
  EXPECT_GT(opened, 0);
}

/// Opens crafted bytes, which must be refused with a message that names the file and the problem.
void expect_refused(const std::string& bytes, const std::string& problem) {
  write(bytes);
  try {
    ParserModel::open(path());
    ADD_FAILURE() << "opened, but " << problem;
  } catch (const ModelError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path() + ": ")) << error.what();
    EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
  }
}

/// A used slot of a table, whose bucket has another one after it.
std::size_t pair_of_slots(const std::string& bytes, std::string_view table) {
  for (std::size_t at = 0;; at += sizeof(parser::Bucket)) {
    if (value_at<std::uint32_t>(bytes, table, at + 4) != 0) return at;
  }
}

TEST(ModelFile, RefusesWeightsThatAreNoNumbers) {
  const std::string good = toy_bytes();
  const std::size_t arc = pair_of_slots(good, "arc.table") + 32;
  for (const float bad : {std::nanf(""), HUGE_VALF, -HUGE_VALF, 1e30F, -2e9F}) {
    expect_refused(with_value(good, "arc.table", arc, bad), "weight of arcs");
    expect_refused(with_value(good, "pruner", 4, bad), "weight of the pruner");
    expect_refused(with_value(good, "label.lists", 4, bad), "weight of relations");
  }
}

TEST(ModelFile, RefusesTablesThatLeadOutOfTheFile) {
  const std::string good = toy_bytes();
  const auto lists = static_cast<std::uint32_t>(section_of(good, "label.lists").size / 8);
  const std::size_t slot = pair_of_slots(good, "label.table");
  const std::string table = "table of the features of relations";
  expect_refused(with_value(good, "label.table", slot + 32, lists + 1), table);
  // Two slots with the same check: a look-up joins the bits of their values, each of which is inside by itself.
  const auto check = value_at<std::uint32_t>(good, "label.table", slot);
  expect_refused(with_value(good, "label.table", slot + 4, check), table);
  for (const char* name : {"label.table", "arc.table"}) {
    std::string full = good;  // A look-up in a table of full buckets would not end.
    const SectionPlace place = section_of(full, name);
    for (std::size_t at = 28; at < place.size; at += 64) std::memset(full.data() + place.begin + at, 255, 4);
    repair(full);
    expect_refused(full, "table of the features of");
  }
  const auto labels = static_cast<std::uint32_t>(section_of(good, "label.use").size);
  expect_refused(with_value(good, "label.lists", 0, labels), "relations");
  const std::size_t last = section_of(good, "label.lists").size - 8;
  expect_refused(with_value(good, "label.lists", last, 0U), "relations have no end");
}

TEST(ModelFile, RefusesListsThatRepeatALabel) {
  const std::string good = toy_bytes();
  std::size_t at = 0;  // The first list of two labels or more.
  while ((value_at<std::uint32_t>(good, "label.lists", at) & parser::LabelWeight::kLast) != 0) at += 8;
  const auto label = value_at<std::uint32_t>(good, "label.lists", at);
  expect_refused(with_value(good, "label.lists", at + 8, label | parser::LabelWeight::kLast), "not in order");
}

TEST(ModelFile, RefusesSettingsOutOfRange) {
  const std::string good = toy_bytes();
  for (const double bad : {std::nan(""), HUGE_VAL, -1.0, 1e300}) {
    expect_refused(with_value(good, "settings", 16, bad), "threshold");
    expect_refused(with_value(good, "settings", 24, bad), "temperature");
  }
  expect_refused(with_value(good, "settings", 24, 1e-300), "temperature");
  expect_refused(with_value(good, "settings", 4, 0), "max_heads");
  expect_refused(with_value(good, "settings", 8, 3), "parts");
  expect_refused(with_value(good, "settings", 8, 4), "order");
}

TEST(ModelFile, RefusesNamesThatCannotBeWritten) {
  const std::string good = toy_bytes();
  for (const char bad : {'\t', '\r', '\xff', '\n'}) expect_refused(with_value(good, "labels", 0, bad), "relation");
}

TEST(ModelFile, RefusesMoreTagsThanItsTablesHave) {
  const std::string bytes = toy_bytes();
  parser::FileBytes copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  const parser::Container good(std::move(copy), "toy", parser::kModelVersion);
  for (const std::string_view section : {"upos", "tags"}) {
    std::string names;
    for (int i = 0; i < 126; ++i) names += "T" + std::to_string(i) + "\n";
    parser::ContainerWriter writer(parser::kModelVersion);
    for (const std::string& name : good.names()) {
      writer.add(name, name == section ? std::string_view(names) : good.text(name));
    }
    base::Crew crew(1);
    const auto bad = std::move(writer).finish(crew);
    expect_refused({reinterpret_cast<const char*>(bad.data()), bad.size()}, "has too many tags");
  }
}

TEST(ModelFile, HasACardThatCanBeShown) {
  // Names of files may be any bytes, and a crafted card may try to speak to the terminal.
  TrainOptions options{.root = Root::single};
  options.epochs = options.pruner_epochs = 1;
  options.card = {{"train", "caf\xe9.conllu \xc3\xa9"}, {"note", "a\tb\n\x1b[31mred"}};
  const ParserModel model = train_parser(ToyTreebank(1).sentences(5), {}, options).model.value();
  EXPECT_EQ(model.card()[0].second, "caf?.conllu \xc3\xa9");
  EXPECT_EQ(model.card()[1].second, "a b  [31mred");
  std::string crafted = toy_bytes();
  std::memcpy(crafted.data() + section_of(crafted, "card").begin, "\x1b]0;x\t\xff\x07", 8);
  repair(crafted);
  write(crafted);
  const auto card = ParserModel::open(path()).card();
  EXPECT_EQ(card[0].first, " ]0;x");
  EXPECT_TRUE(card[0].second.starts_with("? ")) << card[0].second;
}

TEST(ModelFile, StaysWhatItWasWhenTheFileIsChanged) {
  // Another program may write over the file or cut it short. Neither may reach a model that is open.
  const auto sentences = ToyTreebank(4).sentences(5);
  write(toy_bytes());
  const ParserModel model = ParserModel::open(path());
  std::vector<Heads> before;
  for (const Sentence& s : sentences) before.push_back(Parser(model).parse(s).tree.heads);
  write(std::string(toy_bytes().size(), '\0'));
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(Parser(model).parse(sentences[i]).tree.heads, before[i]);
  }
  std::filesystem::resize_file(path(), 0);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(Parser(model).parse(sentences[i]).tree.heads, before[i]);
  }
}

TEST(Container, RefusesNamesThatWouldBeCut) {
  parser::ContainerWriter writer(7);
  writer.add("0123456789abcdef", std::string_view("fits"));
  EXPECT_THROW(writer.add("0123456789abcdefg", std::string_view("does not")), std::logic_error);
}

TEST(ModelFile, RefusesOtherFiles) {
  EXPECT_THROW(ParserModel::open(testing::TempDir() + "/no such file"), ModelError);
  EXPECT_THROW(ParserModel::open(testing::TempDir()), ModelError);
  write("# sent_id = 1\n1\tHello\thello\tINTJ\t_\t_\t0\troot\t_\t_\n\n");
  EXPECT_THROW(ParserModel::open(path()), ModelError);
  parser::ContainerWriter writer(parser::kModelVersion);
  writer.add("something", std::string_view("else"));
  base::Crew crew(1);
  parser::write_atomically(path(), std::move(writer).finish(crew));
  EXPECT_THROW(ParserModel::open(path()), ModelError);
  std::string newer = toy_bytes();
  newer[8] = 99;
  write(newer);
  try {
    ParserModel::open(path());
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("version 99"), std::string::npos);
  }
}

TEST(ModelFile, CannotBeWrittenWhereThereIsNoFolder) {
  write(toy_bytes());
  EXPECT_THROW(ParserModel::open(path()).save(testing::TempDir() + "/no/such/folder/model"), ModelError);
}

}  // namespace
}  // namespace kirchhoff
