// Packs a model into the sections of its file, and reads and checks them.
#include "parser/file/model.hpp"

#include "base/utf8.hpp"
#include "kirchhoff/train.hpp"
#include "parser/file/check_model.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace kirchhoff::parser {
namespace {

/// Text that can be shown: no control characters, and well-formed UTF-8. Names of files may be anything.
std::string shown(std::string_view raw) {
  std::string s(raw);
  std::replace_if(
      s.begin(), s.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t bad = base::invalid_utf8(std::string_view(s).substr(at));
    if (bad == std::string_view::npos) break;
    s[at + bad] = '?';
    at += bad + 1;
  }
  return s;
}

/// The settings as they are stored. The layout is fixed, so that no text has to be parsed.
struct StoredSettings {
  std::int32_t single_root = 1;
  std::int32_t max_heads = 0;
  std::int32_t order = 1;  ///< 1: arcs, 2: next siblings and grandparents, 3: as the section "parts" says
  std::int32_t map = 0;
  double threshold = 0.0;
  double temperature = 1.0;
};

constexpr std::int32_t kOtherParts = 3;
/// Sections of models with joint labels: one says "joint", one has their temperature.
constexpr const char *kLabelling = "label.mode", *kLabelTemperature = "label.tempered";

/// Programs that do not know of joint labels refuse the third order.
std::int32_t order_of(const Settings& s) {
  if (s.joint) return kOtherParts;
  return s.parts == kArcs ? 1 : s.parts == kNextSiblings ? 2 : kOtherParts;
}

PartSet parts_of(const Container& file, std::int32_t order) {
  if (order == 1) return kArcs;
  if (order == 2) return kNextSiblings;
  if (order != kOtherParts) file.fail("its settings are damaged: order is out of range");
  try {
    return parse_parts(file.text("parts"));
  } catch (const InputError&) {
    file.fail("its settings are damaged: parts that this program does not know");
  }
}

PartTemplates templates_of(const Container& file, const PartSet& set) {
  PartTemplates templates{.set = set};
  templates.siblings = {"hds", file.text("sib.templates")};
  templates.grandparents = {"ghd", file.text("grand.templates")};
  if (set.bigrams) templates.bigrams = {"hdk", file.text("big.templates")};
  if (set.non_projective) templates.non_projective = {"hd", file.text("cross.templates"), kNonProjectiveKind};
  return templates;
}

Settings settings_of(const Container& file) {
  const auto stored = file.array<StoredSettings>("settings");
  if (stored.size() != 1) file.fail("its settings are damaged");
  Settings s;
  s.root = stored[0].single_root != 0 ? Root::single : Root::multi;
  s.pruning.max_heads = stored[0].max_heads;
  s.parts = parts_of(file, stored[0].order);
  s.map = stored[0].map != 0;
  s.pruning.threshold = stored[0].threshold;
  s.temperature = stored[0].temperature;
  s.joint = file.has(kLabelling);
  if (s.joint && file.text(kLabelling) != to_string(Labelling::joint)) {
    file.fail("its settings are damaged: how relations are chosen");
  }
  if (file.has(kLabelTemperature)) {
    const auto temperature = file.array<double>(kLabelTemperature);
    if (temperature.size() != 1 || !s.joint) file.fail("its settings are damaged: the temperature of relations");
    s.label_temperature = temperature[0];
  }
  return s;
}

Buckets arc_table(const ModelParts& parts, base::Crew& crew) {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> values;
  for (std::size_t f = 0; f < parts.arc_keys.size(); ++f) {
    if (parts.arc_weights[f] == 0.0F) continue;
    keys.push_back(parts.arc_keys[f]);
    values.push_back(std::bit_cast<std::uint32_t>(parts.arc_weights[f]));
  }
  return make_buckets(keys, values, crew);
}

}  // namespace

std::vector<std::string> read_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string write_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Card read_card(std::string_view text) {
  Card card;
  for (const std::string& line : read_lines(text)) {
    const std::size_t tab = line.find('\t');
    card.emplace_back(shown(line.substr(0, tab)), tab == std::string::npos ? "" : shown(line.substr(tab + 1)));
  }
  return card;
}

std::string write_card(const Card& card) {
  std::string text;
  for (const auto& [name, value] : card) text += shown(name) + "\t" + shown(value) + "\n";
  return text;
}

Model::Model(Container container)
    : file(std::move(container)),
      card(read_card(file.text("card"))),
      settings(settings_of(file)),
      inventory{NameList(read_lines(file.text("upos"))), NameList(read_lines(file.text("tags"))),
                NameList(read_lines(file.text("labels")))},
      label_use(file.array<std::uint8_t>("label.use")),
      arc_templates("hd", file.text("arc.templates")),
      part_templates(templates_of(file, settings.parts)),
      label_templates(label_roles(settings.joint), file.text("label.templates")),
      tables(inventory),
      pruner(file.array<float>("pruner")),
      arcs(file.array<Bucket>("arc.table")),
      labels(file.array<Bucket>("label.table"), file.array<LabelWeight>("label.lists")) {
  check_model(*this);
}

std::shared_ptr<const Model> make_model(const ModelParts& parts, base::Crew& crew) {
  ContainerWriter writer(kModelVersion);
  writer.add("card", write_card(parts.card));
  const StoredSettings stored{
      parts.settings.root == Root::single, parts.settings.pruning.max_heads, order_of(parts.settings),
      parts.settings.map ? 1 : 0,          parts.settings.pruning.threshold, parts.settings.temperature};
  writer.add_array("settings", std::span(&stored, 1));
  writer.add("upos", write_lines(parts.inventory.upos.names()));
  writer.add("tags", write_lines(parts.inventory.tags.names()));
  writer.add("labels", write_lines(parts.inventory.labels.names()));
  writer.add_array("label.use", std::span<const std::uint8_t>(parts.label_use));
  writer.add("arc.templates", parts.arc_templates);
  const PartTemplates& templates = parts.part_templates;
  writer.add("sib.templates", templates.siblings.text());
  writer.add("grand.templates", templates.grandparents.text());
  if (stored.order == kOtherParts) writer.add("parts", to_string(templates.set));
  if (templates.set.bigrams) writer.add("big.templates", templates.bigrams.text());
  if (templates.set.non_projective) writer.add("cross.templates", templates.non_projective.text());
  writer.add("label.templates", parts.label_templates);
  if (parts.settings.joint) {
    writer.add(kLabelling, to_string(Labelling::joint));
    writer.add_array(kLabelTemperature, std::span(&parts.settings.label_temperature, 1));
  }
  writer.add_array("pruner", parts.pruner);

  Buckets arcs;
  LabelTables labels;
  crew.loop(2, [&](std::size_t table) {
    if (table == 0) {
      arcs = arc_table(parts, crew);
    } else {
      labels = make_label_tables(parts.labels, crew);
    }
  });
  writer.add_vector("arc.table", std::move(arcs));
  writer.add_vector("label.table", std::move(labels.features));
  writer.add_vector("label.lists", std::move(labels.lists));
  return std::make_shared<const Model>(Container(std::move(writer).finish(crew), "new model", kModelVersion));
}

std::shared_ptr<const Model> revised(const Model& model, const Card& card, Temperatures temperatures,
                                     base::Crew& crew) {
  StoredSettings settings = model.file.array<StoredSettings>("settings")[0];
  settings.temperature = temperatures.trees;
  ContainerWriter writer(kModelVersion);
  for (const std::string& name : model.file.names()) {
    if (name == "card") {
      writer.add(name, write_card(card));
    } else if (name == "settings") {
      writer.add_array(name, std::span<const StoredSettings>(&settings, 1));
    } else if (name == kLabelTemperature) {
      writer.add_array(name, std::span<const double>(&temperatures.labels, 1));
    } else {
      writer.add_borrowed(name, model.file.section(name));
    }
  }
  return std::make_shared<const Model>(Container(std::move(writer).finish(crew), "new model", kModelVersion));
}

std::shared_ptr<const Model> with_relations_of(const Model& relations, const Model& model, base::Crew& crew) {
  ContainerWriter writer(kModelVersion);
  for (const std::string& name : model.file.names()) {
    writer.add_borrowed(name, (name.starts_with("label") ? relations : model).file.section(name));
  }
  return std::make_shared<const Model>(Container(std::move(writer).finish(crew), "new model", kModelVersion));
}

}  // namespace kirchhoff::parser
