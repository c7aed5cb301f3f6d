// Asks the distribution over a sentence's trees what the request wants to know, and writes it.
#include "serve/parsed_json.hpp"

#include "json/sentence_text.hpp"

#include <kirchhoff/projective.hpp>
#include <kirchhoff/sample.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace kirchhoff::cli {
namespace {

/// What Parser gives its own distributions.
constexpr Accuracy kEnough{.tolerance = 1e-9, .floor = 1e-6};

void write_heads(const Heads& heads, JsonWriter& out) {
  out.list(heads.size() - 1, [&](std::size_t i) { out.write(heads[i + 1]); });
}

template <class M>
double column_entropy(const M& marginals, int word) {
  double sum = 0.0;
  for (Eigen::Index h = 0; h < marginals.rows(); ++h) {
    const double p = marginals(h, word);
    if (h != word && p > 0.0) sum -= p * std::log(p);
  }
  return std::max(0.0, sum);
}

template <class D>
void write_k_best(const D& p, int k, const Stop& stop, JsonWriter& out) {
  const std::vector<Tree> trees = k_best_trees(p, k, stop);
  if (stop()) throw Stopped();
  out.key("k_best");
  out.list(trees.size(), [&](std::size_t i) {
    out.object([&] {
      out.key("heads");
      write_heads(trees[i].heads, out);
      out.key("log_probability");
      out.write(*trees[i].log_prob);
    });
  });
}

/// Writes each tree once, with how often it was drawn, the most frequent first.
template <class D>
void write_samples(const D& p, int count, std::uint64_t seed, JsonWriter& out) {
  std::map<Heads, int> counts;
  for (const Tree& tree : sample_trees(p, count, {.seed = seed, .threads = 1})) ++counts[tree.heads];
  std::vector<std::pair<Heads, int>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  out.key("samples");
  out.list(order.size(), [&](std::size_t i) {
    out.object([&] {
      out.key("heads");
      write_heads(order[i].first, out);
      out.key("count");
      out.write(order[i].second);
    });
  });
}

/// The columns of a word, and its numbers when there are marginals.
template <class M>
void write_words(const Sentence& sentence, const Tree& tree, const std::vector<std::string>& labels, const M* marginals,
                 JsonWriter& out) {
  out.key("words");
  out.list(sentence.size(), [&](int i) {
    const int word = i + 1;
    const int head = tree.heads[static_cast<std::size_t>(word)];
    out.object([&] {
      out.key("id");
      out.write(word);
      out.key("form");
      out.raw(json_string(sentence.form(word)));
      out.key("upos");
      out.raw(json_string(sentence.upos(word)));
      out.key("head");
      out.write(head);
      out.key("deprel");
      out.raw(json_string(labels[static_cast<std::size_t>(tree.labels[static_cast<std::size_t>(word)])]));
      if (marginals != nullptr) {
        out.key("probability");
        out.write((*marginals)(head, word));
        out.key("entropy");
        out.write(column_entropy(*marginals, word));
      }
    });
  });
}

template <class D>
void write_distribution(const Sentence& sentence, const Tree& tree, const std::vector<std::string>& labels, const D& p,
                        const ParseRequest& request, std::uint64_t seed, const Stop& stop, JsonWriter& out) {
  if (request.probabilities) {
    const auto marginals = p.marginals();
    write_words(sentence, tree, labels, &marginals, out);
    out.key("log_probability");
    out.write(p.log_prob(tree.heads));
    out.key("entropy");
    out.write(entropy(p));
    out.key("marginals");
    out.list(sentence.size(), [&](int i) {
      out.list(sentence.size() + 1, [&](int h) { out.write(h == i + 1 ? 0.0 : marginals(h, i + 1)); });
    });
  } else {
    write_words<Matrix>(sentence, tree, labels, nullptr, out);
  }
  if (request.k_best > 0) write_k_best(p, request.k_best, stop, out);
  if (request.samples > 0) write_samples(p, request.samples, seed, out);
}

}  // namespace

ParsedJson::ParsedJson(const ServedModel& model, const ParseRequest& request, const Stop& stop)
    : model_(model), request_(request), stop_(stop) {
  body_ = "{\"model\":" + json_string(model.name()) + ",\"sentences\":[";
}

void ParsedJson::add(const Sentence& sentence, ParseOptions options) {
  JsonWriter out;
  out.key("text");
  out.raw(json_string(text_of(sentence)));
  if (sentence.size() == 0) {
    out.key("words");
    out.raw("[]");
  } else {
    const bool asks = request_.probabilities || request_.k_best > 0 || request_.samples > 0;
    options.probabilities = false;  // They are computed here, together with what Parsed has no place for.
    options.arc_scores = asks;
    const Parsed parsed = model_.parse(sentence, options);
    const ParserModel& parser = model_.pipeline().parser();
    const Root root = options.root.value_or(parser.root());
    const auto write = [&](const auto& p) {
      write_distribution(sentence, parsed.tree, parser.labels(), p, request_, options.seed, stop_, out);
    };
    if (!asks) {
      write_words<Matrix>(sentence, parsed.tree, parser.labels(), nullptr, out);
    } else if (options.projective) {
      write(ProjectiveTreeDistribution(parsed.arc_scores, root, kEnough));
    } else {
      write(TreeDistribution(parsed.arc_scores, root, kEnough));
    }
  }
  out.close();
  std::string object = out.take();
  object.pop_back();  // the end of the line
  body_ += (std::exchange(first_, false) ? "" : ",") + object;
}

server::Answer ParsedJson::take() { return {.body = std::move(body_) + "]}\n"}; }

std::string models_json(const ModelSet& models) {
  JsonWriter out;
  out.key("models");
  out.list(models.size(), [&](std::size_t i) {
    const Pipeline& pipeline = models[i]->pipeline();
    out.object([&] {
      out.key("name");
      out.raw(json_string(models[i]->name()));
      out.key("default");
      out.raw(i == 0 ? "true" : "false");
      const bool parses = pipeline.has(PipelinePart::parser);
      out.key("order");
      out.write(!parses ? 0 : pipeline.parser().parts() == kArcs ? 1 : 2);
      out.key("labels");
      const std::vector<std::string> none;
      const std::vector<std::string>& labels = parses ? pipeline.parser().labels() : none;
      out.list(labels.size(), [&](std::size_t j) { out.raw(json_string(labels[j])); });
      out.key("pipeline");
      out.raw(pipeline.has(PipelinePart::tokenizer) && pipeline.has(PipelinePart::tagger) ? "true" : "false");
    });
  });
  out.close();
  return out.take();
}

}  // namespace kirchhoff::cli
