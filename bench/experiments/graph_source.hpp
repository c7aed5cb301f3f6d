// Where the programs about sampling take their graphs from: arc scores of a trained parser, or random weights.
//
//   --model FILE --data FILE [--graphs N]       the sentences of a treebank; at most N of them, spread over the whole
//     --words N                                 those of N words or more
//     --softmax 1                               in place of the scores, logarithms of the marginals of trees with one
//                                               root child: what a softmax over the heads of each word by itself would
//                                               give if it were trained to agree with this model
//   --weights NAME --words N --graphs N         random graphs, by one of the names in graph_source.cpp
#pragma once

#include "experiments/measuring.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace kirchhoff::bench {

/// The options that for_each_graph reads, and others.
std::vector<std::string> graph_options(std::initializer_list<std::string> others);

/// Random graphs are made one after the other, so that any number of them fits into memory. Sentences of fewer than two
/// words, which have one tree, are left out.
void for_each_graph(const Arguments& arguments, const std::function<void(const Matrix& scores)>& use);

}  // namespace kirchhoff::bench
