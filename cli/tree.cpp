// kirchhoff tree: questions about each graph.
#include "run_lines.hpp"
#include "verbs.hpp"

namespace kirchhoff::cli {

int run_tree(const TreeOptions& options) {
  return run_lines({options.input, options.threads, options.strict, options.quiet, is_bulky(options.question)},
                   [&](std::string_view line) { return answer_line(line, options.question); });
}

}  // namespace kirchhoff::cli
