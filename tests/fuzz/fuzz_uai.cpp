// Reads bytes as a UAI network: whatever they are, there is an answer that is JSON, without NaN, or an error of one
// line. What is small is also solved.
#include "answers/factor_answer.hpp"
#include "json/factor_line.hpp"
#include "require.hpp"

#include <simdjson.h>

#include <string>

namespace {

using namespace kirchhoff;

constexpr int kMaxVariables = 12;
constexpr int kMaxEdges = 60;

bool is_small(std::string_view text) {
  try {
    const FactorGraph graph = cli::read_uai(text).graph;
    return graph.variables() <= kMaxVariables && graph.edges() <= kMaxEdges;
  } catch (const std::exception& error) {
    require_message(error.what());
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string buffer(as_text(data, size));
  buffer.resize(size + simdjson::SIMDJSON_PADDING, '\n');
  const std::string_view text(buffer.data(), size);
  if (!is_small(text)) return 0;
  for (const SolveMethod method : {SolveMethod::exact, SolveMethod::bp, SolveMethod::ad3}) {
    cli::SolveSettings settings;
    settings.method = method;
    settings.bp.max_iterations = settings.ad3.max_iterations = 20;
    const cli::LineAnswer answer = cli::answer_uai(text, settings);
    require(answer.status != cli::LineAnswer::Status::bug, "a result is not a number");
    if (answer.status == cli::LineAnswer::Status::bad) {
      require_message(answer.message.c_str());
      continue;
    }
    simdjson::dom::parser parser;
    require(!parser.parse(answer.output).error(), "the output is not JSON");
  }
  return 0;
}
