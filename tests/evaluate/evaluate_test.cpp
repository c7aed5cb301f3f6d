// Scores worked out by hand from the definitions. tests/cli/test_eval.py has an oracle and the official script.
#include "kirchhoff/evaluate.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kirchhoff {
namespace {

std::vector<Sentence> read(const std::string& text) {
  std::istringstream in(text);
  return read_sentences(in, "f", ConllFormat::conllu);
}

/// "form lemma upos feats head deprel" on each line; xpos is "x".
std::string rows(const std::vector<std::vector<std::string>>& words) {
  std::string out;
  int id = 0;
  for (const auto& w : words) {
    out += std::to_string(++id) + "\t" + w[0] + "\t" + w[1] + "\t" + w[2] + "\tx\t" + w[3] + "\t" + w[4] + "\t" + w[5] +
           "\t_\t_\n";
  }
  return out + "\n";
}

const std::vector<std::vector<std::string>> kGold = {{"The", "the", "DET", "Definite=Def|PronType=Art", "2", "det"},
                                                     {"dogs", "dog", "NOUN", "Number=Plur", "4", "nsubj"},
                                                     {"have", "have", "AUX", "Tense=Pres", "4", "aux"},
                                                     {"barked", "bark", "VERB", "Tense=Past", "0", "root"},
                                                     {"loudly", "_", "ADV", "_", "4", "advmod"},
                                                     {".", ".", "PUNCT", "_", "4", "punct"}};

Score score(std::int64_t gold, std::int64_t system, std::int64_t correct) { return {gold, system, correct}; }

TEST(Evaluate, AnExactCopyHasFullScores) {
  const auto gold = read(rows(kGold));
  const Evaluation e = evaluate(gold, gold, Root::single);
  for (const Score& s : e.total) EXPECT_EQ(s.f1(), 1.0);
  EXPECT_EQ(e[Metric::words], score(6, 6, 6));
  EXPECT_EQ(e[Metric::clas], score(3, 3, 3));  // dogs, barked, loudly
  EXPECT_EQ(e[Metric::uas_no_punct], score(5, 5, 5));
}

TEST(Evaluate, TokensAndSentences) {
  // "Don't go. Stop!" as Don't|go|. Stop|! and as Don|'t|go. Stop|!, which has another first sentence.
  const std::string end = "\t_\t_\t_\t_\t0\troot\t_\t_\n", below = "\t_\t_\t_\t_\t1\tdep\t_\t_\n",
                    no = "\t_\t_\t_\t_\t_\t_\t_\t_\n";
  const std::string stop = "1\tStop" + end + "2\t!" + below + "\n";
  const auto gold =
      read("1-2\tDon't" + no + "1\tDo" + end + "2\tn't" + below + "3\tgo" + below + "4\t." + below + "\n" + stop);
  const auto system = read("1\tDon" + end + "2\t't" + below + "\n1\tgo." + end + "\n" + stop);
  const Evaluation e = evaluate(gold, system, Root::single);
  EXPECT_EQ(e[Metric::tokens], score(5, 5, 2));  // Stop, !
  EXPECT_EQ(e[Metric::sentences], score(2, 3, 1));
  EXPECT_EQ(e[Metric::words], score(6, 5, 2));
  EXPECT_EQ(evaluate(gold, gold, Root::single)[Metric::tokens], score(5, 5, 5));
}

TEST(Evaluate, ByHand) {
  auto system = kGold;
  system[0][3] = "PronType=Art|Lang=x|Definite=Def";  // the same universal features in another order
  system[1][5] = "nsubj:outer";                       // subtypes do not count
  system[2][2] = "VERB";                              // a function word of "barked" has the wrong tag
  system[4][1] = "anything";                          // gold has no lemma: any will do
  system[4][4] = "3";                                 // wrong head
  system[5][5] = "dep";                               // wrong relation, and now a content word
  const Evaluation e = evaluate(read(rows(kGold)), read(rows(system)), Root::single);
  EXPECT_EQ(e[Metric::words], score(6, 6, 6));
  EXPECT_EQ(e[Metric::upos], score(6, 6, 5));
  EXPECT_EQ(e[Metric::xpos], score(6, 6, 6));
  EXPECT_EQ(e[Metric::ufeats], score(6, 6, 6));
  EXPECT_EQ(e[Metric::lemmas], score(6, 6, 6));
  EXPECT_EQ(e[Metric::uas], score(6, 6, 5));
  EXPECT_EQ(e[Metric::las], score(6, 6, 4));
  EXPECT_EQ(e[Metric::clas], score(3, 4, 2));  // dogs, barked
  EXPECT_EQ(e[Metric::mlas], score(3, 4, 1));  // dogs: its article is right; barked: its auxiliary is not
  EXPECT_EQ(e[Metric::blex], score(3, 4, 2));
  EXPECT_EQ(e[Metric::uas_no_punct], score(5, 5, 4));
  EXPECT_EQ(e[Metric::las_no_punct], score(5, 5, 4));
  EXPECT_EQ(e[Metric::exact_match], score(1, 1, 0));
  EXPECT_EQ(e[Metric::root], score(1, 1, 1));
  EXPECT_DOUBLE_EQ(e[Metric::clas].f1(), 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(e[Metric::clas].precision(), 0.5);
  EXPECT_DOUBLE_EQ(e[Metric::clas].recall(), 2.0 / 3.0);
}

TEST(Evaluate, CountsTreesOfTheSystem) {
  auto cycle = kGold;
  cycle[3][4] = "2";
  auto two_roots = kGold;
  two_roots[0][4] = "0";
  auto no_heads = kGold;
  for (auto& word : no_heads) word[4] = "_";
  auto far = kGold;
  far[0][4] = "17";
  const auto gold = read(rows(kGold) + rows(kGold) + rows(kGold) + rows(kGold));
  const auto system = read(rows(cycle) + rows(two_roots) + rows(no_heads) + rows(far));
  const Evaluation single = evaluate(gold, system, Root::single);
  EXPECT_EQ(single[Metric::valid_tree], score(4, 4, 0));
  EXPECT_EQ(evaluate(gold, system, Root::multi)[Metric::valid_tree], score(4, 4, 1));
  EXPECT_EQ(single[Metric::uas], score(24, 24, 5 + 5 + 0 + 5));
  EXPECT_EQ(single[Metric::root], score(4, 3, 2));
  EXPECT_EQ(single.units.size(), 4U);
  EXPECT_EQ(single.units[2].scores[static_cast<std::size_t>(Metric::uas)], score(6, 6, 0));
}

/// One sentence: "ab" is a token, "ab=a+b" a multiword token.
std::string tokens(const std::vector<std::string>& list) {
  std::string out;
  int n = 0;
  const auto word = [&](const std::string& form) {
    ++n;
    out += std::to_string(n) + "\t" + form + "\t_\t_\t_\t_\t" + (n == 1 ? "0" : "1") + "\t_\t_\t_\n";
  };
  for (const std::string& token : list) {
    const std::size_t equals = token.find('=');
    if (equals == std::string::npos) {
      word(token);
      continue;
    }
    std::istringstream parts(token.substr(equals + 1));
    std::vector<std::string> forms;
    for (std::string form; std::getline(parts, form, '+');) forms.push_back(form);
    out += std::to_string(n + 1) + "-" + std::to_string(n + static_cast<int>(forms.size())) + "\t" +
           token.substr(0, equals) + "\t_\t_\t_\t_\t_\t_\t_\t_\n";
    for (const std::string& form : forms) word(form);
  }
  return out + "\n";
}

std::int64_t aligned(const std::vector<std::string>& gold, const std::vector<std::string>& system) {
  return evaluate(read(tokens(gold)), read(tokens(system)), Root::single)[Metric::words].correct;
}

TEST(Alignment, BySpanAndByForm) {
  EXPECT_EQ(aligned({"wxyz"}, {"w", "x", "y", "z"}), 0);
  EXPECT_EQ(aligned({"wx", "yz"}, {"w", "x", "yz"}), 1);
  EXPECT_EQ(aligned({"w x", "y"}, {"w", "x y"}), 0);  // blanks do not count
  EXPECT_EQ(aligned({"w x", "y"}, {"wx", "y"}), 2);
  EXPECT_EQ(aligned({"aux=à+les", "chats"}, {"aux=à+les", "chats"}), 3);
  EXPECT_EQ(aligned({"aux=à+les", "chats"}, {"aux", "chats"}), 1);
  EXPECT_EQ(aligned({"wxy=w+x+y"}, {"w", "x", "y"}), 3);
  EXPECT_EQ(aligned({"wxy=w+q+y"}, {"w", "x", "y"}), 2);
  EXPECT_EQ(aligned({"wx=W+X", "yz=y+z"}, {"w", "xyz=x+Y+z"}), 4);  // whatever their case
  EXPECT_EQ(aligned({"ÉİΔ=É+İ+Δ"}, {"É", "İ", "Δ"}), 3);
  EXPECT_EQ(aligned({"éi̇δ=É+İ+Δ"}, {"éi̇δ=é+i̇+δ"}), 3);
  EXPECT_EQ(aligned({"wxyz=w+x+x+z"}, {"wxyz=x+w+x+z"}), 3);  // a longest common subsequence
}

TEST(Alignment, SentencesMayBeCutElsewhere) {
  const auto gold = read(tokens({"a", "b"}) + tokens({"c", "d"}) + tokens({"e"}));
  const auto system = read(tokens({"a", "b", "c"}) + tokens({"d"}) + tokens({"e"}));
  const Evaluation e = evaluate(gold, system, Root::single);
  ASSERT_EQ(e.units.size(), 2U);
  EXPECT_EQ(e.units[0].gold_sentences, 2);
  EXPECT_EQ(e[Metric::words], score(5, 5, 5));
  EXPECT_EQ(e[Metric::uas], score(5, 5, 3));  // a, b, e: c hangs from a, and d is a root
  EXPECT_EQ(e[Metric::exact_match], score(3, 3, 1));
  EXPECT_EQ(e[Metric::root], score(3, 3, 2));
}

TEST(Alignment, TextsMustBeTheSame) {
  const auto message = [](const std::string& gold, const std::string& system) -> std::string {
    try {
      evaluate(read(gold), read(system), Root::single);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(tokens({"a"}) + tokens({"bé", "c"}), tokens({"a"}) + tokens({"bè", "c"})),
            "[evaluate] the texts differ in sentence 2 of the gold standard: 'éc' there, 'èc' in the system's");
  EXPECT_EQ(message(tokens({"a"}), tokens({"a"}) + tokens({"b"})),
            "[evaluate] the texts differ in sentence 1 of the gold standard: the end there, 'b' in the system's");
  EXPECT_EQ(message(tokens({"\u00A0\u3000"}), tokens({"a"})),
            "[evaluate] gold standard, line 1: the form has blanks only");
  EXPECT_TRUE(evaluate({}, {}, Root::single).units.empty());
}

TEST(Slices, CountHeadsAndArcs) {
  auto system = kGold;
  system[4][4] = "3";
  system[5][5] = "dep";
  const auto gold = read(rows(kGold));
  const auto parsed = read(rows(system));
  const auto find = [&](SliceBy by, const std::string& name) {
    for (const Slice& slice : slices(gold, parsed, by)) {
      if (slice.name == name) return slice;
    }
    return Slice{};
  };
  const auto expect = [](const Slice& s, int of_gold, int of_system, int heads, int arcs) {
    EXPECT_EQ(s.gold, of_gold);
    EXPECT_EQ(s.system, of_system);
    EXPECT_EQ(s.right_heads, heads);
    EXPECT_EQ(s.right_arcs, arcs);
  };
  expect(find(SliceBy::length, "1-10"), 6, 6, 5, 4);
  expect(find(SliceBy::pos, "ADV"), 1, 1, 0, 0);
  expect(find(SliceBy::pos, "PUNCT"), 1, 1, 1, 0);
  expect(find(SliceBy::deprel, "punct"), 1, 0, 1, 0);
  expect(find(SliceBy::deprel, "dep"), 0, 1, 0, 0);
  expect(find(SliceBy::deprel, "nsubj"), 1, 1, 1, 1);
  expect(find(SliceBy::distance, "-1"), 2, 2, 2, 2);
  expect(find(SliceBy::distance, "+1"), 1, 0, 0, 0);
  expect(find(SliceBy::distance, "+2"), 1, 2, 1, 0);
  expect(find(SliceBy::distance, "root"), 1, 1, 1, 1);
}

}  // namespace
}  // namespace kirchhoff
