// The program `kirchhoff` is this table of verbs; what they do is in verbs/.
#include "io/descriptor.hpp"
#include "program.hpp"
#include "verbs/verbs.hpp"

#include <array>

namespace kirchhoff::cli {
namespace {

constexpr std::array kVerbs = {
    Verb{"tree", "Answer questions about the trees of each graph of a JSON Lines file", add_tree},
    Verb{"decode", "Find the best trees of each graph of a JSON Lines file", add_decode},
    Verb{"sample", "Draw random trees of each graph of a JSON Lines file", add_sample},
    Verb{"draw", "Print each sentence's likely heads, and draw them as HTML or SVG", add_draw},
    Verb{"chain", "Answer questions about the tag sequences of each chain of a JSON Lines file", add_chain},
    Verb{"segment", "Answer questions about the segmentations of each line of a JSON Lines file", add_segment},
    Verb{"wfsm", "Answer questions about a weighted finite-state machine", add_wfsm},
    Verb{"solve", "Find the marginals or the best assignment of each factor graph", add_solve},
    Verb{"eval", "Compare a parser's output with the gold standard", add_eval},
    Verb{"convert", "Convert sentences between CoNLL-U, CoNLL-X, JSON and displaCy", add_convert},
    Verb{"render", "Print annotated sentences, and draw them as HTML or SVG", add_render},
    Verb{"train", "Train a dependency parser on a treebank", add_train},
    Verb{"parse", "Parse sentences with a trained model", add_parse},
    Verb{"serve", "Answer requests over HTTP with trained models, and show a page to try them", add_serve},
    Verb{"rank", "Order sentences by what annotating them would teach a model", add_rank},
    Verb{"features", "Tell what a model expects of features, and how they vary together", add_features},
    Verb{"model", "Tell what is in a model file: kirchhoff model info FILE", add_model},
    Verb{"completions", "Write the completions of this program for bash, zsh or fish", add_completions},
    Verb{"man", "Write the man page of this program or of a verb", add_man},
};

}  // namespace
}  // namespace kirchhoff::cli

int main(int argc, char** argv) {
  kirchhoff::cli::prepare_descriptors();
  return kirchhoff::cli::run_program(kirchhoff::cli::kVerbs, argc, argv);
}
