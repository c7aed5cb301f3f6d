// kirchhoff tree: questions about each graph.
#include "io/run_lines.hpp"
#include "verbs/verbs.hpp"

namespace kirchhoff::cli {

int run_tree(const TreeOptions& options) {
  return run_lines(options.lines, is_bulky(options.question),
                   [&](std::string_view line, std::size_t) { return answer_line(line, options.question); });
}

}  // namespace kirchhoff::cli
