// Reading and writing machines.
#include "kirchhoff/wfsm_expectation.hpp"
#include "kirchhoff/wfsm_text.hpp"
#include "wfsm/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

std::string error_of(const std::string& text, const WfsmTextOptions& options = {}) {
  try {
    read_wfsm(text, options);
  } catch (const InputError& e) {
    return e.what();
  } catch (const Infeasible& e) {
    return e.what();
  }
  return "no error";
}

TEST(WfsmText, AcceptorByHand) {
  const Wfsm m = read_wfsm("2 0 1 0.5\n\n0\t0\t2\t1.5\r\n0 1 0\n1 0.25\n0\n");
  EXPECT_EQ(m.states(), 3);
  EXPECT_EQ(m.transitions(), (std::vector<Transition>{{2, 0, 1, -0.5}, {0, 0, 2, -1.5}, {0, 1, 0, 0.0}}));
  const WfsmWeights w = m.log_weights();
  EXPECT_EQ(w.start, (Vector(3) << -HUGE_VAL, -HUGE_VAL, 0).finished());
  EXPECT_EQ(w.final, (Vector(3) << 0, -0.25, -HUGE_VAL).finished());
  EXPECT_NEAR(m.log_partition(), -0.5 - std::log1p(-std::exp(-1.5)) + std::log(1 + std::exp(-0.25)), 1e-14);
}

TEST(WfsmText, Kinds) {
  WfsmTextOptions options;
  options.weights = WeightKind::real;
  EXPECT_NEAR(read_wfsm("0 1 1 0.5\n0 1 2 0\n1 4\n", options).log_partition(), std::log(2.0), 1e-15);
  options.weights = WeightKind::log;
  EXPECT_NEAR(read_wfsm("0 1 1 0.5\n0 1 2 -Infinity\n1 4\n", options).log_partition(), 4.5, 1e-15);
  EXPECT_NEAR(read_wfsm("0 1 1 0.5\n0 1 1 Infinity\n1 4\n").log_partition(), -4.5, 1e-15);
  // Five fields somewhere make a transducer; four are then without weight.
  const Wfsm t = read_wfsm("0 1 1 2\n0 1 3 4 0.5\n1\n");
  EXPECT_EQ(t.transitions(), (std::vector<Transition>{{0, 1, 1, 0.0, 2}, {0, 1, 3, -0.5, 4}}));
  options = {};
  options.arcs = ArcFormat::transducer;
  EXPECT_EQ(read_wfsm("0 1 1 2\n1\n", options).transitions()[0], (Transition{0, 1, 1, 0.0, 2}));
  EXPECT_EQ(read_wfsm("0 1 1 2\n1\n").transitions()[0], (Transition{0, 1, 1, -2.0}));
}

TEST(WfsmText, Symbols) {
  WfsmTextOptions options;
  options.symbols.input = read_symbols("<eps> 0\na 1\nb\t2\n");
  const Wfsm m = read_wfsm("0 1 a 1\n1 1 b 2\n1\n", options);
  EXPECT_EQ(m.transitions()[1].symbol, 2);
  EXPECT_EQ(m.symbols().input.name(2), "b");
  EXPECT_EQ(error_of("0 1 c\n1\n", options), "input:1: symbol 'c' is not in the table of input symbols");
  EXPECT_EQ(write_symbols(options.symbols.input), "<eps>\t0\na\t1\nb\t2\n");
  EXPECT_THROW(read_symbols("a\n"), InputError);
  EXPECT_THROW(read_symbols("a x\n"), InputError);
  EXPECT_THROW(read_symbols("a -1\n"), InputError);
  try {
    read_symbols("a 1\nb 1\n", "table");
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "table:2: symbol 1 has a name, 'a'");
  }
}

TEST(WfsmText, Errors) {
  EXPECT_EQ(error_of(""), "input: no start state: there is no line");
  EXPECT_EQ(error_of("\n \n"), "input: no start state: there is no line");
  EXPECT_EQ(error_of("0 1 1\n7\n"), "input:2: state 7 is in no transition");
  EXPECT_EQ(error_of("0 1 1 abc\n1\n"), "input:1: weight 'abc' is not a number");
  EXPECT_EQ(error_of("0 1 1 nan\n1\n"), "input:1: weight 'nan' is not a number");
  EXPECT_EQ(error_of("0 1 1 -Infinity\n1\n"), "input:1: weight '-Infinity' is infinite");
  EXPECT_EQ(error_of("0 1 1 1e400\n1\n"), "input:1: weight '1e400' is not a number");
  EXPECT_EQ(error_of("0 1 1 1e10\n1\n"), "input:1: weight '1e10' is beyond exp(1e9) or exp(-1e9)");
  EXPECT_EQ(error_of("0 x 1\n1\n"), "input:1: state 'x' is not a number >= 0");
  EXPECT_EQ(error_of("0 -1 1\n1\n"), "input:1: state '-1' is not a number >= 0");
  EXPECT_EQ(error_of("0 1 a\n1\n"), "input:1: symbol 'a' is not a number >= 0, and there is no table of input symbols");
  EXPECT_EQ(error_of("0 2000000000 1\n1\n"), "input:1: state 2000000000 is too large a number for a file of this size");
  EXPECT_EQ(error_of("0 1 1 1 1 1\n1\n"), "input:1: 6 fields; expected FROM TO SYMBOL [WEIGHT] or STATE [WEIGHT]");
  EXPECT_EQ(error_of("0 1 1 1 1\n0 1 1\n1\n"),
            "input:2: 3 fields; expected FROM TO SYMBOL OUTPUT [WEIGHT] or STATE [WEIGHT]");
  EXPECT_EQ(error_of("0 1 1\n1\n1 2\n"), "input:3: state 1 has a final weight already");
  EXPECT_EQ(error_of("0 1 1\n"), "input: no trajectory leads from a start state to a final state");
  WfsmTextOptions options;
  options.name = "m.txt";
  EXPECT_EQ(error_of("0 1 1\n1 2 1\n2 1 1 -1\n1\n", options),
            "m.txt:2: Z is infinite: the cycle 1 -> 2 -> 1 has weight 2.71828182845905");
  options.weights = WeightKind::real;
  EXPECT_EQ(error_of("0 1 1 -1\n1\n", options), "m.txt:1: weight '-1' is negative");
}

TEST(WfsmText, RoundTrips) {
  Random random(5);
  for (int repeat = 0; repeat < 30; ++repeat) {
    Parts parts = random_cyclic(1 + repeat % 7, 10 + repeat, 3, 2.0, 0.9, random);
    if (repeat % 3 == 0) {
      for (Transition& t : parts.transitions) t.output = static_cast<int>(random() % 5);
    }
    if (repeat % 2 == 0) {
      std::fill(parts.start.begin(), parts.start.end(), -HUGE_VAL);
      parts.start[0] = 0.0;
    }
    const Wfsm machine = parts.build();
    for (const WeightKind kind : {WeightKind::neglog, WeightKind::log, WeightKind::real}) {
      WfsmTextOptions options;
      options.weights = kind;
      const std::string text = write_wfsm(machine, kind);
      const Wfsm back = read_wfsm(text, options);
      EXPECT_NEAR(back.log_partition(), machine.log_partition(), 1e-12);
      EXPECT_NEAR(entropy(back), entropy(machine), 1e-11);
      if (kind != WeightKind::real) {
        EXPECT_EQ(write_wfsm(back, kind), text);
      }
      EXPECT_EQ(back.transitions().size() == machine.transitions().size(), repeat % 2 == 0);
    }
  }
}

TEST(WfsmText, Dot) {
  WfsmTextOptions options;
  options.symbols.input = read_symbols("<eps> 0\n\"q\" 1\n");
  EXPECT_EQ(to_dot(read_wfsm("0 1 \"q\" 0.5\n1 1.5\n", options)),
            "digraph wfsm {\n  rankdir = LR;\n  node [shape = circle];\n"
            "  0 [label = \"0\", style = bold];\n"
            "  1 [label = \"1/-1.5\", shape = doublecircle];\n"
            "  0 -> 1 [label = \"\\\"q\\\"/-0.5\"];\n}\n");
}

}  // namespace
}  // namespace kirchhoff
