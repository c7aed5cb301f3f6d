// The verbs of the program. Each is a function from options to an exit status.
#pragma once

#include "wants.hpp"

#include <kirchhoff/conllu.hpp>
#include <kirchhoff/evaluate.hpp>

#include <cstddef>
#include <optional>
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

/// A file of sentences.
struct TreebankOptions {
  std::string file = "-";
  ConllFormat format = ConllFormat::conllu;
  Root root = Root::single;
  bool skip_bad = false;
};

struct EvalOptions {
  TreebankOptions gold;  ///< also says how the systems' files are read
  std::string system;
  std::string second;  ///< empty: only one system
  std::optional<SliceBy> by;
  ResamplingOptions resampling;
  bool json = false;
};

enum class SentenceFormat { conllu, conllx, json, displacy };

struct ConvertOptions {
  TreebankOptions input;
  SentenceFormat to = SentenceFormat::conllu;
};

struct RenderOptions {
  TreebankOptions input;
  std::string html;
  std::string svg;
};

/// The sentence in that format: CoNLL with the blank line after it, JSON as one line.
std::string text_in(const Sentence& sentence, SentenceFormat to);

int run_tree(const TreeOptions& options);
int run_decode(const DecodeOptions& options);
int run_draw(const DrawOptions& options);
int run_eval(const EvalOptions& options);
int run_convert(const ConvertOptions& options);
int run_render(const RenderOptions& options);

/// 1024, or less on a machine with less than 16 GB.
std::size_t default_max_line_mb();

/// Says on standard error, if it and standard input are a terminal, what the program waits for.
void greet_terminal(const std::string& file);

/// "kirchhoff: MESSAGE" on standard error.
void complain(const std::string& message);

}  // namespace kirchhoff::cli
