// What is known of words besides a treebank: a lexicon of forms with lemma and tags, and clusters of words.
//
//   std::ifstream file("en.tsv");
//   const KnownWords lexicon(read_lexicon(file, "en.tsv"));
//   const Tagged tagged = tag(pipeline.tagger(), sentence, {.lexicon = &lexicon});
//
// Both can be given to training (PipelineOptions), a lexicon also to tagging.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kirchhoff {

/// One reading of a form; "_" leaves open what is not known of it.
struct LexiconEntry {
  std::string form, lemma = "_", upos = "_", xpos = "_", feats = "_";
};
/// Reads lines of FORM, LEMMA, UPOS, XPOS and FEATS with tabs between; the last two may be missing. Empty lines and
/// those that begin with "# " are skipped. Throws ParseError.
std::vector<LexiconEntry> read_lexicon(std::istream& in, const std::string& name);

/// A lexicon to look words up in.
class KnownWords {
 public:
  KnownWords() = default;
  explicit KnownWords(std::vector<LexiconEntry> entries);
  /// The readings of a form; where there are none, those of the form in lower case.
  std::span<const LexiconEntry> readings(std::string_view form) const;

 private:
  std::unordered_map<std::string, std::vector<LexiconEntry>> readings_;
};

/// A word, and the path to its cluster from the root of all clusters, as Brown's algorithm makes them of unannotated
/// text. Clusters whose paths begin alike are alike.
struct WordCluster {
  std::string path, word;
};
/// Reads lines of path, word and, if there is one, count, with tabs between. Throws ParseError.
std::vector<WordCluster> read_clusters(std::istream& in, const std::string& name);

}  // namespace kirchhoff
