// Bytes as a machine in text form: whatever they are, there is a machine or an error; a machine has a finite log Z, no
// NaN anywhere, and can be written and read again. So can its products with itself and with what it writes.
#include <kirchhoff/wfsm_derivatives.hpp>
#include <kirchhoff/wfsm_expectation.hpp>
#include <kirchhoff/wfsm_product.hpp>
#include <kirchhoff/wfsm_semiring.hpp>
#include <kirchhoff/wfsm_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace {

using namespace kirchhoff;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void check(double x, const char* what) {
  if (std::isnan(x)) fail(what);
}
void check(const WfsmWeights& w, const char* what) {
  if (w.transitions.hasNaN() || w.start.hasNaN() || w.final.hasNaN()) fail(what);
}

std::optional<Wfsm> read(std::string_view text, WeightKind weights) {
  WfsmTextOptions options;
  options.weights = weights;
  try {
    return read_wfsm(text, options);
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) fail("a message of several lines");
  } catch (const Infeasible&) {
  }
  return std::nullopt;
}

/// May refuse what is out of range, but not answer NaN.
template <class Ask>
void ask(Ask question, const char* what) {
  try {
    check(question(), what);
  } catch (const InputError&) {
  }
}

void question(const Wfsm& m) {
  if (!std::isfinite(m.log_partition())) fail("log Z is not finite");
  check(m.counts(), "counts");
  if (m.transition_marginals().size() > 0 && m.transition_marginals().minCoeff() < 0) fail("a negative count");
  ask([&] { return entropy(m); }, "entropy");
  ask([&] { return entropy_gradient(m); }, "entropy gradient");
  ask([&] { return renyi(m, 2.0); }, "renyi");
  ask([&] { return renyi(m, 0.5); }, "renyi");
  ask([&] { return kl(m, m); }, "kl");
  ask([&] { return gradient(m); }, "gradient");
  ask([&] { return hessian_vector(m, m.counts()); }, "hessian times vector");
  ask([&] { return expected_length_gradient(m); }, "length gradient");
  ask([&] { return moments(m, m.counts(), 4).cumulants.sum(); }, "cumulants");
  ask([&] { return log_prob(m, {1, 2, 1}); }, "log_prob");
  if (m.transitions().size() < 200) ask([&] { return hessian(m).sum(); }, "hessian");
  for (const Path& path : best_paths(m, 5)) check(path.log_prob, "a path");
  if (expected_length(m) < 1000) check(sample_path(m, 1).log_prob, "a sample");
}

/// The machine without its Z, which may be infinite.
void question_paths(std::string_view text, WeightKind weights) {
  WfsmTextOptions options;
  options.weights = weights;
  try {
    const WfsmBuilder machine = read_wfsm_builder(text, options);
    if (machine.states() > 200 || machine.transitions().size() > 1000) return;
    check(log_trajectories(machine), "the number of trajectories");
    double last = HUGE_VAL;
    for (const Path& path : best_paths(machine, 5)) {
      check(path.log_weight, "a path's weight");
      if (path.log_weight > last + 1e-9 * (1e3 + std::abs(last))) fail("paths are not in order");
      last = path.log_weight;
    }
  } catch (const InputError&) {
  } catch (const Infeasible&) {
  }
}

/// The products need not have a finite Z, and their factors need not either.
void multiply(std::string_view text, WeightKind weights) {
  constexpr int kMaxLines = 60;
  if (std::count(text.begin(), text.end(), '\n') > kMaxLines) return;
  WfsmTextOptions options;
  options.weights = weights;
  try {
    const WfsmBuilder builder = read_wfsm_builder(text, options);
    ask([&] { return compose(builder, builder).machine.log_partition(); }, "composition");
    ask([&] { return intersect(builder, builder).machine.log_partition(); }, "intersection");
    const Wfsm machine = read_wfsm(text, options);
    const WfsmProduct product = compose(machine, project_output(machine));
    if (!std::isfinite(product.machine.log_partition())) fail("log Z of a product is not finite");
    check(product.machine.counts(), "counts of a product");
    check(log_trajectories(product.machine), "number of trajectories");
  } catch (const InputError&) {
  } catch (const Infeasible&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const WeightKind kind : {WeightKind::neglog, WeightKind::log, WeightKind::real}) {
    question_paths(text, kind);
    multiply(text, kind);
    const std::optional<Wfsm> machine = read(text, kind);
    if (!machine || machine->states() > 2000) continue;
    question(*machine);
    if (kind == WeightKind::real) continue;  // exp and log change the last digits, and may make Z infinite
    const std::optional<Wfsm> again = read(write_wfsm(*machine, kind), kind);
    if (!again) fail("what was written cannot be read");
    const double difference = std::abs(again->log_partition() - machine->log_partition());
    if (!(difference <= 1e-9 * (1 + std::abs(machine->log_partition())))) fail("log Z changed");
  }
  to_dot(*read("0\n", WeightKind::log));
  try {
    read_symbols(text);
  } catch (const InputError&) {
  }
  return 0;
}
