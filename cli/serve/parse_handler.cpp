// Parses the sentences of a request one by one, each given its constraints, and writes what was asked about them.
#include "serve/parse_handler.hpp"

#include "answers/parse_answer.hpp"
#include "json/read_error.hpp"
#include "serve/parsed_json.hpp"

#include <kirchhoff/draw.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace kirchhoff::cli {
namespace {

using server::Answer;
using server::HttpError;

/// The constraints of each sentence.
std::vector<Constraints> constraints_of(const ParseRequest& request, const std::vector<Sentence>& sentences) {
  std::vector<Constraints> all(sentences.size());
  for (std::size_t i = 0; i < request.constraints.size(); ++i) {
    const ArcConstraint& arc = request.constraints[i];
    const auto sentence = static_cast<std::size_t>(arc.sentence);
    if (sentence >= sentences.size()) {
      throw HttpError(400, fmt::format("constraints[{}].sentence: there is no sentence {}; there are {}, from 0", i,
                                       sentence, sentences.size()));
    }
    const int words = sentences[sentence].size();
    if (arc.word > words || arc.head > words || arc.word == arc.head) {
      throw HttpError(400, fmt::format("constraints[{}]: there is no arc from {} to word {} in a sentence of {} words",
                                       i, arc.head, arc.word, words));
    }
    Constraints& own = all[sentence];
    (arc.rule == ArcRule::require ? own.require : own.forbid).push_back({arc.head, arc.word});
  }
  return all;
}

ParseOptions options_of(const ParseRequest& request, const Constraints& constraints, std::size_t sentence) {
  ParseOptions options;
  options.root = request.root;
  options.projective = request.projective;
  options.probabilities = request.probabilities;
  options.constraints = constraints;
  options.seed = request.seed + (static_cast<std::uint64_t>(sentence) << 32);  // As parse_all has it.
  return options;
}

/// A sentence as text or as a picture.
class PlainWriter {
 public:
  explicit PlainWriter(const ParseRequest& request) : request_(request) {}

  void add(const ServedModel& model, const Sentence& sentence, ParseOptions options) {
    const ParserModel& parser = model.pipeline().parser();
    options.k_best = request_.k_best;
    options.samples = request_.samples;
    const bool parses = sentence.size() > 0;
    const Parsed parsed = parses ? model.parse(sentence, options) : Parsed();
    if (request_.format == AnswerFormat::svg) {
      drawings_.push_back(drawing_of(parses ? with_tree(parser, sentence, parsed, options) : sentence));
      return;
    }
    const SentenceFormat format =
        request_.format == AnswerFormat::conllu ? SentenceFormat::conllu : SentenceFormat::displacy;
    text_ += parses ? parsed_text(parser, sentence, parsed, options, format) : text_in(sentence, format);
  }
  Answer take() {
    Answer answer;
    if (request_.format == AnswerFormat::svg) {
      answer.body = to_svg(drawings_);
      answer.content_type = "image/svg+xml";
    } else {
      answer.body = std::move(text_);
      answer.content_type =
          request_.format == AnswerFormat::conllu ? "text/x-conllu; charset=utf-8" : "application/jsonl";
    }
    return answer;
  }

 private:
  const ParseRequest& request_;
  std::string text_;
  std::vector<Drawing> drawings_;
};

void check_format(const ParseRequest& request) {
  if (request.format == AnswerFormat::json) return;
  const bool many = request.k_best > 0 || request.samples > 0;
  if (request.k_best > 0 && request.samples > 0) {
    throw HttpError(400, "k_best and samples: give both with format json only");
  }
  if (request.format == AnswerFormat::svg && many) {
    throw HttpError(400, "k_best and samples: are not for format svg");
  }
  if (request.probabilities && many) {
    throw HttpError(400, "probabilities: with k_best or samples they are for format json only");
  }
}

}  // namespace

std::shared_ptr<const ServedModel> find_model(const ModelStore& models, std::string_view name) {
  const std::shared_ptr<const ModelSet> set = models.current();
  if (name.empty()) return set->front();
  std::string names;
  for (const auto& model : *set) {
    if (model->name() == name) return model;
    names += (names.empty() ? "" : ", ") + model->name();
  }
  throw HttpError(404, fmt::format("model: there is none of this name; there are {}", names));
}

std::vector<Sentence> conllu_sentences(const std::string& text) {
  std::istringstream in(text);
  return read_sentences(in, "conllu", ConllFormat::conllu);
}

void check_sizes(const std::vector<Sentence>& sentences, const AnswerLimits& limits) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    words += static_cast<std::size_t>(sentences[i].size());
    if (sentences[i].size() <= limits.sentence_words) continue;
    throw HttpError(413, fmt::format("sentence {} has {} words, and {} are allowed; put a blank line where it can be "
                                     "split",
                                     i + 1, sentences[i].size(), limits.sentence_words));
  }
  if (words > static_cast<std::size_t>(limits.words)) {
    throw HttpError(
        413, fmt::format("there are {} words, and {} are allowed; send them in several requests", words, limits.words));
  }
}

std::vector<Sentence> read_request_sentences(const ServedModel& model, const ParseRequest& request,
                                             const AnswerLimits& limits, const Stop& stop) {
  const Pipeline& pipeline = model.pipeline();
  const auto need = [&](std::string_view field, PipelinePart part) {
    if (pipeline.has(part)) return;
    throw HttpError(422, fmt::format("{}: the model '{}' has no {}; send conllu with tags, or train a model with "
                                     "--pipeline",
                                     field, model.name(), to_string(part)));
  };
  if (request.text) need("text", PipelinePart::tokenizer);
  if (request.text || request.tag) need(request.text ? "text" : "tag", PipelinePart::tagger);
  std::vector<Sentence> sentences =
      request.text ? tokenize(pipeline.tokenizer(), *request.text) : conllu_sentences(*request.conllu);
  check_sizes(sentences, limits);
  if (!request.text && !request.tag) return sentences;
  for (Sentence& sentence : sentences) {
    if (stop()) throw Stopped();
    sentence =
        tagged(pipeline, sentence, {.probabilities = request.probabilities && request.format != AnswerFormat::json});
  }
  return sentences;
}

Answer answer_parse(const ModelStore& models, const AnswerLimits& limits, const server::Request& http) {
  const ParseRequest request = read_parse_request(http, limits.trees);
  check_format(request);
  const std::shared_ptr<const ServedModel> model = find_model(models, request.model);
  if (!model->pipeline().has(PipelinePart::parser)) {
    throw HttpError(422, fmt::format("model: '{}' has no parser", model->name()));
  }
  const std::vector<Sentence> sentences = read_request_sentences(*model, request, limits, http.stop);
  const std::vector<Constraints> constraints = constraints_of(request, sentences);
  ParsedJson json(*model, request);
  PlainWriter plain(request);
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (http.stop()) throw Stopped();
    const ParseOptions options = options_of(request, constraints[i], i);
    words += static_cast<std::uint64_t>(sentences[i].size());
    try {
      if (request.format == AnswerFormat::json) {
        json.add(sentences[i], options);
      } else {
        plain.add(*model, sentences[i], options);
      }
    } catch (const Infeasible& problem) {
      throw HttpError(422, fmt::format("sentence {}: {}", i + 1, without_function(problem.what())));
    }
  }
  Answer answer = request.format == AnswerFormat::json ? json.take() : plain.take();
  answer.words = words;
  return answer;
}

Answer answer_models(const ModelStore& models) {
  const std::shared_ptr<const ModelSet> set = models.current();
  return {.body = models_json(*set)};
}

}  // namespace kirchhoff::cli
