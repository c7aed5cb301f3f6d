// Edits a small model file, whose checksum is made right again: it is refused with a message, or it parses, with trees,
// labels that it knows and probabilities that are some. Input that begins with 0xff is a whole container instead.
#include "container_edits.hpp"
#include "require.hpp"

#include "kirchhoff/train.hpp"
#include "parser/file/crafted.hpp"
#include "parser/file/model.hpp"
#include "parser/toy_treebank.hpp"

#include <cmath>

namespace {

using namespace kirchhoff;

constexpr const char* kTemplates = "dir | h.upos d.upos\nany between | d.form\ndist | h.lemma d+1.tag\n";
constexpr std::size_t kMostPruner = 600'000;  // Weights: more only costs time.

const ParserModel& base_model() {
  static const ParserModel model = [] {
    TrainOptions options{.root = Root::single};
    options.epochs = options.pruner_epochs = options.min_count = options.threads = 1;
    options.arc_templates = options.label_templates = kTemplates;
    return train_parser(ToyTreebank(1).sentences(4), {}, options).model.value();
  }();
  return model;
}

void check_parsed(const ParserModel& model, const Sentence& sentence, const Parsed& parsed) {
  require(!tree_problem(parsed.tree.heads, model.root()), "not a tree");
  for (const int label : parsed.tree.labels) {
    require(label >= 0 && static_cast<std::size_t>(label) < model.labels().size(), "an unknown label");
  }
  for (const auto* probabilities : {&parsed.arc_probabilities, &parsed.label_probabilities}) {
    for (const double p : *probabilities) require(p >= 0.0 && p <= 1.0 + 1e-6, "not a probability");
  }
  require(parsed.log_prob <= 1e-6 && parsed.entropy >= -1e-6, "log_prob or entropy");
  require(model.annotate(sentence, parsed.tree).size() == sentence.size(), "another sentence");
}

void check(parser::FileBytes bytes) {
  static const std::vector<Sentence> sentences = ToyTreebank(2).sentences(2);
  std::shared_ptr<const parser::Model> made;
  try {
    made = std::make_shared<const parser::Model>(parser::Container(std::move(bytes), "fuzz", parser::kModelVersion));
  } catch (const ModelError& error) {
    return require_message(error.what());
  } catch (const InputError&) {  // ParserModel::open() makes a ModelError of it.
    return;
  }
  const ParserModel model = parser::ModelAccess::wrap(made);
  Parser parser(model);
  for (const Sentence& s : sentences) check_parsed(model, s, parser.parse(s, {.probabilities = true}));
}

/// Makes the pruner as large as the tags ask for, so that other tags are not all refused.
void fit_pruner(Sections& sections) {
  const auto lines = [&](const char* name) {
    const std::string& text = content_of(sections, name);
    std::vector<std::string> names(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    return parser::NameList(std::move(names));
  };
  const parser::Inventory inventory{lines("upos"), lines("tags"), {}};
  const std::size_t size = parser::ArcTables(inventory).size();
  if (inventory.upos.size() <= 8 && inventory.tags.size() <= 40 && size <= kMostPruner) {
    content_of(sections, "pruner").resize(size * sizeof(float));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] == 0xff) {
    std::string whole(as_text(data + 1, size - 1));
    const auto front = base_model();  // The first 16 bytes are those of every model.
    const auto bytes = parser::ModelAccess::model_of(front)->file.bytes();
    if (whole.size() >= kHeaderSize) std::memcpy(whole.data(), bytes.data(), 16);
    repair(whole);
    const auto* begin = reinterpret_cast<const std::byte*>(whole.data());
    check({begin, begin + whole.size()});
    return 0;
  }
  Sections sections = sections_of(parser::ModelAccess::model_of(base_model())->file);
  const std::string tags = content_of(sections, "upos") + content_of(sections, "tags");
  apply_edits(sections, as_text(data, size));
  if (content_of(sections, "upos") + content_of(sections, "tags") != tags) fit_pruner(sections);
  check(packed(sections, parser::kModelVersion));
  return 0;
}
