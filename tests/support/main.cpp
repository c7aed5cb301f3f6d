// Runs the tests. With KIRCHHOFF_TEST_LANES=4 (or 2) they run as on a processor whose vectors hold so many
// doubles.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  if (const char* lanes = std::getenv("KIRCHHOFF_TEST_LANES")) {
    const bool four = std::strcmp(lanes, "4") == 0;
    hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | (four ? 0 : HWY_AVX2));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
