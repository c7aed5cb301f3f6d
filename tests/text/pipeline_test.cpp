// Model files of pipelines: any parts, any threads, any damage.
#include "kirchhoff/pipeline.hpp"
#include "fuzz/container_edits.hpp"
#include "parser/file/crafted.hpp"
#include "parser/file/model.hpp"
#include "text/token_model.hpp"
#include "text/toy_text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace kirchhoff {
namespace {

std::string path() { return testing::TempDir() + "/pipeline.model"; }

std::string saved(const Pipeline& pipeline) {
  pipeline.save(path());
  std::ifstream file(path(), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<Pipeline> learnt(PipelineOptions options, const TrainEvents& events = {}) {
  options.training.epochs = options.training.pruner_epochs = 1;
  options.tagger_epochs = 2;
  return train_pipeline(ToyText(1).sentences(20), {}, options, events);
}

TEST(Pipeline, FromTextToTrees) {
  const Pipeline pipeline = toy_pipeline();
  const std::string text = "The dogs walked cats. A cat don't jump birds!";
  const auto sentences = annotate(pipeline, text);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(plain_text(sentences), text);
  for (const Sentence& s : sentences) {
    check_tree(s.heads(), s.size(), Root::single, "test");
    for (int word = 1; word <= s.size(); ++word) {
      EXPECT_NE(s.upos(word), "_");
      EXPECT_NE(s.lemma(word), "_");
      EXPECT_NE(s.deprel(word), "_");
    }
  }
  EXPECT_EQ(sentences[1].multiword_tokens().size(), 1U);
}

TEST(Pipeline, TheSameBytesForAnyNumberOfThreads) {
  EXPECT_EQ(saved(toy_pipeline(1)), saved(toy_pipeline(2)));
  EXPECT_NE(saved(toy_pipeline(1, 2)), saved(toy_pipeline(1, 0)));  // gold tags
}

TEST(Pipeline, AnyPartsMakeAFile) {
  for (int parts = 1; parts < 16; ++parts) {
    const PipelineOptions options{.tokenizer = (parts & 1) != 0,
                                  .tagger = (parts & 2) != 0,
                                  .lemmatizer = (parts & 4) != 0,
                                  .parser = (parts & 8) != 0,
                                  .training = {.root = Root::single},
                                  .folds = 2};
    saved(learnt(options).value());
    const Pipeline pipeline = Pipeline::open(path());
    EXPECT_EQ(pipeline.has(PipelinePart::tokenizer), options.tokenizer);
    EXPECT_EQ(pipeline.has(PipelinePart::tagger), options.tagger || options.lemmatizer);
    EXPECT_EQ(pipeline.has(PipelinePart::lemmatizer), options.lemmatizer);
    EXPECT_EQ(pipeline.has(PipelinePart::parser), options.parser);
    EXPECT_TRUE(!options.parser || ParserModel::open(path()).bytes() == pipeline.bytes());
    EXPECT_TRUE(!options.tokenizer || annotate(pipeline, "The dogs walked cats.").size() == 1U);
  }
}

TEST(Pipeline, MappedFilesGiveTheSameAndOutliveTheirReplacement) {
  saved(toy_pipeline(1));
  const Pipeline own = Pipeline::open(path()), mapped = Pipeline::open(path(), ModelMemory::mapped);
  const ParserModel parser = ParserModel::open(path(), ModelMemory::mapped);
  saved(toy_pipeline(1, 2));  // another model, in the place of the file
  const auto texts = [](const Pipeline& pipeline) {
    std::string text;
    for (const Sentence& s : annotate(pipeline, "The dogs walked cats. Cats walk.")) text += to_text(s);
    return text;
  };
  EXPECT_EQ(texts(mapped), texts(own));
  EXPECT_EQ(parser.bytes(), own.bytes());
  std::filesystem::resize_file(path(), 100);
  EXPECT_THROW(Pipeline::open(path(), ModelMemory::mapped), ModelError);
  std::filesystem::resize_file(path(), 0);
  EXPECT_THROW(Pipeline::open(path(), ModelMemory::mapped), ModelError);
  std::filesystem::remove(path());
  EXPECT_THROW(Pipeline::open(path(), ModelMemory::mapped), ModelError);
}

TEST(Pipeline, MissingPartsAreNamed) {
  const auto only_tagger =
      learnt({.tokenizer = false, .lemmatizer = false, .parser = false, .training = {.root = Root::single}});
  const auto message = [](const auto& ask) {
    try {
      ask();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([&] { only_tagger->tokenizer(); }).find("has no tokenizer"), std::string::npos);
  EXPECT_NE(message([&] { only_tagger->parser(); }).find("has no parser"), std::string::npos);
  EXPECT_THROW(annotate(*only_tagger, "x"), ModelError);
}

TEST(Pipeline, BadOptionsAndTreebanks) {
  PipelineOptions options{.training = {.root = Root::single}};
  EXPECT_THROW(train_pipeline({}, {}, options), InputError);
  options.folds = -1;
  EXPECT_THROW(train_pipeline(ToyText(1).sentences(3), {}, options), InputError);
  options.folds = 2;
  auto untagged = ToyText(1).sentences(3);
  for (Sentence& s : untagged) {
    for (int word = 1; word <= s.size(); ++word) s.set(word, Column::upos, "_");
  }
  EXPECT_THROW(train_pipeline(untagged, {}, options), InputError);
}

TEST(Pipeline, StopsAtAnyMoment) {
  for (int most = 0; most < 12; ++most) {
    int calls = 0;
    const TrainEvents events{.stop = [&] { return ++calls > most; }};
    EXPECT_FALSE(learnt({.training = {.root = Root::single}}, events));
  }
}

TEST(Pipeline, SurvivesDamageWithARightChecksum) {
  const std::string good = saved(toy_pipeline());
  const Sections sections = sections_of(parser::Container::open(path(), parser::kModelVersion));
  std::mt19937_64 random(8);
  int opened = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Sections bad = sections;
    for (int k = 0; k < 3; ++k) {
      std::string& content = bad[random() % bad.size()].second;
      if (content.empty()) continue;
      if (trial % 4 == 0) {
        content.resize(random() % content.size());
      } else {
        content[random() % content.size()] = static_cast<char>(random());
      }
    }
    try {
      const Pipeline pipeline = text::TextAccess::pipeline(
          parser::Container(packed(bad, parser::kModelVersion), "bad", parser::kModelVersion));
      annotate(pipeline, "The dogs don't walk cats. A 10 000 x.");
      ++opened;
    } catch (const ModelError&) {
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(opened, 20);
}

}  // namespace
}  // namespace kirchhoff
