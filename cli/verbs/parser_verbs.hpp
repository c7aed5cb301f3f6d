// The verbs of the parser: train, parse, model.
#pragma once

#include "io/treebank_input.hpp"

#include <kirchhoff/train.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace kirchhoff::cli {

struct TrainVerb {
  TreebankOptions train;
  std::string dev;
  std::string unannotated, constraints, teacher;
  std::string model;
  std::string licence;
  std::optional<double> beta, gamma, lambda;
  TrainOptions options{.root = Root::single};
  std::string command;  ///< as typed, for the model card
  bool quiet = false;
};

struct ParseVerb {
  TreebankOptions input;
  std::string model;
  SentenceFormat format = SentenceFormat::conllu;
  ParseOptions options;
  int threads = 0;
};

struct ModelVerb {
  std::string model;
};

struct ParserVerbs {
  TrainVerb train;
  ParseVerb parse;
  ModelVerb model;
};

int run_train(TrainVerb& verb);
int run_parse(const ParseVerb& verb);
int run_model_info(const ModelVerb& verb);

void add_parser_verbs(CLI::App& app, ParserVerbs& verbs);
/// Nothing when the command line names none of them.
std::optional<int> run_parser_verb(const CLI::App& app, ParserVerbs& verbs);

}  // namespace kirchhoff::cli
