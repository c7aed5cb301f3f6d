// kirchhoff solve: marginals or the best assignment of factor graphs.
#include "io/files.hpp"
#include "io/run_lines.hpp"
#include "json/factor_line.hpp"
#include "json/graph_arrays.hpp"
#include "verbs/verbs.hpp"

#include <cstdio>
#include <functional>
#include <new>
#include <optional>

namespace kirchhoff::cli {
namespace {

std::string_view status_name(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::iteration_limit:
      return "iteration_limit";
    case Status::time_limit:
      return "time_limit";
    case Status::infeasible:
      break;
  }
  return "infeasible";
}

/// What every method answers some of.
struct Solved {
  Status status = Status::infeasible;
  std::optional<int> iterations;
  std::optional<double> residual, log_partition, entropy, bethe_entropy, bound;
  std::optional<bool> integral;
  std::vector<double> marginals, point;
  Assignment assignment;
  double value = 0.0;
};

Solved solved(const ExactResult& r) {
  Solved s;
  s.status = r.status;
  s.log_partition = r.log_partition;
  s.entropy = r.entropy;
  s.bethe_entropy = r.bethe_entropy;
  s.marginals = r.marginals;
  s.assignment = r.assignment;
  s.value = r.value;
  return s;
}

Solved solved(const BpResult& r, Product product) {
  Solved s;
  s.status = r.status;
  s.iterations = r.iterations;
  s.residual = r.residual;
  if (product == Product::sum) {
    s.log_partition = r.log_partition;
    s.bethe_entropy = r.bethe_entropy;
  }
  s.marginals = r.marginals;
  s.assignment = r.assignment;
  s.value = r.value;
  return s;
}

Solved solved(const MapResult& r, bool has_residual) {
  Solved s;
  s.status = r.status;
  s.iterations = r.iterations;
  if (has_residual) s.residual = r.residual;
  s.bound = r.bound;
  s.integral = r.integral;
  s.point = r.point;
  s.assignment = r.assignment;
  s.value = r.value;
  return s;
}

Solved solve(const FactorGraph& graph, const SolveOptions& options) {
  switch (options.method) {
    case SolveMethod::exact:
      return solved(solve_exact(graph));
    case SolveMethod::lp:
      return solved(solve_lp(graph), false);
    case SolveMethod::ilp:
      return solved(solve_ilp(graph, options.ad3.time_limit), false);
    case SolveMethod::ad3:
      return solved(solve_ad3(graph, options.ad3), true);
    case SolveMethod::bp:
    case SolveMethod::max_product:
      break;
  }
  BpOptions bp = options.bp;
  bp.product = options.method == SolveMethod::bp ? Product::sum : Product::max;
  return solved(solve_bp(graph, bp), bp.product);
}

void write_field(JsonWriter& out, std::string_view name, const std::optional<double>& value) {
  if (!value) return;
  out.key(name);
  out.write(*value);
}

void write_list(JsonWriter& out, std::string_view name, const std::vector<double>& values) {
  if (values.empty()) return;
  out.key(name);
  out.list(values.size(), [&](std::size_t i) { out.write(values[i]); });
}

template <class Number>
void write_numbers(JsonWriter& out, std::string_view name, const std::vector<Number>& values) {
  if (values.empty()) return;
  out.key(name);
  out.list(values.size(), [&](std::size_t i) { out.raw(fmt::format("{}", static_cast<int>(values[i]))); });
}

/// Marginals of multi-valued variables: one list for each.
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

std::string answer(const Solved& s, const std::string& id, const UaiGraph* uai) {
  JsonWriter out;
  out.key("id");
  out.raw(id);
  out.key("status");
  out.raw(json_string(status_name(s.status)));
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
    write_field(out, "value", s.value + constant);
    if (s.integral) {
      out.key("integral");
      out.raw(*s.integral ? "true" : "false");
    }
    if (uai && !s.marginals.empty()) {
      write_uai_marginals(out, *uai, s.marginals);
    } else {
      write_list(out, "marginals", s.marginals);
    }
    if (uai && !s.assignment.empty()) {
      write_numbers(out, "assignment", uai->values(s.assignment));
    } else {
      write_list(out, "point", s.point);
      write_numbers(out, "assignment", s.assignment);
    }
  }
  out.close();
  return out.take();
}

Answer guarded(const std::function<Answer()>& make) {
  try {
    return make();
  } catch (const ReadError& e) {
    return {Answer::Status::bad, {}, e.what()};
  } catch (const InputError& e) {
    return {Answer::Status::bad, {}, without_function(e.what())};
  } catch (const NotANumber& e) {
    return {Answer::Status::bug, {}, e.what()};
  } catch (const std::bad_alloc&) {
    return {Answer::Status::bad, {}, "not enough memory for this graph"};
  }
}

Answer answer_graph(const FactorGraph& graph, const std::string& id, const UaiGraph* uai, const SolveOptions& options) {
  const Solved s = solve(graph, options);
  if (s.status == Status::infeasible) return {Answer::Status::infeasible, answer(s, id, uai), "infeasible"};
  return {Answer::Status::good, answer(s, id, uai), {}};
}

int run_uai(const SolveOptions& options) {
  const std::string name = options.input.file == "-" ? "standard input" : options.input.file;
  const Answer result = answer_uai(read_file(options.input.file), options);
  const bool infeasible = result.status == Answer::Status::infeasible;
  if (result.status != Answer::Status::good && !infeasible)
    throw FileError(fmt::format("{}: {}", name, result.message));
  write_stdout(result.output);
  return infeasible ? 1 : 0;
}

}  // namespace

Answer answer_factor_line(std::string_view line, const SolveOptions& options) {
  return guarded([&] {
    const FactorLine read = read_factor_graph(line);
    return answer_graph(read.graph, read.id, nullptr, options);
  });
}

Answer answer_uai(std::string_view text, const SolveOptions& options) {
  return guarded([&] {
    const UaiGraph uai = read_uai(text);
    if (uai.constant == -HUGE_VAL) return Answer{Answer::Status::infeasible, answer({}, "null", &uai), "infeasible"};
    return answer_graph(uai.graph, "null", &uai, options);
  });
}

int run_solve(const SolveOptions& options) {
  const bool uai = options.format == "uai" || (options.format.empty() && options.input.file.ends_with(".uai"));
  if (uai) return run_uai(options);
  return run_lines({options.input, options.threads, options.strict, options.quiet, "infeasible"}, /*bulky=*/false,
                   [&](std::string_view line, std::size_t) { return answer_factor_line(line, options); });
}

}  // namespace kirchhoff::cli
