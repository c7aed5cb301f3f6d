// SCRATCH: names that other modules are about to add.
#pragma once
#include <kirchhoff/conllu.hpp>
#include <kirchhoff/factor_graph.hpp>
#include <kirchhoff/parser.hpp>
#include <kirchhoff/sample.hpp>
#include <kirchhoff/wfsm_text.hpp>
namespace kirchhoff {
enum class SolveMethod { bp, max_product, lp, ilp, ad3, exact };
template <>
inline constexpr std::array<std::string_view, 6> kNames<SolveMethod> = {"bp",  "max_product", "lp",
                                                                        "ilp", "ad3",         "exact"};
template <>
inline constexpr std::array<std::string_view, 4> kNames<Status> = {"converged", "iteration_limit", "time_limit",
                                                                   "infeasible"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Schedule> = {"flooding", "sequential", "residual"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<StepRule::Kind> = {"aggressive", "adagrad"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<FeatureSet> = {"supported", "complete"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<ConllFormat> = {"conllu", "conllx"};
template <>
inline constexpr std::array<std::string_view, 4> kNames<ParseSolver> = {"automatic", "bp", "ad3", "lp"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<WeightKind> = {"neglog", "log", "real"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<ArcFormat> = {"automatic", "acceptor", "transducer"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<Sampler> = {"automatic", "wilson", "wilson_marginal",
                                                                    "wilson_reject", "colbourn"};
enum class NamedLoss { crf, svm, perceptron, softmax_margin, risk };
template <>
inline constexpr std::array<std::string_view, 5> kNames<NamedLoss> = {"crf", "svm", "perceptron", "softmax_margin",
                                                                      "risk"};
constexpr Loss loss_of(NamedLoss name) {
  constexpr std::array<Loss, 5> kLosses = {kCrfLoss, kSvmLoss, kPerceptronLoss, kSoftmaxMarginLoss, kRiskLoss};
  return kLosses[static_cast<std::size_t>(name)];
}
}  // namespace kirchhoff
