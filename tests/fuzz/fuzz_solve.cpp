// Reads bytes as a line of `kirchhoff solve`, and as a UAI network: whatever they are, the program answers or says what
// is wrong. It never crashes, never writes NaN, writes lines that are JSON again, and its methods do not contradict
// enumeration.
#include "answers/factor_answer.hpp"
#include "json/factor_line.hpp"
#include "line_answers.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace {

using kirchhoff::FactorGraph;
using kirchhoff::SolveMethod;
using kirchhoff::cli::fail;
using kirchhoff::cli::LineAnswer;
using kirchhoff::cli::SolveSettings;
using kirchhoff::cli::UnknownFields;

constexpr int kMaxVariables = 20;
constexpr int kMaxEdges = 100;
constexpr double kLargestScore = 1e6;  // beyond it, sums of scores say nothing about the last digits

std::optional<double> field(simdjson::dom::element object, const char* name) {
  double value = 0.0;
  if (object[name].get(value)) return std::nullopt;
  return value;
}

struct Checked {
  LineAnswer::Status status = LineAnswer::Status::bad;
  std::optional<double> value, bound;
};

Checked check(const LineAnswer& answer) {
  simdjson::dom::parser parser;
  const simdjson::dom::element object = kirchhoff::cli::checked(answer, "status", parser);
  if (answer.status == LineAnswer::Status::bad) return {};
  return {answer.status, field(object, "value"), field(object, "bound")};
}

SolveSettings settings_for(SolveMethod method) {
  SolveSettings settings;
  settings.method = method;
  settings.unknown = UnknownFields::allowed;
  settings.bp.max_iterations = settings.ad3.max_iterations = 50;
  return settings;
}

bool is_moderate(const FactorGraph& graph) {
  for (const double s : graph.scores()) {
    if (s != -HUGE_VAL && std::abs(s) > kLargestScore) return false;
  }
  return graph.variables() <= kMaxVariables && graph.edges() <= kMaxEdges;
}

template <class Ask>
void compare(Ask ask) {
  const LineAnswer exact_answer = ask(settings_for(SolveMethod::exact));
  const Checked exact = check(exact_answer);
  check(ask(settings_for(SolveMethod::bp)));
  for (const SolveMethod method : {SolveMethod::max_product, SolveMethod::ad3}) {
    const LineAnswer answer = ask(settings_for(method));
    const Checked other = check(answer);
    if (exact.status == LineAnswer::Status::bad) continue;  // too many assignments
    if (exact.status == LineAnswer::Status::infeasible) {
      if (other.value) fail("a value without an assignment", answer);
      continue;
    }
    if (other.status == LineAnswer::Status::infeasible) fail("infeasible, but there is an assignment", exact_answer);
    const double slack = 1e-6 * (1.0 + std::abs(*exact.value));
    if (other.value && *other.value > *exact.value + slack) fail("better than the best", answer);
    if (other.bound && *other.bound < *exact.value - slack) fail("a bound below the best", answer);
  }
}

template <class Read>
bool is_small(Read read) {
  try {
    return is_moderate(read().graph);
  } catch (const std::exception&) {
    return true;  // the answer must say the same
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kirchhoff::cli;
  const Line line(data, size);
  const std::string_view text = line.text();
  if (is_small([&] { return read_factor_graph(text, UnknownFields::allowed); })) {
    check(answer_factor_line(text, SolveSettings()));  // which refuses unknown fields
    compare([&](const SolveSettings& settings) { return answer_factor_line(text, settings); });
  }
  if (is_small([&] { return read_uai(text); })) {
    compare([&](const SolveSettings& settings) { return answer_uai(text, settings); });
  }
  return 0;
}
