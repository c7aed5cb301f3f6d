// The options of eval, convert and render.
#pragma once

#include "verbs/verbs.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace kirchhoff::cli {

struct TreebankVerbs {
  std::string root = "single";
  std::string from = "conllu";
  std::string to;
  std::string by;
  EvalOptions eval;
  ConvertOptions convert;
  RenderOptions render;
};

void add_treebank_verbs(CLI::App& app, TreebankVerbs& verbs);

/// The exit status, when one of them was asked for.
std::optional<int> run_treebank_verb(const CLI::App& app, TreebankVerbs& verbs);

}  // namespace kirchhoff::cli
