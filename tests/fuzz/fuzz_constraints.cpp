// Reads bytes as constraints on tags: whatever they are, there are shares between 0 and 1, or an error with its place.
#include "require.hpp"

#include <kirchhoff/train.hpp>

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kirchhoff;
  std::istringstream in{std::string(as_text(data, size))};
  try {
    for (const TagConstraint& c : read_tag_constraints(in, "fuzz")) {
      require(c.share >= 0.0 && c.share <= 1.0, "a share that is none");
      require(!c.dependent.empty() && !c.head.empty(), "a constraint without tags");
      require(!to_string(c.side).empty(), "an unknown side");
    }
  } catch (const ParseError& error) {
    require_message(error.what());
    require(error.line() >= 1, "an error without a place");
  }
  return 0;
}
