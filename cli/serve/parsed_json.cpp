// Asks the distribution over a sentence's trees what the request wants to know, and writes it.
#include "serve/parsed_json.hpp"

#include "json/sentence_text.hpp"

#include <kirchhoff/projective.hpp>
#include <kirchhoff/relations.hpp>
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

template <class M>
double column_entropy(const M& marginals, int word) {
  double sum = 0.0;
  for (Eigen::Index h = 0; h < marginals.rows(); ++h) {
    const double p = marginals(h, word);
    if (h != word && p > 0.0) sum -= p * std::log(p);
  }
  return std::max(0.0, sum);
}

/// What is asked about a sentence, and where it is written to.
struct Question {
  const ParserModel& model;
  const ParseRequest& request;
  const Sentence& sentence;
  const Tree& tree;
  std::uint64_t seed;
  JsonWriter& out;

  void write_label(int label) const { out.write(model.labels()[static_cast<std::size_t>(label)]); }
};

/// Writes a list of trees: heads and relations, and what `more` adds about each.
template <class More>
void write_trees(const Question& q, const char* key, std::vector<Tree> found, const More& more) {
  const std::vector<Tree> trees = labelled(q.model, q.sentence, std::move(found));
  const auto words = static_cast<std::size_t>(q.sentence.size());
  q.out.key(key);
  q.out.list(trees.size(), [&](std::size_t i) {
    q.out.object([&] {
      q.out.key("heads");
      q.out.list(words, [&](std::size_t w) { q.out.write(trees[i].heads[w + 1]); });
      q.out.key("deprels");
      q.out.list(words, [&](std::size_t w) { q.write_label(trees[i].labels[w + 1]); });
      more(trees[i], i);
    });
  });
}

template <class D>
void write_k_best(const Question& q, const D& p) {
  write_trees(q, "k_best", k_best_trees(p, q.request.k_best), [&](const Tree& tree, std::size_t) {
    q.out.key("log_probability");
    q.out.write(*tree.log_prob);
  });
}

/// Writes each tree once, with how often it was drawn, the most frequent first.
template <class D>
void write_samples(const Question& q, const D& p) {
  std::map<Heads, int> counts;
  for (const Tree& tree : sample_trees(p, q.request.samples, {.seed = q.seed, .threads = 1})) ++counts[tree.heads];
  std::vector<std::pair<Heads, int>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Tree> trees(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) trees[i].heads = order[i].first;
  write_trees(q, "samples", std::move(trees), [&](const Tree&, std::size_t i) {
    q.out.key("count");
    q.out.write(order[i].second);
  });
}

/// The columns of a word, and its numbers when there are marginals.
template <class M>
void write_words(const Question& q, const M* marginals) {
  JsonWriter& out = q.out;
  out.key("words");
  out.list(q.sentence.size(), [&](int i) {
    const int word = i + 1;
    const int head = q.tree.heads[static_cast<std::size_t>(word)];
    out.object([&] {
      out.key("id");
      out.write(word);
      out.key("form");
      out.write(q.sentence.form(word));
      out.key("upos");
      out.write(q.sentence.upos(word));
      out.key("head");
      out.write(head);
      out.key("deprel");
      q.write_label(q.tree.labels[static_cast<std::size_t>(word)]);
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
void write_distribution(const Question& q, const D& p) {
  JsonWriter& out = q.out;
  if (q.request.probabilities) {
    const auto marginals = p.marginals();
    write_words(q, &marginals);
    out.key("log_probability");
    out.write(p.log_prob(q.tree.heads));
    out.key("entropy");
    out.write(entropy(p));
    out.key("marginals");
    out.list(q.sentence.size(), [&](int i) {
      out.list(q.sentence.size() + 1, [&](int h) { out.write(h == i + 1 ? 0.0 : marginals(h, i + 1)); });
    });
  } else {
    write_words<Matrix>(q, nullptr);
  }
  if (q.request.k_best > 0) write_k_best(q, p);
  if (q.request.samples > 0) write_samples(q, p);
}

}  // namespace

ParsedJson::ParsedJson(const ServedModel& model, const ParseRequest& request) : model_(model), request_(request) {
  body_ = "{\"model\":" + json_string(model.name()) + ",\"sentences\":[";
}

void ParsedJson::add(const Sentence& sentence, ParseOptions options) {
  JsonWriter out;
  out.key("text");
  out.write(text_of(sentence));
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
    const Question question{parser, request_, sentence, parsed.tree, options.seed, out};
    if (!asks) {
      write_words<Matrix>(question, nullptr);
    } else if (options.projective) {
      write_distribution(question, ProjectiveTreeDistribution(parsed.arc_scores, root, kEnough));
    } else {
      write_distribution(question, TreeDistribution(parsed.arc_scores, root, kEnough));
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
      out.write(models[i]->name());
      out.key("default");
      out.raw(i == 0 ? "true" : "false");
      const bool parses = pipeline.has(PipelinePart::parser);
      out.key("order");
      out.write(!parses ? 0 : pipeline.parser().parts() == kArcs ? 1 : 2);
      out.key("labels");
      const std::vector<std::string> none;
      const std::vector<std::string>& labels = parses ? pipeline.parser().labels() : none;
      out.list(labels.size(), [&](std::size_t j) { out.write(labels[j]); });
      out.key("pipeline");
      out.raw(pipeline.has(PipelinePart::tokenizer) && pipeline.has(PipelinePart::tagger) ? "true" : "false");
    });
  });
  out.close();
  return out.take();
}

}  // namespace kirchhoff::cli
