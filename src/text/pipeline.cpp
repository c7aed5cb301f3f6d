// Opens pipelines, tells what is in them, and runs their parts one after the other.
#include "text/pipeline.hpp"

#include "text/tag_model.hpp"

namespace kirchhoff {

namespace text {

Pipeline TextAccess::pipeline(parser::Container file) {
  return Pipeline(std::make_shared<const Pipeline::State>(std::move(file)));
}
const parser::Container& TextAccess::file_of(const Pipeline& pipeline) { return pipeline.state_->file; }

}  // namespace text

Pipeline::State::State(parser::Container container) : file(std::move(container)) {
  using text::TextAccess;
  if (file.has("token.table")) {
    tokenizer = TextAccess::wrap(std::make_shared<const text::TokenModel>(file));
  }
  if (file.has("tag.upos")) tagger = TextAccess::wrap(std::make_shared<const text::TagModel>(file));
  if (file.has("settings")) {
    parser = parser::ModelAccess::wrap(std::make_shared<const parser::Model>(file));
  }
  if (!tokenizer && !tagger && !parser) file.fail("has no tokenizer, tagger or parser");
  card = parser::read_card(file.text("card"));
}

Pipeline Pipeline::open(const std::string& path, ModelMemory memory) {
  try {
    return text::TextAccess::pipeline(parser::Container::open(path, parser::kModelVersion, memory));
  } catch (const InputError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

void Pipeline::save(const std::string& path) const { parser::write_atomically(path, state_->file.bytes()); }

bool Pipeline::has(PipelinePart part) const {
  switch (part) {
    case PipelinePart::tokenizer:
      return state_->tokenizer.has_value();
    case PipelinePart::tagger:
      return state_->tagger.has_value();
    case PipelinePart::lemmatizer:
      return state_->tagger.has_value() && text::TextAccess::model_of(*state_->tagger).has_lemmas;
    case PipelinePart::parser:
      return state_->parser.has_value();
  }
  return false;
}

namespace {

[[noreturn]] void lacks(const std::string& file, std::string_view part) {
  throw ModelError(file + ": has no " + std::string(part) +
                   "; 'kirchhoff train --pipeline' makes models with all parts");
}

}  // namespace

const Tokenizer& Pipeline::tokenizer() const {
  if (!state_->tokenizer) lacks(state_->file.name(), "tokenizer");
  return *state_->tokenizer;
}
const Tagger& Pipeline::tagger() const {
  if (!state_->tagger) lacks(state_->file.name(), "tagger");
  return *state_->tagger;
}
const ParserModel& Pipeline::parser() const {
  if (!state_->parser) lacks(state_->file.name(), "parser");
  return *state_->parser;
}
const std::vector<std::pair<std::string, std::string>>& Pipeline::card() const { return state_->card; }
std::size_t Pipeline::bytes() const { return state_->file.bytes().size(); }

std::vector<Sentence> annotate(const Pipeline& pipeline, std::string_view text, int threads) {
  std::vector<Sentence> sentences = tokenize(pipeline.tokenizer(), text);
  if (pipeline.has(PipelinePart::tagger)) {
    const auto tag_one = [&](std::size_t i) { sentences[i] = tag(pipeline.tagger(), sentences[i]).sentence; };
    parallel_for(sentences.size(), threads, tag_one);
  }
  if (!pipeline.has(PipelinePart::parser)) return sentences;
  const ParserModel& parser = pipeline.parser();
  const std::vector<Parsed> parsed = parse_all(parser, sentences, {}, threads);
  for (std::size_t i = 0; i < sentences.size(); ++i) sentences[i] = parser.annotate(sentences[i], parsed[i].tree);
  return sentences;
}

}  // namespace kirchhoff
