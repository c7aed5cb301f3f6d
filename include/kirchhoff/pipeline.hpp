// One model file from raw text to trees: tokenizer, tagger, lemmatizer and parser, or some of them.
//
//   const Pipeline pipeline = Pipeline::open("en.model");
//   for (const Sentence& s : annotate(pipeline, "Dogs bark. Cats don't.")) std::cout << s;
//
// Files are those of ParserModel with further sections: a program that wants the parser alone finds it there.
#pragma once

#include "kirchhoff/parser.hpp"
#include "kirchhoff/tagger.hpp"
#include "kirchhoff/tokenizer.hpp"
#include "kirchhoff/train.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff {

/// What a model file may hold.
enum class PipelinePart { tokenizer, tagger, lemmatizer, parser };
template <>
inline constexpr std::array<std::string_view, 4> kNames<PipelinePart> = {"tokenizer", "tagger", "lemmatizer", "parser"};

/// A model file with any of the parts. It is immutable, and copies share it. What ParserModel promises of files holds
/// here too.
class Pipeline {
 public:
  /// Throws ModelError.
  static Pipeline open(const std::string& path, ModelMemory memory = ModelMemory::own);
  /// Writes the file as a whole. Throws ModelError.
  void save(const std::string& path) const;

  bool has(PipelinePart part) const;
  /// These throw a ModelError that names the part when the file has none.
  const Tokenizer& tokenizer() const;
  const Tagger& tagger() const;
  const ParserModel& parser() const;
  /// The model card, which is the parser's where there is one.
  const std::vector<std::pair<std::string, std::string>>& card() const;
  std::size_t bytes() const;

 private:
  friend struct text::TextAccess;
  struct State;
  explicit Pipeline(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Text to sentences with all that the model has: words, tags and lemmas, heads and relations. Throws ModelError when
/// there is no tokenizer, and ParseError where the text is not UTF-8.
std::vector<Sentence> annotate(const Pipeline& pipeline, std::string_view text, int threads = kAllCores);

/// How a pipeline is trained.
struct PipelineOptions {
  bool tokenizer = true, tagger = true, lemmatizer = true, parser = true;  ///< The parts to learn.
  /// The parser's training. Its random seed and threads are those of all parts, as are its model file and card.
  TrainOptions training;
  int tagger_epochs = 16;
  /// The parser learns from tags that taggers gave which have not seen the sentence: each of so many learns from the
  /// other parts of the treebank. With 0 it learns from the treebank's own tags.
  int folds = 4;
  /// What the tagger and the lemmatizer know of words besides the treebank: readings, and clusters of words, whose
  /// paths are features. Tags that the treebank does not have become possible.
  std::vector<LexiconEntry> lexicon = {};
  std::vector<WordCluster> clusters = {};
};

/// Learns the parts from a treebank and writes the model file that the options name, if they name one. Nothing when
/// `events.stop` ended it: of the parser there is a checkpoint then, as there is with train_parser; the other parts
/// begin anew. Throws InputError and ModelError as train_parser does.
std::optional<Pipeline> train_pipeline(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                                       const PipelineOptions& options, const TrainEvents& events = {});

}  // namespace kirchhoff
