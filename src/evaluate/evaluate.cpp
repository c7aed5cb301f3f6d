// Computes the scores of [Zeman18] and a few more. A metric is a row of a table: which words count, and when an aligned
// pair is right. Every metric is a sum over words or sentences, kept for each unit of text so that units can be drawn
// again (resampling.cpp).
#include "kirchhoff/evaluate.hpp"

#include "evaluate/words.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

using evaluation::EvaluatedSentence;
using evaluation::EvaluatedWord;
using evaluation::kNone;
using evaluation::kRoot;
using evaluation::Pairs;
using evaluation::WordsOfFile;

struct Files {
  const WordsOfFile& gold;
  const WordsOfFile& system;
  Pairs pairs;

  const EvaluatedWord& gold_word(int i) const { return gold.words[static_cast<std::size_t>(i)]; }
  const EvaluatedWord& system_word(int i) const { return system.words[static_cast<std::size_t>(i)]; }
  bool same_head(int g, int s) const { return evaluation::same_head(gold, system, pairs, g, s); }
  bool same_arc(int g, int s) const { return same_head(g, s) && gold_word(g).relation == system_word(s).relation; }
};

bool every_word(const EvaluatedWord&) { return true; }
bool is_content(const EvaluatedWord& word) { return word.content; }
bool is_no_punctuation(const EvaluatedWord& word) { return word.upos != "PUNCT"; }
bool is_below_root(const EvaluatedWord& word) { return word.parent == kRoot; }

bool same_tag_and_features(const EvaluatedWord& a, const EvaluatedWord& b) {
  return a.upos == b.upos && a.feats == b.feats;
}

/// A gold standard without a lemma accepts any.
bool same_lemma(const EvaluatedWord& gold, const EvaluatedWord& system) {
  return gold.lemma == "_" || gold.lemma == system.lemma;
}

bool same_function_words(const Files& files, const EvaluatedWord& gold, const EvaluatedWord& system) {
  const auto same = [&](int s, int g) {
    const EvaluatedWord& a = files.gold_word(g);
    const EvaluatedWord& b = files.system_word(s);
    return files.pairs.gold_of_system[static_cast<std::size_t>(s)] == g && a.relation == b.relation &&
           same_tag_and_features(a, b);
  };
  return std::equal(system.function_words.begin(), system.function_words.end(), gold.function_words.begin(),
                    gold.function_words.end(), same);
}

struct Rule {
  Metric metric;
  bool (*counts)(const EvaluatedWord&);
  bool (*is_right)(const Files&, int gold_word, int system_word);
};
constexpr Rule kRules[] = {
    {Metric::words, every_word, [](const Files&, int, int) { return true; }},
    {Metric::upos, every_word,
     [](const Files& f, int g, int s) { return f.gold_word(g).upos == f.system_word(s).upos; }},
    {Metric::xpos, every_word,
     [](const Files& f, int g, int s) { return f.gold_word(g).xpos == f.system_word(s).xpos; }},
    {Metric::ufeats, every_word,
     [](const Files& f, int g, int s) { return f.gold_word(g).feats == f.system_word(s).feats; }},
    {Metric::lemmas, every_word,
     [](const Files& f, int g, int s) { return same_lemma(f.gold_word(g), f.system_word(s)); }},
    {Metric::uas, every_word, [](const Files& f, int g, int s) { return f.same_head(g, s); }},
    {Metric::las, every_word, [](const Files& f, int g, int s) { return f.same_arc(g, s); }},
    {Metric::clas, is_content, [](const Files& f, int g, int s) { return f.same_arc(g, s); }},
    {Metric::mlas, is_content,
     [](const Files& f, int g, int s) {
       return f.same_arc(g, s) && same_tag_and_features(f.gold_word(g), f.system_word(s)) &&
              same_function_words(f, f.gold_word(g), f.system_word(s));
     }},
    {Metric::blex, is_content,
     [](const Files& f, int g, int s) { return f.same_arc(g, s) && same_lemma(f.gold_word(g), f.system_word(s)); }},
    {Metric::uas_no_punct, is_no_punctuation, [](const Files& f, int g, int s) { return f.same_head(g, s); }},
    {Metric::las_no_punct, is_no_punctuation, [](const Files& f, int g, int s) { return f.same_arc(g, s); }},
    {Metric::root, is_below_root, [](const Files& f, int g, int s) { return f.same_head(g, s); }},
};

/// The unit of each sentence of either file.
struct Units {
  std::vector<std::size_t> of_gold;
  std::vector<std::size_t> of_system;
  std::size_t count = 0;
};

Units units_of(const WordsOfFile& gold, const WordsOfFile& system) {
  Units units;
  std::size_t s = 0;
  for (const EvaluatedSentence& sentence : gold.sentences) {
    units.of_gold.push_back(units.count);
    while (s < system.sentences.size() && system.sentences[s].end <= sentence.end) {
      units.of_system.push_back(units.count);
      ++s;
    }
    if (s > 0 && system.sentences[s - 1].end == sentence.end) ++units.count;
  }
  return units;
}

Score& score_in(std::vector<EvaluatedUnit>& units, std::size_t unit, Metric metric) {
  return units[unit].scores[static_cast<std::size_t>(metric)];
}

void count_words(const Files& files, const Units& of, const Rule& rule, std::vector<EvaluatedUnit>& units) {
  for (const EvaluatedWord& word : files.system.words) {
    if (!rule.counts(word)) continue;
    ++score_in(units, of.of_system[static_cast<std::size_t>(word.sentence)], rule.metric).system;
  }
  for (std::size_t g = 0; g < files.gold.words.size(); ++g) {
    const EvaluatedWord& word = files.gold.words[g];
    if (!rule.counts(word)) continue;
    Score& score = score_in(units, of.of_gold[static_cast<std::size_t>(word.sentence)], rule.metric);
    const int s = files.pairs.system_of_gold[g];
    ++score.gold;
    score.correct += s != kNone && rule.is_right(files, static_cast<int>(g), s) ? 1 : 0;
  }
}

/// The words that begin a token.
std::vector<int> first_words(const WordsOfFile& file) {
  std::vector<int> first;
  for (std::size_t i = 0; i < file.words.size(); ++i) {
    const EvaluatedWord& word = file.words[i];
    if (!word.multiword || i == 0 || file.words[i - 1].begin != word.begin) first.push_back(static_cast<int>(i));
  }
  return first;
}

void count_tokens(const Files& files, const Units& of, std::vector<EvaluatedUnit>& units) {
  const std::vector<int> gold = first_words(files.gold), system = first_words(files.system);
  const auto score = [&](const std::vector<std::size_t>& of_sentence, const EvaluatedWord& word) -> Score& {
    return score_in(units, of_sentence[static_cast<std::size_t>(word.sentence)], Metric::tokens);
  };
  for (const int s : system) ++score(of.of_system, files.system_word(s)).system;
  auto next = system.begin();
  for (const int g : gold) {
    const EvaluatedWord& token = files.gold_word(g);
    Score& counts = score(of.of_gold, token);
    ++counts.gold;
    while (next != system.end() && files.system_word(*next).begin < token.begin) ++next;
    if (next == system.end()) continue;
    const EvaluatedWord& other = files.system_word(*next);
    counts.correct += other.begin == token.begin && other.end == token.end ? 1 : 0;
  }
}

/// Does the system have the same sentence, word by word, with every pair right?
template <class Right>
bool is_exact(const Files& files, const EvaluatedSentence& gold, Right right) {
  const int first = files.pairs.system_of_gold[static_cast<std::size_t>(gold.first)];
  if (first == kNone) return false;
  const auto in_system = static_cast<std::size_t>(files.system_word(first).sentence);
  const EvaluatedSentence& system = files.system.sentences[in_system];
  if (system.first != first || system.end != gold.end || system.last - system.first != gold.last - gold.first)
    return false;
  for (int i = 0; i < gold.last - gold.first; ++i) {
    const int g = gold.first + i;
    const int s = system.first + i;
    if (files.pairs.system_of_gold[static_cast<std::size_t>(g)] != s || !right(g, s)) return false;
  }
  return true;
}

void count_sentences(const Files& files, const Units& of, std::vector<EvaluatedUnit>& units) {
  for (const std::size_t unit : of.of_system) {
    ++score_in(units, unit, Metric::sentences).system;
    ++score_in(units, unit, Metric::exact_match_unlabelled).system;
    ++score_in(units, unit, Metric::exact_match).system;
  }
  for (std::size_t i = 0; i < of.of_gold.size(); ++i) {
    const EvaluatedSentence& sentence = files.gold.sentences[i];
    Score& unlabelled = score_in(units, of.of_gold[i], Metric::exact_match_unlabelled);
    Score& labelled = score_in(units, of.of_gold[i], Metric::exact_match);
    ++units[of.of_gold[i]].gold_sentences;
    ++score_in(units, of.of_gold[i], Metric::sentences).gold;
    ++unlabelled.gold;
    ++labelled.gold;
    unlabelled.correct += is_exact(files, sentence, [&](int g, int s) { return files.same_head(g, s); }) ? 1 : 0;
    labelled.correct += is_exact(files, sentence, [&](int g, int s) { return files.same_arc(g, s); }) ? 1 : 0;
  }
  // A unit ends where sentences of both files end, so one of either in it is the same in both.
  for (EvaluatedUnit& unit : units) {
    Score& score = unit.scores[static_cast<std::size_t>(Metric::sentences)];
    score.correct = score.gold == 1 && score.system == 1 ? 1 : 0;
  }
}

void count_valid_trees(std::span<const Sentence> system, const Units& of, Root root,
                       std::vector<EvaluatedUnit>& units) {
  for (std::size_t i = 0; i < system.size(); ++i) {
    const int valid = tree_problem(system[i].heads(), root) ? 0 : 1;
    score_in(units, of.of_system[i], Metric::valid_tree) += {1, 1, valid};
  }
}

}  // namespace

Score& Score::operator+=(const Score& other) {
  gold += other.gold;
  system += other.system;
  correct += other.correct;
  return *this;
}

Evaluation evaluate(std::span<const Sentence> gold, std::span<const Sentence> system, Root root) {
  const WordsOfFile gold_file = evaluation::file_of(gold, "gold standard");
  const WordsOfFile system_file = evaluation::file_of(system, "system");
  const Files files{gold_file, system_file, evaluation::align(gold_file, system_file)};
  const Units of = units_of(gold_file, system_file);
  Evaluation out;
  out.units.resize(of.count);
  for (const Rule& rule : kRules) count_words(files, of, rule, out.units);
  count_tokens(files, of, out.units);
  count_sentences(files, of, out.units);
  count_valid_trees(system, of, root, out.units);
  for (const EvaluatedUnit& unit : out.units) {
    for (std::size_t m = 0; m < kMetrics; ++m) out.total[m] += unit.scores[m];
  }
  return out;
}

}  // namespace kirchhoff
