// Reads bytes as the features of a machine's transitions: whatever they are, there are features with finite expected
// values, or an error of one line that names the place.
#include "io/wfsm_features.hpp"
#include "require.hpp"

#include <kirchhoff/wfsm_text.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kirchhoff;
  static const Wfsm machine = read_wfsm("0 1 1 0.5\n1 0 2 0.7\n0 2 3 1\n1 2 1 0.2\n2 0.1\n");
  try {
    const WfsmFeatures features = cli::wfsm_features_in(as_text(data, size), "fuzz", machine);
    if (features.size() > 1000) return 0;  // They would only take time.
    require(!expectation(machine, features).hasNaN(), "an expected value that is not a number");
  } catch (const InputError& error) {
    require_message(error.what());
  }
  return 0;
}
