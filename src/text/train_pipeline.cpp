// Trains the parts of a pipeline and packs them into one model file.
#include "base/check.hpp"
#include "parser/features/hash.hpp"
#include "parser/training/checkpoint.hpp"
#include "text/calibrate.hpp"
#include "text/parts_checkpoint.hpp"
#include "text/pipeline.hpp"
#include "text/train_tagger.hpp"
#include "text/train_tokenizer.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>

namespace kirchhoff {
namespace text {
namespace {

constexpr std::size_t kFoldsToCalibrate = 4;  // Where no parser wants folds, one of so many is held out.

/// What the parts depend on, the parser apart.
std::uint64_t fingerprint(const std::vector<Sentence>& train, const PipelineOptions& o) {
  std::uint64_t h = parser::mix(o.training.seed);
  const auto add = [&](std::string_view text) { h = parser::mix(h ^ parser::hash_text(text)); };
  for (const int value : {o.tokenizer ? 1 : 0, o.tagger ? 1 : 0, o.lemmatizer ? 1 : 0, o.tagger_epochs, o.folds}) {
    h = parser::mix(h ^ static_cast<std::uint64_t>(value));
  }
  for (const Sentence& s : train) add(to_text(s));
  for (const LexiconEntry& e : o.lexicon) add(e.form + "\t" + e.lemma + "\t" + e.upos + "\t" + e.xpos + "\t" + e.feats);
  for (const WordCluster& c : o.clusters) add(c.path + "\t" + c.word);
  return h;
}

/// Parts without a parser are learnt in a minute, so they begin anew.
std::string parts_path(const PipelineOptions& o) {
  return o.training.checkpoint.empty() || !o.parser ? "" : o.training.checkpoint + ".parts";
}

class PipelineTraining {
 public:
  PipelineTraining(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const PipelineOptions& options,
                   const TrainEvents& events)
      : train_(train),
        dev_(dev),
        options_(options),
        events_(events),
        crew_(options.training.threads),
        parts_(parts_path(options), fingerprint(train, options), options.training.resume, crew_) {}

  /// The container of the model file; nothing when it was stopped.
  std::optional<parser::Container> run() {
    std::optional<parser::Container> tokens, tags;
    std::optional<ParserModel> parser;
    if (options_.tokenizer && !(tokens = tokenizer())) return std::nullopt;
    TagTemperatures temperature;
    std::vector<Sentence> tagged = train_;
    const bool has_tags = options_.tagger || options_.lemmatizer;
    const bool from_tags = options_.parser && options_.folds > 0 && options_.tagger;
    if (has_tags) {
      if (!(tags = tagger("tagger", train_))) return std::nullopt;
      const auto found = held_out(from_tags, tagged);
      if (!found) return std::nullopt;
      temperature = *found;
    }
    if (options_.parser) {
      std::vector<Sentence> dev = dev_;
      if (from_tags) {
        std::vector<std::size_t> all(dev.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        tag_some(made(*tags), dev, all);
      }
      parser = learn_parser(from_tags ? tagged : train_, dev);
      if (!parser) return std::nullopt;
    }
    parser::ContainerWriter writer(parser::kModelVersion);
    const auto add = [&](const parser::Container& file) {
      for (const std::string& name : file.names()) writer.add_borrowed(name, file.section(name));
    };
    if (parser) {
      add(parser::ModelAccess::model_of(*parser)->file);
    } else {
      writer.add("card", parser::write_card(options_.training.card));
    }
    if (tokens) add(*tokens);
    if (tags) add(*tags);
    const std::array<double, 2> stored = {temperature.upos, temperature.feats};
    if (tags) writer.add_array("tag.temperature", std::span<const double>(stored));
    return parser::Container(std::move(writer).finish(crew_), "new model", parser::kModelVersion);
  }

  void remove_checkpoint() const { parts_.remove(); }

 private:
  SequenceProgress progress(const std::string& stage) const {
    return [this, stage](std::size_t done, std::size_t all) {
      if (events_.progress) events_.progress({stage, done, all, 0.0});
      return !(events_.stop && events_.stop());
    };
  }

  std::optional<parser::Container> tokenizer() {
    const std::string part = "tokenizer";
    if (auto kept = parts_.find(part)) return kept;
    const auto learnt = train_tokenizer(train_, options_.training.seed, crew_, progress(part));
    if (!learnt) return std::nullopt;
    parser::ContainerWriter writer(parser::kModelVersion);
    add_sections(writer, *learnt, crew_);
    return parts_.keep(part, std::move(writer), crew_);
  }

  std::optional<parser::ContainerWriter> learn_tags(std::span<const Sentence> sentences, const std::string& stage) {
    const TaggerTraining training{options_.lemmatizer, options_.tagger_epochs, options_.training.seed, options_.lexicon,
                                  options_.clusters};
    const auto learnt = train_tagger(sentences, training, crew_, progress(stage));
    if (!learnt) return std::nullopt;
    parser::ContainerWriter writer(parser::kModelVersion);
    add_sections(writer, *learnt, crew_);
    return writer;
  }

  std::optional<parser::Container> tagger(const std::string& part, std::span<const Sentence> sentences) {
    if (auto kept = parts_.find(part)) return kept;
    auto writer = learn_tags(sentences, part);
    if (!writer) return std::nullopt;
    return parts_.keep(part, std::move(*writer), crew_);
  }

  static Tagger made(const parser::Container& file) { return TextAccess::wrap(std::make_shared<const TagModel>(file)); }

  void tag_some(const Tagger& tagger, std::vector<Sentence>& sentences, std::span<const std::size_t> which) {
    crew_.chunks(which.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Sentence& sentence = sentences[which[i]];
        sentence = tag(tagger, sentence).sentence;
      }
    });
  }

  /// Tags the treebank by taggers that have not seen the sentences, if they are wanted, and finds the temperatures at
  /// which such taggers are right as often as they say.
  std::optional<TagTemperatures> held_out(bool all, std::vector<Sentence>& tagged) {
    const std::size_t wanted = all ? static_cast<std::size_t>(options_.folds) : kFoldsToCalibrate;
    const std::size_t folds = std::min(wanted, train_.size());
    TagLosses losses;
    for (std::size_t fold = 0; fold < (all ? folds : 1); ++fold) {
      std::vector<Sentence> others;
      std::vector<std::size_t> own;
      for (std::size_t i = 0; i < train_.size(); ++i) {
        if (i * folds / train_.size() == fold) {
          own.push_back(i);
        } else {
          others.push_back(train_[i]);
        }
      }
      if (others.empty()) others = train_;  // a treebank of one sentence
      const auto done = tag_fold("tags " + std::to_string(fold + 1), others, own, tagged);
      if (!done) return std::nullopt;
      losses.add(*done);
    }
    return losses.best();
  }

  /// Tags some sentences by a tagger that has learnt from others.
  std::optional<TagLosses> tag_fold(const std::string& part, std::span<const Sentence> others,
                                    std::span<const std::size_t> own, std::vector<Sentence>& tagged) {
    auto kept = parts_.find(part);
    if (!kept) {
      auto learnt = learn_tags(others, part);
      if (!learnt) return std::nullopt;
      const Tagger tagger = made(parser::Container(std::move(*learnt).finish(crew_), part, parser::kModelVersion));
      std::vector<Sentence> gold;
      for (const std::size_t i : own) gold.push_back(train_[i]);
      const TagLosses losses = tag_losses(tagger, gold, crew_);
      tag_some(tagger, tagged, own);
      std::string text;
      for (const std::size_t i : own) text += to_text(tagged[i]);
      parser::ContainerWriter writer(parser::kModelVersion);
      writer.add("tagged", text);
      writer.add_array("losses", std::span<const TagLosses>(&losses, 1));
      kept = parts_.keep(part, std::move(writer), crew_);
    }
    // What was learnt in this run is read back, too, so that one that goes on sees the same.
    std::istringstream in{std::string(kept->text("tagged"))};
    const std::vector<Sentence> sentences = read_sentences(in, part, ConllFormat::conllu);
    const auto losses = kept->array<TagLosses>("losses");
    if (sentences.size() != own.size() || losses.size() != 1) kept->fail("is damaged");
    for (std::size_t i = 0; i < own.size(); ++i) tagged[own[i]] = sentences[i];
    return losses[0];
  }

  std::optional<ParserModel> learn_parser(const std::vector<Sentence>& train, const std::vector<Sentence>& dev) {
    TrainOptions options = options_.training;
    options.model.clear();  // The pipeline is written when all of it is there.
    // A checkpoint that is there before this part begins is that of another training.
    const std::string part = "parser";
    std::error_code ignored;
    if (!parts_.find(part)) {
      if (!options.checkpoint.empty()) std::filesystem::remove(options.checkpoint, ignored);
      parts_.keep(part, parser::ContainerWriter(parser::kModelVersion), crew_);
    }
    options.resume = options.resume && std::filesystem::exists(options.checkpoint, ignored);
    return train_parser(train, dev, options, events_).model;
  }

  const std::vector<Sentence>& train_;
  const std::vector<Sentence>& dev_;
  const PipelineOptions& options_;
  const TrainEvents& events_;
  base::Crew crew_;
  PartsCheckpoint parts_;
};

}  // namespace
}  // namespace text

std::optional<Pipeline> train_pipeline(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                                       const PipelineOptions& options, const TrainEvents& events) {
  if (train.empty()) base::input_error("train_pipeline", "train: has no sentences");
  if (options.tagger_epochs < 1 || options.folds < 0) {
    base::input_error("train_pipeline", "tagger_epochs must be at least 1 and folds not negative");
  }
  text::PipelineTraining training(train, dev, options, events);
  auto file = training.run();
  if (!file) return std::nullopt;
  const Pipeline pipeline = text::TextAccess::pipeline(std::move(*file));
  if (options.training.model.empty()) return pipeline;
  pipeline.save(options.training.model);
  training.remove_checkpoint();
  std::error_code ignored;
  if (!options.training.checkpoint.empty()) std::filesystem::remove(options.training.checkpoint, ignored);
  return pipeline;
}

}  // namespace kirchhoff
