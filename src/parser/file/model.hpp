// A model as it lies in its file: views into the bytes, and the small things that are worth unpacking.
#pragma once

#include "kirchhoff/parser.hpp"
#include "parser/features/arc_tables.hpp"
#include "parser/features/part_keys.hpp"
#include "parser/file/container.hpp"
#include "parser/weights/feature_index.hpp"

namespace kirchhoff::parser {

inline constexpr std::uint32_t kModelVersion = 2;

/// An entry of a feature's list of labels; the last one of a list has the high bit set.
struct LabelWeight {
  static constexpr std::uint32_t kLast = 0x80000000U;
  std::uint32_t label = 0;
  float weight = 0.0F;
};

/// Where a relation was seen: below the root, elsewhere, or both.
enum LabelUse : std::uint8_t { kRootLabel = 1, kWordLabel = 2 };

using Card = std::vector<std::pair<std::string, std::string>>;

/// What decides how a model parses, beside its weights.
struct Settings {
  Root root = Root::single;
  PartSet parts = {};
  bool map = false;  ///< The model was trained with beta = inf, so AD3 finds its trees.
  Pruning pruning;
  double temperature = 1.0;  ///< The temperature of the probabilities, which was fitted on dev.
};

/// A verified model file with everything that parsing needs of it.
struct Model {
  /// Throws ModelError when a section is missing or does not fit the others.
  explicit Model(Container container);

  Container file;
  Card card;
  Settings settings;
  Inventory inventory;
  std::span<const std::uint8_t> label_use;
  Templates arc_templates;
  PartTemplates part_templates;
  Templates label_templates;
  ArcTables tables;
  std::span<const float> pruner;
  BucketTable arcs;    ///< The weights of all features of arcs and parts.
  BucketTable labels;  ///< Gives 1 + the place in label_lists.
  std::span<const LabelWeight> label_lists;
};

/// All that a new model is made from.
struct ModelParts {
  Card card;
  Settings settings;
  const Inventory& inventory;
  std::vector<std::uint8_t> label_use;
  std::string_view arc_templates, label_templates;
  const PartTemplates& part_templates;
  std::span<const float> pruner;
  std::span<const std::uint64_t> arc_keys;
  std::span<const float> arc_weights;  ///< Those that are 0 are left out.
  std::span<const std::uint64_t> label_keys;
  std::span<const std::uint32_t> label_begin;  ///< Feature f has the entries begin[f] .. begin[f + 1] - 1.
  std::span<const std::uint16_t> label_ids;
  std::span<const float> label_weights;
};

std::shared_ptr<const Model> make_model(const ModelParts& parts, base::Crew& crew);
/// The same model with another card and temperature.
std::shared_ptr<const Model> revised(const Model& model, const Card& card, double temperature, base::Crew& crew);

/// What the rest of the parser sees of a ParserModel.
struct ModelAccess {
  static ParserModel wrap(std::shared_ptr<const Model> model) { return ParserModel(std::move(model)); }
  static const std::shared_ptr<const Model>& model_of(const ParserModel& model) { return model.model_; }
};

}  // namespace kirchhoff::parser
