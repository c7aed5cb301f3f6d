// Answers one line of `solve`, or a UAI network: reads the graph, solves it by the method asked for, and writes JSON.
#include "answers/factor_answer.hpp"

#include "answers/guarded.hpp"
#include "json/factor_line.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kirchhoff::cli {
namespace {

/// The answer of any method; each method gives some of the fields.
struct FactorAnswer {
  Status status = Status::infeasible;
  std::optional<int> iterations;
  std::optional<double> residual, log_partition, entropy, bethe_entropy, bound, gap;
  std::optional<bool> integral;
  std::optional<std::vector<double>> marginals, point;
  std::optional<Assignment> assignment;  ///< Belief propagation and rounding may find none.
  std::optional<double> value;           ///< LP-SparseMAP has none.
  /// By factor; empty for one with too many inputs to list its configurations.
  std::optional<std::vector<std::vector<double>>> beliefs;
  std::optional<std::vector<std::vector<double>>> duals;  ///< By factor, a number for each of its inputs.
  std::optional<std::vector<FactorPosterior>> posteriors;
};

FactorAnswer factor_answer(const ExactResult& r) {
  FactorAnswer s;
  s.status = r.status;
  s.log_partition = r.log_partition;
  s.entropy = r.entropy;
  s.bethe_entropy = r.bethe_entropy;
  s.marginals = r.marginals;
  s.value = r.value;
  return s;
}

FactorAnswer factor_answer(const BpResult& r, Product product) {
  FactorAnswer s;
  s.status = r.status;
  s.iterations = r.iterations;
  s.residual = r.residual;
  if (product == Product::sum) {
    s.log_partition = r.log_partition;
    s.bethe_entropy = r.bethe_entropy;
  }
  s.marginals = r.marginals;
  s.value = r.value;
  return s;
}

FactorAnswer factor_answer(const MapResult& r, bool has_residual) {
  FactorAnswer s;
  s.status = r.status;
  s.iterations = r.iterations;
  if (has_residual) s.residual = r.residual;
  s.bound = r.bound;
  s.integral = r.integral;
  s.point = r.point;
  s.value = r.value;
  return s;
}

/// The answer with its assignment, of which a graph without variables has an empty one.
template <class Result, class... More>
FactorAnswer with_assignment(const FactorGraph& graph, const Result& result, More... more) {
  FactorAnswer s = factor_answer(result, more...);
  if (result.assignment.size() == static_cast<std::size_t>(graph.variables())) s.assignment = result.assignment;
  return s;
}

std::vector<std::vector<double>> beliefs_of(const FactorGraph& graph, const BpResult& result) {
  std::vector<std::vector<double>> beliefs(static_cast<std::size_t>(graph.factors()));
  for (int f = 0; f < graph.factors(); ++f) {
    if (graph.factor(f).arity() > Factor::kEnumerable) continue;
    beliefs[static_cast<std::size_t>(f)] = factor_belief(graph, result, f);
  }
  return beliefs;
}

FactorAnswer solve_by_ad3(const FactorGraph& graph, const SolveSettings& settings) {
  const MapResult result = solve_ad3(graph, settings.ad3);
  FactorAnswer s = with_assignment(graph, result, true);
  const bool has_duals = static_cast<int>(result.duals.size()) == graph.edges();  // not when it was stopped at once
  if (settings.duals && has_duals) {
    s.duals.emplace();
    for (int f = 0; f < graph.factors(); ++f) {
      const double* first = result.duals.data() + graph.first_edge(f);
      s.duals->emplace_back(first, first + graph.factor(f).arity());
    }
  }
  if (settings.posteriors && has_duals) {
    s.posteriors.emplace();
    for (int f = 0; f < graph.factors(); ++f) s.posteriors->push_back(factor_posterior(graph, result, f));
  }
  return s;
}

FactorAnswer solve_sparse(const FactorGraph& graph, const SolveSettings& settings) {
  SparseGraph result = lp_sparsemap(graph, settings.sparsemap);
  FactorAnswer s;
  s.status = result.status;
  s.iterations = result.iterations;
  s.residual = result.residual;
  s.gap = result.gap;
  s.marginals = std::move(result.marginals);
  if (settings.posteriors) s.posteriors = std::move(result.factors);
  return s;
}

FactorAnswer solve(const FactorGraph& graph, const SolveSettings& settings) {
  if (settings.sparse) return solve_sparse(graph, settings);
  switch (settings.method) {
    case SolveMethod::exact:
      return with_assignment(graph, solve_exact(graph, 1 << 20, settings.ad3.stop));
    case SolveMethod::lp:
      return with_assignment(graph, solve_lp(graph, settings.ad3.stop), false);
    case SolveMethod::ilp:
      return with_assignment(graph, solve_ilp(graph, settings.ad3.time_limit, settings.ad3.stop), false);
    case SolveMethod::ad3:
      return solve_by_ad3(graph, settings);
    case SolveMethod::bp:
    case SolveMethod::max_product:
      break;
  }
  BpOptions bp = settings.bp;
  bp.product = settings.method == SolveMethod::bp ? Product::sum : Product::max;
  const BpResult result = solve_bp(graph, bp);
  FactorAnswer s = with_assignment(graph, result, bp.product);
  if (settings.beliefs && s.status != Status::infeasible) s.beliefs = beliefs_of(graph, result);
  return s;
}

void write_field(JsonWriter& out, std::string_view name, const std::optional<double>& value) {
  if (!value) return;
  out.key(name);
  out.write(*value);
}

void write_list(JsonWriter& out, std::string_view name, const std::optional<std::vector<double>>& values) {
  if (!values) return;
  out.key(name);
  out.list(values->size(), [&](std::size_t i) { out.write((*values)[i]); });
}

std::vector<int> ints(const Assignment& assignment) { return {assignment.begin(), assignment.end()}; }

void write_numbers(JsonWriter& out, std::string_view name, const std::vector<int>& values) {
  out.key(name);
  out.list(values.size(), [&](std::size_t i) { out.write(values[i]); });
}

/// Writes the marginals of a network, one list for each of its variables.
void write_uai_marginals(JsonWriter& out, const UaiGraph& uai, const std::vector<double>& p) {
  out.key("marginals");
  out.list(uai.cardinality.size(), [&](std::size_t v) {
    out.list(uai.cardinality[v], [&](int k) {
      const int first = uai.first[v];
      if (uai.cardinality[v] == 1) return out.write(1.0);
      if (uai.cardinality[v] == 2) return out.write(k == 1 ? p[first] : 1.0 - p[first]);
      out.write(p[first + k]);
    });
  });
}

void write_beliefs(JsonWriter& out, const std::vector<std::vector<double>>& beliefs) {
  out.key("factor_beliefs");
  out.list(beliefs.size(), [&](std::size_t f) {
    if (beliefs[f].empty()) return out.raw("null");
    out.list(beliefs[f].size(), [&](std::size_t e) { out.write(beliefs[f][e]); });
  });
}

void write_duals(JsonWriter& out, const std::vector<std::vector<double>>& duals) {
  out.key("duals");
  out.list(duals.size(),
           [&](std::size_t f) { out.list(duals[f].size(), [&](std::size_t i) { out.write(duals[f][i]); }); });
}

void write_posteriors(JsonWriter& out, const std::vector<FactorPosterior>& posteriors) {
  out.key("factor_posteriors");
  out.list(posteriors.size(), [&](std::size_t f) {
    const FactorPosterior& own = posteriors[f];
    out.object([&] {
      write_field(out, "score", own.score);
      write_list(out, "inputs", own.inputs);
      write_list(out, "weights", own.weights);
      out.key("configurations");
      out.list(own.configurations.size(), [&](std::size_t c) {
        const Assignment& y = own.configurations[c];
        out.list(y.size(), [&](std::size_t i) { out.write(static_cast<int>(y[i])); });
      });
    });
  });
}

/// The heads of words 1 ... n, where the assignment's arcs are one for each.
std::optional<std::vector<int>> heads_in(const FactorLine& line, const Assignment& assignment) {
  std::vector<int> heads(static_cast<std::size_t>(line.words), -1);
  for (const TreeArc& arc : line.arcs) {
    if (assignment[static_cast<std::size_t>(arc.literal.variable)] == 0) continue;
    int& head = heads[static_cast<std::size_t>(arc.arc.dependent) - 1];
    if (head >= 0) return {};
    head = arc.arc.head;
  }
  if (std::find(heads.begin(), heads.end(), -1) != heads.end()) return {};
  return heads;
}

/// `line` is what the graph was read from, and nullptr for a UAI network; `uai` is the other way round.
std::string answer(const FactorAnswer& s, const std::string& id, const FactorLine* line, const UaiGraph* uai) {
  JsonWriter out;
  out.key("id");
  out.raw(id);
  out.key("status");
  out.write(to_string(s.status));
  if (s.iterations) {
    out.key("iterations");
    out.raw(fmt::format("{}", *s.iterations));
  }
  if (s.status != Status::infeasible) {
    const double constant = uai ? uai->constant : 0.0;
    write_field(out, "residual", s.residual);
    if (s.log_partition) write_field(out, "log_partition", *s.log_partition + constant);
    write_field(out, "entropy", s.entropy);
    write_field(out, "bethe_entropy", s.bethe_entropy);
    if (s.bound) write_field(out, "bound", *s.bound + constant);
    write_field(out, "gap", s.gap);
    if (s.value) write_field(out, "value", *s.value + constant);
    if (s.integral) {
      out.key("integral");
      out.raw(*s.integral ? "true" : "false");
    }
    if (uai != nullptr && s.marginals) {
      write_uai_marginals(out, *uai, *s.marginals);
    } else {
      write_list(out, "marginals", s.marginals);
    }
    if (uai == nullptr) write_list(out, "point", s.point);
    if (s.assignment)
      write_numbers(out, "assignment", uai != nullptr ? uai->values(*s.assignment) : ints(*s.assignment));
    if (s.assignment && line != nullptr && line->words > 0) {
      if (const auto heads = heads_in(*line, *s.assignment)) write_numbers(out, "heads", *heads);
    }
    if (s.beliefs) write_beliefs(out, *s.beliefs);
    if (s.duals) write_duals(out, *s.duals);
    if (s.posteriors) write_posteriors(out, *s.posteriors);
  }
  out.close();
  return out.take();
}

/// The answer to a graph that the method cannot solve, such as one with too many variables for enumeration.
LineAnswer unanswered(const std::string& id, const std::string& problem) {
  JsonWriter out;
  out.key("id");
  out.raw(id);
  out.key("error");
  out.write(problem);
  out.close();
  return {LineAnswer::Status::unanswered, out.take(), problem};
}

LineAnswer answer_graph(const FactorGraph& graph, const std::string& id, const FactorLine* line, const UaiGraph* uai,
                        const SolveSettings& settings) {
  FactorAnswer s;
  try {
    s = solve(graph, settings);
  } catch (const InputError& e) {
    return unanswered(id, without_function(e.what()));
  }
  if (s.status == Status::infeasible) return {LineAnswer::Status::infeasible, answer(s, id, line, uai), "infeasible"};
  return {LineAnswer::Status::good, answer(s, id, line, uai), {}};
}

}  // namespace

LineAnswer answer_factor_line(std::string_view line, const SolveSettings& settings) {
  return guarded([&] {
    const FactorLine read = read_factor_graph(line, settings.unknown);
    return answer_graph(read.graph, read.id, &read, nullptr, settings);
  });
}

LineAnswer answer_uai(std::string_view text, const SolveSettings& settings) {
  return guarded([&] {
    const UaiGraph uai = read_uai(text);
    if (uai.constant == -HUGE_VAL)
      return LineAnswer{LineAnswer::Status::infeasible, answer({}, "null", nullptr, &uai), "infeasible"};
    return answer_graph(uai.graph, "null", nullptr, &uai, settings);
  });
}

}  // namespace kirchhoff::cli
