// Training without trees, from constraints, a teacher, or the model that training begins with.
#include "kirchhoff/train.hpp"
#include "parser/file/model.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/small_training.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace kirchhoff {
namespace {

using Side = TagConstraint::Side;

std::string bytes_of(const ParserModel& model) {
  const auto bytes = parser::ModelAccess::model_of(model)->file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What somebody who knows the toy language would say of it.
TrainOptions from_constraints() {
  TrainOptions options{.root = Root::single};
  options.epochs = 12;
  Unannotated& u = options.unannotated;
  u.sentences = ToyTreebank(8).sentences(120);
  u.min_count = 2;
  u.penalty = Penalty::kl;
  u.entropy_weight = 0.1;
  u.constraints = {{"DET", "NOUN", Side::right, 1.0}, {"ADJ", "NOUN", Side::right, 1.0},
                   {"*", "*", Side::any, 0.75, 1, 3}, {"ADP", "NOUN", Side::right, 1.0},
                   {"VERB", "ROOT", Side::any, 1.0},  {"NOUN", "VERB", Side::any, 0.9},
                   {"ADV", "VERB", Side::left, 1.0},  {"PUNCT", "VERB", Side::left, 1.0}};
  return options;
}

TEST(WithoutTrees, ConstraintsTeachAParser) {
  const auto test = ToyTreebank(3).sentences(50);
  TrainOptions options = from_constraints();
  const ParserModel model = train_parser({}, {}, options).model.value();
  EXPECT_GE(attachment(model, test, false), 90.0);
  EXPECT_EQ(model.labels(), (std::vector<std::string>{"root", "dep"}));
  for (const Sentence& s : test) {
    const Tree tree = Parser(model).parse(s).tree;
    for (std::size_t d = 1; d < tree.heads.size(); ++d) EXPECT_EQ(tree.labels[d] == 0, tree.heads[d] == 0);
  }
  options.unannotated.constraints.clear();
  EXPECT_LT(attachment(train_parser({}, {}, options).model.value(), test, false), 60.0);
}

/// The same, and what relations the arcs have.
TrainOptions from_named_relations() {
  TrainOptions options = from_constraints();
  options.labels = Labelling::joint;
  const auto name = [&](const TagConstraint& c, const std::string& relation) {
    options.unannotated.constraints.push_back(c);
    options.unannotated.constraints.back().relation = relation;
  };
  name({"DET", "NOUN", Side::any, 1.0}, "det");
  name({"ADJ", "NOUN", Side::any, 1.0}, "amod");
  name({"ADP", "NOUN", Side::any, 1.0}, "case");
  name({"NOUN", "VERB", Side::right, 0.4}, "nsubj");
  name({"NOUN", "VERB", Side::left, 0.4}, "obj");
  name({"ADV", "*", Side::any, 1.0}, "advmod");
  name({"PUNCT", "*", Side::any, 1.0}, "punct");
  name({"VERB", "ROOT", Side::any, 1.0}, "root");
  return options;
}

TEST(WithoutTrees, ConstraintsThatNameRelationsTeachThese) {
  const auto test = ToyTreebank(3).sentences(50);
  for (const PartSet& parts : {kArcs, kNextSiblings}) {
    TrainOptions options = from_named_relations();
    options.parts = parts;
    const ParserModel model = train_parser({}, {}, options).model.value();
    EXPECT_GE(attachment(model, test, false), 90.0);
    EXPECT_GE(attachment(model, test, true), 80.0) << to_string(parts);  // Nobody has said what nmod and obl are.
    EXPECT_EQ(model.labels(),
              (std::vector<std::string>{"root", "dep", "det", "amod", "case", "nsubj", "obj", "advmod", "punct"}));
    // It may be what another training begins with, which keeps what it knows and learns one more relation.
    TrainOptions more = options;
    more.start = model;
    more.epochs = 3;
    TagConstraint nmod{"NOUN", "NOUN", Side::left, 1.0};
    nmod.relation = "nmod";
    more.unannotated.constraints.push_back(nmod);
    const ParserModel again = train_parser({}, ToyTreebank(2).sentences(10), more).model.value();
    EXPECT_EQ(again.labels().back(), "nmod");
    EXPECT_GE(attachment(again, test, true), 80.0);
    // All of them may name relations.
    std::erase_if(options.unannotated.constraints, [](const TagConstraint& c) { return c.relation.empty(); });
    EXPECT_GE(attachment(train_parser({}, {}, options).model.value(), test, true), 60.0) << to_string(parts);
  }
}

TEST(WithoutTrees, NamedRelationsResume) {
  TrainOptions options = from_named_relations();
  options.unannotated.sentences = ToyTreebank(8).sentences(300);
  options.epochs = 1;
  options.threads = 1;
  const std::string model = bytes_of(train_parser({}, {}, options).model.value());
  options.threads = 2;
  options.checkpoint = testing::TempDir() + "/named_relations.checkpoint";
  int calls = 0;
  const auto run = [&] { return train_parser({}, {}, options, {.stop = [&] { return ++calls % 2 == 0; }}); };
  TrainResult result = run();
  EXPECT_TRUE(result.stopped);
  for (options.resume = true; result.stopped && calls < 40;) result = run();
  EXPECT_EQ(bytes_of(result.model.value()), model);
  std::remove(options.checkpoint.c_str());
}

TEST(WithoutTrees, RelationsMustMakeSense) {
  TrainOptions options = from_named_relations();
  const auto said = [&](const std::vector<Sentence>& train) {
    return message_of<InputError>([&] { train_parser(train, {}, options); });
  };
  options.unannotated.constraints.back().relation = "nsubj";
  EXPECT_EQ(said({}),
            "[train_parser] constraints: without trees 'root' is the relation of what hangs from ROOT, and of "
            "nothing else");
  options.unannotated.constraints.back().relation = "dett";
  EXPECT_EQ(said(ToyTreebank(1).sentences(9)), "[train_parser] constraints: no tree has the relation 'dett'");
  options.labels = Labelling::given_tree;
  EXPECT_EQ(said({}), "[train_parser] constraints: relations, such as deprel=det, need labels = joint");
}

TEST(WithoutTrees, TheEpochWithTheBestUasIsKept) {
  TrainOptions options = from_constraints();
  options.epochs = 3;
  const TrainResult result = train_parser({}, ToyTreebank(2).sentences(30), options);
  ASSERT_EQ(result.epochs.size(), 3u);
  double best = -1.0;
  for (const EpochReport& e : result.epochs) {
    EXPECT_EQ(e.best, e.uas > best);
    best = std::max(best, e.uas);
  }
}

TEST(WithoutTrees, TheModelDependsOnTheSeedOnlyAndResumes) {
  TrainOptions options = from_constraints();
  options.unannotated.sentences = ToyTreebank(8).sentences(300);
  options.epochs = 2;
  options.threads = 1;
  const std::string model = bytes_of(train_parser({}, {}, options).model.value());
  options.threads = 3;
  EXPECT_EQ(bytes_of(train_parser({}, {}, options).model.value()), model);
  options.checkpoint = testing::TempDir() + "/without_trees.checkpoint";
  int calls = 0;
  const auto run = [&] { return train_parser({}, {}, options, {.stop = [&] { return ++calls % 2 == 0; }}); };
  TrainResult result = run();
  EXPECT_TRUE(result.stopped);
  for (options.resume = true; result.stopped && calls < 40;) result = run();
  EXPECT_EQ(bytes_of(result.model.value()), model);
  options.resume = false;
  calls = 0;
  EXPECT_TRUE(run().stopped);
  options.resume = true;
  options.unannotated.constraints[0].nearest = 2;
  EXPECT_THROW(run(), ModelError);  // of other options
  std::remove(options.checkpoint.c_str());
}

TEST(WithoutTrees, ATeacherTrainsAStudent) {
  const auto test = ToyTreebank(3).sentences(50);
  TrainOptions options = small_options();
  const ParserModel teacher = train_parser(ToyTreebank(1).sentences(100), {}, options).model.value();
  ASSERT_GE(attachment(teacher, test, false), 95.0);
  options.epochs = 4;
  options.unannotated.sentences = ToyTreebank(8).sentences(100);
  options.unannotated.min_count = 2;
  options.unannotated.teacher = teacher;
  for (const std::optional<double> confidence : {std::optional<double>(), std::optional<double>(0.8)}) {
    options.unannotated.confidence = confidence;
    EXPECT_GE(attachment(train_parser({}, {}, options).model.value(), test, false), 90.0);
  }
}

TEST(WithoutTrees, SomethingMustBeThereToLearnFrom) {
  TrainOptions options = from_constraints();
  const auto said = [&] { return message_of<InputError>([&] { train_parser({}, {}, options); }); };
  options.unannotated.min_count = 0;
  EXPECT_EQ(said(), "[train_parser] unannotated.min_count: must be at least 1 without trees");
  options.unannotated.constraint_weight = options.unannotated.entropy_weight = 0.0;
  EXPECT_NE(said().find("nothing is to be learnt"), std::string::npos);
  options.unannotated.sentences.clear();
  EXPECT_EQ(said(), "[train_parser] train: has no sentences");
}

/// Steps so short that the model stays what it is.
TrainOptions without_steps() {
  TrainOptions options = small_options();
  options.epochs = 1;
  options.step.rate = 1e-9;
  return options;
}

TEST(Start, TrainingBeginsWithTheWeightsOfAModel) {
  const auto train = ToyTreebank(1).sentences(60);
  for (const PartSet& parts : {kArcs, kNextSiblings}) {
    TrainOptions options = small_options();
    options.parts = parts;
    const ParserModel first = train_parser(train, {}, options).model.value();
    TrainOptions again = without_steps();
    again.parts = parts;
    const ParserModel cold = train_parser(train, {}, again).model.value();
    again.start = first;
    const ParserModel warm = train_parser(train, {}, again).model.value();
    const auto scores = [](const ParserModel& model, const Sentence& s) { return Parser(model).arc_scores(s); };
    for (const Sentence& s : ToyTreebank(3).sentences(5)) {
      const Matrix expected = scores(first, s), found = scores(warm, s);
      for (Eigen::Index i = 0; i < expected.size(); ++i) {
        if (std::isinf(expected.data()[i])) continue;
        EXPECT_NEAR(found.data()[i], expected.data()[i], 1e-3);
        EXPECT_NEAR(scores(cold, s).data()[i], 0.0, 1e-3);
      }
    }
    const auto test = ToyTreebank(3).sentences(50);
    EXPECT_GE(attachment(warm, test, true), attachment(first, test, true) - 1.0);
  }
}

TEST(Start, WithoutTreesTagsRelationsAndPrunerStay) {
  TrainOptions options = small_options();
  const ParserModel first = train_parser(ToyTreebank(1).sentences(60), {}, options).model.value();
  TrainOptions again = without_steps();
  again.start = first;
  again.unannotated.sentences = ToyTreebank(8).sentences(60);
  again.unannotated.min_count = 1;
  again.unannotated.entropy_weight = 0.1;
  const ParserModel next = train_parser({}, {}, again).model.value();
  EXPECT_EQ(next.labels(), first.labels());
  const auto& pruning = parser::ModelAccess::model_of(next)->settings.pruning;
  EXPECT_EQ(pruning.max_heads, options.pruning.max_heads);
  for (const Sentence& s : ToyTreebank(3).sentences(20)) {
    const Tree expected = Parser(first).parse(s).tree, found = Parser(next).parse(s).tree;
    EXPECT_EQ(found.heads, expected.heads);
    EXPECT_EQ(found.labels, expected.labels);
  }
}

TEST(Start, ATrainingGoesOnWithItsOwnStartOnly) {
  TrainOptions options = small_options();
  const auto train = ToyTreebank(1).sentences(200);
  const ParserModel first = train_parser(train, {}, options).model.value();
  options.start = first;
  const std::string model = bytes_of(train_parser(train, {}, options).model.value());
  options.checkpoint = testing::TempDir() + "/start.checkpoint";
  int calls = 0;
  EXPECT_TRUE(train_parser(train, {}, options, {.stop = [&] { return ++calls > 30; }}).stopped);
  options.resume = true;
  options.start.reset();
  EXPECT_THROW(train_parser(train, {}, options), ModelError);
  options.start = first;
  EXPECT_EQ(bytes_of(train_parser(train, {}, options).model.value()), model);
  std::remove(options.checkpoint.c_str());
}

}  // namespace
}  // namespace kirchhoff
