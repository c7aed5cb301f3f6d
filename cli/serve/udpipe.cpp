// Does what UDPipe's parameters ask for, step by step: tokens, tags, trees.
#include "serve/udpipe.hpp"

#include "answers/parse_answer.hpp"
#include "json/writer.hpp"
#include "serve/form.hpp"
#include "serve/udpipe_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::cli {
namespace {

using server::HttpError;

enum class Input { conllu, text, horizontal, vertical };
/// How the result is written.
enum class Output { conllu, horizontal, vertical };

struct Process {
  std::optional<std::string> data;
  std::string model;
  Input input = Input::conllu;
  EmptyLine empty_line = EmptyLine::nothing;
  bool tag = false, parse = false, ranges = false;
  Output output = Output::conllu;
};

Output read_output(std::string_view value) {
  const std::string_view name = value.substr(0, value.find('='));
  if (name.empty() || name == "conllu") return Output::conllu;
  if (name == "horizontal") return Output::horizontal;
  if (name == "vertical") return Output::vertical;
  throw HttpError(400, "output: take conllu, horizontal or vertical");
}

bool has_option(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    const std::string_view one = options.substr(0, options.find(';'));
    if (one == name) return true;
    options.remove_prefix(std::min(options.size(), one.size() + 1));
  }
  return false;
}

/// Reads the options of the tokenizer, as in "normalized_spaces;ranges".
void read_tokenizer(std::string_view options, Process& process) {
  if (has_option(options, "presegmented")) {
    throw HttpError(400, "tokenizer: presegmented is not there; send words with input=horizontal or input=vertical");
  }
  process.input = Input::text;
  process.ranges = has_option(options, "ranges");
}

/// Reads a format with its options, as in "horizontal=paragraphs".
void read_input(std::string_view value, Process& process) {
  const std::string_view name = value.substr(0, value.find('='));
  const std::string_view options = value.substr(std::min(value.size(), name.size() + 1));
  if (name == "generic_tokenizer" || name == "tokenizer") return read_tokenizer(options, process);
  if (has_option(options, "paragraphs")) process.empty_line = EmptyLine::paragraph;
  if (!name.empty() && name != "conllu" && name != "horizontal" && name != "vertical") {
    throw HttpError(400, "input: take conllu, generic_tokenizer, horizontal or vertical");
  }
  process.input = name == "horizontal" ? Input::horizontal : name == "vertical" ? Input::vertical : Input::conllu;
}

Process read_process(const server::Request& request) {
  Process process;
  std::optional<std::string> tokenizer;
  for (const auto& [name, value] : request_fields(request)) {
    if (name == "data") {
      process.data = value;
    } else if (name == "model") {
      process.model = value;
    } else if (name == "input") {
      read_input(value, process);
    } else if (name == "tokenizer") {
      tokenizer = value;
    } else if (name == "tagger") {
      process.tag = true;
    } else if (name == "parser") {
      process.parse = true;
    } else if (name == "output") {
      process.output = read_output(value);
    } else {
      throw HttpError(400, "there are the parameters data, model, input, tokenizer, tagger, parser and output");
    }
  }
  if (tokenizer) read_tokenizer(*tokenizer, process);  // It goes before the input's format.
  if (!process.data) throw HttpError(400, "data: is missing; it is the text or the CoNLL-U to work on");
  return process;
}

std::string written(const Sentence& sentence, Output output) {
  if (output == Output::conllu) return to_text(sentence);
  std::string text;
  for (int word = 1; word <= sentence.size(); ++word) {
    for (const char c : sentence.form(word)) {
      text += c == ' ' && output == Output::horizontal ? kNoBreakSpace : std::string_view(&c, 1);
    }
    text += output == Output::vertical ? '\n' : word < sentence.size() ? ' ' : '\n';
  }
  return output == Output::vertical ? text + '\n' : text;
}

void need(const ServedModel& model, PipelinePart part) {
  if (model.pipeline().has(part)) return;
  throw HttpError(400, fmt::format("model: '{}' has no {}", model.name(), to_string(part)));
}

std::vector<Sentence> sentences_of(const Process& process, const ServedModel& model) {
  switch (process.input) {
    case Input::horizontal:
      return horizontal_sentences(*process.data, process.empty_line);
    case Input::vertical:
      return vertical_sentences(*process.data, process.empty_line);
    case Input::conllu:
      return conllu_sentences(*process.data);
    case Input::text:
      break;
  }
  need(model, PipelinePart::tokenizer);
  return tokenize(model.pipeline().tokenizer(), *process.data, {.ranges = process.ranges});
}

}  // namespace

server::Answer answer_udpipe_models(const ModelStore& models) {
  const std::shared_ptr<const ModelSet> set = models.current();
  JsonWriter out;
  out.key("models");
  out.object([&] {
    for (const auto& model : *set) {
      const std::string name = json_string(model->name());
      out.key(std::string_view(name).substr(1, name.size() - 2));
      std::string parts;
      for (const PipelinePart part : {PipelinePart::tokenizer, PipelinePart::tagger, PipelinePart::parser}) {
        if (model->pipeline().has(part)) parts += (parts.empty() ? "" : ",") + json_string(to_string(part));
      }
      out.raw("[" + parts + "]");
    }
  });
  out.key("default_model");
  out.write(set->front()->name());
  out.close();
  return {.body = out.take()};
}

server::Answer answer_udpipe_process(const ModelStore& models, const AnswerLimits& limits,
                                     const server::Request& request) {
  const Process process = read_process(request);
  const std::shared_ptr<const ServedModel> model = find_model(models, process.model);
  const Pipeline& pipeline = model->pipeline();
  if (process.tag) need(*model, PipelinePart::tagger);
  if (process.parse) need(*model, PipelinePart::parser);
  std::vector<Sentence> sentences = sentences_of(process, *model);
  check_sizes(sentences, limits);
  std::string result;
  std::uint64_t words = 0;
  for (Sentence& sentence : sentences) {
    if (request.stop()) throw Stopped();
    words += static_cast<std::uint64_t>(sentence.size());
    if (process.tag) sentence = tagged(pipeline, sentence, {});
    if (process.parse && sentence.size() > 0) {
      sentence = pipeline.parser().annotate(sentence, model->parse(sentence, {}).tree);
    }
    result += written(sentence, process.output);
  }
  JsonWriter out;
  out.key("model");
  out.write(model->name());
  out.key("acknowledgements");
  out.raw("[]");
  out.key("result");
  out.write(result);
  out.close();
  return {.body = out.take(), .words = words};
}

}  // namespace kirchhoff::cli
