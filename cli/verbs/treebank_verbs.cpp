#include "verbs/treebank_verbs.hpp"

#include <CLI/CLI.hpp>

namespace kirchhoff::cli {
namespace {

constexpr const char* kEvalExample =
    R"(Scores are percentages (F1) as in the CoNLL 2018 shared task; intervals by bootstrap over sentences; with a second
system, p-values by approximate randomization. Definitions: docs/reference/scores.md

Example:
  kirchhoff eval gold.conllu parsed.conllu --by deprel
)";

constexpr const char* kConvertExample =
    R"(JSON and displaCy: one object per line and sentence. CoNLL-U to CoNLL-U gives the same bytes. Formats: docs/reference/formats.md

Example:
  kirchhoff convert --to displacy examples/treebank/dev.conllu
)";

constexpr const char* kRenderExample =
    R"(Prints the trees; draws them as HTML or SVG. ArcProb=P in MISC shades an arc by its probability.

Example:
  kirchhoff render --html trees.html examples/treebank/dev.conllu
)";

CLI::Option* add_choice(CLI::App& verb, const std::string& name, std::string& value, const std::string& help,
                        const std::vector<std::string>& choices) {
  std::string type;
  for (const std::string& choice : choices) type += (type.empty() ? "" : "|") + choice;
  return verb.add_option(name, value, help)->type_name(type)->check(CLI::IsMember(choices).description(""));
}

void add_input(CLI::App& verb, TreebankVerbs& verbs, TreebankOptions& input) {
  add_choice(verb, "--from", verbs.from, "The format of the input [conllu]", {"conllu", "conllx"});
  add_choice(verb, "--root", verbs.root, "How many words may hang from the root [single]", {"single", "multi"});
  verb.add_flag("--skip-bad", input.skip_bad, "Report and skip sentences that are not well-formed or not trees");
}

void add_eval(CLI::App& app, TreebankVerbs& verbs) {
  CLI::App& verb = *app.add_subcommand("eval", "Compare a parser's output with the gold standard");
  EvalOptions& options = verbs.eval;
  verb.add_option("GOLD", options.gold.file, "The gold standard")->required()->type_name("");
  verb.add_option("SYSTEM", options.system, "The parser's output")->required()->type_name("");
  verb.add_option("SECOND", options.second, "Another parser's, to compare with the first")->type_name("");
  add_input(verb, verbs, options.gold);
  add_choice(verb, "--by", verbs.by, "Also by parts", {"length", "pos", "deprel", "distance"});
  verb.add_flag("--json", options.json, "One JSON object");
  verb.add_option("--samples", options.resampling.samples, "For intervals and p-values; 0: none [1000]")
      ->type_name("N")
      ->check(CLI::Range(0, 100'000'000).description(""));
  verb.add_option("--confidence", options.resampling.confidence, "Of intervals [0.95]")
      ->type_name("P")
      ->check(CLI::Range(0.01, 0.9999).description(""));
  verb.add_option("--seed", options.resampling.seed, "Of the random numbers [0]")->type_name("S");
  verb.footer(kEvalExample);
}

void add_convert(CLI::App& app, TreebankVerbs& verbs) {
  CLI::App& verb = *app.add_subcommand("convert", "Convert sentences: CoNLL-U, CoNLL-X, JSON, displaCy");
  verb.add_option("FILE", verbs.convert.input.file, "Sentences; - or nothing: standard input")->type_name("");
  add_input(verb, verbs, verbs.convert.input);
  add_choice(verb, "--to", verbs.to, "The format of the output", {"conllu", "conllx", "json", "displacy"})->required();
  verb.footer(kConvertExample);
}

void add_render(CLI::App& app, TreebankVerbs& verbs) {
  CLI::App& verb = *app.add_subcommand("render", "Print and draw annotated sentences");
  verb.add_option("FILE", verbs.render.input.file, "Sentences; - or nothing: standard input")->type_name("");
  add_input(verb, verbs, verbs.render.input);
  verb.add_option("--html", verbs.render.html, "Write a page with the trees drawn")->type_name("FILE");
  verb.add_option("--svg", verbs.render.svg, "Write one picture with the trees drawn")->type_name("FILE");
  verb.footer(kRenderExample);
}

template <class T>
struct Choice {
  std::string_view name;
  T value;
};
constexpr Choice<SentenceFormat> kSentenceFormats[] = {{"conllu", SentenceFormat::conllu},
                                                       {"conllx", SentenceFormat::conllx},
                                                       {"json", SentenceFormat::json},
                                                       {"displacy", SentenceFormat::displacy}};
constexpr Choice<SliceBy> kSlices[] = {
    {"length", SliceBy::length}, {"pos", SliceBy::pos}, {"deprel", SliceBy::deprel}, {"distance", SliceBy::distance}};

template <class T, std::size_t n>
std::optional<T> chosen(const Choice<T> (&choices)[n], std::string_view name) {
  for (const Choice<T>& choice : choices) {
    if (choice.name == name) return choice.value;
  }
  return std::nullopt;
}

void set_input(TreebankOptions& input, const TreebankVerbs& verbs) {
  input.format = verbs.from == "conllx" ? ConllFormat::conllx : ConllFormat::conllu;
  input.root = verbs.root == "multi" ? Root::multi : Root::single;
}

}  // namespace

void add_treebank_verbs(CLI::App& app, TreebankVerbs& verbs) {
  add_eval(app, verbs);
  add_convert(app, verbs);
  add_render(app, verbs);
}

std::optional<int> run_treebank_verb(const CLI::App& app, TreebankVerbs& verbs) {
  if (app.got_subcommand("eval")) {
    set_input(verbs.eval.gold, verbs);
    verbs.eval.by = chosen(kSlices, verbs.by);
    return run_eval(verbs.eval);
  }
  if (app.got_subcommand("convert")) {
    set_input(verbs.convert.input, verbs);
    verbs.convert.to = *chosen(kSentenceFormats, verbs.to);
    return run_convert(verbs.convert);
  }
  if (app.got_subcommand("render")) {
    set_input(verbs.render.input, verbs);
    return run_render(verbs.render);
  }
  return std::nullopt;
}

}  // namespace kirchhoff::cli
