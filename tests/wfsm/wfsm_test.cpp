// Building, trimming, and what is said about machines that have no distribution.
#include "kirchhoff/wfsm_derivatives.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/message_of.hpp"
#include "wfsm/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kirchhoff {
namespace {

using wfsm_oracle::Parts;

TEST(WfsmBuilder, AStateAlone) {
  WfsmBuilder builder;
  const int state = builder.add_state();
  const Wfsm machine = builder.set_start(state, 0.25).set_final(state, 0.5).build();
  EXPECT_DOUBLE_EQ(machine.log_partition(), 0.75);
  EXPECT_EQ(machine.state_visits()(0), 1.0);
  EXPECT_EQ(machine.transition_marginals().size(), 0);
  EXPECT_EQ(entropy(machine), 0.0);
  EXPECT_EQ(log_prob(machine, {}), 0.0);
  EXPECT_EQ(log_prob(machine, {1}), -HUGE_VAL);
  EXPECT_EQ(best_paths(machine, 3).size(), 1U);
  EXPECT_TRUE(sample_path(machine, 1).transitions.empty());
  EXPECT_EQ(hessian(machine).size(), 0);
}

TEST(WfsmBuilder, UselessStatesAreLeftOut) {
  // 1 cannot end, 3 cannot be reached, 4 is alone; the transition 0 -> 2 with -inf does not exist.
  Parts parts{5,
              {{0, 1, 1, 3.0}, {1, 1, 1, 5.0}, {0, 2, 1, -1.0}, {3, 2, 1, 2.0}, {0, 2, 2, -HUGE_VAL}},
              {0.0, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
              {-HUGE_VAL, -HUGE_VAL, 0.0, -HUGE_VAL, -HUGE_VAL}};
  const Wfsm machine = parts.build();
  EXPECT_EQ(machine.useless_states(), 3);
  EXPECT_DOUBLE_EQ(machine.log_partition(), -1.0);
  EXPECT_EQ(machine.transition_marginals(), (Vector(5) << 0, 0, 1, 0, 0).finished());
  EXPECT_EQ(machine.state_visits(), (Vector(5) << 1, 0, 1, 0, 0).finished());
  EXPECT_EQ(gradient(machine).transitions, (Vector(5) << 0, 0, 1, 0, 1).finished());
  EXPECT_EQ(derivative(machine, {4}), 1.0);
  EXPECT_EQ(hessian(machine), Matrix::Zero(5, 5));
  EXPECT_EQ(derivatives(machine, 2), std::vector<double>(25, 0.0));
}

TEST(WfsmBuilder, Refuses) {
  WfsmBuilder b;
  b.add_states(2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(b.add_transition({0, 2, 1, 0.0}), InputError);
  EXPECT_THROW(b.add_transition({-1, 0, 1, 0.0}), InputError);
  EXPECT_THROW(b.add_transition({0, 0, -1, 0.0}), InputError);
  EXPECT_THROW(b.add_transition({0, 0, 1, nan}), InputError);
  EXPECT_THROW(b.add_transition({0, 0, 1, HUGE_VAL}), InputError);
  EXPECT_THROW(b.add_transition({0, 0, 1, -2e9}), InputError);
  EXPECT_THROW(b.set_start(2), InputError);
  EXPECT_THROW(b.set_final(0, nan), InputError);
  EXPECT_THROW(b.add_states(-1), InputError);
  EXPECT_THROW(b.build(), Infeasible);
  b.set_start(0).set_final(1);
  EXPECT_THROW(b.build(), Infeasible);
  b.add_transition({0, 1, 1, 0.0});
  EXPECT_THROW(b.build({Method::automatic, 0.0}), InputError);
  const Wfsm machine = b.build();
  EXPECT_THROW(machine.with_log_weights({Vector::Zero(2), Vector::Zero(2), Vector::Zero(2)}), InputError);
  EXPECT_THROW(counts_along(machine, {Vector::Zero(1), Vector::Zero(1), Vector::Zero(2)}), InputError);
  EXPECT_THROW(counts_along(machine, {Vector::Constant(1, nan), Vector::Zero(2), Vector::Zero(2)}), InputError);
  EXPECT_THROW(log_prob(machine, {0}), InputError);
  EXPECT_THROW(renyi(machine, -1.0), InputError);
  EXPECT_THROW(moments(machine, machine.counts(), 0), InputError);
  EXPECT_THROW(moments(machine, machine.counts(), 31), InputError);
  EXPECT_THROW(WfsmFeatures(machine, 1, {{1, 0, 1.0}}), InputError);
  EXPECT_THROW(WfsmFeatures(machine, 1, {{0, 1, 1.0}}), InputError);
  EXPECT_THROW(WfsmFeatures(machine, 1, {{0, 0, nan}}), InputError);
  EXPECT_THROW(WfsmFeatures(machine, 1, {{2, 0, 1.0, WfsmPart::final}}), InputError);
  EXPECT_THROW(yield(machine, {0, {1}, 0.0, 0.0}), InputError);
  b.add_states(1);
  const WfsmFeatures other(b.build(), 1, {});
  const std::string size = "features were made for a machine of another size";
  EXPECT_EQ(message_of<InputError>([&] { expectation(machine, other); }), "[expectation] " + size);
  EXPECT_EQ(message_of<InputError>([&] { covariance(machine, other, other); }), "[covariance] " + size);
}

TEST(WfsmBuilder, SaysWhatIsBeyondTheRangeOfDoubles) {
  WfsmBuilder b;
  b.add_states(1);
  b.set_start(0).set_final(0);
  b.add_transition({0, 0, 1, std::log(0.5)});
  const Wfsm loop = b.build();
  const WfsmWeights f{Vector::Constant(1, 1e90), Vector::Zero(1), Vector::Zero(1)};
  EXPECT_NO_THROW(moments(loop, f, 3));
  EXPECT_EQ(message_of<InputError>([&] { moments(loop, f, 4); }), "[moments] order 4 is beyond the range of doubles");
  b.add_transition({0, 0, 1, -5000.0});
  const std::string message = message_of<InputError>([&] { renyi(b.build(), 1e6); });
  EXPECT_NE(message.find("log-weight"), std::string::npos) << message;
}

TEST(WfsmBuilder, InfiniteSumsNameACycle) {
  const auto message = [](std::vector<Transition> transitions) {
    Parts parts{4, std::move(transitions), {0.0, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {0.0, 0.0, 0.0, 0.0}};
    for (int s = 0; s < 3; ++s) parts.transitions.push_back({s, s + 1, 1, 0.0});
    return message_of<InfiniteSum>([&] { parts.build(); });
  };
  EXPECT_EQ(message({{1, 1, 1, std::log(1.5)}}), "[Wfsm] Z is infinite: the cycle 1 -> 1 has weight 1.5");
  EXPECT_EQ(message({{2, 2, 1, 0.0}}), "[Wfsm] Z is infinite: the cycle 2 -> 2 has weight 1");
  EXPECT_EQ(message({{2, 1, 1, std::log(3)}}), "[Wfsm] Z is infinite: the cycle 1 -> 2 -> 1 has weight 3");
  EXPECT_EQ(message({{3, 3, 1, std::log(0.6)}, {3, 3, 2, std::log(0.5)}}),
            "[Wfsm] Z is infinite: the cycles through state 3 sum to 1 or more, the heaviest being 3 -> 3 with weight "
            "0.6");
  EXPECT_EQ(message({{3, 1, 1, 800.0}}), "[Wfsm] Z is infinite: the cycle 1 -> 2 -> 3 -> 1 has weight exp(800)");
  EXPECT_NE(message({{3, 0, 1, std::log(0.5)}, {2, 1, 1, std::log(0.7)}}).find("sum to 1 or more"), std::string::npos);
  EXPECT_EQ(message_of<InputError>([] {
              Parts{1, {{0, 0, 1, 0.0}}, {0.0}, {0.0}}.build({Method::fast});
            }),
            "[Wfsm] the fast method failed; Method::automatic will say more");
  // Beyond what 106 bits can tell from infinite.
  EXPECT_NE(message({{1, 1, 1, -1e-20}}).find("too close to it"), std::string::npos);
}

/// In a ring, states go one by one before the rest is solved as a matrix. The state at which that ends need not be on
/// the heaviest cycle, which is told all the same.
TEST(WfsmBuilder, InfiniteSumsNameACycleOfALargeComponent) {
  const auto message = [](std::vector<Transition> loops) {
    constexpr int kStates = 12;
    Parts parts{kStates, std::move(loops), std::vector<double>(kStates, -HUGE_VAL), std::vector<double>(kStates, 0.0)};
    parts.start[0] = 0.0;
    for (int s = 0; s < kStates; ++s) parts.transitions.push_back({s, (s + 1) % kStates, 1, -1.0});
    return message_of<InfiniteSum>([&] { parts.build(); });
  };
  EXPECT_EQ(message({{5, 5, 1, std::log(1.5)}}), "[Wfsm] Z is infinite: the cycle 5 -> 5 has weight 1.5");
  EXPECT_EQ(message({{7, 6, 1, std::log(4) + 1.0}}), "[Wfsm] Z is infinite: the cycle 6 -> 7 -> 6 has weight 4");
  const std::string two = message({{3, 3, 1, std::log(2)}, {9, 9, 1, std::log(1.5)}});
  EXPECT_TRUE(two == "[Wfsm] Z is infinite: the cycle 3 -> 3 has weight 2" ||
              two == "[Wfsm] Z is infinite: the cycle 9 -> 9 has weight 1.5")
      << two;
}

TEST(SymbolTable, NamesAndNumbers) {
  SymbolTable table;
  table.add("a", 3);
  table.add("b", 1);
  EXPECT_EQ(table.find("a"), 3);
  EXPECT_EQ(table.find("c"), -1);
  EXPECT_EQ(table.name(1), "b");
  EXPECT_EQ(table.name(2), "");
  EXPECT_EQ(table.symbols(), (std::vector<int>{1, 3}));
  EXPECT_THROW(table.add("a", 4), InputError);
  EXPECT_THROW(table.add("d", 3), InputError);
  EXPECT_THROW(table.add("d", -1), InputError);
}

}  // namespace
}  // namespace kirchhoff
