// One line of input to one line of output: the fields, the distribution, then each want in turn.
#include "answers/want_table.hpp"
#include "answers/wants.hpp"
#include "json/graph_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace kirchhoff::cli {
namespace {

struct NeededField {
  unsigned need;
  std::string_view name;
  bool (*present)(const Graph&);
};
constexpr std::array kNeededFields = {
    NeededField{gold, "gold", [](const Graph& g) { return g.gold.has_value(); }},
    NeededField{gold, "gold_labels", [](const Graph& g) { return !g.labelled() || g.gold_labels.has_value(); }},
    NeededField{other, "other", [](const Graph& g) { return g.other.has_value(); }},
    NeededField{features, "features", [](const Graph& g) { return g.features.has_value(); }},
    NeededField{target, "target", [](const Graph& g) { return g.target.has_value(); }},
};

/// Name of the first field that is missing, or nothing.
std::string_view missing_field(const Graph& graph, unsigned needs) {
  for (const NeededField& field : kNeededFields) {
    if ((needs & field.need) != 0 && !field.present(graph)) return field.name;
  }
  return {};
}

std::vector<Ask> asks_for(const Graph& graph, const Question& question) {
  if (!question.all) return question.asks;
  std::vector<Ask> asks;
  for (std::size_t i = 0; i < kAnyWants.size(); ++i) {
    const auto& want = kAnyWants[i];
    if (!want.parameter && !want.bulky && missing_field(graph, want.needs).empty()) asks.push_back({i, 0.0});
  }
  return asks;
}

unsigned check_fields(const Graph& graph, const std::vector<Ask>& asks) {
  unsigned needs = nothing;
  for (const Ask& ask : asks) {
    const auto& want = kAnyWants[ask.want];
    needs |= want.needs;
    const std::string_view field = missing_field(graph, want.needs);
    if (field.empty()) continue;
    const std::string ignored =
        graph.ignored.empty() ? "" : fmt::format("; fields ignored: {}", fmt::join(graph.ignored, ", "));
    throw ReadError(fmt::format("{}: missing; {} needs it{}", field, want.name, ignored));
  }
  return needs;
}

/// An entry without a label counts for every label.
Features features_of(const Graph& graph) {
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

Gold gold_of(const Graph& graph) {
  Gold out{*graph.gold, {}};
  if (!graph.gold_labels) return out;
  out.labels = *graph.gold_labels;
  out.labels.insert(out.labels.begin(), 0);
  return out;
}

template <class D>
D other_of(const Graph& graph, const D& p) {
  try {
    return naming("other", [&] { return p.with_scores(matrix_of(*graph.other, static_cast<const D*>(nullptr))); });
  } catch (const Infeasible& e) {
    throw Infeasible(fmt::format("other: {}", e.what()));
  }
}

template <class D>
Problem<D> make_problem(const Graph& graph, const Question& question, unsigned needs) {
  const auto scores = matrix_of(graph.scores, static_cast<const D*>(nullptr));
  Problem<D> x{naming("scores", [&] { return D(scores, question.root, question.accuracy); }), {}, {}, {}, {}};
  if (needs & gold) {
    naming("gold", [&] { check_tree(*graph.gold, graph.n(), question.root, "gold"); });
    x.gold = gold_of(graph);
  }
  if (needs & other) x.q = other_of(graph, x.p);
  if (needs & features) x.features = naming("features", [&] { return features_of(graph); });
  if (needs & target)
    x.target = Eigen::Map<const Vector>(graph.target->data(), static_cast<Eigen::Index>(graph.target->size()));
  return x;
}

void write_head(const Graph& graph, JsonWriter& out) {
  out.key("id");
  out.raw(graph.id);
  out.key("n");
  out.write(graph.n());
}

template <class D>
std::string answer(const Graph& graph, const Question& question) {
  const std::vector<Ask> asks = asks_for(graph, question);
  const Problem<D> x = make_problem<D>(graph, question, check_fields(graph, asks));
  JsonWriter out;
  write_head(graph, out);
  out.key("method");
  out.raw(x.p.report().method == Method::robust ? "\"robust\"" : "\"fast\"");
  for (const Ask& ask : asks) {
    const Want<D>& want = kWants<D>[ask.want];
    out.key(want.name);
    naming(want.name, [&] { want.compute(x, ask.parameter, out); });
  }
  out.close();
  return out.take();
}

Answer infeasible_answer(const Graph& graph, const std::string& problem) {
  const std::string message = "infeasible: " + without_function(problem);
  JsonWriter out;
  write_head(graph, out);
  out.key("error");
  out.raw(json_string(message));
  out.close();
  return {Answer::Status::infeasible, out.take(), message};
}

}  // namespace

std::string without_function(std::string_view message) {
  const std::size_t end = message.starts_with('[') ? message.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? message : message.substr(end + 2));
}

Answer answer_line(std::string_view line, const Question& question) {
  return answer_graph(line, [&](const Graph& graph) {
    return graph.labelled() ? answer<LabelledTreeDistribution>(graph, question)
                            : answer<TreeDistribution>(graph, question);
  });
}

Answer answer_graph(std::string_view line, const std::function<std::string(const Graph&)>& answer_text) {
  Graph graph;
  try {
    graph = read_graph(line);
    return {Answer::Status::good, answer_text(graph), {}};
  } catch (const Infeasible& e) {
    return infeasible_answer(graph, e.what());
  } catch (const ReadError& e) {
    return {Answer::Status::bad, {}, e.what()};
  } catch (const NotANumber& e) {
    return {Answer::Status::bug, {}, e.what()};
  } catch (const std::bad_alloc&) {
    return {Answer::Status::bad, {}, "not enough memory for this line"};
  } catch (const std::length_error&) {
    return {Answer::Status::bad, {}, "not enough memory for this line"};
  }
}

}  // namespace kirchhoff::cli
