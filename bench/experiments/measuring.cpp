// What measuring programs share: `--name value` options, how they end, sentences, and the arc scores of a parser.
#include "experiments/measuring.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace kirchhoff::bench {

Arguments::Arguments(int argc, char** argv, const std::vector<std::string>& known) {
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i], name = option.substr(std::min<std::size_t>(2, option.size()));
    if (option.rfind("--", 0) != 0 || std::find(known.begin(), known.end(), name) == known.end()) {
      throw std::runtime_error("unknown option " + option);
    }
    if (i + 1 == argc) throw std::runtime_error(option + " has no value");
    values_[name] = argv[i + 1];
  }
}

const std::string& Arguments::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::runtime_error("--" + name + " is missing");
  return found->second;
}

double Arguments::number(const std::string& name) const {
  char* end = nullptr;
  const double value = std::strtod(text(name).c_str(), &end);
  if (text(name).empty() || *end != '\0') throw std::runtime_error("--" + name + " is not a number: " + text(name));
  return value;
}

int report_errors(const char* program, const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", std::filesystem::path(program).filename().c_str(), error.what());
    return 1;
  }
}

int measure(int argc, char** argv, const std::vector<std::string>& known,
            const std::function<void(const Arguments&)>& run) {
  return report_errors(argv[0], [&] { run(Arguments(argc, argv, known)); });
}

std::vector<kirchhoff::Sentence> sentences_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<kirchhoff::Sentence> sentences = read_sentences(in, path, ConllFormat::conllu);
  if (sentences.empty()) throw std::runtime_error(path + ": no sentences");
  return sentences;
}

Matrix scores_of(Parser& parser, const kirchhoff::Sentence& sentence) {
  const Matrix scores = parser.arc_scores(sentence);
  double least = 0.0;
  for (const double s : scores.reshaped()) least = std::isinf(s) ? least : std::min(least, s);
  return scores.cwiseMax(least - 30.0);
}

}  // namespace kirchhoff::bench
