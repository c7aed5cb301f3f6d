// The conditional walk of Colbourn's sampler as a sequence model, for callers [Stanojevic22, alg. 8].
#include "kirchhoff/head_sequence.hpp"

#include "base/check.hpp"
#include "sample/conditional_walk.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {

struct HeadSequence::State {
  std::shared_ptr<const sample::LaplacianInverse> inverse;
  sample::ConditionalWalk walk;
  double log_prob = 0.0;
  Vector logs = {};  // of the next choice, once somebody has asked

  explicit State(std::shared_ptr<const sample::LaplacianInverse> shared) : inverse(std::move(shared)), walk(*inverse) {}

  std::unique_ptr<State> copy() {
    auto other = std::make_unique<State>(inverse);
    other->walk.load(walk.save());
    other->log_prob = log_prob;
    other->logs = logs;
    return other;
  }
};

namespace {

/// An entry this many times as large as what is uncertain is right to 1e-6.
constexpr double kSure = 1e3;

/// The logarithms of the row at hand, if all that is possible is large enough in it; else an empty vector.
Vector logs_of_row(sample::ConditionalWalk& walk) {
  const sample::ConditionalRow row = walk.row();
  const double log_total = std::log(sample::total(row.sums));
  Vector logs(walk.options());
  for (int v = 0; v < walk.options(); ++v) {
    if (!walk.possible(v)) {
      logs[v] = -HUGE_VAL;
    } else if (row.p[v] > kSure * row.uncertain) {
      logs[v] = std::log(row.p[v]) - log_total;
    } else {
      return {};
    }
  }
  return logs;
}

Vector exact_logs(sample::ConditionalWalk& walk) {
  const std::vector<double>& found = walk.exact_logs();
  return Eigen::Map<const Vector>(found.data(), static_cast<Eigen::Index>(found.size()));
}

}  // namespace

HeadSequence::HeadSequence(const TreeDistribution& p)
    : state_(std::make_unique<State>(std::make_shared<const sample::LaplacianInverse>(p))) {}
HeadSequence::~HeadSequence() = default;
HeadSequence::HeadSequence(const HeadSequence& other) : state_(other.state_->copy()) {}
HeadSequence& HeadSequence::operator=(const HeadSequence& other) {
  if (this != &other) state_ = other.state_->copy();
  return *this;
}
HeadSequence::HeadSequence(HeadSequence&&) noexcept = default;
HeadSequence& HeadSequence::operator=(HeadSequence&&) noexcept = default;

int HeadSequence::words() const { return state_->inverse->n; }
int HeadSequence::step() const { return state_->walk.level(); }
bool HeadSequence::done() const { return state_->walk.done(); }
int HeadSequence::word() const { return done() ? -1 : state_->walk.word(); }
const Heads& HeadSequence::heads() const { return state_->walk.heads(); }
double HeadSequence::log_prob() const { return state_->log_prob; }

const Vector& HeadSequence::log_probabilities() {
  if (done()) base::input_error("HeadSequence", "all heads are chosen");
  State& s = *state_;
  if (s.logs.size() == 0) s.logs = logs_of_row(s.walk);
  if (s.logs.size() == 0) s.logs = exact_logs(s.walk);
  return s.logs;
}

void HeadSequence::choose(int option) {
  const Vector& logs = log_probabilities();
  if (option < 0 || option > words() || logs[option] == -HUGE_VAL) {
    base::input_error("HeadSequence", "no tree is left when " + std::to_string(option) + " is chosen for " +
                                          (word() == 0 ? "the root's child" : "word " + std::to_string(word())));
  }
  state_->log_prob += logs[option];
  state_->walk.choose(option);
  state_->logs.resize(0);
}

}  // namespace kirchhoff
