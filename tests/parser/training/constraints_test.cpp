// Constraints: their files, the arcs that they are about, and penalties.
#include "parser/training/constraints.hpp"

#include "parser/toy_treebank.hpp"
#include "parser/training/candidate_features.hpp"
#include "support/gradient.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace kirchhoff::parser {
namespace {

using Side = TagConstraint::Side;
using Bound = TagConstraint::Bound;

TEST(Constraints, FilesAreRead) {
  std::istringstream good(
      "# shares\nDET -> NOUN right 0.9\n\nVERB -> ROOT any 1 # main\nform=# -> * left 2-4 0.5\nADV -> VERB any 3- 0\n"
      "ADV -> upos=VERB&lemma=be any 1 0.25\n* -> DET any <=0.01\n* -> * any 1-5 >=0.5\n"
      "NOUN -> VERB left 1-3 deprel=nsubj:pass <=0.5\nDET -> NOUN right deprel=det 1\n");
  const auto read = read_tag_constraints(good, "c");
  ASSERT_EQ(read.size(), 9u);
  EXPECT_EQ(read[0].relation, "");
  EXPECT_EQ(read[7].relation, "nsubj:pass");
  EXPECT_EQ(read[7].farthest, 3);
  EXPECT_EQ(read[7].bound, Bound::at_most);
  EXPECT_EQ(read[8].relation, "det");
  EXPECT_EQ(read[8].share, 1.0);
  EXPECT_EQ(read[0].dependent, "DET");
  EXPECT_EQ(read[0].side, Side::right);
  EXPECT_EQ(read[0].nearest, 1);
  EXPECT_EQ(read[1].head, "ROOT");
  EXPECT_EQ(read[1].share, 1.0);
  EXPECT_EQ(read[2].dependent, "form=#");
  EXPECT_EQ(read[2].nearest, 2);
  EXPECT_EQ(read[2].farthest, 4);
  EXPECT_EQ(read[3].nearest, 3);
  EXPECT_GT(read[3].farthest, 60000);
  EXPECT_EQ(read[4].farthest, 1);
  EXPECT_EQ(read[4].bound, Bound::equal);
  EXPECT_EQ(read[5].bound, Bound::at_most);
  EXPECT_EQ(read[5].share, 0.01);
  EXPECT_EQ(read[6].bound, Bound::at_least);
  EXPECT_EQ(read[6].share, 0.5);
  for (const char* bad : {"DET NOUN right 0.9", "DET -> NOUN up 0.9", "DET -> NOUN left 1.5", "DET -> NOUN left x",
                          "DET", "DET -> NOUN left 0 0.5", "DET -> NOUN left 3-2 0.5", "DET -> NOUN left 1-x 0.5",
                          "DET -> NOUN left - 0.5", "DET -> NOUN left 1 0.5 more", "DET -> NOUN left <0.5",
                          "DET -> NOUN left >=", "DET -> NOUN left deprel= 0.5", "DET -> NOUN deprel=det left 0.5",
                          "deprel=det 0.5", "colour=red -> NOUN left 0.5", "shape=Aa -> NOUN left 0.5"}) {
    std::istringstream in(std::string("\n") + bad);
    try {
      read_tag_constraints(in, "c");
      ADD_FAILURE() << bad;
    } catch (const ParseError& error) {
      EXPECT_EQ(error.line(), 2u) << bad;
    }
  }
}

/// Whether a word is as described, read off the sentence itself.
bool is(const Sentence& s, int w, const std::string& description) {
  if (description == "ROOT") return w == 0;
  if (w == 0) return false;
  if (description == "*") return true;
  if (description == "form=this") return s.form(w) == "this";
  if (description == "lemma=sees") return s.lemma(w) == "sees";
  if (description == "upos=NOUN&feats=Number=Plur") return s.upos(w) == "NOUN" && s.feats(w) == "Number=Plur";
  return s.upos(w) == description;
}

TEST(Constraints, AreAboutTheArcsThatTheyDescribe) {
  const std::vector<TagConstraint> constraints = {{"DET", "NOUN", Side::right, 0.5},
                                                  {"*", "*", Side::any, 0.5, 1, 2},
                                                  {"NOUN", "lemma=sees", Side::any, 0.5, 2, 65535},
                                                  {"form=this", "upos=NOUN&feats=Number=Plur", Side::left, 0.5},
                                                  {"VERB", "ROOT", Side::any, 0.5, 1, 1},
                                                  {"VERB", "ROOT", Side::right, 0.5},
                                                  {"upos=NOUN&feats=Number=Plur", "VERB", Side::left, 0.5}};
  const ConstraintSet set(constraints);
  ASSERT_EQ(set.size(), constraints.size());
  std::vector<int> counted(constraints.size(), 0);
  const auto sentences = ToyTreebank(5).sentences(20);
  const Inventory inventory = make_inventory(sentences);
  for (const Sentence& s : sentences) {
    dependency::Candidates all{{}, {0, 0}};
    std::vector<int> dependents;
    for (int d = 1; d <= s.size(); ++d) {
      for (int h = 0; h <= s.size(); ++h) {
        if (h == d || (h + d) % 5 == 0) continue;
        all.heads.push_back(static_cast<std::uint16_t>(h));
        dependents.push_back(d);
      }
      all.begin.push_back(static_cast<std::uint32_t>(all.heads.size()));
    }
    const ConstrainedArcs found = ConstraintFinder(set, inventory).find(s, encode(s, inventory), all);
    std::set<std::array<int, 3>> places, expected;
    EXPECT_EQ(found.candidates, all.size());
    for (const auto& [c, i, relation] : found.places) places.insert({static_cast<int>(c), all.heads[i], dependents[i]});
    EXPECT_EQ(places.size(), found.places.size());
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const TagConstraint& c = constraints[i];
      double words = 0.0;
      for (int d = 1; d <= s.size(); ++d) {
        words += is(s, d, c.dependent) ? 1.0 : 0.0;
        for (int h = 0; h <= s.size(); ++h) {
          const bool side = c.side == Side::any || (c.side == Side::left ? h < d : h > d);
          const bool near = h == 0 || (std::abs(h - d) >= c.nearest && std::abs(h - d) <= c.farthest);
          if (h == d || (h + d) % 5 == 0 || !side || !near || !is(s, d, c.dependent) || !is(s, h, c.head)) continue;
          expected.insert({static_cast<int>(i), h, d});
          ++counted[i];
        }
      }
      EXPECT_EQ(found.words[i], words) << i;
    }
    EXPECT_EQ(places, expected);
  }
  for (std::size_t i = 0; i < counted.size(); ++i) EXPECT_EQ(counted[i] > 0, i != 5) << i;  // The root is on the left.
}

TEST(FeatureConstraints, AreAboutTheArcsThatHaveTheFeature) {
  struct Case {
    const char* feature;
    std::function<bool(const Sentence&, int)> is_about;
    std::function<bool(const Sentence&, int, int)> has;
  };
  const auto tag = [](const Sentence& s, int w) {
    return w == 0 ? "ROOT" : w > s.size() ? "END" : std::string(s.upos(w));
  };
  const std::vector<Case> cases = {
      {"h.upos=NOUN d.upos=DET", [&](auto& s, int d) { return tag(s, d) == "DET"; },
       [&](auto& s, int h, int) { return tag(s, h) == "NOUN"; }},
      {"dist=leftward:1", [](auto&, int) { return true; }, [](auto&, int h, int d) { return h == d + 1; }},
      {"d+1.upos=END dir=rightward h.upos=VERB d.form=.",
       [](auto& s, int d) { return d == s.size() && s.form(d) == "."; },
       [&](auto& s, int h, int d) { return h < d && tag(s, h) == "VERB"; }},
      {"h.upos=ROOT d.upos=VERB", [&](auto& s, int d) { return tag(s, d) == "VERB"; },
       [](auto&, int h, int) { return h == 0; }},
      {"between=NOUN d.upos=NOUN", [&](auto& s, int d) { return tag(s, d) == "NOUN"; },
       [&](auto& s, int h, int d) {
         for (int w = std::min(h, d) + 1; w < std::max(h, d); ++w) {
           if (tag(s, w) == "NOUN") return true;
         }
         return false;
       }},
      {"d.upos=NOSUCH", [](auto&, int) { return false; }, [](auto&, int, int) { return false; }},
  };
  std::vector<FeatureConstraint> constraints;
  for (const Case& c : cases) constraints.push_back({c.feature, 0.5});
  const std::vector<TagConstraint> first = {{"*", "ROOT", Side::any, 0.1}};
  const ConstraintSet set(first, constraints);
  ASSERT_EQ(set.size(), cases.size() + 1);
  std::vector<int> counted(cases.size(), 0);
  const auto sentences = ToyTreebank(5).sentences(20);
  const Inventory inventory = make_inventory(sentences);
  ConstraintFinder finder(set, inventory);
  for (const Sentence& s : sentences) {
    dependency::Candidates all{{}, {0, 0}};
    std::set<std::pair<std::size_t, std::uint32_t>> expected, places;
    std::vector<double> words(set.size(), 0.0);
    words[0] = s.size();
    for (int d = 1; d <= s.size(); ++d) {
      for (std::size_t c = 0; c < cases.size(); ++c) words[c + 1] += cases[c].is_about(s, d) ? 1.0 : 0.0;
      for (int h = 0; h <= s.size(); ++h) {
        if (h == d) continue;
        const auto candidate = static_cast<std::uint32_t>(all.size());
        all.heads.push_back(static_cast<std::uint16_t>(h));
        if (h == 0) expected.emplace(0, candidate);
        for (std::size_t c = 0; c < cases.size(); ++c) {
          if (!cases[c].is_about(s, d) || !cases[c].has(s, h, d)) continue;
          expected.emplace(c + 1, candidate);
          ++counted[c];
        }
      }
      all.begin.push_back(static_cast<std::uint32_t>(all.heads.size()));
    }
    const ConstrainedArcs found = finder.find(s, encode(s, inventory), all);
    for (const auto& [c, candidate, relation] : found.places) places.emplace(c, candidate);
    EXPECT_EQ(places, expected);
    EXPECT_EQ(found.words, words);
  }
  for (std::size_t c = 0; c + 1 < counted.size(); ++c) EXPECT_GT(counted[c], 0) << cases[c].feature;
}

TEST(FeatureConstraints, FilesAreRead) {
  std::istringstream good(
      "# features\nh.upos=NOUN d.upos=ADJ agree=Number:same >=0.8 # agreement\n\ndist=leftward:1 0.3\n"
      "d.upos=ADJ dist=leftward:1 deprel=amod 0.6\n");
  const auto read = read_feature_constraints(good, "c");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].relation, "");
  EXPECT_EQ(read[2].feature, "d.upos=ADJ dist=leftward:1");
  EXPECT_EQ(read[2].relation, "amod");
  EXPECT_EQ(read[0].feature, "h.upos=NOUN d.upos=ADJ agree=Number:same");
  EXPECT_EQ(read[0].share, 0.8);
  EXPECT_EQ(read[0].bound, Bound::at_least);
  EXPECT_EQ(read[1].share, 0.3);
  for (const char* bad : {"h.upos=NOUN", "0.5", "deprel=det 0.5", "deprel=det h.upos=NOUN 0.5", "h.upos=NOUN 1.5",
                          "h.upos=NOUN x", "h.upos 0.5", "h.upos= 0.5", "h.colour=red 0.5", "s.upos=NOUN 0.5",
                          "dir2=left 0.5", "h.upos=A h.upos=B 0.5", "h.upos=A <0.5"}) {
    std::istringstream in(std::string("\n") + bad);
    try {
      read_feature_constraints(in, "c");
      ADD_FAILURE() << bad;
    } catch (const ParseError& error) {
      EXPECT_EQ(error.line(), 2u) << bad;
    }
  }
}

TEST(Constraints, PenaltiesHaveTheirSlopes) {
  for (const Penalty penalty : {Penalty::squared, Penalty::kl, Penalty::hinge}) {
    for (const Bound bound : {Bound::equal, Bound::at_least, Bound::at_most}) {
      for (const double wanted : {0.0, 0.3, 1.0}) {
        const Target c{wanted, bound};
        EXPECT_NEAR(penalty_at(penalty, c, wanted).value, 0.0, 2e-4);
        for (const double share : {0.1, 0.25, 0.5, 0.8}) {
          const auto value = [&](double s) { return penalty_at(penalty, c, s).value; };
          EXPECT_NEAR(penalty_at(penalty, c, share).slope, derivative(value, share), 1e-4);
          const bool one_sided = bound == Bound::at_least || (bound == Bound::equal && penalty == Penalty::hinge);
          const bool met = (one_sided && share >= wanted) || (bound == Bound::at_most && share <= wanted);
          EXPECT_EQ(value(share) == 0.0, met) << to_string(penalty) << " " << wanted << " " << share;
        }
      }
    }
  }
  const Target half{0.5, Bound::equal};
  EXPECT_NEAR(penalty_at(Penalty::kl, half, 0.25).value, 0.5 * std::log(2.0) + 0.5 * std::log(0.5 / 0.75), 1e-12);
  EXPECT_EQ(penalty_at(Penalty::squared, half, 0.25).value, 0.0625);
  EXPECT_EQ(penalty_at(Penalty::hinge, half, 0.25).value, 0.25);
  EXPECT_TRUE(std::isfinite(penalty_at(Penalty::kl, half, 0.0).slope));
}

TEST(CandidateFeatures, AreThoseOfACountInTheOrderOfTheirFirstOccurrence) {
  const auto sentences = ToyTreebank(5).sentences(8);
  const Inventory inventory = make_inventory(sentences);
  const Templates templates("hd", kArcTemplates);
  std::vector<Encoded> encoded;
  std::vector<Candidates> candidates;
  std::map<std::uint64_t, int> counts;
  std::vector<std::uint64_t> in_order;
  FeatureKeys features(templates);
  for (const Sentence& s : sentences) {
    encoded.push_back(encode(s, inventory));
    features.read(encoded.back());
    Candidates nearest{{}, {0, 0}};
    for (int d = 1; d <= s.size(); ++d) {
      for (int h = std::max(0, d - 2); h <= std::min(s.size(), d + 2); ++h) {
        if (h == d) continue;
        nearest.heads.push_back(static_cast<std::uint16_t>(h));
        std::vector<std::uint64_t> keys;
        features.append({h, d}, keys);
        for (const std::uint64_t key : keys) {
          if (++counts[key] == 1) in_order.push_back(key);
        }
      }
      nearest.begin.push_back(static_cast<std::uint32_t>(nearest.heads.size()));
    }
    candidates.push_back(nearest);
  }
  for (const int least : {1, 2, 10, 300}) {
    std::vector<std::uint64_t> expected;
    for (const std::uint64_t key : in_order) {
      if (counts[key] >= least) expected.push_back(key);
    }
    EXPECT_EQ(candidate_features(encoded, candidates, templates, least), expected) << least;
    EXPECT_EQ(expected.empty(), least == 300) << least;
  }
}

}  // namespace
}  // namespace kirchhoff::parser
