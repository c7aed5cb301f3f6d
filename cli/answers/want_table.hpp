// The table of wants, once for unlabelled and once for labelled graphs. Included by wants.cpp and answer.cpp.
#pragma once

#include "json/writer.hpp"

#include <kirchhoff/expectation.hpp>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace kirchhoff::cli {

template <class D>
inline constexpr bool kLabelled = std::is_same_v<D, LabelledTreeDistribution>;

/// A graph with its distribution and, as far as they are asked for, what the other fields hold.
template <class D>
struct Problem {
  D p;
  std::optional<D> q;
  Gold gold;
  std::optional<Features> features;
  Vector target;
};

enum Needs : unsigned { nothing = 0, gold = 1, other = 2, features = 4, target = 8 };

/// What a parameter may be.
struct Limits {
  double low = 0.0;
  bool low_allowed = false;
  double forbidden = -1.0;
  std::string_view text;  ///< what is allowed, in words
};

template <class D>
using Compute = void (*)(const Problem<D>&, double, JsonWriter&);

template <class D>
struct Want {
  std::string_view name;
  unsigned needs;
  std::string_view help;
  Compute<D> compute;
  std::string_view argument = {};  ///< "=ALPHA" for messages
  const Limits* parameter = nullptr;
  bool bulky = false;
};

inline constexpr Limits kAlpha{0.0, true, 1.0, "a number >= 0 other than 1 (for 1 ask for entropy)"};
inline constexpr Limits kOrder{0.0, false, -1.0, "a number > 0"};

inline const TreeDistribution& unlabelled(const TreeDistribution& p) { return p; }
inline const TreeDistribution& unlabelled(const LabelledTreeDistribution& p) { return p.tree(); }

template <class D>
double log_prob(const Problem<D>& x) {
  if constexpr (kLabelled<D>) {
    return x.p.log_prob(x.gold.heads, x.gold.labels);
  } else {
    return x.p.log_prob(x.gold.heads);
  }
}

/// [head][dependent][head'][dependent'].
inline void write_pairs(const TreeDistribution& p, JsonWriter& out) {
  const Matrix pairs = p.pair_marginals();
  const int nodes = p.words() + 1;
  out.list(nodes, [&](int h) {
    out.list(nodes, [&](int d) { out.write(MatrixView(pairs.row(h * nodes + d).data(), nodes, nodes)); });
  });
}

/// There is no gradient where KL is infinite.
template <class D>
void write_kl_gradient(const D& p, const D& q, JsonWriter& out) {
  if (std::isinf(kl(p, q))) return out.raw("null");
  const PairGradient<D> gradient = kl_gradient(p, q);
  out.raw("{\"p\":");
  out.write(gradient.p);
  out.raw(",\"q\":");
  out.write(gradient.q);
  out.raw("}");
}

template <class D>
using P = const Problem<D>&;
using Out = JsonWriter&;

template <class D>
inline constexpr std::array kWants = {
    Want<D>{"log_partition", nothing, "log of the sum over trees of exp(score)",
            [](P<D> x, double, Out out) { out.write(x.p.log_partition()); }},
    Want<D>{"log_prob", gold, "log-probability of the gold tree",
            [](P<D> x, double, Out out) { out.write(log_prob(x)); }},
    Want<D>{"marginals", nothing, "probability of every arc",
            [](P<D> x, double, Out out) { out.write(x.p.marginals()); }},
    Want<D>{"log_marginals", nothing, "their logarithms",
            [](P<D> x, double, Out out) { out.write(x.p.log_marginals()); }},
    Want<D>{"pair_marginals", nothing, "probability of every pair of (unlabelled) arcs, n <= 40",
            [](P<D> x, double, Out out) { write_pairs(unlabelled(x.p), out); }, "", nullptr, true},
    Want<D>{"log_count", nothing, "log of the number of trees",
            [](P<D> x, double, Out out) { out.write(x.p.log_count()); }},
    Want<D>{"entropy", nothing, "Shannon entropy in nats", [](P<D> x, double, Out out) { out.write(entropy(x.p)); }},
    Want<D>{"entropy_gradient", nothing, "its gradient",
            [](P<D> x, double, Out out) { out.write(entropy_gradient(x.p)); }},
    Want<D>{"renyi", nothing, "Renyi entropy of order ALPHA",
            [](P<D> x, double a, Out out) { out.write(renyi(x.p, a)); }, "=ALPHA", &kAlpha},
    Want<D>{"norm", nothing, "l_K norm of the tree probabilities",
            [](P<D> x, double k, Out out) { out.write(norm(x.p, k)); }, "=K", &kOrder},
    Want<D>{"cross_entropy", other, "-E[log q]", [](P<D> x, double, Out out) { out.write(cross_entropy(x.p, *x.q)); }},
    Want<D>{"kl", other, "KL(p || q)", [](P<D> x, double, Out out) { out.write(kl(x.p, *x.q)); }},
    Want<D>{"kl_gradient", other, "its gradients, {\"p\":..., \"q\":...}",
            [](P<D> x, double, Out out) { write_kl_gradient(x.p, *x.q, out); }},
    Want<D>{"expectation", features, "E[f]", [](P<D> x, double, Out out) { out.write(expectation(x.p, *x.features)); }},
    Want<D>{"second_order", features, "E[f f^T]",
            [](P<D> x, double, Out out) { out.write(second_order(x.p, *x.features, *x.features)); }},
    Want<D>{"covariance", features, "Cov(f, f)",
            [](P<D> x, double, Out out) { out.write(covariance(x.p, *x.features, *x.features)); }},
    Want<D>{"risk", gold, "expected attachment score against gold",
            [](P<D> x, double, Out out) { out.write(risk(x.p, x.gold)); }},
    Want<D>{"risk_gradient", gold, "its gradient",
            [](P<D> x, double, Out out) { out.write(risk_gradient(x.p, x.gold)); }},
    Want<D>{"ge", features | target, "1/2 |E[f] - target|^2",
            [](P<D> x, double, Out out) { out.write(generalized_expectation(x.p, *x.features, x.target)); }},
    Want<D>{"ge_gradient", features | target, "its gradient",
            [](P<D> x, double, Out out) { out.write(generalized_expectation_gradient(x.p, *x.features, x.target)); }},
};

/// For what does not depend on the kind of graph.
inline constexpr const auto& kAnyWants = kWants<TreeDistribution>;

}  // namespace kirchhoff::cli
