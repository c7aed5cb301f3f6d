// The verbs of the program. Each is a function from options to an exit status.
#pragma once

#include "answers/wants.hpp"

#include <kirchhoff/conllu.hpp>
#include <kirchhoff/evaluate.hpp>
#include <kirchhoff/solve.hpp>
#include <kirchhoff/wfsm_text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

struct InputOptions {
  std::string file = "-";
  std::size_t max_line_mb = 0;  ///< 0: default_max_line_mb()
};

/// Of the verbs that answer line by line.
struct LineOptions {
  InputOptions input;
  int threads = 0;
  bool strict = false;  ///< a graph without any tree ends the run
  bool quiet = false;
  std::string_view none = "without any tree";  ///< what the summary calls graphs without an answer
};

struct TreeOptions {
  LineOptions lines;
  Question question;
};

struct DecodeOptions {
  LineOptions lines;
  Root root = Root::single;
  Accuracy accuracy;
  int k = 1;
  bool mbr = false;
};

struct SamplingOptions {
  LineOptions lines;
  Root root = Root::single;
  std::string method = "auto";  ///< a name of sample_methods_help()
  int count = 0;
  std::uint64_t seed = 0;
  bool without_replacement = false;
  bool counts = false;
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

struct WfsmOptions {
  std::string file = "-";
  std::string want = "log_partition,counts";
  std::string input_symbols, output_symbols, features;
  WeightKind weights = WeightKind::neglog;
  ArcFormat arcs = ArcFormat::automatic;
  Accuracy accuracy;
  std::uint64_t seed = 0;
  int threads = 0;
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
/// Throws UsageError for a method that does not fit the other options.
int run_sample(const SamplingOptions& options);
int run_draw(const DrawOptions& options);
int run_wfsm(const WfsmOptions& options);
int run_solve(const SolveOptions& options);
/// Reads, solves and formats one line (as read_factor_graph takes it), or a UAI network.
Answer answer_factor_line(std::string_view line, const SolveOptions& options);
Answer answer_uai(std::string_view text, const SolveOptions& options);

/// Lines of help, one per method.
std::string sample_methods_help();
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
