// ChainDistribution: construction, probabilities and conditioning.
#include "base/check.hpp"
#include "chain/robust.hpp"
#include "chain/solve.hpp"
#include "chain/state.hpp"
#include "numeric/sum.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr const char* kName = "ChainDistribution";

/// Below this a conditional probability is taken from numbers of extended range.
constexpr double kTooSmall = 1e-290;

std::string of_chain(int length, int tags) {
  return " of a chain with " + std::to_string(length) + " positions and " + std::to_string(tags) + " tags";
}

void check_place(const char* function, const ChainDistribution& p, int position, int tag) {
  if (position < 0 || position >= p.length()) {
    base::input_error(function, "position " + std::to_string(position) + of_chain(p.length(), p.tags()));
  }
  if (tag < 0 || tag >= p.tags()) {
    base::input_error(function, "tag " + std::to_string(tag) + of_chain(p.length(), p.tags()));
  }
}

}  // namespace

ChainArrays::ChainArrays(int length, int tags, double fill) {
  if (length < 1 || tags < 1) {
    base::input_error("ChainArrays", std::to_string(length) + " positions and " + std::to_string(tags) +
                                         " tags, expected at least one of each");
  }
  emissions = Matrix::Constant(length, tags, fill);
  transitions = Matrix::Constant(static_cast<Eigen::Index>(length - 1) * tags, tags, fill);
}

ChainView chain_view(const MatrixRef& emissions, const MatrixRef& transitions) {
  const Eigen::Index length = emissions.rows(), tags = emissions.cols();
  if (length < 1 || tags < 1) base::input_error(kName, "emissions: " + base::shape(length, tags) + " is empty");
  const bool each = transitions.rows() == (length - 1) * tags, shared = transitions.rows() == tags;
  if (transitions.cols() != tags && !(length == 1 && transitions.size() == 0)) {
    base::input_error(
        kName, "transitions: " + std::to_string(transitions.cols()) + " columns for " + std::to_string(tags) + " tags");
  }
  if (!each && !shared) {
    base::input_error(kName, "transitions: " + std::to_string(transitions.rows()) + " rows, expected " +
                                 std::to_string((length - 1) * tags) + " or, for all positions alike, " +
                                 std::to_string(tags));
  }
  const std::ptrdiff_t row = transitions.outerStride();
  return {emissions.data(),
          transitions.data(),
          static_cast<int>(length),
          static_cast<int>(tags),
          emissions.outerStride(),
          each ? row * tags : 0,
          row};
}

ChainView chain_view(const ChainArrays& scores) { return chain_view(scores.emissions, scores.transitions); }

namespace chain {

numeric::Sum score_of(const ChainArrays& scores, const Tags& tags) {
  numeric::Sum sum;
  for (int t = 0; t < scores.length(); ++t) {
    sum.add(scores.emission(t, tags[t]));
    if (t > 0) sum.add(scores.transition(t, tags[t - 1], tags[t]));
  }
  return sum;
}

ChainArrays arrays_of(const ChainView& view) {
  ChainArrays out(view.length, view.tags);
  for (int t = 0; t < view.length; ++t) {
    std::copy_n(view.emissions + t * view.emission_stride, view.tags, out.emissions.row(t).data());
    for (int i = 0; t > 0 && i < view.tags; ++i) {
      const double* const from = view.transitions + (t - 1) * view.transition_stride + i * view.row_stride;
      std::copy_n(from, view.tags, &out.transition(t, i, 0));
    }
  }
  return out;
}

void check_fits(const char* function, const char* name, const ChainArrays& array, const ChainDistribution& p) {
  if (array.length() != p.length() || array.tags() != p.tags() ||
      array.transitions.rows() != p.scores().transitions.rows() ||
      array.transitions.cols() != p.scores().transitions.cols()) {
    base::input_error(function, std::string(name) + ": arrays" + of_chain(array.length(), array.tags()) +
                                    ", expected those" + of_chain(p.length(), p.tags()));
  }
}

void check_function(const char* function, const char* name, const ChainArrays& array, const ChainDistribution& p) {
  check_fits(function, name, array, p);
  const auto finite = [](const Matrix& values, const Matrix& scores) {
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      if (!(std::abs(values.data()[i]) <= base::kLargestScore) && scores.data()[i] != -HUGE_VAL) return false;
    }
    return true;
  };
  if (!finite(array.emissions, p.scores().emissions) || !finite(array.transitions, p.scores().transitions)) {
    base::input_error(function, std::string(name) + ": a number is not finite, or beyond 1e100 in size");
  }
}

ChainArrays log_conditionals(const ChainDistribution& distribution) {
  const ChainArrays &p = distribution.marginals(), &scores = distribution.scores();
  ChainArrays out(p.length(), p.tags());
  const auto robust = [&] { return RobustChain(chain_view(scores)).log_conditionals(); };
  for (int t = 0; t < p.length(); ++t) {
    for (int j = 0; j < p.tags(); ++j) {
      const bool possible = scores.emission(t, j) != -HUGE_VAL;
      if (possible && p.emission(t, j) < kTooSmall) return robust();
      if (t == 0) out.emission(0, j) = std::log(p.emission(0, j));
    }
    for (int i = 0; t > 0 && i < p.tags(); ++i) {
      const double before = p.emission(t - 1, i);
      for (int j = 0; j < p.tags(); ++j) {
        const double pair = p.transition(t, i, j);
        const bool possible = before > 0.0 && p.emission(t, j) > 0.0 && scores.transition(t, i, j) != -HUGE_VAL;
        if (possible && pair < kTooSmall) return robust();
        out.transition(t, i, j) = possible ? std::log(pair / before) : -HUGE_VAL;
      }
    }
  }
  return out;
}

}  // namespace chain

ChainDistribution::ChainDistribution(const ChainView& scores, Method method) {
  auto state = std::make_shared<State>();
  if (scores.length < 1 || scores.tags < 1) chain::check_scores(kName, scores);
  state->marginals = ChainArrays(scores.length, scores.tags);
  state->method = method;
  chain::Workspace workspace;
  state->report =
      chain::solve(kName, scores, method, workspace,
                   {&state->log_partition, state->marginals.emissions.data(), state->marginals.transitions.data()});
  state->scores = chain::arrays_of(scores);
  state_ = std::move(state);
}
ChainDistribution::ChainDistribution(const MatrixRef& emissions, const MatrixRef& transitions, Method method)
    : ChainDistribution(chain_view(emissions, transitions), method) {}
ChainDistribution::ChainDistribution(const ChainArrays& scores, Method method)
    : ChainDistribution(chain_view(scores), method) {}

int ChainDistribution::length() const { return state_->scores.length(); }
int ChainDistribution::tags() const { return state_->scores.tags(); }
const Report& ChainDistribution::report() const { return state_->report; }
const ChainArrays& ChainDistribution::scores() const& { return state_->scores; }
ChainArrays ChainDistribution::scores() && { return state_->scores; }
double ChainDistribution::log_partition() const { return state_->log_partition; }
const ChainArrays& ChainDistribution::marginals() const& { return state_->marginals; }
ChainArrays ChainDistribution::marginals() && { return state_->marginals; }

ChainArrays ChainDistribution::log_marginals() const {
  return chain::RobustChain(chain_view(state_->scores)).log_marginals();
}

double ChainDistribution::log_prob(const Tags& tags) const {
  if (tags.size() != static_cast<std::size_t>(length())) {
    base::input_error("log_prob", std::to_string(tags.size()) + " tags for " + std::to_string(length()) + " positions");
  }
  const ChainArrays &p = state_->marginals, &scores = state_->scores;
  double smallest = 1.0;
  bool possible = true;
  numeric::Sum log_p;
  for (int t = 0; t < length(); ++t) {
    check_place("log_prob", *this, t, tags[t]);
    possible = possible && scores.emission(t, tags[t]) != -HUGE_VAL &&
               (t == 0 || scores.transition(t, tags[t - 1], tags[t]) != -HUGE_VAL);
    const double pair = t == 0 ? p.emission(0, tags[0]) : p.transition(t, tags[t - 1], tags[t]);
    smallest = std::min(smallest, pair);
    log_p.add(std::log(t == 0 ? pair : pair / p.emission(t - 1, tags[t - 1])));
  }
  if (!possible) return -HUGE_VAL;
  if (smallest >= kTooSmall) return std::min(log_p.value(), 0.0);
  numeric::Sum sum = chain::score_of(scores, tags);
  chain::RobustChain(chain_view(scores)).subtract_log_partition(sum);
  return std::min(sum.value(), 0.0);
}

double ChainDistribution::log_count() const {
  const auto zeros = [](const Matrix& scores) {
    return Matrix(scores.unaryExpr([](double x) { return x == -HUGE_VAL ? x : 0.0; }));
  };
  return ChainDistribution(zeros(state_->scores.emissions), zeros(state_->scores.transitions)).log_partition();
}

ChainDistribution ChainDistribution::with_temperature(double temperature) const {
  if (!(temperature > 0.0) || temperature == HUGE_VAL) {
    base::input_error("with_temperature",
                      "temperature is " + std::to_string(temperature) + ", expected a positive number");
  }
  ChainArrays scores = state_->scores;
  scores.emissions /= temperature;
  scores.transitions /= temperature;
  return ChainAccess::with_scores(*this, scores);
}

ChainDistribution ChainDistribution::require(int position, int tag) const {
  check_place("require", *this, position, tag);
  ChainArrays scores = state_->scores;
  for (int i = 0; i < tags(); ++i) {
    if (i != tag) scores.emission(position, i) = -HUGE_VAL;
  }
  return ChainAccess::with_scores(*this, scores);
}

ChainDistribution ChainDistribution::forbid(int position, int tag) const {
  check_place("forbid", *this, position, tag);
  ChainArrays scores = state_->scores;
  scores.emission(position, tag) = -HUGE_VAL;
  return ChainAccess::with_scores(*this, scores);
}

ChainDistribution ChainDistribution::allow(const std::vector<std::vector<int>>& allowed) const {
  if (allowed.size() != static_cast<std::size_t>(length())) {
    base::input_error("allow",
                      std::to_string(allowed.size()) + " lists of tags for " + std::to_string(length()) + " positions");
  }
  ChainArrays scores = state_->scores;
  for (int t = 0; t < length(); ++t) {
    if (allowed[t].empty()) continue;
    std::vector<char> keep(tags(), 0);
    for (const int tag : allowed[t]) {
      check_place("allow", *this, t, tag);
      keep[tag] = 1;
    }
    for (int i = 0; i < tags(); ++i) {
      if (keep[i] == 0) scores.emission(t, i) = -HUGE_VAL;
    }
  }
  return ChainAccess::with_scores(*this, scores);
}

}  // namespace kirchhoff
