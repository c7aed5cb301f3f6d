// What can be asked about a graph: a table of wants, once for unlabelled and once for labelled trees.
#pragma once

#include "answers/wants.hpp"

#include <kirchhoff/projective.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

template <class D>
inline constexpr bool kLabelled = kHasLabels<D>;

/// A graph's distribution and, as far as they are asked for, what the other fields of its line hold.
template <class D>
struct TreeSubject {
  D p;
  std::optional<D> q;
  Gold gold;
  std::optional<Features> features;
  Vector target;
};

/// The fields of a line that wants need, as bits of WantForm::needs.
enum TreeField : unsigned { no_field = 0, gold_field = 1, other_field = 2, features_field = 4, target_field = 8 };
inline constexpr std::array<std::string_view, 4> kTreeFieldNames = {"\"gold\"", "\"other\"", "\"features\"",
                                                                    "\"target\""};

inline constexpr double kAnyHigh = std::numeric_limits<double>::infinity();
inline constexpr ArgumentRule kAlpha{
    ArgumentRule::Kind::number, 0.0, kAnyHigh, true, 1.0, "a number >= 0 other than 1 (for 1 ask for entropy)"};
inline constexpr ArgumentRule kOrder{ArgumentRule::Kind::number, 0.0, kAnyHigh, false, -1.0, "a number > 0"};

template <class D>
const auto& without_labels(const D& p) {
  if constexpr (kLabelled<D>) {
    return p.tree();
  } else {
    return p;
  }
}

template <class D>
double gold_log_prob(const TreeSubject<D>& x) {
  if constexpr (kLabelled<D>) {
    return x.p.log_prob(x.gold.heads, x.gold.labels);
  } else {
    return x.p.log_prob(x.gold.heads);
  }
}

/// Writes the gradient of the gold tree's log-probability, or null where the tree is impossible.
template <class D>
void write_log_prob_gradient(const TreeSubject<D>& x, JsonWriter& out) {
  if (std::isinf(gold_log_prob(x))) return out.raw("null");
  Array<D> gradient = negative_log_likelihood_gradient(x.p, x.gold);
  std::transform(gradient.data(), gradient.data() + gradient.size(), gradient.data(),
                 [](double value) { return value == 0.0 ? 0.0 : -value; });
  out.write(gradient);
}

/// Writes the matrix of all pairs of arcs as [head][dependent][head'][dependent'].
template <class T>
void write_pairs(const T& p, JsonWriter& out) {
  const Matrix pairs = p.pair_marginals();
  const int nodes = p.words() + 1;
  out.list(nodes, [&](int h) {
    out.list(nodes, [&](int d) { out.write(MatrixView(pairs.row(h * nodes + d).data(), nodes, nodes)); });
  });
}

/// Writes a list of orders 1 .. M for each feature.
template <class D>
void write_cumulants(const D& p, const Features& features, int order, JsonWriter& out) {
  std::vector<Array<D>> functions(features.size(), p.scores());
  for (Array<D>& f : functions) std::fill_n(f.data(), f.size(), 0.0);
  for (const FeatureEntry& e : features.entries()) {
    if constexpr (kLabelled<D>) {
      functions[e.feature](e.head, e.dependent, e.label) = e.value;
    } else {
      functions[e.feature](e.head, e.dependent) = e.value;
    }
  }
  out.list(functions.size(), [&](std::size_t i) { out.write(Vector(cumulants(p, functions[i], order).tail(order))); });
}

template <class D>
void write_pair(const PairGradient<D>& gradient, JsonWriter& out) {
  out.raw("{\"p\":");
  out.write(gradient.p);
  out.raw(",\"q\":");
  out.write(gradient.q);
  out.raw("}");
}

/// These write both gradients, or null where the value is infinite and has none.
template <class D>
void write_kl_gradient(const D& p, const D& q, JsonWriter& out) {
  if (std::isinf(kl(p, q))) return out.raw("null");
  write_pair<D>(kl_gradient(p, q), out);
}
template <class D>
void write_cross_entropy_gradient(const D& p, const D& q, JsonWriter& out) {
  if (std::isinf(cross_entropy(p, q))) return out.raw("null");
  write_pair<D>(cross_entropy_gradient(p, q), out);
}
template <class D>
void write_log_multiplicative_gradient(const D& p, const D& q, JsonWriter& out) {
  const Array<D> log_q(q.scores());
  if (std::isinf(log_multiplicative_expectation<D>(p, log_q))) return out.raw("null");
  write_pair<D>(log_multiplicative_expectation_gradient<D>(p, log_q), out);
}

template <class D>
using X = const TreeSubject<D>&;
using A = const Ask&;
using Out = JsonWriter&;

template <class D>
inline constexpr std::array kTreeWants = {
    Want<TreeSubject<D>>{{"log_partition", "log of the sum over trees of exp(score)"},
                         [](X<D> x, A, Out out) { out.write(x.p.log_partition()); }},
    Want<TreeSubject<D>>{{"log_prob", "log-probability of the gold tree", gold_field},
                         [](X<D> x, A, Out out) { out.write(gold_log_prob(x)); }},
    Want<TreeSubject<D>>{{"log_prob_gradient", "its gradient", gold_field},
                         [](X<D> x, A, Out out) { write_log_prob_gradient(x, out); }},
    Want<TreeSubject<D>>{{"marginals", "probability of every arc"},
                         [](X<D> x, A, Out out) { out.write(x.p.marginals()); }},
    Want<TreeSubject<D>>{{"log_marginals", "their logarithms"},
                         [](X<D> x, A, Out out) { out.write(x.p.log_marginals()); }},
    Want<TreeSubject<D>>{
        {"pair_marginals", "probability of every pair of (unlabelled) arcs, n <= 40", no_field, "", {}, true},
        [](X<D> x, A, Out out) { write_pairs(without_labels(x.p), out); }},
    Want<TreeSubject<D>>{{"log_count", "log of the number of trees"},
                         [](X<D> x, A, Out out) { out.write(x.p.log_count()); }},
    Want<TreeSubject<D>>{{"entropy", "Shannon entropy in nats"}, [](X<D> x, A, Out out) { out.write(entropy(x.p)); }},
    Want<TreeSubject<D>>{{"entropy_gradient", "its gradient"},
                         [](X<D> x, A, Out out) { out.write(entropy_gradient(x.p)); }},
    Want<TreeSubject<D>>{{"renyi", "Renyi entropy of order ALPHA", no_field, "ALPHA", kAlpha},
                         [](X<D> x, A ask, Out out) { out.write(renyi(x.p, ask.number)); }},
    Want<TreeSubject<D>>{{"renyi_gradient", "its gradient", no_field, "ALPHA", kAlpha},
                         [](X<D> x, A ask, Out out) { out.write(renyi_gradient(x.p, ask.number)); }},
    Want<TreeSubject<D>>{{"norm", "l_K norm of the tree probabilities", no_field, "K", kOrder},
                         [](X<D> x, A ask, Out out) { out.write(norm(x.p, ask.number)); }},
    Want<TreeSubject<D>>{{"norm_gradient", "its gradient", no_field, "K", kOrder},
                         [](X<D> x, A ask, Out out) { out.write(norm_gradient(x.p, ask.number)); }},
    Want<TreeSubject<D>>{{"cross_entropy", "-E[log q]", other_field},
                         [](X<D> x, A, Out out) { out.write(cross_entropy(x.p, *x.q)); }},
    Want<TreeSubject<D>>{{"cross_entropy_gradient", "its gradients, {\"p\":..., \"q\":...}", other_field},
                         [](X<D> x, A, Out out) { write_cross_entropy_gradient(x.p, *x.q, out); }},
    Want<TreeSubject<D>>{{"kl", "KL(p || q)", other_field}, [](X<D> x, A, Out out) { out.write(kl(x.p, *x.q)); }},
    Want<TreeSubject<D>>{{"kl_gradient", "its gradients, {\"p\":..., \"q\":...}", other_field},
                         [](X<D> x, A, Out out) { write_kl_gradient(x.p, *x.q, out); }},
    Want<TreeSubject<D>>{
        {"log_multiplicative", "log E[product of exp(other) over the arcs]", other_field},
        [](X<D> x, A, Out out) { out.write(log_multiplicative_expectation<D>(x.p, Array<D>(x.q->scores()))); }},
    Want<TreeSubject<D>>{{"log_multiplicative_gradient", "its gradients, {\"p\":..., \"q\":...}", other_field},
                         [](X<D> x, A, Out out) { write_log_multiplicative_gradient(x.p, *x.q, out); }},
    Want<TreeSubject<D>>{{"expectation", "E[f]", features_field},
                         [](X<D> x, A, Out out) { out.write(expectation(x.p, *x.features)); }},
    Want<TreeSubject<D>>{{"second_order", "E[f f^T]", features_field},
                         [](X<D> x, A, Out out) { out.write(second_order(x.p, *x.features, *x.features)); }},
    Want<TreeSubject<D>>{{"covariance", "Cov(f, f)", features_field},
                         [](X<D> x, A, Out out) { out.write(covariance(x.p, *x.features, *x.features)); }},
    Want<TreeSubject<D>>{
        {"cumulants", "first M cumulants of each feature: mean, variance, ...", features_field, "M", kMaxOrder},
        [](X<D> x, A ask, Out out) { write_cumulants(x.p, *x.features, static_cast<int>(ask.number), out); }},
    Want<TreeSubject<D>>{{"risk", "expected attachment score against gold", gold_field},
                         [](X<D> x, A, Out out) { out.write(risk(x.p, x.gold)); }},
    Want<TreeSubject<D>>{{"risk_gradient", "its gradient", gold_field},
                         [](X<D> x, A, Out out) { out.write(risk_gradient(x.p, x.gold)); }},
    Want<TreeSubject<D>>{{"ge", "1/2 |E[f] - target|^2", features_field | target_field},
                         [](X<D> x, A, Out out) { out.write(generalized_expectation(x.p, *x.features, x.target)); }},
    Want<TreeSubject<D>>{
        {"ge_gradient", "its gradient", features_field | target_field},
        [](X<D> x, A, Out out) { out.write(generalized_expectation_gradient(x.p, *x.features, x.target)); }},
};

/// What does not depend on whether trees are labelled.
inline constexpr auto kTreeForms = forms_of(kTreeWants<TreeDistribution>);

}  // namespace kirchhoff::cli
