// Answers one line of `tree`: reads the fields, makes the distribution, then writes each want in turn.
#include "answers/tree_answer.hpp"

#include "answers/guarded.hpp"
#include "answers/tree_wants.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kirchhoff::cli {
namespace {

struct NeededField {
  unsigned field;
  std::string_view name;
  bool (*present)(const GraphLine&);
};
constexpr std::array kNeededFields = {
    NeededField{gold_field, "gold", [](const GraphLine& g) { return g.gold.has_value(); }},
    NeededField{gold_field, "gold_labels", [](const GraphLine& g) { return !g.labelled() || g.gold_labels; }},
    NeededField{other_field, "other", [](const GraphLine& g) { return g.other.has_value(); }},
    NeededField{features_field, "features", [](const GraphLine& g) { return g.features.has_value(); }},
    NeededField{target_field, "target", [](const GraphLine& g) { return g.target.has_value(); }},
};

unsigned given_fields(const GraphLine& graph) {
  unsigned given = gold_field | other_field | features_field | target_field;
  for (const NeededField& needed : kNeededFields) {
    if (!needed.present(graph)) given &= ~needed.field;
  }
  return given;
}

/// The fields that the asks need. Throws ReadError when the line lacks one.
unsigned needed_fields(const GraphLine& graph, const std::vector<Ask>& asks) {
  unsigned needs = no_field;
  for (const Ask& ask : asks) {
    const WantForm& want = kTreeForms[ask.want];
    needs |= want.needs;
    for (const NeededField& needed : kNeededFields) {
      if ((want.needs & needed.field) == 0 || needed.present(graph)) continue;
      const std::string ignored =
          graph.ignored.empty() ? "" : fmt::format("; fields ignored: {}", fmt::join(graph.ignored, ", "));
      throw ReadError(fmt::format("{}: missing; {} needs it{}", needed.name, want.name, ignored));
    }
  }
  return needs;
}

/// The features of a line, in which an entry without a label counts for every label.
Features features_of(const GraphLine& graph) {
  const int labels = std::max(graph.scores.labels, 1);
  std::vector<FeatureEntry> entries;
  entries.reserve(graph.features->entries.size());
  for (FeatureEntry entry : graph.features->entries) {
    const int first = std::max(entry.label, 0);
    const int last = entry.label < 0 ? labels - 1 : entry.label;
    for (entry.label = first; entry.label <= last; ++entry.label) entries.push_back(entry);
  }
  return Features(graph.n(), graph.features->size, std::move(entries), labels);
}

Gold gold_of(const GraphLine& graph) {
  Gold out{*graph.gold, {}};
  if (!graph.gold_labels) return out;
  out.labels = *graph.gold_labels;
  out.labels.insert(out.labels.begin(), 0);
  return out;
}

template <class D>
D other_of(const GraphLine& graph, const D& p) {
  try {
    return in_field<InputError>("other", [&] { return p.with_scores(matrix_for<D>(*graph.other)); });
  } catch (const Infeasible& e) {
    throw Infeasible(fmt::format("other: {}", e.what()));
  }
}

template <class D>
TreeSubject<D> subject_of(const GraphLine& graph, const TreeQuestions& questions, unsigned needs) {
  const auto given = [&] { return constrained_distribution<D>(graph, questions.root, questions.accuracy); };
  TreeSubject<D> x{in_field<InputError>("scores", given), {}, {}, {}, {}};
  if (needs & gold_field) {
    in_field("gold", [&] { check_tree(*graph.gold, graph.n(), questions.root, "gold"); });
    x.gold = gold_of(graph);
  }
  if (needs & other_field) x.q = other_of(graph, x.p);
  if (needs & features_field) x.features = in_field("features", [&] { return features_of(graph); });
  if (needs & target_field)
    x.target = Eigen::Map<const Vector>(graph.target->data(), static_cast<Eigen::Index>(graph.target->size()));
  return x;
}

void write_id_and_size(const GraphLine& graph, JsonWriter& out) {
  out.key("id");
  out.raw(graph.id);
  out.key("n");
  out.write(graph.n());
}

template <class D>
std::string answer(const GraphLine& graph, const TreeQuestions& questions) {
  const std::vector<Ask> asks = asks_of(questions.wants, kTreeForms, given_fields(graph));
  const TreeSubject<D> x = subject_of<D>(graph, questions, needed_fields(graph, asks));
  JsonWriter out;
  write_id_and_size(graph, out);
  out.key("method");
  out.write(to_string(x.p.report().method));
  write_answers(kTreeWants<D>, x, asks, out);
  out.close();
  return out.take();
}

/// The answer to a graph that has none: it has no tree, or the library cannot tell.
LineAnswer error_answer(const GraphLine& graph, LineAnswer::Status status, const std::string& message) {
  JsonWriter out;
  write_id_and_size(graph, out);
  out.key("error");
  out.write(message);
  out.close();
  return {status, out.take(), message};
}

}  // namespace

WantList parse_tree_wants(std::string_view list) { return parse_wants(list, kTreeForms); }

std::string tree_wants_help() { return wants_help(kTreeForms, kTreeFieldNames); }

bool is_bulky(const TreeQuestions& questions) { return is_bulky(questions.wants, kTreeForms); }

LineAnswer answer_tree_line(std::string_view line, const TreeQuestions& questions) {
  return answer_graph(line, questions.unknown, [&](const GraphLine& graph) {
    if (questions.projective) {
      return graph.labelled() ? answer<LabelledProjectiveTreeDistribution>(graph, questions)
                              : answer<ProjectiveTreeDistribution>(graph, questions);
    }
    return graph.labelled() ? answer<LabelledTreeDistribution>(graph, questions)
                            : answer<TreeDistribution>(graph, questions);
  });
}

LineAnswer answer_graph(std::string_view line, UnknownFields unknown,
                        const std::function<std::string(const GraphLine&)>& answer_text) {
  return guarded([&] {
    const GraphLine graph = read_graph(line, unknown);
    try {
      return LineAnswer{LineAnswer::Status::good, answer_text(graph), {}};
    } catch (const Infeasible& e) {
      return error_answer(graph, LineAnswer::Status::infeasible, "infeasible: " + without_function(e.what()));
    } catch (const InputError& e) {
      return error_answer(graph, LineAnswer::Status::unanswered, without_function(e.what()));
    }
  });
}

}  // namespace kirchhoff::cli
