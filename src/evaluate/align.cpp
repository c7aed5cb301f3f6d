// Finds out which words of two files are the same [Zeman18]. Words that are tokens of their own are known by their
// place in the text. Where multiword tokens overlap, a longest common subsequence of the forms decides, without regard
// to case, within the shortest stretch that cuts no token. Takes O(words) time, and the product of words in such a
// stretch.
//
// The order of steps is that of the shared task's script, so that ties and stray words come out as they do there.
#include "base/check.hpp"
#include "base/utf8.hpp"
#include "evaluate/lower_case.hpp"
#include "evaluate/words.hpp"

#include <algorithm>

namespace kirchhoff::evaluation {
namespace {

using Words = std::vector<EvaluatedWord>;
constexpr std::size_t kMaxCells = std::size_t{1} << 28;

/// One side of a stretch of text: words first ... last - 1 of a file.
struct Stretch {
  const Words& words;
  std::size_t first;
  std::size_t last;

  bool ended() const { return last == words.size(); }
  const EvaluatedWord& next() const { return words[last]; }
  /// Are all words taken that reach into the text before `limit`? A token that sticks out is not one of them.
  bool reached(std::size_t limit) const {
    return ended() || (next().multiword ? next().begin >= limit : next().end > limit);
  }
  /// Takes a word and returns the new limit.
  std::size_t take(std::size_t limit) {
    const EvaluatedWord& word = words[last++];
    return word.multiword ? std::max(limit, word.end) : limit;
  }
  std::vector<std::string> forms(const std::string& text) const {
    std::vector<std::string> out;
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view token = std::string_view(text).substr(words[i].begin, words[i].end - words[i].begin);
      out.push_back(lower_case(words[i].multiword ? words[i].form : token));
    }
    return out;
  }
};

/// A single word of the other side that begins before the multiword token belongs to the text before it.
void skip_one_before(const EvaluatedWord& token, Stretch& other) {
  if (!other.next().multiword && other.next().begin < token.begin) other.first = ++other.last;
}

/// The stretch that begins with two words, of which at least one is in a multiword token.
std::pair<Stretch, Stretch> stretch_from(const Words& gold, const Words& system, std::size_t g, std::size_t s) {
  Stretch a{gold, g, g};
  Stretch b{system, s, s};
  const bool of_gold = gold[g].multiword;
  std::size_t limit = of_gold ? gold[g].end : system[s].end;
  skip_one_before(of_gold ? gold[g] : system[s], of_gold ? b : a);
  while (!a.reached(limit) || !b.reached(limit)) {
    const bool take_gold = !a.ended() && (b.ended() || a.next().begin <= b.next().begin);
    limit = (take_gold ? a : b).take(limit);
  }
  return {a, b};
}

/// The lengths of the longest common subsequences of what follows i and j.
class Subsequence {
 public:
  Subsequence(const std::vector<std::string>& a, const std::vector<std::string>& b) : columns_(b.size() + 1) {
    if (a.size() + 1 > kMaxCells / columns_) base::input_error("evaluate", "a multiword token of too many words");
    length_.assign((a.size() + 1) * columns_, 0);
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        const int longest = std::max(at(i + 1, j), at(i, j + 1));
        length_[i * columns_ + j] = a[i] == b[j] ? std::max(longest, at(i + 1, j + 1) + 1) : longest;
      }
    }
  }
  int at(std::size_t i, std::size_t j) const { return length_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<int> length_;
};

class Aligner {
 public:
  Aligner(const WordsOfFile& gold, const WordsOfFile& system) : gold_(gold), system_(system) {
    pairs_.gold_of_system.assign(system.words.size(), kNone);
    pairs_.system_of_gold.assign(gold.words.size(), kNone);
  }

  Pairs align() && {
    std::size_t g = 0;
    std::size_t s = 0;
    while (g < gold_.words.size() && s < system_.words.size()) {
      const EvaluatedWord& a = gold_.words[g];
      const EvaluatedWord& b = system_.words[s];
      if (a.multiword || b.multiword) {
        const auto [of_gold, of_system] = stretch_from(gold_.words, system_.words, g, s);
        align_by_form(of_gold, of_system);
        g = of_gold.last;
        s = of_system.last;
      } else if (a.begin == b.begin && a.end == b.end) {
        pair(g++, s++);
      } else {
        ++(a.begin <= b.begin ? g : s);
      }
    }
    return std::move(pairs_);
  }

 private:
  void pair(std::size_t g, std::size_t s) {
    pairs_.system_of_gold[g] = static_cast<int>(s);
    pairs_.gold_of_system[s] = static_cast<int>(g);
  }

  void align_by_form(const Stretch& of_gold, const Stretch& of_system) {
    const std::vector<std::string> a = of_gold.forms(gold_.text);
    const std::vector<std::string> b = of_system.forms(system_.text);
    const Subsequence common(a, b);
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i] == b[j]) {
        pair(of_gold.first + i++, of_system.first + j++);
      } else {
        ++(common.at(i, j) == common.at(i + 1, j) ? i : j);
      }
    }
  }

  const WordsOfFile& gold_;
  const WordsOfFile& system_;
  Pairs pairs_;
};

/// About twenty characters, cut where characters end.
std::string sample(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  text.remove_prefix(std::min(at, text.size()));
  std::size_t size = 0;
  for (int i = 0; i < 20 && size < text.size(); ++i) size += base::character_size(text.substr(size));
  return text.empty() ? "the end" : "'" + std::string(text.substr(0, size)) + "'";
}

void check_same_text(const WordsOfFile& gold, const WordsOfFile& system) {
  if (gold.text == system.text) return;
  const auto [g, s] = std::mismatch(gold.text.begin(), gold.text.end(), system.text.begin(), system.text.end());
  const auto at = static_cast<std::size_t>(g - gold.text.begin());
  const auto sentence = std::partition_point(gold.sentences.begin(), gold.sentences.end(),
                                             [&](const EvaluatedSentence& x) { return x.end <= at; });
  base::input_error("evaluate", "the texts differ in sentence " +
                                    std::to_string(std::min(sentence - gold.sentences.begin() + 1,
                                                            static_cast<std::ptrdiff_t>(gold.sentences.size()))) +
                                    " of the gold standard: " + sample(gold.text, at) + " there, " +
                                    sample(system.text, at) + " in the system's");
}

}  // namespace

Pairs align(const WordsOfFile& gold, const WordsOfFile& system) {
  check_same_text(gold, system);
  return Aligner(gold, system).align();
}

}  // namespace kirchhoff::evaluation
