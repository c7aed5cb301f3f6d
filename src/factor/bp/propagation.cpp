// The schedules of belief propagation. An iteration has as many updates as there are factors and allocates nothing.
// The residual schedule orders factors by how much their incoming messages changed since they were updated last, which
// bounds their own residual [Sutton07], so that no message is computed that is not sent.
#include "factor/bp/propagation.hpp"

#include "base/stop.hpp"

#include <algorithm>
#include <utility>

namespace kirchhoff::factor {
namespace {

/// Messages that have grown so many times larger than the first ones go round in a loop, and would for ever.
constexpr double kDiverges = 1e12;

}  // namespace

Propagation::Propagation(const FactorGraph& graph, const BpOptions& options, const std::vector<double>& counting)
    : graph_(graph), options_(options), beliefs_(graph, options, counting), marginals_(graph.variables(), 0.0) {
  if (options.convergence == Convergence::beliefs) before_.resize(marginals_.size());
  if (!counting.empty()) computed_for_.assign(graph.factors(), -1);
  if (options.schedule != Schedule::residual) return;
  heap_.emplace(graph.factors());
  for (int f = 0; f < graph.factors(); ++f) {
    if (!beliefs_.sends(f)) heap_->lower(f, -1.0);
  }
}

/// Without loops no message grows but to where it must.
bool Propagation::is_acyclic() {
  if (!acyclic_) acyclic_ = factor::is_acyclic(graph_, beliefs_.incidence());
  return *acyclic_;
}

Status Propagation::run() {
  residual_ = graph_.factors() == 0 ? 0.0 : 1.0;
  bool stopped = false;
  while (residual_ > options_.tolerance && iterations_ < options_.max_iterations && beliefs_.feasible() && !stopped) {
    const double before = change_;
    difference_ = 0.0;
    residual_ = iterate();
    change_ = Beliefs::change(difference_);
    ++iterations_;
    // Steps that still become smaller lead somewhere, however small they are; those of rounding errors do not.
    if (residual_ <= options_.tolerance && change_ < before) residual_ = change_;
    beliefs_.sum_up();
    if (options_.convergence == Convergence::beliefs) {
      const double change = update_marginals();
      residual_ = iterations_ > 1 ? change : 1.0;  // there was nothing to compare the first beliefs with
    }
    if (iterations_ == 1) highest_message_ = kDiverges * std::max(1.0, beliefs_.largest_message());
    if (beliefs_.largest_message() > highest_message_ && !is_acyclic()) break;
    stopped = base::stops(options_.stop);
  }
  if (iterations_ == 0 || options_.convergence == Convergence::messages) beliefs_.write_marginals(marginals_);
  return !beliefs_.feasible()              ? Status::infeasible
         : residual_ <= options_.tolerance ? Status::converged
         : stopped                         ? Status::time_limit
                                           : Status::iteration_limit;
}

/// Returns the largest change.
double Propagation::update_marginals() {
  std::swap(before_, marginals_);
  beliefs_.write_marginals(marginals_);
  double largest = 0.0;
  for (std::size_t i = 0; i < before_.size(); ++i) largest = std::max(largest, std::abs(marginals_[i] - before_[i]));
  return largest;
}

/// Returns the difference of the message, where it is asked for.
double Propagation::send(int e) {
  double difference = 0.0;
  if (options_.convergence == Convergence::messages) {
    difference = beliefs_.difference_beyond_rounding(e);
    difference_ = std::max(difference_, beliefs_.difference(e));
  }
  beliefs_.send(e);
  return difference;
}

double Propagation::send_all(int f) {
  double largest = 0.0;
  for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) largest = std::max(largest, send(e));
  return largest;
}

double Propagation::iterate() {
  if (!computed_for_.empty()) return sweep_variables();
  switch (options_.schedule) {
    case Schedule::flooding:
      return flood();
    case Schedule::sequential:
      return sweep();
    case Schedule::residual:
      break;
  }
  return update_by_residual();
}

double Propagation::flood() {
  double largest = 0.0;
  for (int f = 0; f < graph_.factors() && beliefs_.feasible(); ++f) {
    if (beliefs_.sends(f)) beliefs_.compute(f);
  }
  for (int f = 0; f < graph_.factors() && beliefs_.feasible(); ++f) {
    if (beliefs_.sends(f)) largest = std::max(largest, send_all(f));
  }
  return Beliefs::change(largest);
}

double Propagation::sweep() {
  double largest = 0.0;
  for (int f = 0; f < graph_.factors() && beliefs_.feasible(); ++f) {
    if (!beliefs_.sends(f)) continue;
    beliefs_.compute(f);
    if (beliefs_.feasible()) largest = std::max(largest, send_all(f));
  }
  return Beliefs::change(largest);
}

/// Each variable in turn hears all its factors. With a convex free energy that is the exact minimum of the dual problem
/// over the messages to this variable, so that the dual falls from step to step.
double Propagation::sweep_variables() {
  const Incidence& incidence = beliefs_.incidence();
  double largest = 0.0;
  for (int v = 0; v < graph_.variables() && beliefs_.feasible(); v = incidence.values_of(v).end) {
    const auto for_each_edge = [&](auto visit) {
      for (int i = v; i < incidence.values_of(v).end; ++i) {
        for (const int e : incidence.edges_of(i)) {
          if (beliefs_.sends(incidence.factor_of(e)) && beliefs_.feasible()) visit(e, incidence.factor_of(e));
        }
      }
    };
    for_each_edge([&](int, int f) {
      if (std::exchange(computed_for_[f], v) != v) beliefs_.compute(f);
    });
    for_each_edge([&](int e, int) { largest = std::max(largest, send(e)); });
  }
  std::fill(computed_for_.begin(), computed_for_.end(), -1);
  return Beliefs::change(largest);
}

double Propagation::update_by_residual() {
  for (int updates = 0; updates < graph_.factors() && beliefs_.feasible() && heap_->highest() > options_.tolerance;
       ++updates) {
    const int f = heap_->top();
    beliefs_.compute(f);
    heap_->lower(f, 0.0);
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1) && beliefs_.feasible(); ++e) {
      const double change = Beliefs::change(beliefs_.difference_beyond_rounding(e));
      // A damped factor has not said all it has to say.
      if (options_.damping > 0.0) heap_->raise(f, options_.damping * Beliefs::change(beliefs_.difference(e)));
      beliefs_.send(e);
      const Incidence::Values values = beliefs_.incidence().values_of(graph_.edge(e).variable);
      for (int i = values.first; i < values.end; ++i) wake(i, f, change);
    }
  }
  return std::max(0.0, heap_->highest());
}

/// The factors at variable i other than f have something new to listen to.
void Propagation::wake(int i, int f, double change) {
  for (const int e : beliefs_.incidence().edges_of(i)) {
    const int other = beliefs_.incidence().factor_of(e);
    if (other != f && beliefs_.sends(other)) heap_->raise(other, change);
  }
}

}  // namespace kirchhoff::factor
