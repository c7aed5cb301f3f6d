// The verbs of the program. Each function adds a verb's options and help, and returns what runs it.
#pragma once

#include "verb.hpp"

namespace kirchhoff::cli {

Action add_tree(CLI::App& verb);
Action add_decode(CLI::App& verb);
Action add_sample(CLI::App& verb);
Action add_draw(CLI::App& verb);
Action add_chain(CLI::App& verb);
Action add_segment(CLI::App& verb);
Action add_wfsm(CLI::App& verb);
Action add_solve(CLI::App& verb);
Action add_eval(CLI::App& verb);
Action add_convert(CLI::App& verb);
Action add_render(CLI::App& verb);
Action add_train(CLI::App& verb);
Action add_parse(CLI::App& verb);
Action add_serve(CLI::App& verb);
Action add_rank(CLI::App& verb);
Action add_features(CLI::App& verb);
Action add_model(CLI::App& verb);
Action add_completions(CLI::App& verb);
Action add_man(CLI::App& verb);

}  // namespace kirchhoff::cli
