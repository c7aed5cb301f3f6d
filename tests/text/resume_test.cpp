// A pipeline's training that is stopped, or loses its process, goes on to the same bytes.
#include "kirchhoff/pipeline.hpp"
#include "text/calibrate.hpp"
#include "text/token_model.hpp"
#include "text/toy_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

namespace kirchhoff {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

PipelineOptions options_for(const std::string& name) {
  PipelineOptions options{.training = {.root = Root::single}};
  options.training.epochs = 3;
  options.training.pruner_epochs = 1;
  options.training.threads = 1;
  options.tagger_epochs = 2;
  options.folds = 2;
  options.training.model = testing::TempDir() + "/resume_test_" + name;
  options.training.checkpoint = options.training.model + ".checkpoint";
  return options;
}

TEST(Resume, StoppedAtRandomMomentsAndTheSameBytes) {
  const auto train = ToyText(1).sentences(40), dev = ToyText(2).sentences(10);
  PipelineOptions options = options_for("whole.model");
  int calls = 0;
  ASSERT_TRUE(train_pipeline(train, dev, options, {.stop = [&] { return ++calls < 0; }}));
  const std::string whole = bytes_of(options.training.model);
  std::mt19937 random(5);
  for (int trial = 0; trial < 6; ++trial) {
    options = options_for("stopped.model");
    std::filesystem::remove(options.training.model);
    int stops = 0;
    for (bool done = false; !done; ++stops) {
      const int most = static_cast<int>(random() % static_cast<unsigned>(calls));
      int seen = 0;
      done = train_pipeline(train, dev, options, {.stop = [&] { return ++seen > most; }}).has_value();
      EXPECT_EQ(std::filesystem::exists(options.training.checkpoint + ".parts"), !done);
      EXPECT_EQ(std::filesystem::exists(options.training.model), done);
      options.training.resume = true;
      ASSERT_LT(stops, 500);
    }
    EXPECT_EQ(bytes_of(options.training.model), whole);
  }
}

TEST(Resume, OtherDataAndOptionsAndDamageAreRefused) {
  const auto train = ToyText(1).sentences(40);
  const PipelineOptions options = options_for("refused.model");
  int calls = 0;
  ASSERT_FALSE(train_pipeline(train, {}, options, {.stop = [&] { return ++calls > 60; }}));
  const std::string path = options.training.checkpoint + ".parts", good = bytes_of(path);
  const auto refused = [&](PipelineOptions other, const std::vector<Sentence>& sentences) {
    other.training.resume = true;
    EXPECT_THROW(train_pipeline(sentences, {}, other), ModelError);
  };
  PipelineOptions other = options;
  other.training.seed = 1;
  refused(other, train);
  other = options;
  other.folds = 3;
  refused(other, train);
  other = options;
  other.clusters = {{"01", "dog"}};
  refused(other, train);
  refused(options, ToyText(3).sentences(40));
  for (std::size_t size = 0; size < good.size(); size += 1 + good.size() / 9) {
    std::ofstream(path, std::ios::binary).write(good.data(), static_cast<std::streamsize>(size));
    refused(options, train);
  }
  std::filesystem::remove(path);
  refused(options, train);
}

/// The losses of a grid are those of the probabilities that taggers with these temperatures give.
TEST(Calibrate, LossesAreThoseOfTheProbabilitiesAtEachTemperature) {
  const Pipeline pipeline = toy_pipeline();
  const parser::Container& file = text::TextAccess::file_of(pipeline);
  const auto gold = ToyText(9).sentences(20);
  const auto at = [&](double upos, double feats) {
    parser::ContainerWriter writer(parser::kModelVersion);
    for (const std::string& name : file.names()) {
      if (name != "tag.temperature") writer.add_borrowed(name, file.section(name));
    }
    const std::array<double, 2> temperature = {upos, feats};
    writer.add_array("tag.temperature", std::span<const double>(temperature));
    base::Crew crew(1);
    return text::TextAccess::pipeline(parser::Container(std::move(writer).finish(crew), "t", parser::kModelVersion));
  };
  base::Crew crew(2);
  const text::TagLosses losses = text::tag_losses(at(1.0, 1.0).tagger(), gold, crew);
  std::size_t best = 0;
  for (std::size_t k = 0; k < text::TagLosses::kGrid; ++k) {
    const double t = text::TagLosses::temperature(k);
    const Pipeline tempered = at(t, t);
    double upos = 0.0, feats = 0.0;
    const auto loss = [](double p, bool right) { return -std::log(std::max(1e-4, right ? p : 1.0 - p)); };
    for (const Sentence& s : gold) {
      const Tagged tagged = tag(tempered.tagger(), s, {.probabilities = true});
      for (int word = 1; word <= s.size(); ++word) {
        const auto i = static_cast<std::size_t>(word);
        const bool right = tagged.sentence.upos(word) == s.upos(word);
        upos += loss(tagged.upos_probabilities[i], right);
        if (!right) continue;
        feats += loss(tagged.feats_probabilities[i],
                      tagged.sentence.xpos(word) == s.xpos(word) && tagged.sentence.feats(word) == s.feats(word));
      }
    }
    EXPECT_NEAR(losses.upos[k], upos, 1e-6 * upos + 1e-9);
    EXPECT_NEAR(losses.feats[k], feats, 1e-6 * feats + 1e-9);
    if (losses.upos[k] < losses.upos[best]) best = k;
  }
  EXPECT_EQ(losses.best().upos, text::TagLosses::temperature(best));
  EXPECT_EQ(text::TagLosses().best().feats, 1.0);
}

}  // namespace
}  // namespace kirchhoff
