// Reads bytes as a table of symbols: whatever they are, there is a table or an error of one line that names the place.
// A table that was read can be written and read again.
#include "require.hpp"

#include <kirchhoff/wfsm_text.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kirchhoff;
  try {
    const SymbolTable symbols = read_symbols(as_text(data, size), "fuzz");
    const std::string text = write_symbols(symbols);
    require(write_symbols(read_symbols(text, "again")) == text, "another table is read than was written");
  } catch (const InputError& error) {
    require_message(error.what());
    require(std::string_view(error.what()).find("fuzz:") != std::string_view::npos, "an error without a place");
  }
  return 0;
}
