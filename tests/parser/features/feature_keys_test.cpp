// Templates and keys: what changes a feature, and what does not.
#include "parser/features/feature_keys.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/weights/feature_index.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <unordered_map>

namespace kirchhoff::parser {
namespace {

struct Table {
  const char* roles;
  std::string_view text;
};
const std::vector<Table> kTables = {
    {"hd", kArcTemplates}, {"hdglraz", kLabelTemplates}, {"hds", kSiblingTemplates}, {"ghd", kGrandparentTemplates}};

/// Templates of the text that mention the atom, counted by reading the text.
int mentions(std::string_view text, const std::string& word) {
  std::istringstream lines{std::string(text)};
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("between") != std::string::npos) continue;
    std::istringstream left(line.substr(0, line.find('|'))), right(line.substr(line.find('|') + 1));
    int variants = 0, hits = 0;
    for (std::string v; left >> v;) ++variants;
    for (std::string a; right >> a;) hits += a == word;
    count += variants * std::min(hits, 1);
  }
  return count;
}

TEST(Templates, EachAtomChangesTheTemplatesThatMentionIt) {
  const auto sentences = ToyTreebank(1).sentences(5);
  const Inventory inventory = make_inventory(sentences);
  for (const Table& table : kTables) {
    const Templates templates(table.roles, table.text);
    const std::string roles = table.roles;
    const Encoded sentence = encode(sentences[0], inventory);
    // Far enough apart that no word is a neighbour of two roles: rows are changed one by one below.
    Nodes nodes;
    nodes.fill(-1);
    nodes[0] = 3;
    nodes[1] = sentence.words - 2;
    FeatureKeys features(templates);
    features.read(sentence);
    std::vector<std::uint64_t> before;
    features.append(nodes, before);
    for (int role = 0; role < 2; ++role) {
      for (int offset = -2; offset <= 2; ++offset) {
        for (int a = 0; a < kAttributes; ++a) {
          Encoded changed = sentence;
          changed.rows[static_cast<std::size_t>(changed.row(nodes[static_cast<std::size_t>(role)], offset))]
                      [static_cast<std::size_t>(a)] ^= 1;
          features.read(changed);
          std::vector<std::uint64_t> after;
          features.append(nodes, after);
          ASSERT_EQ(before.size(), after.size());
          int differ = 0;
          for (std::size_t i = 0; i < templates.single().size(); ++i) differ += before[i] != after[i];
          std::string word(1, roles[static_cast<std::size_t>(role)]);
          if (offset != 0) word += (offset > 0 ? "+" : "-") + std::to_string(std::abs(offset));
          word += "." + std::string(kAttributeNames[static_cast<std::size_t>(a)]);
          EXPECT_EQ(differ, mentions(table.text, word)) << word;
        }
      }
    }
  }
}

TEST(Templates, GiveDifferentKeysInASentence) {
  // Distinct arcs of a sentence with distinct words share only keys of templates that see tags alone; within an arc all
  // keys differ.
  const auto sentences = ToyTreebank(2).sentences(20);
  const Inventory inventory = make_inventory(sentences);
  const Templates templates("hd", kArcTemplates);
  FeatureKeys features(templates);
  for (const Sentence& s : sentences) {
    const Encoded e = encode(s, inventory);
    features.read(e);
    for (int h = 0; h <= e.words; ++h) {
      for (int d = 1; d <= e.words; ++d) {
        if (h == d) continue;
        std::vector<std::uint64_t> keys;
        features.append({h, d}, keys);
        EXPECT_EQ(std::set<std::uint64_t>(keys.begin(), keys.end()).size(), keys.size());
      }
    }
  }
}

TEST(Templates, NameWhatIsWrong) {
  for (const char* bad :
       {"dir h.form", "dir | x.form", "dir | h.colour", "dir | h+3.form", "far | h.form", "dir | h"}) {
    EXPECT_THROW(Templates("hd", bad), InputError) << bad;
  }
  std::string many;
  for (std::size_t i = 0; i < kMaxTemplates; ++i) many += "dir | h.form\n";
  EXPECT_NO_THROW(Templates("hd", many));
  EXPECT_EQ(message_of<InputError>([&] { Templates("hd", many + "dir | d.form\n"); }),
            "[Templates] more than 4096 templates");
}

TEST(FeatureIndex, IsAMap) {
  std::mt19937_64 random(3);
  FeatureIndex index;
  std::unordered_map<std::uint64_t, std::uint32_t> map;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t key = random() % 5000 * 0x9e3779b97f4a7c15ULL;
    const auto expected = map.emplace(key, static_cast<std::uint32_t>(map.size())).first->second;
    EXPECT_EQ(index.insert(key), expected);
    const std::uint64_t other = random();
    EXPECT_EQ(index.find(other), map.contains(other) ? map[other] : FeatureIndex::kAbsent);
  }
  EXPECT_EQ(index.size(), map.size());
}

TEST(BucketTable, TellsKeysApart) {
  base::Crew crew(1);
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    // Pairs that a small table would confuse: same low half, nearly the same high half. Also low halves 0 and 1.
    const std::uint64_t low = i % 7 == 0 ? i % 2 : random() & 0xffffffffU;
    keys.push_back((random() << 32) | low);
    keys.push_back(keys.back() ^ (std::uint64_t{1} << 50));
    values.push_back(2 * i + 1);
    values.push_back(2 * i + 2);
  }
  const Buckets buckets = make_buckets(keys, values, crew);
  const BucketTable table(buckets);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(table.find(keys[i]), values[i]);
  int found = 0;
  for (int i = 0; i < 100000; ++i) found += table.find(random()) != 0;
  EXPECT_LE(found, 1);
}

TEST(BucketTable, OverflowsIntoTheNextBucketAndAroundTheEnd) {
  base::Crew crew(1);
  std::mt19937_64 random(6);
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 1; i <= 100; ++i) {  // all of them want the last bucket
    keys.push_back(0xffffffff00000000ULL | (random() & 0xffffffffU));
    values.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(i)));
  }
  const Buckets buckets = make_buckets(keys, values, crew);
  const BucketTable table(buckets);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(table.find(keys[i]), values[i]);
  keys.push_back(0xffffffff12345678ULL);  // absent, and has to look through all of them
  EXPECT_EQ(table.find(keys.back()), 0U);
  EXPECT_EQ(table.sum(keys), 5050.0F);
  EXPECT_EQ(table.sum({}), 0.0F);
}

TEST(BucketTable, IsMadeByManyThreadsAsKeyByKey) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> keys;
  while (keys.size() < 40000) {
    // Some come with a crowd, so that buckets overflow; the first one's goes round the end.
    const std::uint64_t home = keys.empty() ? 0xffffffffU : random() & 0xffffffffU;
    for (std::size_t crowd = keys.size() % 100 == 0 ? 40 : 1; crowd > 0; --crowd) {
      keys.push_back(home << 32 | (random() & 0xffffffffU));
    }
  }
  std::shuffle(keys.begin(), keys.end(), random);
  for (const int threads : {1, 2, 5}) {
    base::Crew crew(threads);
    const Buckets made = make_numbering(keys, crew);
    Buckets expected(made.size());
    for (std::uint32_t k = 0; k < keys.size(); ++k) {
      std::size_t i = BucketTable::home(keys[k], expected.size()), slot = 0;
      while (expected[i].full()) i = (i + 1) % expected.size();
      while (expected[i].check[slot] != 0) ++slot;
      expected[i].check[slot] = BucketTable::check_of(keys[k]);
      expected[i].value[slot] = k + 1;
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      ASSERT_EQ(made[i].check, expected[i].check) << i;
      ASSERT_EQ(made[i].value, expected[i].value) << i;
    }
  }
}

}  // namespace
}  // namespace kirchhoff::parser
