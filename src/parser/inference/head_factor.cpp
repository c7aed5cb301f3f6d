#include "parser/inference/head_factor.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

/// Log-ratios beyond this count as this much, and scores of transitions beyond kMostScore: e^150 to one is certain, and
/// products of a few of them are doubles.
constexpr double kMostRatio = 600.0;
constexpr double kMostScore = 150.0;

std::size_t column(std::size_t j) { return j * (j - 1) / 2; }
double bounded(double q) { return std::isinf(q) ? q : std::clamp(q, -kMostRatio, kMostRatio); }

/// Chances of a dependent to be there and not, the larger being 1; what was taken out is `scale`.
struct Chance {
  double on = 0.0;
  double off = 0.0;
  double scale = 0.0;
};
Chance chance(double q, double grand) {
  if (q == HUGE_VAL) return {1.0, 0.0, grand};
  if (q == -HUGE_VAL) return {0.0, 1.0, 0.0};
  const double x = std::clamp(q + grand, -kMostRatio, kMostRatio);
  return x > 0.0 ? Chance{1.0, std::exp(-x), x} : Chance{std::exp(x), 1.0, 0.0};
}

double largest(const double* begin, std::size_t count) {
  double most = 0.0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, begin[i]);
  return most;
}

/// One side's dependents for one arc into the head. alpha row j, j = 1 ... k + 1: weights of "the last one so far is
/// the i-th", i < j, before the j-th is looked at; each row is divided by its largest.
struct Chain {
  std::size_t k = 0;
  const double* weights = nullptr;
  const Chance* chances = nullptr;
  double* alpha = nullptr;  // (k + 1) rows of k + 1

  double* row(std::size_t j) const { return alpha + (j - 1) * (k + 1); }

  /// Log of the sum over configurations.
  double forward() const {
    double log_scale = 0.0;
    row(1)[0] = 1.0;
    for (std::size_t j = 1; j <= k; ++j) {
      const double* now = row(j);
      const double* w = weights + column(j);
      double* next = row(j + 1);
      double sum = 0.0;
      for (std::size_t i = 0; i < j; ++i) {
        sum += now[i] * w[i];
        next[i] = now[i] * chances[j - 1].off;
      }
      next[j] = sum * chances[j - 1].on;
      log_scale += chances[j - 1].scale;
      const double most = largest(next, j + 1);
      if (most == 0.0) return -HUGE_VAL;
      if (most > 1e-30 && most < 1e30) continue;
      for (std::size_t i = 0; i <= j; ++i) next[i] /= most;
      log_scale += std::log(most);
    }
    const double* w = weights + column(k + 1);
    double sum = 0.0;
    for (std::size_t i = 0; i <= k; ++i) sum += row(k + 1)[i] * w[i];
    return log_scale + std::log(sum);
  }

  /// Calls visit(j, to_j, rest, total) for j = k + 1 ... 1: the transition i -> j has probability
  /// row(j)[i] * weights[column(j) + i] * to_j / total, and the j-th is absent with probability rest / total.
  template <class Visit>
  void backward(std::vector<double>& beta, const Visit& visit) const {
    const double* w = weights + column(k + 1);
    beta.assign(w, w + k + 1);  // weight of what follows when the i-th is the last one so far
    double total = 0.0;
    for (std::size_t i = 0; i <= k; ++i) total += row(k + 1)[i] * w[i];
    visit(k + 1, 1.0, 0.0, total);
    for (std::size_t j = k; j >= 1; --j) {
      const Chance& c = chances[j - 1];
      w = weights + column(j);
      const double to_j = c.on * beta[j];
      double with = 0.0, without = 0.0;
      for (std::size_t i = 0; i < j; ++i) {
        with += row(j)[i] * w[i];
        without += row(j)[i] * beta[i];
        beta[i] = beta[i] * c.off + w[i] * to_j;
      }
      without *= c.off;
      visit(j, to_j, without, with * to_j + without);
      const double most = largest(beta.data(), j);
      if (most > 1e-30 && most < 1e30) continue;
      for (std::size_t i = 0; i < j; ++i) beta[i] /= most;
    }
  }
};

struct Scratch {
  std::vector<Chance> chances;
  std::vector<double> alpha, beta, log_weights, on, off;
  std::vector<Chain> chains;
  std::vector<double> gains, value;  // of best()
  std::vector<std::size_t> before;
  std::vector<std::uint8_t> chosen;
  static Scratch& get() {
    thread_local Scratch scratch;
    return scratch;
  }
};

}  // namespace

HeadFactor::HeadFactor(const HeadParts& head, std::span<const double> scores)
    : Factor(static_cast<int>(head.in.size() + head.out[0].size() + head.out[1].size())),
      head_(&head),
      scores_(scores) {
  for (int side = 0; side < 2; ++side) {
    const std::size_t k = arcs_out(side);
    const double* own = scores.data() + head.first_sibling[static_cast<std::size_t>(side)];
    auto& columns = columns_[static_cast<std::size_t>(side)];
    auto& weights = weights_[static_cast<std::size_t>(side)];
    columns.resize(transitions(k));
    weights.resize(transitions(k));
    for (std::size_t j = 1; j <= k + 1; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const double score = own[transition(k, i, j)];
        columns[column(j) + i] = score;
        weights[column(j) + i] = std::exp(std::clamp(score, -kMostScore, kMostScore));
      }
    }
  }
}

double HeadFactor::grand(std::size_t in, std::size_t out) const {
  if (head_->in.empty()) return 0.0;
  return scores_[head_->first_grand + in * (arcs_out(0) + arcs_out(1)) + out];
}

double HeadFactor::score(Configuration y) const {
  const std::size_t ins = arcs_in();
  if (ins > 0 && std::count(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(ins), 1) != 1) return -HUGE_VAL;
  const auto in = static_cast<std::size_t>(std::find(y.begin(), y.end(), 1) - y.begin());
  double sum = 0.0;
  std::size_t out = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t k = head_->out[side].size();
    std::size_t last = 0;
    for (std::size_t j = 1; j <= k + 1; ++j) {
      if (j <= k && y[ins + out++] == 0) continue;
      sum += scores_[head_->first_sibling[side] + transition(k, last, j)];
      if (j <= k && ins > 0) sum += grand(in, out - 1);
      last = j;
    }
  }
  return sum;
}

Factor::Sum HeadFactor::run(std::span<const double> q, std::span<double> messages, std::span<double> marginals) const {
  Scratch& s = Scratch::get();
  const std::size_t ins = arcs_in(), outs = arcs_out(0) + arcs_out(1), cases = std::max<std::size_t>(1, ins);
  const std::size_t table = (arcs_out(0) + 1) * (arcs_out(0) + 1) + (arcs_out(1) + 1) * (arcs_out(1) + 1);
  s.chances.resize(cases * outs);
  s.alpha.resize(cases * table);
  s.chains.resize(2 * cases);
  s.log_weights.resize(cases);
  const auto q_in = q.subspan(0, ins), q_out = q.subspan(ins);

  const bool decided = std::any_of(q_in.begin(), q_in.end(), [](double x) { return x == HUGE_VAL; });
  double most = -HUGE_VAL;
  for (std::size_t g = 0; g < cases; ++g) {
    for (std::size_t d = 0; d < outs; ++d) s.chances[g * outs + d] = chance(bounded(q_out[d]), grand(g, d));
    double log_weight = ins == 0 ? 0.0 : bounded(q_in[g]);
    if (decided) log_weight = q_in[g] == HUGE_VAL ? 0.0 : -HUGE_VAL;
    for (int side = 0; side < 2; ++side) {
      const std::size_t skip_chances = side == 0 ? 0 : arcs_out(0);
      const std::size_t skip_alpha = side == 0 ? 0 : (arcs_out(0) + 1) * (arcs_out(0) + 1);
      Chain& chain = s.chains[2 * g + static_cast<std::size_t>(side)];
      chain = {arcs_out(side), weights_[static_cast<std::size_t>(side)].data(),
               s.chances.data() + g * outs + skip_chances, s.alpha.data() + g * table + skip_alpha};
      log_weight += chain.forward();
    }
    s.log_weights[g] = log_weight;
    most = std::max(most, log_weight);
  }
  if (most == -HUGE_VAL || std::count(q_in.begin(), q_in.end(), HUGE_VAL) > 1) return {};
  double sum = 0.0;
  for (double& w : s.log_weights) sum += w = std::exp(w - most);

  // Probabilities of the arcs in as weights / sum, those of the arcs out summed over them.
  double expected = 0.0;
  s.on.assign(outs, 0.0);
  s.off.assign(outs, 0.0);
  for (std::size_t g = 0; g < cases; ++g) {
    const double p = s.log_weights[g] / sum;
    if (p == 0.0) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      const Chain& chain = s.chains[2 * g + side];
      const std::size_t k = chain.k, first = side == 0 ? 0 : arcs_out(0);
      const std::size_t part = head_->first_sibling[side];
      chain.backward(s.beta, [&](std::size_t j, double to_j, double rest, double total) {
        const double factor = p * to_j / total;
        double reached = 0.0;
        for (std::size_t i = 0; i < j; ++i) {
          const double probability = chain.row(j)[i] * chain.weights[column(j) + i] * factor;
          const std::size_t t = part + transition(k, i, j);
          reached += probability;
          expected += probability * scores_[t];
          if (!marginals.empty()) marginals[t] += probability;
        }
        if (j > k) return;
        s.on[first + j - 1] += reached;
        s.off[first + j - 1] += p * rest / total;
        if (ins == 0) return;
        expected += reached * grand(g, first + j - 1);
        if (!marginals.empty()) marginals[head_->first_grand + g * outs + first + j - 1] += reached;
      });
    }
  }
  if (!messages.empty()) {
    // Without what came from the arc itself.
    for (std::size_t g = 0; g < ins; ++g) messages[g] = std::log(s.log_weights[g]) - bounded(q[g]);
    for (std::size_t d = 0; d < outs; ++d) {
      messages[ins + d] = std::isinf(q_out[d]) ? 0.0 : std::log(s.on[d] / s.off[d]) - bounded(q_out[d]);
    }
  }
  return {most + std::log(sum), expected};
}

Factor::Sum HeadFactor::sum_product_of_values(std::span<const double> q, std::span<double> messages) const {
  return run(q, messages, {});
}

Factor::Sum HeadFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  const Sum sum = run(q, messages, {});
  const std::size_t ins = arcs_in();
  if (sum.log_partition == -HUGE_VAL) return sum;
  std::vector<double>& weights = Scratch::get().log_weights;
  for (std::size_t g = 0; g < ins; ++g) {
    double others = 0.0;  // added up, not taken from the sum: it may be the smaller part by far
    for (std::size_t o = 0; o < ins; ++o) others += o == g ? 0.0 : weights[o];
    messages[g] = std::isinf(q[g]) ? 0.0 : messages[g] - std::log(others);
  }
  return sum;
}

Factor::Sum HeadFactor::add_marginals(std::span<const double> q, std::span<double> marginals) const {
  return run(q, {}, marginals);
}

/// The best chain, `gains` being what each dependent adds; its dependents into y.
double HeadFactor::best_chain(int side, std::span<const double> gains, std::span<std::uint8_t> y) const {
  const std::size_t k = arcs_out(side);
  const std::vector<double>& columns = columns_[static_cast<std::size_t>(side)];
  std::vector<double>& value = Scratch::get().value;
  std::vector<std::size_t>& before = Scratch::get().before;
  value.assign(k + 2, -HUGE_VAL);
  before.assign(k + 2, 0);
  value[0] = 0.0;
  std::size_t required = 0;  // the last dependent that must be there: no transition may pass over it
  for (std::size_t j = 1; j <= k + 1; ++j) {
    const double* scores = columns.data() + column(j);
    double most = -HUGE_VAL;
    std::size_t last = 0;
    for (std::size_t i = required; i < j; ++i) {
      const double v = value[i] + scores[i];
      last = v > most ? i : last;
      most = std::max(most, v);
    }
    value[j] = most;
    before[j] = last;
    if (j > k) break;
    if (gains[j - 1] == HUGE_VAL) {
      required = j;
    } else {
      value[j] += gains[j - 1];
    }
  }
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  for (std::size_t j = before[k + 1]; j > 0; j = before[j]) y[j - 1] = 1;
  return value[k + 1];
}

double HeadFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  const std::size_t ins = arcs_in(), outs = arcs_out(0) + arcs_out(1);
  const auto q_in = q.subspan(0, ins), q_out = q.subspan(ins);
  const auto decided = std::count(q_in.begin(), q_in.end(), HUGE_VAL);
  double most = -HUGE_VAL;
  if (decided > 1) return most;
  std::vector<double>& gains = Scratch::get().gains;
  std::vector<std::uint8_t>& chosen = Scratch::get().chosen;
  gains.resize(outs);
  chosen.resize(outs);
  for (std::size_t g = 0; g < std::max<std::size_t>(1, ins); ++g) {
    if (ins > 0 && (q_in[g] == -HUGE_VAL || (decided == 1 && q_in[g] != HUGE_VAL))) continue;
    double value = ins == 0 || decided == 1 ? 0.0 : q_in[g];
    for (std::size_t d = 0; d < outs; ++d) {
      const double pair = grand(g, d);
      gains[d] = std::isinf(q_out[d]) ? q_out[d] : q_out[d] + pair;
      if (q_out[d] == HUGE_VAL) value += pair;
    }
    const std::span<const double> all(gains);
    const std::span<std::uint8_t> chain(chosen);
    value += best_chain(0, all.first(arcs_out(0)), chain.first(arcs_out(0))) +
             best_chain(1, all.subspan(arcs_out(0)), chain.subspan(arcs_out(0)));
    if (!(value > most)) continue;
    most = value;
    std::fill(y.begin(), y.end(), std::uint8_t{0});
    if (ins > 0) y[g] = 1;
    std::copy(chosen.begin(), chosen.end(), y.begin() + static_cast<std::ptrdiff_t>(ins));
  }
  return most;
}

/// Flows along both chains, and the usual inequalities for the pairs: larger than the hull, with its integer points.
Relaxation HeadFactor::relaxation() const {
  using Row = Relaxation::Row;
  Relaxation r;
  const auto ins = static_cast<int>(arcs_in());
  const auto equal = [&](Row row, double value) {
    row.lower = row.upper = value;
    r.rows.push_back(std::move(row));
  };
  const auto add_column = [&](double cost) {
    r.costs.push_back(cost);
    return arity() + static_cast<int>(r.costs.size()) - 1;
  };
  if (ins > 0) {
    Row one;
    for (int g = 0; g < ins; ++g) one.terms.emplace_back(g, 1.0);
    equal(one, 1.0);
  }
  int first = ins;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t k = head_->out[side].size();
    std::vector<Row> into(k + 2), from(k + 2);
    for (std::size_t i = 0; i <= k; ++i) {
      for (std::size_t j = i + 1; j <= k + 1; ++j) {
        const int c = add_column(scores_[head_->first_sibling[side] + transition(k, i, j)]);
        into[j].terms.emplace_back(c, 1.0);
        from[i].terms.emplace_back(c, 1.0);
      }
    }
    equal(from[0], 1.0);
    for (std::size_t j = 1; j <= k; ++j) {
      for (Row* row : {&into[j], &from[j]}) {
        row->terms.emplace_back(first + static_cast<int>(j) - 1, -1.0);
        equal(*row, 0.0);
      }
    }
    first += static_cast<int>(k);
  }
  for (int g = 0; g < ins; ++g) {
    for (int d = ins; d < arity(); ++d) {
      const int c = add_column(grand(static_cast<std::size_t>(g), static_cast<std::size_t>(d - ins)));
      r.rows.push_back({{{c, 1.0}, {g, -1.0}}, -HUGE_VAL, 0.0});
      r.rows.push_back({{{c, 1.0}, {d, -1.0}}, -HUGE_VAL, 0.0});
      r.rows.push_back({{{c, 1.0}, {g, -1.0}, {d, -1.0}}, -1.0, HUGE_VAL});
    }
  }
  return r;
}

}  // namespace kirchhoff::parser
