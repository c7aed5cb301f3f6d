// The verbs of the program. Each is a function from options to an exit status.
#pragma once

#include "wants.hpp"

#include <kirchhoff/factor_graph.hpp>

#include <cstddef>
#include <string>

namespace kirchhoff::cli {

struct InputOptions {
  std::string file = "-";
  std::size_t max_line_mb = 0;  ///< 0: default_max_line_mb()
};

struct TreeOptions {
  InputOptions input;
  Question question;
  int threads = 0;
  bool strict = false;
  bool quiet = false;
};

struct DecodeOptions {
  InputOptions input;
  Root root = Root::single;
  Accuracy accuracy;
  int k = 1;
  bool mbr = false;
  int threads = 0;
  bool strict = false;
  bool quiet = false;
};

struct DrawOptions {
  InputOptions input;
  Root root = Root::single;
  Accuracy accuracy;
  double min_probability = 0.05;
  std::string html;
  std::string svg;
  bool quiet = false;
};

enum class SolveMethod { bp, max_product, lp, ilp, ad3, exact };

struct SolveOptions {
  InputOptions input;
  SolveMethod method = SolveMethod::bp;
  BpOptions bp;
  Ad3Options ad3;
  std::string format;  ///< json, uai; empty: by the file's name
  int threads = 0;
  bool strict = false;
  bool quiet = false;
};

int run_tree(const TreeOptions& options);
int run_decode(const DecodeOptions& options);
int run_draw(const DrawOptions& options);
int run_solve(const SolveOptions& options);

/// 1024, or less on a machine with less than 16 GB.
std::size_t default_max_line_mb();

/// Says on standard error, if it and standard input are a terminal, what the program waits for.
void greet_terminal(const std::string& file);

/// "kirchhoff: MESSAGE" on standard error.
void complain(const std::string& message);

}  // namespace kirchhoff::cli
