// Opens models and hands their parsers to threads.
#include "serve/models.hpp"

#include "usage_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kirchhoff::cli {

ModelSource model_source(std::string_view text) {
  const std::size_t equal = text.find('=');
  if (equal != std::string_view::npos && text.substr(0, equal).find('/') == std::string_view::npos) {
    if (equal == 0 || equal + 1 == text.size()) throw UsageError("--model: write FILE or NAME=FILE");
    return {std::string(text.substr(0, equal)), std::string(text.substr(equal + 1))};
  }
  std::string_view name = text.substr(text.rfind('/') + 1);
  name = name.substr(0, std::max<std::size_t>(1, std::min(name.find('.'), name.size())));
  if (name.empty()) throw UsageError("--model: write FILE or NAME=FILE");
  return {std::string(name), std::string(text)};
}

ServedModel::ServedModel(std::string name, const std::string& file, ModelMemory memory)
    : name_(std::move(name)), pipeline_(Pipeline::open(file, memory)) {
  if (pipeline_.has(PipelinePart::parser)) idle_.push_back(std::make_unique<Parser>(pipeline_.parser()));
}

Parsed ServedModel::parse(const Sentence& sentence, const ParseOptions& options) const {
  std::unique_ptr<Parser> parser;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      parser = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!parser) parser = std::make_unique<Parser>(pipeline_.parser());
  Parsed parsed = parser->parse(sentence, options);  // A parser that throws is not used again.
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(parser));
  return parsed;
}

ModelStore::ModelStore(std::vector<ModelSource> sources, ModelMemory memory)
    : sources_(std::move(sources)), memory_(memory) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sources_[i].name != sources_[j].name) continue;
      throw UsageError(
          fmt::format("--model: two models have the name '{}'; give one another by NAME=FILE", sources_[i].name));
    }
  }
  current_ = open();
}

std::shared_ptr<const ModelSet> ModelStore::open() const {
  auto set = std::make_shared<ModelSet>();
  for (const ModelSource& source : sources_)
    set->push_back(std::make_shared<ServedModel>(source.name, source.file, memory_));
  return set;
}

std::shared_ptr<const ModelSet> ModelStore::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void ModelStore::reload() {
  std::shared_ptr<const ModelSet> fresh = open();
  const std::lock_guard lock(mutex_);
  current_ = std::move(fresh);
}

}  // namespace kirchhoff::cli
