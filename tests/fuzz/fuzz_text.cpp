// Bytes as raw text, for a small pipeline: they are refused, or become sentences with trees whose text is theirs byte
// for byte. After 0xff bytes are edits of the pipeline's file: it is refused with a message, or it still gives trees.
#include "container_edits.hpp"
#include "require.hpp"

#include "parser/file/model.hpp"
#include "text/token_model.hpp"
#include "text/toy_text.hpp"

#include <cmath>

namespace {

using namespace kirchhoff;

const std::string& base_file() {
  static const std::string bytes = [] {
    PipelineOptions options{.training = {.root = Root::single}, .tagger_epochs = 2, .folds = 0};
    options.training.epochs = options.training.pruner_epochs = options.training.threads = 1;
    options.training.arc_templates = options.training.label_templates = "dir | h.upos d.upos\ndist | d.lemma\n";
    const Pipeline pipeline = train_pipeline(ToyText(1).sentences(40), {}, options).value();
    const auto file = text::TextAccess::file_of(pipeline).bytes();
    return std::string(reinterpret_cast<const char*>(file.data()), file.size());
  }();
  return bytes;
}

Pipeline opened(parser::FileBytes bytes) {
  return text::TextAccess::pipeline(parser::Container(std::move(bytes), "fuzz", parser::kModelVersion));
}

parser::FileBytes bytes_of(const std::string& file) {
  const auto* begin = reinterpret_cast<const std::byte*>(file.data());
  return {begin, begin + file.size()};
}

void check_text(const Pipeline& pipeline, std::string_view text) {
  std::vector<Sentence> found;
  try {
    found = annotate(pipeline, text, 1);
  } catch (const ParseError& error) {
    return require_message(error.what());
  }
  for (const Sentence& s : found) {
    require(s.size() > 0 && !tree_problem(s.heads(), Root::single), "not a tree");
    const Tagged tagged = tag(pipeline.tagger(), s, {.probabilities = true});
    for (const double p : tagged.upos_probabilities) require(p >= 0.0 && p <= 1.0, "not a probability");
    require(tagged.entropy >= -1e-9, "an entropy below 0");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  require(found.empty() || plain_text(found) == text, "another text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Pipeline pipeline = opened(bytes_of(base_file()));
  const std::string_view text = as_text(data, size);
  if (!text.starts_with('\xff')) {
    check_text(pipeline, text);
    return 0;
  }
  Sections sections = sections_of(text::TextAccess::file_of(pipeline));
  apply_edits(sections, text.substr(1));
  try {
    const Pipeline edited = opened(packed(sections, parser::kModelVersion));
    annotate(edited, "The dogs don't walk cats, é 10 000.", 1);
  } catch (const ModelError& error) {
    require_message(error.what());
  } catch (const InputError& error) {
    require_message(error.what());
  }
  return 0;
}
