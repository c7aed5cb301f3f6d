// Names of features: what they say, and that two features have the same name if and only if they have the same key.
#include "parser/features/feature_names.hpp"

#include "parser/features/feature_keys.hpp"
#include "parser/toy_treebank.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace kirchhoff::parser {
namespace {

std::vector<std::string> names_of(std::string_view text, const Sentence& s, Arc arc) {
  const Inventory inventory = make_inventory(ToyTreebank(1).sentences(50));
  const Templates templates("hd", text);
  const Encoded encoded = encode(s, inventory);
  FeatureKeys features(templates);
  features.read(encoded);
  std::vector<std::uint64_t> keys;
  features.append({arc.head, arc.dependent}, keys);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    names.push_back(feature_name(templates, inventory, s, encoded, arc, i));
  }
  return names;
}

Sentence sentence() {
  std::istringstream in(
      "1\tThese\tthis\tDET\tDT\tNumber=Plur\t2\tdet\t_\t_\n"
      "2\tMcDonald-42\tm\tNOUN\tNN\tNumber=Plur\t3\tnsubj\t_\t_\n"
      "3\tsees\tsee\tVERB\tVB\tNumber=Sing\t0\troot\t_\t_\n"
      "4\twith\twith\tADP\tIN\t_\t6\tcase\t_\t_\n"
      "5\told\told\tADJ\tJJ\t_\t6\tamod\t_\t_\n"
      "6\tcats\tcat\tNOUN\tNN\tNumber=Plur\t3\tobl\t_\t_\n\n");
  return read_sentences(in, "names", ConllFormat::conllu)[0];
}

TEST(FeatureNames, SayWhatTheTemplateLooksAt) {
  using Names = std::vector<std::string>;
  const Sentence s = sentence();
  EXPECT_EQ(names_of("any dir dist | h.upos d.form", s, {3, 6}),
            (Names{"h.upos=VERB d.form=cats", "h.upos=VERB d.form=cats dir=rightward",
                   "h.upos=VERB d.form=cats dist=rightward:3"}));
  EXPECT_EQ(names_of("dist | h.tag d-1.xpos", s, {0, 1}), Names{"h.tag=ROOT d-1.xpos=BEGIN dist=rightward:1"});
  EXPECT_EQ(names_of("any | d+1.lemma d+2.lemma d-2.upos", s, {3, 6}),
            Names{"d+1.lemma=END d+2.lemma=END+1 d-2.upos=ADP"});
  EXPECT_EQ(names_of("any | h.shape h.prefix h.suffix h.feats", s, {2, 1}),
            Names{"h.shape=AaAa-9 h.prefix=McDo h.suffix=-42 h.feats=Number=Plur"});
  EXPECT_EQ(names_of("any | d.lead h.lead", s, {1, 6}), Names{"h.lead=none d.lead=ADP:with"});
  EXPECT_EQ(names_of("any | agree likes verbs puncts conjs", s, {6, 2}),
            Names{"verbs=1 puncts=0 conjs=0 likes=0,0 agree=Number:same"});
  EXPECT_EQ(names_of("any | agree", s, {3, 2}), Names{"agree=Number:other"});
  EXPECT_EQ(names_of("any | agree", s, {4, 2}), Names{"agree=unknown"});
  const Names between = names_of("any | d.upos between", s, {2, 6});
  EXPECT_EQ(std::set<std::string>(between.begin(), between.end()),
            (std::set<std::string>{"d.upos=NOUN between=VERB", "d.upos=NOUN between=ADP", "d.upos=NOUN between=ADJ"}));
  EXPECT_EQ(names_of("any | ", s, {2, 6}), Names{"any"});
}

TEST(FeatureNames, AreEqualWhereKeysAre) {
  const std::vector<Sentence> sentences = ToyTreebank(4).sentences(25);
  const Inventory inventory = make_inventory(sentences);
  const Templates templates("hd", kArcTemplates);
  FeatureKeys features(templates);
  std::map<std::uint64_t, std::string> names;
  std::map<std::pair<std::size_t, std::string>, std::uint64_t> keys_by_name;
  const std::size_t singles = templates.single().size(), sets = templates.between().size();
  for (const Sentence& s : sentences) {
    const Encoded encoded = encode(s, inventory);
    features.read(encoded);
    for (int d = 1; d <= s.size(); ++d) {
      for (int h = 0; h <= s.size(); ++h) {
        if (h == d) continue;
        std::vector<std::uint64_t> keys;
        features.append({h, d}, keys);
        for (std::size_t i = 0; i < keys.size(); ++i) {
          const std::string name = feature_name(templates, inventory, s, encoded, {h, d}, i);
          const std::size_t which = i < singles ? i : singles + (i - singles) % sets;
          ASSERT_EQ(names.try_emplace(keys[i], name).first->second, name);
          const auto same = keys_by_name.try_emplace({which, name}, keys[i]).first;
          ASSERT_EQ(same->second, keys[i]) << name;
        }
      }
    }
  }
  EXPECT_GT(names.size(), 10000U);
}

}  // namespace
}  // namespace kirchhoff::parser
