// Training: it learns, it is reproducible, and it survives.
#include "kirchhoff/train.hpp"
#include "parser/file/crafted.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/learner.hpp"
#include "parser/training/small_training.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace kirchhoff {
namespace {

std::string bytes_of(const ParserModel& model) {
  const std::string path = testing::TempDir() + "/model_bytes";
  model.save(path);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Train, LearnsAToyLanguageWithEveryLossAndStep) {
  const auto train = ToyTreebank(1).sentences(150), dev = ToyTreebank(2).sentences(50),
             test = ToyTreebank(3).sentences(50);
  for (const Loss loss : {kCrfLoss, kSvmLoss, kPerceptronLoss, kSoftmaxMarginLoss, Loss{3.0, 1.0}}) {
    for (const auto kind : {StepRule::Kind::adagrad, StepRule::Kind::aggressive}) {
      TrainOptions options = small_options();
      options.loss = loss;
      options.step.kind = kind;
      options.step.cap = 0.01;
      options.features = kind == StepRule::Kind::adagrad ? FeatureSet::supported : FeatureSet::complete;
      const TrainResult result = train_parser(train, dev, options);
      ASSERT_EQ(result.epochs.size(), 3u);
      EXPECT_LE(result.epochs[2].loss, result.epochs[0].loss);
      EXPECT_GE(attachment(*result.model, test, false), 97.0) << loss.beta << " " << loss.gamma;
      EXPECT_GE(attachment(*result.model, test, true), 96.0) << loss.beta << " " << loss.gamma;
    }
  }
}

class TrainTest : public testing::TestWithParam<int> {
 protected:
  static PartSet parts() {
    constexpr std::array<PartSet, 3> kSets = {kArcs, kNextSiblings, PartSet{Siblings::all, true, true}};
    return kSets[static_cast<std::size_t>(GetParam()) - 1];
  }
};
INSTANTIATE_TEST_SUITE_P(Orders, TrainTest, testing::Values(1, 2, 3));

TEST_P(TrainTest, DependsOnTheSeedOnly) {
  const auto train = ToyTreebank(1).sentences(40 / GetParam()), dev = ToyTreebank(2).sentences(5);
  TrainOptions options = small_options();
  options.parts = parts();
  options.epochs = 2;
  options.threads = 1;
  const TrainResult first = train_parser(train, dev, options);
  const std::string model = bytes_of(first.model.value());
  for (const int threads : {1, 2, 3}) {
    options.threads = threads;
    const TrainResult again = train_parser(train, dev, options);
    EXPECT_EQ(bytes_of(again.model.value()), model) << threads << " threads";
    EXPECT_EQ(curve_of(again), curve_of(first)) << threads << " threads";
  }
  options.seed = 1;
  const TrainResult other = train_parser(train, dev, options);
  EXPECT_NE(bytes_of(other.model.value()), model);
  EXPECT_NE(curve_of(other), curve_of(first));
}

/// With steps of one sentence there are enough of them for several gradients to be computed with the same weights.
TEST_P(TrainTest, IsTheSameOnAnyNumberOfThreadsWithRoundsOfBatches) {
  const auto train = ToyTreebank(1).sentences(300), dev = ToyTreebank(2).sentences(10);
  TrainOptions options = small_options();
  options.parts = parts();
  options.batch = 1;
  ASSERT_GT(parser::batches_together(options.step, train.size(), 1), 3U);
  options.threads = 1;
  const std::string model = bytes_of(train_parser(train, dev, options).model.value());
  for (const int threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(bytes_of(train_parser(train, dev, options).model.value()), model) << threads << " threads";
  }
}

TEST_P(TrainTest, ResumesToTheSameModel) {
  const auto train = ToyTreebank(1).sentences(150), dev = ToyTreebank(2).sentences(10);
  TrainOptions options = small_options();
  options.parts = parts();
  options.features = FeatureSet::complete;
  options.model = testing::TempDir() + "/resumed.model";
  options.checkpoint = testing::TempDir() + "/resumed.checkpoint";
  const std::string uninterrupted = bytes_of(train_parser(train, dev, options).model.value());
  // Stopped again and again, in the pruner, within epochs and between them.
  int runs = 0;
  options.resume = false;
  for (bool stopped = true; stopped; ++runs) {
    int batches = 33 + runs;  // of the pruner 38; an epoch asks twice
    const TrainResult result = train_parser(train, dev, options, {.stop = [&] { return --batches <= 0; }});
    stopped = result.stopped;
    options.resume = true;
    if (!stopped) {
      EXPECT_EQ(bytes_of(result.model.value()), uninterrupted);
    }
    ASSERT_LT(runs, 50);
  }
  EXPECT_GT(runs, 2);
  EXPECT_EQ(bytes_of(ParserModel::open(options.model)), uninterrupted);
}

TEST(Train, ReportsTheCalibrationErrorOfTheModelItKeeps) {
  // Again from the definition, with what users see: probabilities of the parses' arcs, in ten bins.
  const auto train = ToyTreebank(1).sentences(40), dev = ToyTreebank(2).sentences(40);
  TrainOptions options = small_options();
  options.epochs = 1;
  const TrainResult result = train_parser(train, dev, options);
  Parser parser(*result.model);
  std::array<double, 10> probability{}, right{};
  double words = 0.0, error = 0.0;
  for (const Sentence& s : dev) {
    const Parsed parsed = parser.parse(s, {.probabilities = true});
    for (int d = 1; d <= s.size(); ++d) {
      const double p = parsed.arc_probabilities[static_cast<std::size_t>(d)];
      const auto bin = static_cast<std::size_t>(std::min(9.0, std::floor(10.0 * p)));
      probability[bin] += p;
      right[bin] += parsed.tree.heads[static_cast<std::size_t>(d)] == s.head(d) ? 1.0 : 0.0;
      words += 1.0;
    }
  }
  for (std::size_t bin = 0; bin < 10; ++bin) error += std::abs(probability[bin] - right[bin]);
  EXPECT_NEAR(result.epochs[0].calibration, 100.0 * error / words, 0.01);
  EXPECT_LT(result.epochs[0].calibration, 3.0);
}

TEST(Train, StopsInThePrunerWithoutAModel) {
  const auto train = ToyTreebank(1).sentences(40);
  TrainOptions options = small_options();
  options.model = testing::TempDir() + "/stopped.model";
  options.checkpoint = testing::TempDir() + "/stopped.checkpoint";
  std::filesystem::remove(options.model);
  const TrainResult stopped = train_parser(train, {}, options, {.stop = [] { return true; }});
  EXPECT_TRUE(stopped.stopped);
  EXPECT_FALSE(stopped.model.has_value());
  EXPECT_FALSE(std::filesystem::exists(options.model));
  options.resume = true;
  EXPECT_TRUE(train_parser(train, {}, options).model.has_value());
}

TEST(Train, RefusesAnotherTrainingsCheckpoint) {
  const auto train = ToyTreebank(1).sentences(30);
  TrainOptions options = small_options();
  options.checkpoint = testing::TempDir() + "/other.checkpoint";
  train_parser(train, {}, options);
  options.resume = true;
  options.step.rate = 0.07;
  EXPECT_THROW(train_parser(train, {}, options), ModelError);
  options.step.rate = StepRule{}.rate;
  EXPECT_THROW(train_parser(ToyTreebank(5).sentences(30), {}, options), ModelError);
  EXPECT_THROW(train_parser(train, ToyTreebank(6).sentences(3), options), ModelError);  // another dev set
  options.checkpoint = testing::TempDir() + "/no such file";
  EXPECT_THROW(train_parser(train, {}, options), ModelError);
}

TEST(Train, KeepsWhatWasLearntWhenTheModelCannotBeWritten) {
  const auto train = ToyTreebank(1).sentences(30), dev = ToyTreebank(2).sentences(5);
  TrainOptions options = small_options();
  options.model = testing::TempDir() + "/unwritten.model";
  options.checkpoint = testing::TempDir() + "/unwritten.checkpoint";
  for (const int threads : {1, 2}) {
    options.threads = threads;
    options.resume = false;
    const std::string expected = bytes_of(train_parser(train, dev, options).model.value());
    const auto block = [&](const EpochReport& report) {
      if (report.epoch < options.epochs) return;
      std::filesystem::remove(options.model);
      std::filesystem::create_directory(options.model);
    };
    EXPECT_THROW(train_parser(train, dev, options, {.epoch = block}), ModelError);
    std::filesystem::remove(options.model);
    options.resume = true;
    int epochs = 0;
    const TrainEvents events{.epoch = [&](const EpochReport&) { ++epochs; }};
    EXPECT_EQ(bytes_of(train_parser(train, dev, options, events).model.value()), expected);
    EXPECT_EQ(epochs, 0);
    EXPECT_EQ(bytes_of(ParserModel::open(options.model)), expected);
    EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
  }
}

/// With several threads it is written beside the training, which ends nevertheless.
TEST(Train, EndsWhenACheckpointCannotBeWritten) {
  const auto train = ToyTreebank(1).sentences(30);
  TrainOptions options = small_options();
  options.epochs = 1000;
  options.checkpoint = testing::TempDir() + "/blocked.checkpoint";
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const auto block = [&](const EpochReport& report) {
      if (report.epoch == 1) std::filesystem::create_directory(options.checkpoint);
    };
    EXPECT_THROW(train_parser(train, {}, options, {.epoch = block}), ModelError);
    std::filesystem::remove(options.checkpoint);
  }
}

TEST(Train, KeepsTheOldModelUntilItEnds) {
  const auto train = ToyTreebank(1).sentences(30);
  TrainOptions options = small_options();
  options.model = testing::TempDir() + "/kept.model";
  options.checkpoint = testing::TempDir() + "/kept.checkpoint";
  const std::string old = bytes_of(train_parser(train, {}, options).model.value());
  EXPECT_EQ(bytes_of(ParserModel::open(options.model)), old);
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));  // It went before the lock did.
  options.seed = 1;
  int epochs = 0;
  const TrainEvents events{.epoch = [&](const EpochReport&) { ++epochs; }, .stop = [&] { return epochs == 2; }};
  const TrainResult stopped = train_parser(train, {}, options, events);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_TRUE(stopped.model.has_value());
  EXPECT_EQ(bytes_of(ParserModel::open(options.model)), old);
  // The best model so far is in the checkpoint, so whatever lies at the model's path does not matter.
  std::filesystem::remove(options.model);
  options.resume = true;
  const std::string resumed = bytes_of(train_parser(train, {}, options).model.value());
  EXPECT_EQ(bytes_of(ParserModel::open(options.model)), resumed);
  options.resume = false;
  EXPECT_EQ(bytes_of(train_parser(train, {}, options).model.value()), resumed);
}

TEST(Train, RefusesCraftedCheckpoints) {
  const auto train = ToyTreebank(1).sentences(30), dev = ToyTreebank(2).sentences(5);
  TrainOptions options = small_options();
  options.epochs = 2;
  options.checkpoint = testing::TempDir() + "/crafted.checkpoint";
  train_parser(train, dev, options);
  std::ifstream file(options.checkpoint, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  options.resume = true;
  options.epochs = 3;
  const auto expect_refused = [&](const std::string& bytes, const std::string& problem) {
    std::ofstream(options.checkpoint, std::ios::binary) << bytes;
    try {
      train_parser(train, dev, options);
      ADD_FAILURE() << "resumed, but " << problem;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
  };
  for (const std::int64_t bad : {-1L, 0L, 1L, 1L << 40}) {
    expect_refused(with_value(good, "position", 0, bad), "position");
  }
  for (const std::int64_t bad : {-1L, 31L, 1L << 62}) expect_refused(with_value(good, "position", 8, bad), "position");
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    expect_refused(with_value(good, "position", 16, bad), "position");
    expect_refused(with_value(good, "position", 24, bad), "position");
    expect_refused(with_value(good, "reports", 8, bad), "reports");
    expect_refused(with_value(good, "arcs.state", 8, bad), "weights of arcs");
    expect_refused(with_value(good, "labels.state", 8, bad), "weights of labels");
  }
  expect_refused(with_value(good, "position", 24, -1.0), "its model does not fit");
  expect_refused(with_value(good, "reports", 0, std::int64_t{7}), "reports");
  for (const float bad : {std::nanf(""), HUGE_VALF, 1e30F}) {
    expect_refused(with_value(good, "pruner", 0, bad), "pruner");
    expect_refused(with_value(good, "arcs.weights", 0, bad), "weights of arcs");
    expect_refused(with_value(good, "labels.weights", 0, bad), "weights of labels");
    expect_refused(with_value(good, "arcs.state", 0, bad), "weights of arcs");
  }
  expect_refused(with_value(good, "arcs.state", 4, -1.0F), "weights of arcs");
  for (const std::int64_t bad : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    expect_refused(with_value(good, "arcs.steps", 0, bad), "weights of arcs");
  }
  // The model within the checkpoint is a file of its own, whose checksum is made right before the checkpoint's.
  const SectionPlace inner = section_of(good, "model");
  std::string model = with_value(good.substr(inner.begin, inner.size), "arc.templates", 0, 'x');
  std::string bad_model = good;
  bad_model.replace(inner.begin, inner.size, model);
  repair(bad_model);
  expect_refused(bad_model, "its model is damaged: [Templates] ");
  // Sections of other sizes: the table of contents says 16 bytes less, at offset 24 of each entry.
  for (std::uint64_t entry = 0; entry < value_of<std::uint64_t>(good, kHeaderSize); ++entry) {
    std::string bad = good;
    const std::size_t at = kHeaderSize + 8 + 32 * entry + 24;
    const auto size = value_of<std::uint64_t>(good, at);
    if (size < 16) continue;
    const std::uint64_t less = size - 16;
    std::memcpy(bad.data() + at, &less, sizeof less);
    repair(bad);
    expect_refused(bad, options.checkpoint);
  }
  std::ofstream(options.checkpoint, std::ios::binary) << good;
  EXPECT_FALSE(train_parser(train, dev, options).stopped);
}

}  // namespace
}  // namespace kirchhoff
