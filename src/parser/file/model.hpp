// A model as it lies in its file: views into the bytes, and the small things that are worth unpacking.
#pragma once

#include "kirchhoff/parser.hpp"
#include "parser/features/arc_tables.hpp"
#include "parser/features/part_keys.hpp"
#include "parser/file/container.hpp"
#include "parser/weights/label_table.hpp"

namespace kirchhoff::parser {

inline constexpr std::uint32_t kModelVersion = 2;

/// Where a relation was seen: below the root, elsewhere, or both.
enum LabelUse : std::uint8_t { kRootLabel = 1, kWordLabel = 2 };

using Card = std::vector<std::pair<std::string, std::string>>;
/// Lines as sections have them, each with its end, and without.
std::vector<std::string> read_lines(std::string_view text);
std::string write_lines(const std::vector<std::string>& lines);
/// A card as the section "card" has it: a line for each name, a tab and its value, with nothing that cannot be shown.
Card read_card(std::string_view text);
std::string write_card(const Card& card);

/// What decides how a model parses, beside its weights.
struct Settings {
  Root root = Root::single;
  PartSet parts = {};
  bool map = false;  ///< The model was trained with beta = inf, so AD3 finds its trees.
  Pruning pruning;
  bool joint = false;              ///< Relations are chosen together with the tree.
  double temperature = 1.0;        ///< The temperature of the probabilities, which was fitted on dev.
  double label_temperature = 1.0;  ///< The same of joint relations given their arc.
};

/// The roles that templates of relations may look at: those of arcs where trees are not known yet.
inline std::string label_roles(bool joint) { return joint ? "hd" : "hdglraz"; }

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
  BucketTable arcs;   ///< The weights of all features of arcs and parts.
  LabelTable labels;  ///< The weights of relations.
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
  LabelLists labels;
};

std::shared_ptr<const Model> make_model(const ModelParts& parts, base::Crew& crew);
/// Temperatures that were fitted on dev: of trees, and of joint relations given their arcs.
struct Temperatures {
  double trees = 1.0, labels = 1.0;
};
/// The same model with another card and other temperatures.
std::shared_ptr<const Model> revised(const Model& model, const Card& card, Temperatures temperatures, base::Crew& crew);
/// The second model with the relations of the first, and all that chooses them.
std::shared_ptr<const Model> with_relations_of(const Model& relations, const Model& model, base::Crew& crew);

/// What the rest of the parser sees of a ParserModel.
struct ModelAccess {
  static ParserModel wrap(std::shared_ptr<const Model> model) { return ParserModel(std::move(model)); }
  static const std::shared_ptr<const Model>& model_of(const ParserModel& model) { return model.model_; }
};

}  // namespace kirchhoff::parser
