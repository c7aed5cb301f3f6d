// Products of machines against all pairs of their trajectories, one by one.
#include "kirchhoff/wfsm_expectation.hpp"
#include "kirchhoff/wfsm_product.hpp"
#include "kirchhoff/wfsm_semiring.hpp"
#include "support/compare.hpp"
#include "support/message_of.hpp"
#include "wfsm/oracle.hpp"

#include <cmath>
#include <map>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

using String = std::vector<int>;
using Strings = std::pair<String, String>;  // what is read, and what is written
struct Total {
  long double weight = 0;
  long count = 0;
};

std::map<Strings, Total> strings_of(const Parts& parts, int length) {
  std::map<Strings, Total> totals;
  for (const Trajectory& trajectory : trajectories(parts, length)) {
    Strings strings;
    for (const int t : trajectory.transitions) {
      const Transition& x = parts.transitions[t];
      const int output = x.output == kSameAsInput ? x.symbol : x.output;
      if (x.symbol != 0) strings.first.push_back(x.symbol);
      if (output != 0) strings.second.push_back(output);
    }
    Total& total = totals[strings];
    total.weight += std::exp(trajectory.log_weight);
    ++total.count;
  }
  return totals;
}

std::map<Strings, Total> composed(const std::map<Strings, Total>& a, const std::map<Strings, Total>& b) {
  std::map<Strings, Total> result;
  for (const auto& [left, x] : a) {
    for (const auto& [right, y] : b) {
      if (left.second != right.first) continue;
      Total& total = result[{left.first, right.second}];
      total.weight += x.weight * y.weight;
      total.count += x.count * y.count;
    }
  }
  return result;
}

void expect_same(const std::map<Strings, Total>& found, const std::map<Strings, Total>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [strings, total] : expected) {
    const auto other = found.find(strings);
    ASSERT_NE(other, found.end());
    EXPECT_EQ(other->second.count, total.count);
    EXPECT_TRUE(close(static_cast<double>(other->second.weight), total.weight, {1e-12, 0}));
  }
}

void expect_origins(const WfsmProduct& product, const Wfsm& a, const Wfsm& b) {
  const Wfsm& m = product.machine;
  const WfsmWeights w = m.log_weights(), wa = a.log_weights(), wb = b.log_weights();
  ASSERT_EQ(product.left_states.size(), static_cast<std::size_t>(m.states()));
  ASSERT_EQ(product.right_transitions.size(), m.transitions().size());
  EXPECT_EQ(m.useless_states(), 0);
  for (int s = 0; s < m.states(); ++s) {
    const int i = product.left_states[s], j = product.right_states[s];
    EXPECT_EQ(w.final(s), wa.final(i) + wb.final(j));
    if (w.start(s) != -HUGE_VAL) {
      EXPECT_EQ(w.start(s), wa.start(i) + wb.start(j));
    }
  }
  for (std::size_t t = 0; t < m.transitions().size(); ++t) {
    const Transition& x = m.transitions()[t];
    double weight = 0;
    const int left = product.left_transitions[t], right = product.right_transitions[t];
    ASSERT_FALSE(left < 0 && right < 0);
    if (left >= 0) weight += a.transitions()[left].log_weight;
    if (right >= 0) weight += b.transitions()[right].log_weight;
    EXPECT_EQ(product.left_states[x.from], left < 0 ? product.left_states[x.to] : a.transitions()[left].from);
    EXPECT_EQ(product.left_states[x.to], left < 0 ? product.left_states[x.from] : a.transitions()[left].to);
    EXPECT_EQ(product.right_states[x.from], right < 0 ? product.right_states[x.to] : b.transitions()[right].from);
    EXPECT_EQ(x.log_weight, weight);
  }
}

void add_outputs(Parts& parts, int symbols, Random& random) {
  for (Transition& t : parts.transitions) t.output = static_cast<int>(random() % (symbols + 1));
}

class WfsmProducts : public ::testing::TestWithParam<int> {
 protected:
  Random random{static_cast<std::uint64_t>(GetParam())};
  Parts a = random_acyclic(4, 8, 2, 1.0, random);
  Parts b = random_acyclic(4, 8, 2, 1.0, random);
};

TEST_P(WfsmProducts, IntersectionHasAllPairsOnce) {
  const auto expected = composed(strings_of(a, 8), strings_of(b, 8));
  const Wfsm left = a.build(), right = b.build();
  if (expected.empty()) {
    EXPECT_THROW(intersect(left, right), Infeasible);
    return;
  }
  const WfsmProduct product = intersect(left, right);
  expect_same(strings_of(Parts::of(product.machine), 16), expected);
  expect_origins(product, left, right);
  long double z = 0;
  long count = 0;
  for (const auto& [strings, total] : expected) {
    z += total.weight;
    count += total.count;
  }
  EXPECT_TRUE(close(std::exp(product.machine.log_partition()), z, {1e-12, 0}));
  EXPECT_TRUE(close(std::exp(log_trajectories(product.machine)), static_cast<long double>(count), {1e-12, 0}));
}

TEST_P(WfsmProducts, CompositionHasAllPairsOnce) {
  add_outputs(a, 2, random);
  add_outputs(b, 2, random);
  const auto expected = composed(strings_of(a, 8), strings_of(b, 8));
  const Wfsm left = a.build(), right = b.build();
  if (expected.empty()) {
    EXPECT_THROW(compose(left, right), Infeasible);
    return;
  }
  const WfsmProduct product = compose(left, right);
  expect_same(strings_of(Parts::of(product.machine), 16), expected);
  expect_origins(product, left, right);
}

TEST_P(WfsmProducts, ProjectionReadsWhatIsWritten) {
  add_outputs(a, 2, random);
  std::map<Strings, Total> expected;
  for (const auto& [strings, total] : strings_of(a, 8)) {
    Total& sum = expected[{strings.second, strings.second}];
    sum.weight += total.weight;
    sum.count += total.count;
  }
  expect_same(strings_of(Parts::of(project_output(a.build())), 8), expected);
}

/// Both cyclic, with epsilons: the weights of strings multiply, and those of all strings add up to Z.
TEST_P(WfsmProducts, StringsOfCyclicMachines) {
  const Parts x = random_cyclic(3, 8, 2, 1.0, 0.5, random), y = random_cyclic(3, 8, 2, 1.0, 0.5, random);
  const Wfsm left = x.build(), right = y.build();
  std::vector<String> strings = {{}};
  long double z = 0;
  for (std::size_t k = 0; k < strings.size(); ++k) {
    const String s = strings[k];
    z += std::exp(static_cast<long double>(log_weight(left, s)) + log_weight(right, s));
    for (int symbol = 1; symbol <= 2 && s.size() < 12; ++symbol) {
      strings.push_back(s);
      strings.back().push_back(symbol);
    }
  }
  if (z == 0) {
    EXPECT_THROW(intersect(left, right), Infeasible);
    return;
  }
  const Wfsm both = intersect(left, right).machine;
  for (std::size_t k = 0; k < 127; ++k) {  // up to length 6
    const long double expected =
        std::exp(static_cast<long double>(log_weight(left, strings[k])) + log_weight(right, strings[k]));
    EXPECT_TRUE(close(std::exp(log_weight(both, strings[k])), expected, {1e-12, 1e-300}));
  }
  // A trajectory of length n has weight at most 0.5^n, for each of both: the strings left out weigh below 4^-12.
  EXPECT_TRUE(close(std::exp(both.log_partition()), z, {1e-5, 1e-6}));
}

INSTANTIATE_TEST_SUITE_P(Machines, WfsmProducts, ::testing::Range(1, 31));

/// The loops of both read epsilon: 2 x 3 turns make one trajectory, not one for each order.
TEST(WfsmProduct, EpsilonsHaveOneOrder) {
  const Parts a{2, {{0, 0, 0, std::log(0.5)}, {0, 1, 1, 0.0}}, {0, -HUGE_VAL}, {-HUGE_VAL, 0}};
  const Parts b{2, {{0, 0, 0, std::log(0.25)}, {0, 1, 1, 0.0}}, {0, -HUGE_VAL}, {-HUGE_VAL, 0}};
  EXPECT_TRUE(close(intersect(a.build(), b.build()).machine.log_partition(), std::log(2.0L * 4 / 3), {1e-14, 0}));
}

/// A rewriting of any string, whose own Z is infinite.
TEST(WfsmProduct, MachinesThatAreNotSolved) {
  WfsmBuilder rewrite;
  rewrite.add_states(1).set_start(0).set_final(0);
  rewrite.add_transition({0, 0, 1, std::log(3.0), 2}).add_transition({0, 0, 2, 0.0, 0});
  EXPECT_THROW(rewrite.build(), InfiniteSum);
  const Parts loop{1, {{0, 0, 1, std::log(0.25)}, {0, 0, 2, std::log(0.125)}}, {0.0}, {0.0}};
  const Wfsm both = compose(WfsmBuilder(loop.build()), rewrite).machine;
  EXPECT_TRUE(close(both.log_partition(), -std::log(1 - 0.75L - 0.125L), {1e-13, 0}));
  EXPECT_THROW(compose(rewrite, rewrite), InfiniteSum);
  EXPECT_THROW(intersect(rewrite, rewrite), InputError);
}

TEST(WfsmProduct, WithAString) {
  Random random(5);
  const Wfsm machine = random_cyclic(4, 12, 2, 1.0, 0.7, random).build();
  for (const String& s : std::vector<String>{{}, {1}, {1, 2, 1}, {2, 2, 1, 1}}) {
    const double expected = log_weight(machine, s);
    if (expected == -HUGE_VAL) continue;
    EXPECT_TRUE(close(intersect(machine, string_acceptor(s)).machine.log_partition(), expected, {1e-12, 1e-13}));
  }
  EXPECT_THROW(string_acceptor({1, 0}), InputError);
}

TEST(WfsmProduct, Refuses) {
  const Parts acceptor{2, {{0, 1, 1, 0.0}}, {0, -HUGE_VAL}, {-HUGE_VAL, 0}};
  Parts transducer = acceptor;
  transducer.transitions[0].output = 2;
  EXPECT_EQ(message_of<InputError>([&] { intersect(acceptor.build(), transducer.build()); }),
            "[intersect] one of the machines is a transducer; compose() takes them");
  EXPECT_EQ(message_of<Infeasible>([&] { compose(transducer.build(), acceptor.build()); }),
            "[compose] no string is common to both machines");
  const auto named = [&](const char* name) {
    WfsmSymbols symbols;
    symbols.input.add(name, 1);
    WfsmBuilder b;
    b.add_states(2).set_start(0).set_final(1).add_transition({0, 1, 1, 0.0});
    return b.set_symbols(symbols).build();
  };
  EXPECT_EQ(message_of<InputError>([&] { intersect(named("a"), named("b")); }),
            "[intersect] symbol 1 is 'a' in the first machine and 'b' in the second");
  EXPECT_EQ(intersect(acceptor.build(), named("b")).machine.symbols().input.name(1), "b");
  EXPECT_THROW(intersect(named("a"), named("a"), [] { return true; }), Stopped);
}

}  // namespace
}  // namespace kirchhoff
