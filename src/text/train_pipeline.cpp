// Trains the parts of a pipeline and packs them into one model file.
#include "base/check.hpp"
#include "parser/training/checkpoint.hpp"
#include "text/pipeline.hpp"
#include "text/train_tagger.hpp"
#include "text/train_tokenizer.hpp"

#include <filesystem>
#include <memory>
#include <numeric>

namespace kirchhoff {
namespace text {
namespace {

class PipelineTraining {
 public:
  PipelineTraining(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const PipelineOptions& options,
                   const TrainEvents& events)
      : train_(train), dev_(dev), options_(options), events_(events), crew_(options.training.threads) {}

  /// The container of the model file; nothing when it was stopped.
  std::optional<parser::Container> run() {
    std::optional<TokenizerParts> tokens;
    std::optional<TaggerParts> tags;
    std::optional<ParserModel> parser;
    if (options_.tokenizer) {
      tokens = train_tokenizer(train_, options_.training.seed, crew_, progress("tokenizer"));
      if (!tokens) return std::nullopt;
    }
    const bool tagged = options_.parser && options_.folds > 0 && options_.tagger;
    if (options_.tagger || options_.lemmatizer) {
      tags = learn_tags(train_, options_.lemmatizer, "tagger");
      if (!tags) return std::nullopt;
    }
    if (options_.parser) {
      parser = tagged ? learn_from_tags(*tags) : learn_parser(train_, dev_);
      if (!parser) return std::nullopt;
    }
    parser::ContainerWriter writer(parser::kModelVersion);
    if (parser) {
      const parser::Container& file = parser::ModelAccess::model_of(*parser)->file;
      for (const std::string& name : file.names()) writer.add_borrowed(name, file.section(name));
    } else {
      writer.add("card", parser::write_card(options_.training.card));
    }
    if (tokens) add_sections(writer, *tokens, crew_);
    if (tags) add_sections(writer, *tags, crew_);
    return parser::Container(std::move(writer).finish(crew_), "new model", parser::kModelVersion);
  }

 private:
  SequenceProgress progress(const std::string& stage) const {
    return [this, stage](std::size_t done, std::size_t all) {
      if (events_.progress) events_.progress({stage, done, all, 0.0});
      return !(events_.stop && events_.stop());
    };
  }

  std::optional<TaggerParts> learn_tags(std::span<const Sentence> sentences, bool lemmas, const std::string& stage) {
    return train_tagger(sentences, {lemmas, options_.tagger_epochs, options_.training.seed}, crew_, progress(stage));
  }

  Tagger made(const TaggerParts& parts) {
    parser::ContainerWriter writer(parser::kModelVersion);
    add_sections(writer, parts, crew_);
    const parser::Container file(std::move(writer).finish(crew_), "new model", parser::kModelVersion);
    return TextAccess::wrap(std::make_shared<const TagModel>(file));
  }

  void tag_some(const Tagger& tagger, std::vector<Sentence>& sentences, std::span<const std::size_t> which) {
    crew_.chunks(which.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Sentence& sentence = sentences[which[i]];
        sentence = tag(tagger, sentence).sentence;
      }
    });
  }

  /// The parser that expects the tags a tagger gives to text that it has not seen. The tagger itself tags dev.
  std::optional<ParserModel> learn_from_tags(const TaggerParts& parts) {
    std::vector<Sentence> train = train_, dev = dev_;
    const auto folds = std::min(static_cast<std::size_t>(options_.folds), train.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
      std::vector<Sentence> others;
      std::vector<std::size_t> own;
      for (std::size_t i = 0; i < train.size(); ++i) {
        if (i * folds / train.size() == fold) {
          own.push_back(i);
        } else {
          others.push_back(train_[i]);
        }
      }
      if (others.empty()) others = train_;  // a treebank of one sentence
      const auto tags = learn_tags(others, options_.lemmatizer, "tags " + std::to_string(fold + 1));
      if (!tags) return std::nullopt;
      tag_some(made(*tags), train, own);
    }
    std::vector<std::size_t> all(dev.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    tag_some(made(parts), dev, all);
    return learn_parser(train, dev);
  }

  std::optional<ParserModel> learn_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev) {
    TrainOptions options = options_.training;
    options.model.clear();  // The pipeline is written when all of it is there.
    return train_parser(train, dev, options, events_).model;
  }

  const std::vector<Sentence>& train_;
  const std::vector<Sentence>& dev_;
  const PipelineOptions& options_;
  const TrainEvents& events_;
  base::Crew crew_;
};

}  // namespace
}  // namespace text

std::optional<Pipeline> train_pipeline(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                                       const PipelineOptions& options, const TrainEvents& events) {
  if (train.empty()) base::input_error("train_pipeline", "train: has no sentences");
  if (options.tagger_epochs < 1 || options.folds < 0) {
    base::input_error("train_pipeline", "tagger_epochs must be at least 1 and folds not negative");
  }
  auto file = text::PipelineTraining(train, dev, options, events).run();
  if (!file) return std::nullopt;
  const Pipeline pipeline = text::TextAccess::pipeline(std::move(*file));
  if (options.training.model.empty()) return pipeline;
  pipeline.save(options.training.model);
  std::error_code ignored;
  if (!options.training.checkpoint.empty()) std::filesystem::remove(options.training.checkpoint, ignored);
  return pipeline;
}

}  // namespace kirchhoff
