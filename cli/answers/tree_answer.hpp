// Answers one line of `tree`, and gives `decode` and `sample` what they share with it.
#pragma once

#include "answers/wants.hpp"
#include "io/line_answer.hpp"
#include "json/graph_arrays.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/tree.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// What `tree` asks about every graph.
struct TreeQuestions {
  Root root = Root::single;
  bool projective = false;  ///< Only trees whose arcs do not cross count.
  Accuracy accuracy;
  UnknownFields unknown = UnknownFields::refused;
  WantList wants;
};

/// Reads "log_partition,renyi=2" or "all". Throws UsageError.
WantList parse_tree_wants(std::string_view list);

/// Lines of help, one for each want.
std::string tree_wants_help();

/// True when the answer is much larger than the question.
bool is_bulky(const TreeQuestions& questions);

/// Reads a line and gives it to `answer_text`, which makes the line of output. Never throws for what the line holds.
LineAnswer answer_graph(std::string_view line, UnknownFields unknown,
                        const std::function<std::string(const GraphLine&)>& answer_text);

/// Reads one line of `tree`, computes the answers and writes them.
LineAnswer answer_tree_line(std::string_view line, const TreeQuestions& questions);

/// The distribution under the line's constraints, so that probabilities are given that they hold.
template <class D>
D constrained_distribution(const GraphLine& graph, Root root, const Accuracy& accuracy = {}) {
  return D(constrained(matrix_for<D>(graph.scores), root, graph.constraints), root, accuracy);
}

}  // namespace kirchhoff::cli
