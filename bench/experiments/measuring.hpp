// What the measuring programs of this folder share: `--name value` arguments, sentences, and the arc scores of a
// parser.
#pragma once

#include <kirchhoff/parser.hpp>

#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace kirchhoff::bench {

/// The arguments of a program, all of the form `--name value`.
class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int i = 1; i < argc; i += 2) {
      const std::string name = argv[i];
      if (!name.starts_with("--") || i + 1 == argc) throw std::runtime_error(name + ": write --name value");
      values_[name.substr(2)] = argv[i + 1];
    }
  }
  bool has(const std::string& name) const { return values_.contains(name); }
  std::string text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw std::runtime_error("--" + name + " is missing");
    return found->second;
  }
  double number(const std::string& name) const { return std::stod(text(name)); }

 private:
  std::map<std::string, std::string> values_;
};

/// The main program of a measurement: what is thrown ends it with a message and status 1.
inline int measure(int argc, char** argv, const std::function<void(const Arguments&)>& run) {
  try {
    run(Arguments(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << std::filesystem::path(argv[0]).filename().string() << ": " << error.what() << "\n";
    return 1;
  }
}

inline std::vector<kirchhoff::Sentence> sentences_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<kirchhoff::Sentence> sentences = read_sentences(in, path, ConllFormat::conllu);
  if (sentences.empty()) throw std::runtime_error(path + ": no sentences");
  return sentences;
}

/// A parser's arc scores. Arcs that were pruned get e^-30 of the weight of the least likely other one, because older
/// methods know no zeros.
inline Matrix scores_of(Parser& parser, const kirchhoff::Sentence& sentence) {
  const Matrix scores = parser.arc_scores(sentence);
  double least = 0.0;
  for (const double s : scores.reshaped()) least = std::isinf(s) ? least : std::min(least, s);
  return scores.cwiseMax(least - 30.0);
}

}  // namespace kirchhoff::bench
