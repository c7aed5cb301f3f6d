// Binds kirchhoff/parser.hpp: training, model files and parsing.
#include "arrays.hpp"
#include "names.hpp"
#include "train_options.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/train.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kirchhoff::python {
namespace {

/// `order` is short for two sets of parts.
void take_parts(const nb::dict& given, PartSet& parts) {
  if (given.contains("order")) {
    const int order = nb::cast<int>(given["order"]);
    if (given.contains("parts")) throw InputError("[Parser.train] order and parts: give one of them");
    if (order != 1 && order != 2) throw InputError("[Parser.train] order: must be 1 or 2");
    parts = order == 2 ? kNextSiblings : kArcs;
  }
  if (given.contains("parts")) parts = parse_parts(nb::cast<std::string>(given["parts"]));
}

/// The cost that gamma weighs, and the step; what would have no effect is refused.
void take_step(const nb::dict& given, std::size_t sentences, TrainOptions& o) {
  const auto refuse = [](const char* name, const char* why) {
    throw InputError(std::string("[Parser.train] ") + name + why);
  };
  if (given.contains("cost")) {
    if (o.loss.kind != Loss::Kind::log_sum) refuse("cost", ": is for every loss but risk");
    const auto name = nb::cast<std::string>(given["cost"]);
    if (name != "las") {
      o.loss = with_cost(o.loss, named<Cost>(name, "cost"));
    } else if (o.labels != Labelling::joint) {
      refuse("cost", "='las': is for labels='joint'; otherwise relations are chosen after the tree");
    }
  }
  if (given.contains("step")) o.step.kind = named<StepRule::Kind>(nb::cast<std::string>(given["step"]), "step");
  const bool adagrad = o.step.kind == StepRule::Kind::adagrad;
  if (given.contains("rate")) {
    if (!adagrad) refuse("rate", ": is for step='adagrad'");
    o.step.rate = nb::cast<double>(given["rate"]);
  }
  if (given.contains("lambda_")) {
    const double lambda = nb::cast<double>(given["lambda_"]);
    if (adagrad) refuse("lambda_", ": is for step='aggressive'");
    if (!(lambda > 0.0)) refuse("lambda_", ": must be above 0");
    o.step.cap = 1.0 / (lambda * static_cast<double>(std::max<std::size_t>(1, sentences)));
  }
}

/// Takes what is to be made of sentences without trees; what would have no effect is refused.
void take_unannotated(const nb::dict& given, Unannotated& u) {
  const auto take = [&](const char* name, auto& value, const char* user) {
    if (!given.contains(name)) return;
    if (!given.contains(user)) throw InputError("[Parser.train] " + std::string(name) + ": is for " + user);
    value = nb::cast<std::remove_reference_t<decltype(value)>>(given[name]);
  };
  take("unannotated", u.sentences, "unannotated");
  take("entropy_weight", u.entropy_weight, "unannotated");
  take("entropy_order", u.entropy_order, "entropy_weight");
  std::string constraints, penalty;
  take("constraints", constraints, "unannotated");
  std::istringstream text(constraints);
  u.constraints = read_tag_constraints(text, "constraints");
  std::string features;
  take("constraint_features", features, "unannotated");
  std::istringstream more(features);
  u.feature_constraints = read_feature_constraints(more, "constraint_features");
  const char* const user = given.contains("constraint_features") ? "constraint_features" : "constraints";
  take("constraint_weight", u.constraint_weight, user);
  take("penalty", penalty, user);
  if (!penalty.empty()) u.penalty = named<Penalty>(penalty, "penalty");
  if (given.contains("teacher")) {
    if (!given.contains("unannotated")) throw InputError("[Parser.train] teacher: is for unannotated");
    u.teacher = nb::cast<ParserModel>(given["teacher"]);
  }
  take("teacher_weight", u.teacher_weight, "teacher");
  std::string divergence;
  take("divergence", divergence, "teacher");
  if (!divergence.empty()) u.divergence = named<Divergence>(divergence, "divergence");
  double confidence = 0.0;
  int min_count = 0;
  take("confidence", confidence, "teacher");
  if (given.contains("confidence")) u.confidence = confidence;
  if (u.confidence && !divergence.empty()) {
    throw InputError("[Parser.train] divergence: is for a teacher without confidence");
  }
  take("unannotated_min_count", min_count, "unannotated");
  if (given.contains("unannotated_min_count")) u.min_count = min_count;
  take("unannotated_ratio", u.ratio, "unannotated");
  take("unannotated_from", u.first_epoch, "unannotated");
  if (given.contains("unannotated") && u.entropy_weight <= 0.0 && u.constraints.empty() &&
      u.feature_constraints.empty() && !u.teacher) {
    throw InputError(
        "[Parser.train] unannotated: needs entropy_weight above 0, constraints, constraint_features or teacher");
  }
}

}  // namespace

TrainOptions train_options(const nb::dict& given, std::size_t sentences) {
  TrainOptions o{.root = named<Root>(nb::cast<std::string>(given["root"]), "root")};
  const auto take = [&](const char* name, auto& value) {
    if (given.contains(name)) value = nb::cast<std::remove_reference_t<decltype(value)>>(given[name]);
  };
  take_parts(given, o.parts);
  take("projective", o.projective);
  take("relaxed", o.relaxed);
  if (given.contains("labels")) o.labels = named<Labelling>(nb::cast<std::string>(given["labels"]), "labels");
  if (given.contains("loss")) o.loss = loss_of(named<NamedLoss>(nb::cast<std::string>(given["loss"]), "loss"));
  take("beta", o.loss.beta);
  take("gamma", o.loss.gamma);
  take_step(given, sentences, o);
  take_unannotated(given, o.unannotated);
  if (given.contains("start")) o.start = nb::cast<ParserModel>(given["start"]);
  take("min_count", o.min_count);
  take("max_heads", o.pruning.max_heads);
  take("prune", o.pruning.threshold);
  take("epochs", o.epochs);
  take("batch", o.batch);
  take("seed", o.seed);
  take("threads", o.threads);
  take("model", o.model);
  take("checkpoint", o.checkpoint);
  take("resume", o.resume);
  if (given.contains("features")) o.features = named<FeatureSet>(nb::cast<std::string>(given["features"]), "features");
  return o;
}

TrainEvents train_events(const nb::object& progress, const nb::object& epoch) {
  TrainEvents events;
  if (!progress.is_none()) {
    events.progress = [&](const TrainProgress& p) {
      nb::gil_scoped_acquire locked;
      progress(p.stage, p.sentences, p.all_sentences);
    };
  }
  if (!epoch.is_none()) {
    events.epoch = [&](const EpochReport& r) {
      nb::gil_scoped_acquire locked;
      epoch(r.epoch, r.loss, r.uas, r.las, r.calibration);
    };
  }
  return events;
}

namespace {

/// Ctrl-C stops after the batch.
ParserModel train(const std::vector<Sentence>& sentences, const std::vector<Sentence>& dev, const nb::dict& given,
                  const nb::object& progress, const nb::object& epoch) {
  const TrainOptions options = train_options(given, sentences.size());
  TrainEvents events = train_events(progress, epoch);
  auto result = interruptible([&](const Stop& stop) {
    events.stop = stop;
    return train_parser(sentences, dev, options, events);
  });
  return *result.model;
}

using TreeTuple = std::tuple<std::vector<int>, std::vector<int>, double>;
using InferenceTuple = std::tuple<bool, bool, int, double, bool, bool, bool, double>;
using ParsedTuple =
    std::tuple<TreeTuple, std::vector<double>, std::vector<double>, double, InferenceTuple, std::vector<TreeTuple>>;

TreeTuple tuple_of(const Tree& tree) { return {tree.heads, tree.labels, tree.log_prob.value_or(NAN)}; }

InferenceTuple tuple_of(const Inference& i) {
  return {i.propagated, i.converged, i.iterations, i.residual, i.searched, i.certified, i.integral, i.gap};
}

using ArcList = std::vector<std::pair<int, int>>;

std::vector<Arc> arcs_of(const ArcList& pairs) {
  std::vector<Arc> arcs;
  for (const auto& [head, dependent] : pairs) arcs.push_back({head, dependent});
  return arcs;
}

std::vector<ParsedTuple> parse(const ParserModel& model, const std::vector<Sentence>& sentences, bool probabilities,
                               bool keep_heads, const std::vector<ArcList>& require, const std::vector<ArcList>& forbid,
                               int k_best, int samples, std::uint64_t seed, int threads, bool projective) {
  ParseOptions options;
  options.probabilities = probabilities;
  options.keep_heads = keep_heads;
  options.projective = projective;
  options.k_best = k_best;
  options.samples = samples;
  options.seed = seed;
  options.constraints_of = [&](std::size_t i) { return Constraints{arcs_of(require[i]), arcs_of(forbid[i])}; };
  std::vector<Parsed> parses =
      interruptible([&](const Stop& stop) { return parse_all(model, sentences, options, threads, stop); });
  std::vector<ParsedTuple> out(parses.size());
  for (std::size_t i = 0; i < parses.size(); ++i) {
    auto& [tree, arcs, labels, entropy, inference, trees] = out[i];
    tree = tuple_of(parses[i].tree);
    arcs = std::move(parses[i].arc_probabilities);
    labels = std::move(parses[i].label_probabilities);
    entropy = parses[i].entropy;
    inference = tuple_of(parses[i].inference);
    for (const Tree& t : parses[i].trees) trees.push_back(tuple_of(t));
  }
  return out;
}

NumpyArray<double> arc_scores(const ParserModel& model, const Sentence& sentence) {
  return array_of(unlocked([&] { return Parser(model).arc_scores(sentence); }));
}

}  // namespace

void bind_parser(nb::module_& m) {
  bind_error<ModelError>(m, "ModelError",
                         R"(A model file is damaged, of another program, or of a newer version. This is a ValueError.

>>> _ = open("not.model", "w").write("hello")
>>> try:
...     kirchhoff.Parser.load("not.model")
... except kirchhoff.ModelError:
...     print("not a model")
not a model
)");
  nb::class_<ParserModel> c(m, "ParserModel");
  c.def_static("open", [](const std::string& path) { return ParserModel::open(path); });
  c.def("save", &ParserModel::save);
  c.def("card", &ParserModel::card);
  c.def("labels", &ParserModel::labels);
  c.def("parts", [](const ParserModel& model) { return to_string(model.parts()); });
  c.def("root", [](const ParserModel& model) { return to_string(model.root()); });
  c.def("parse", parse);
  c.def("arc_scores", arc_scores);
  m.def("train_parser", train, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
}

}  // namespace kirchhoff::python
