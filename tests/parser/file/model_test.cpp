// Model files: damage of any kind is a ModelError, never a crash.
#include "parser/file/model.hpp"
#include "kirchhoff/train.hpp"
#include "parser/file/container.hpp"
#include "parser/toy_treebank.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

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
  const auto bytes = std::move(writer).finish();
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
  const auto good = std::move(writer).finish();
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
    const std::uint64_t sum = XXH3_64bits(bad.data() + 32, bad.size() - 32);
    std::memcpy(bad.data() + 24, &sum, sizeof sum);
    write(bad);
    try {
      Parser parser(ParserModel::open(path()));
      ++opened;
      const Parsed parsed = parser.parse(sentence);
      check_tree(parsed.tree.heads, sentence.size(), parser.model().root(), "test");
    } catch (const ModelError&) {
    } catch (const InputError&) {  // a weight that is not a number
    } catch (const Infeasible&) {
    }
  }
  EXPECT_GT(opened, 0);
}

TEST(ModelFile, RefusesOtherFiles) {
  EXPECT_THROW(ParserModel::open(testing::TempDir() + "/no such file"), ModelError);
  EXPECT_THROW(ParserModel::open(testing::TempDir()), ModelError);
  write("# sent_id = 1\n1\tHello\thello\tINTJ\t_\t_\t0\troot\t_\t_\n\n");
  EXPECT_THROW(ParserModel::open(path()), ModelError);
  parser::ContainerWriter writer(parser::kModelVersion);
  writer.add("something", std::string_view("else"));
  parser::write_atomically(path(), std::move(writer).finish());
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
