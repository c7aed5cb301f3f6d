// Binds kirchhoff/pipeline.hpp: from raw text to trees, and the training of all parts.
#include "arrays.hpp"
#include "names.hpp"
#include "train_options.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/pipeline.hpp>

#include <sstream>

namespace kirchhoff::python {
namespace {

/// Form, lemma, UPOS, XPOS and FEATS.
using Reading = std::tuple<std::string, std::string, std::string, std::string, std::string>;

std::vector<LexiconEntry> entries_of(const std::vector<Reading>& readings) {
  std::vector<LexiconEntry> entries;
  for (const auto& [form, lemma, upos, xpos, feats] : readings) entries.push_back({form, lemma, upos, xpos, feats});
  return entries;
}

std::vector<Reading> lexicon_of(const std::string& text, const std::string& name) {
  std::istringstream in(text);
  std::vector<Reading> readings;
  for (const LexiconEntry& e : read_lexicon(in, name)) readings.emplace_back(e.form, e.lemma, e.upos, e.xpos, e.feats);
  return readings;
}

std::vector<std::pair<std::string, std::string>> clusters_of(const std::string& text, const std::string& name) {
  std::istringstream in(text);
  std::vector<std::pair<std::string, std::string>> clusters;
  for (const WordCluster& cluster : read_clusters(in, name)) clusters.emplace_back(cluster.path, cluster.word);
  return clusters;
}

/// progress(stage, done, all) and epoch(...) are those of the parser's training; Ctrl-C stops all parts.
Pipeline train_parts(const std::vector<Sentence>& sentences, const std::vector<Sentence>& dev, const nb::dict& given,
                     const nb::object& progress, const nb::object& epoch) {
  PipelineOptions o{.training = train_options(given, sentences.size())};
  const auto take = [&](const char* name, auto& value) {
    if (given.contains(name)) value = nb::cast<std::remove_reference_t<decltype(value)>>(given[name]);
  };
  take("tokenizer", o.tokenizer);
  take("tagger", o.tagger);
  take("lemmatizer", o.lemmatizer);
  take("parser", o.parser);
  take("tagger_epochs", o.tagger_epochs);
  take("folds", o.folds);
  if (given.contains("lexicon")) o.lexicon = entries_of(nb::cast<std::vector<Reading>>(given["lexicon"]));
  if (given.contains("clusters")) {
    for (auto& [path, word] : nb::cast<std::vector<std::pair<std::string, std::string>>>(given["clusters"])) {
      o.clusters.push_back({path, word});
    }
  }
  TrainEvents events = train_events(progress, epoch);
  auto learnt = interruptible([&](const Stop& stop) {
    events.stop = stop;
    return train_pipeline(sentences, dev, o, events);
  });
  return *learnt;
}

std::vector<std::string_view> parts_of(const Pipeline& pipeline) {
  std::vector<std::string_view> parts;
  for (std::size_t i = 0; i < kNames<PipelinePart>.size(); ++i) {
    if (pipeline.has(static_cast<PipelinePart>(i))) parts.push_back(kNames<PipelinePart>[i]);
  }
  return parts;
}

std::vector<Sentence> tokenized(const Pipeline& pipeline, std::string_view text, bool ranges) {
  const Tokenizer& tokenizer = pipeline.tokenizer();
  return unlocked([&] { return tokenize(tokenizer, text, {.ranges = ranges}); });
}

using TaggedTuple = std::tuple<Sentence, std::vector<double>, std::vector<double>, double, double>;

/// For each sentence its best tags alone, or with k > 0 its k best ones.
std::vector<std::vector<TaggedTuple>> tagged(const Pipeline& pipeline, const std::vector<Sentence>& sentences,
                                             bool keep, bool probabilities, const KnownWords* lexicon, int k,
                                             int threads) {
  const Tagger& tagger = pipeline.tagger();
  const TagOptions options{.keep = keep, .probabilities = probabilities, .lexicon = lexicon};
  std::vector<std::vector<TaggedTuple>> out(sentences.size());
  run(sentences.size(), threads, [&](std::size_t i) {
    auto found = k > 0 ? k_best_taggings(tagger, sentences[i], k, options)
                       : std::vector<Tagged>{tag(tagger, sentences[i], options)};
    for (Tagged& one : found) {
      out[i].emplace_back(std::move(one.sentence), std::move(one.upos_probabilities),
                          std::move(one.feats_probabilities), one.entropy, one.log_prob);
    }
  });
  return out;
}

/// A parser without a tagger would see tags that nobody filled in, so that is refused here.
std::vector<Sentence> annotated(const Pipeline& pipeline, std::string_view text, int threads) {
  const bool has_parser = pipeline.has(PipelinePart::parser);
  const Tagger* tagger = has_parser || pipeline.has(PipelinePart::tagger) ? &pipeline.tagger() : nullptr;
  std::vector<Sentence> sentences = tokenized(pipeline, text, false);
  if (tagger == nullptr) return sentences;
  run(sentences.size(), threads, [&](std::size_t i) { sentences[i] = tag(*tagger, sentences[i]).sentence; });
  if (!has_parser) return sentences;
  const ParserModel& parser = pipeline.parser();
  const std::vector<Parsed> parsed =
      interruptible([&](const Stop& stop) { return parse_all(parser, sentences, {}, threads, stop); });
  for (std::size_t i = 0; i < sentences.size(); ++i) sentences[i] = parser.annotate(sentences[i], parsed[i].tree);
  return sentences;
}

/// The emissions of a sentence's universal tags, and the transitions between neighbouring ones.
std::pair<NumpyArray<double>, NumpyArray<double>> tag_scores(const Pipeline& pipeline, const Sentence& sentence) {
  const Tagger& tagger = pipeline.tagger();
  ChainArrays scores = unlocked([&] { return tagger.upos_distribution(sentence).scores(); });
  const auto tags = static_cast<std::size_t>(scores.tags());
  const auto length = static_cast<std::size_t>(scores.length());
  return {array_of(std::move(scores.emissions)), array_over(std::move(scores.transitions), {length - 1, tags, tags})};
}

}  // namespace

void bind_pipeline(nb::module_& m) {
  nb::class_<KnownWords>(m, "KnownWords").def("__init__", [](KnownWords* self, const std::vector<Reading>& readings) {
    new (self) KnownWords(entries_of(readings));
  });
  m.def("read_lexicon", lexicon_of);
  m.def("read_clusters", clusters_of);
  nb::class_<Pipeline> c(m, "Pipeline");
  c.def_static(
      "open",
      [](const std::string& path, const std::string& memory) {
        return Pipeline::open(path, named<ModelMemory>(memory, "memory"));
      },
      nb::arg(), nb::arg() = to_string(ModelMemory::own));
  c.def("save", &Pipeline::save);
  c.def("parts", parts_of);
  c.def("card", &Pipeline::card);
  c.def("parser", [](const Pipeline& pipeline) { return pipeline.parser(); });
  c.def("upos", [](const Pipeline& pipeline) { return pipeline.tagger().upos(); });
  c.def("tokenize", tokenized);
  c.def("tag", tagged, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  c.def("annotate", annotated);
  c.def("tag_scores", tag_scores);
  m.def("train_pipeline", train_parts, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("plain_text", [](const std::vector<Sentence>& sentences) { return plain_text(sentences); });
}

}  // namespace kirchhoff::python
