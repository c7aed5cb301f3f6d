// ParserModel, the public face of a model file: opening, saving, and what can be read off a model without parsing.
#include "parser/file/model.hpp"

namespace kirchhoff {

ParserModel ParserModel::open(const std::string& path, ModelMemory memory) {
  try {
    auto file = parser::Container::open(path, parser::kModelVersion, memory);
    return ParserModel(std::make_shared<const parser::Model>(std::move(file)));
  } catch (const InputError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

void ParserModel::save(const std::string& path) const { parser::write_atomically(path, model_->file.bytes()); }
const std::vector<std::pair<std::string, std::string>>& ParserModel::card() const { return model_->card; }
const std::vector<std::string>& ParserModel::labels() const { return model_->inventory.labels.names(); }
Root ParserModel::root() const { return model_->settings.root; }

const PartSet& ParserModel::parts() const { return model_->settings.parts; }
std::size_t ParserModel::bytes() const { return model_->file.bytes().size(); }

Sentence ParserModel::annotate(const Sentence& sentence, const Tree& tree) const {
  Sentence result = sentence;
  for (int d = 1; d <= sentence.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    result.set_head(d, tree.heads[i]);
    result.set(d, Column::deprel, labels()[static_cast<std::size_t>(tree.labels[i])]);
  }
  return result;
}

}  // namespace kirchhoff
