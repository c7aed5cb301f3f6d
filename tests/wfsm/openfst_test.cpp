// Machines that go to OpenFst and back, and OpenFst's own sum over paths.
#include "kirchhoff/openfst.hpp"

#include "wfsm/oracle.hpp"

#include <fst/shortest-distance.h>
#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

TEST(OpenFst, ThereAndBack) {
  Random random(6);
  for (int repeat = 0; repeat < 10; ++repeat) {
    Parts parts = random_cyclic(2 + repeat % 4, 12, 3, 1.0, 0.5, random);
    if (repeat % 2) {
      for (Transition& t : parts.transitions) t.output = static_cast<int>(random() % 4);
    }
    const Wfsm machine = parts.build();
    const auto theirs = to_openfst<fst::Log64Arc>(machine);
    const Wfsm back = from_openfst(theirs);
    EXPECT_NEAR(back.log_partition(), machine.log_partition(), 1e-12);
    EXPECT_NEAR(entropy(back), entropy(machine), 1e-11);
    const double sum = fst::ShortestDistance(theirs, 1e-12).Value();
    EXPECT_NEAR(-sum, machine.log_partition(), 1e-6);
  }
}

}  // namespace
}  // namespace kirchhoff
