// What verbs are asked about a line or a machine, apart from the files and threads of a command line. The program's
// verbs and the server read these options by the same functions, so they take the same ones and answer the same.
#pragma once

#include "io/run_lines.hpp"

#include <kirchhoff/types.hpp>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace kirchhoff::cli {

/// To be called when the options have been read. Where the computation can be stopped, `stop` says when. Throws
/// UsageError.
using ReadLineQuestions = std::function<LineQuestions(const Stop& stop)>;

ReadLineQuestions add_tree_questions(CLI::App& verb);
ReadLineQuestions add_decode_questions(CLI::App& verb);
ReadLineQuestions add_sample_questions(CLI::App& verb);
/// Graphs come as JSON lines here, not as a UAI network.
ReadLineQuestions add_solve_questions(CLI::App& verb);

/// Finds the text that an option, or FILE, names.
using ReadText = std::function<std::string(const std::string& name)>;
/// Answers about the machine that FILE names, with `max_count` paths or samples at most. Throws what `wfsm` complains
/// of.
using AnswerMachine = std::function<std::string(const ReadText& read, int max_count)>;
AnswerMachine add_machine_questions(CLI::App& verb);

}  // namespace kirchhoff::cli
