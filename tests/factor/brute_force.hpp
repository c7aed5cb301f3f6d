// Factors and graphs judged by listing all configurations in long double; uses nothing of a factor but score().
#pragma once

#include "kirchhoff/decode.hpp"
#include "kirchhoff/dependency_graph.hpp"
#include "kirchhoff/solve.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace kirchhoff::brute {

using Real = long double;
using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline std::vector<std::uint8_t> bits(std::size_t index, std::size_t n) {
  std::vector<std::uint8_t> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::uint8_t>((index >> (n - 1 - i)) & 1);
  return y;
}

/// logarithm of a sum of exponentials, added one by one.
class LogSum {
 public:
  void add(Real x) {
    if (x == -HUGE_VALL) return;
    if (x > highest_) {
      sum_ = sum_ * std::exp(highest_ - x) + 1;
      highest_ = x;
    } else {
      sum_ += std::exp(x - highest_);
    }
  }
  Real value() const { return sum_ == 0 ? -HUGE_VALL : highest_ + std::log(sum_); }
  Real highest() const { return highest_; }

 private:
  Real highest_ = -HUGE_VALL, sum_ = 0;
};

struct Answers {
  Real log_partition = 0, value = 0, expected_score = 0, entropy = 0;
  std::vector<Real> marginals, sum_messages, max_messages;
};

/// Everything a factor is asked. +inf and -inf fix an input and count nothing.
inline Answers ask(const Factor& factor, const std::vector<double>& q) {
  const std::size_t n = q.size();
  const auto weight = [&](const std::vector<std::uint8_t>& y, std::size_t without) {
    Real w = factor.score(y);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == without) continue;
      if (std::isinf(q[i])) {
        if ((q[i] > 0) != (y[i] == 1)) w = -HUGE_VALL;
      } else if (y[i]) {
        w += q[i];
      }
    }
    return w;
  };
  Answers result;
  LogSum all;
  std::vector<LogSum> on(n), off(n);
  for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
    const auto y = bits(e, n);
    if (factor.score(y) == -HUGE_VAL) continue;
    all.add(weight(y, n));
    for (std::size_t i = 0; i < n; ++i) (y[i] ? on : off)[i].add(weight(y, i));
  }
  result.log_partition = all.value();
  result.value = all.highest();
  result.marginals.assign(n, 0);
  for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
    const auto y = bits(e, n);
    if (factor.score(y) == -HUGE_VAL || weight(y, n) == -HUGE_VALL) continue;
    const Real log_p = weight(y, n) - all.value(), p = std::exp(log_p);
    result.entropy -= p * log_p;
    result.expected_score += p * factor.score(y);
    for (std::size_t i = 0; i < n; ++i) result.marginals[i] += p * y[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    result.sum_messages.push_back(on[i].value() - off[i].value());
    result.max_messages.push_back(on[i].highest() - off[i].highest());
  }
  return result;
}

struct Named {
  std::string name;
  FactorGraph graph;  ///< one factor over all variables, not negated
};

inline Literals literals(FactorGraph& graph, int n) {
  Literals result;
  for (int i = 0; i < n; ++i) result.push_back(graph.add_variable());
  return result;
}

/// A factor of your own: an even number of inputs is 1, with a score for each pair of neighbours.
class EvenFactor final : public Factor {
 public:
  explicit EvenFactor(int arity) : Factor(arity) {}
  double score(Configuration y) const override {
    int count = 0;
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      count += y[i];
      if (i > 0 && y[i] && y[i - 1]) sum += 0.5 * static_cast<double>(i) - 1.0;
    }
    return count % 2 == 0 ? sum : -HUGE_VAL;
  }
};

/// One factor of each kind with about n inputs.
inline std::vector<Named> all_factors(int n, Random& random) {
  std::vector<Named> result;
  const auto add = [&](const std::string& name, const std::function<void(FactorGraph&)>& build) {
    result.push_back({name, {}});
    build(result.back().graph);
  };
  add("xor", [&](FactorGraph& g) { g.add_xor(literals(g, n)); });
  add("at most one", [&](FactorGraph& g) { g.add_at_most_one(literals(g, n)); });
  add("or", [&](FactorGraph& g) { g.add_or(literals(g, n)); });
  for (int k = 0; k <= n; ++k) {
    add("budget " + std::to_string(k), [&](FactorGraph& g) { g.add_budget(literals(g, n), k); });
  }
  if (n >= 2) {
    add("or out", [&](FactorGraph& g) {
      Literals all = literals(g, n);
      const Literal output = all.back();
      all.pop_back();
      g.add_or_out(all, output);
    });
  }
  add("even", [&](FactorGraph& g) { g.add_factor(std::make_shared<EvenFactor>(n), literals(g, n)); });
  if (n == 2) {
    for (const double s : {1.5, -2.0, 0.0}) {
      add("pair", [&](FactorGraph& g) { g.add_pair(g.add_variable(), g.add_variable(), s); });
    }
  }
  if (n <= 6) {
    for (const double holes : {0.0, 0.3}) {
      add("table", [&](FactorGraph& g) {
        std::vector<double> table(std::size_t{1} << n);
        for (double& x : table) x = uniform(random, 0, 1) < holes ? -HUGE_VAL : uniform(random, -2, 2);
        table[0] = 0.5;
        g.add_table(literals(g, n), table);
      });
    }
  }
  if (n >= 4 && n <= 8) {
    add("table of groups", [&](FactorGraph& g) {
      const Literals all = literals(g, n);
      std::vector<Literals> groups{{all[0]}, {all.begin() + 1, all.begin() + 3}, {all.begin() + 3, all.end()}};
      std::vector<double> table(static_cast<std::size_t>(2 * 2 * std::max(2, n - 3)));
      for (double& x : table) x = uniform(random, -2, 2);
      table[1] = -HUGE_VAL;
      g.add_table(groups, table);
    });
  }
  if (n >= 4 && n <= 8) {
    add("table of two variables", [&](FactorGraph& g) {
      const Literals all = literals(g, n);
      const std::vector<Literals> groups{{all.begin(), all.begin() + n / 2}, {all.begin() + n / 2, all.end()}};
      std::vector<double> table(static_cast<std::size_t>((n / 2) * (n - n / 2)));
      for (double& x : table) x = uniform(random, 0, 1) < 0.2 ? -HUGE_VAL : uniform(random, -2, 2);
      table[1] = 1.0;
      g.add_table(groups, table);
    });
  }
  for (const Root root : {Root::single, Root::multi}) {
    const int words = n <= 2 ? 1 : n <= 6 ? 2 : 3;
    std::vector<Arc> arcs;
    for (int d = 1; d <= words; ++d)
      for (int h = 0; h <= words; ++h)
        if (h != d) arcs.push_back({h, d});
    if (static_cast<int>(arcs.size()) > n) continue;
    add(root == Root::single ? "tree, single root" : "tree, multi-root", [&](FactorGraph& g) {
      std::shuffle(arcs.begin(), arcs.end(), random);
      std::vector<TreeArc> tree;
      for (const Arc arc : arcs) tree.push_back({arc, g.add_variable()});
      g.add_tree(words, tree, root);
    });
  }
  return result;
}

}  // namespace kirchhoff::brute
