#include "verbs/sample_methods.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace kirchhoff::cli {
namespace {

constexpr std::array kSampleMethods = {
    SampleMethod{"auto", Draws::independent, Sampler::automatic, {}, "the fastest for each graph; never stalls"},
    SampleMethod{"wilson", Draws::independent, Sampler::wilson, Root::multi, "loop-erased random walks"},
    SampleMethod{"wilson-marginal", Draws::independent, Sampler::wilson_marginal, Root::single,
                 "the root's child from its marginal, then wilson"},
    SampleMethod{"wilson-reject", Draws::independent, Sampler::wilson_reject, Root::single,
                 "wilson until the root has one child"},
    SampleMethod{"colbourn", Draws::independent, Sampler::colbourn, {}, "head after head, from conditional marginals"},
    SampleMethod{"trie", Draws::trie, {}, {}, "without replacement, one tree after the other"},
    SampleMethod{"beam", Draws::beam, {}, {}, "without replacement, all at once, with perturbed log-probabilities"},
};

bool is_distinct(const SampleMethod& m) { return m.draws != Draws::independent; }

bool fits(const SampleMethod& m, const SamplingOptions& options) {
  const bool replaces = !is_distinct(m) && m.sampler != Sampler::automatic;
  return m.only.value_or(options.root) == options.root && !(options.without_replacement && replaces);
}

const SampleMethod* find(std::string_view name) {
  for (const SampleMethod& m : kSampleMethods) {
    if (m.name == name) return &m;
  }
  return nullptr;
}

[[noreturn]] void refuse_method(std::string_view problem, const SamplingOptions& options) {
  std::vector<std::string_view> good;
  for (const SampleMethod& m : kSampleMethods) {
    if (fits(m, options)) good.push_back(m.name);
  }
  throw UsageError(fmt::format("--method {} {}; with --root {}{} take one of: {}", options.method, problem,
                               options.root == Root::multi ? "multi" : "single",
                               options.without_replacement ? " --without-replacement" : "", fmt::join(good, ", ")));
}

}  // namespace

const SampleMethod& method_of(const SamplingOptions& options) {
  const SampleMethod* method = find(options.method);
  if (method == nullptr) refuse_method("is unknown", options);
  if (!fits(*method, options)) refuse_method("does not fit", options);
  if (options.without_replacement && !is_distinct(*method)) method = find("beam");
  if (options.counts && is_distinct(*method)) {
    throw UsageError("--counts is for samples with replacement; without, no tree comes twice");
  }
  return *method;
}

std::string_view name_of(Sampler sampler) {
  for (const SampleMethod& m : kSampleMethods) {
    if (m.draws == Draws::independent && m.sampler == sampler) return m.name;
  }
  return "unknown";
}

std::string sample_methods_help() {
  std::string out;
  for (const SampleMethod& m : kSampleMethods) {
    const std::string_view root = !m.only ? "both" : *m.only == Root::multi ? "multi" : "single";
    out += fmt::format("  {:<16} {:<7} {}\n", m.name, root, m.about);
  }
  return out;
}

}  // namespace kirchhoff::cli
