// A model as it lies in its file: views into the bytes, and the small things that are worth unpacking.
#pragma once

#include "kirchhoff/parser.hpp"
#include "parser/features/templates.hpp"
#include "parser/file/container.hpp"
#include "parser/inference/pruner.hpp"
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
  int order = 1;
  bool map = false;  ///< trained with beta = inf: trees by AD3
  Pruning pruning;
  double temperature = 1.0;  ///< of the probabilities, fitted on dev
};

struct Model {
  /// Throws ModelError when a section is missing or does not fit the others.
  explicit Model(Container container);

  Container file;
  Card card;
  Settings settings;
  Inventory inventory;
  std::span<const std::uint8_t> label_use;
  Templates arc_templates, sibling_templates, grand_templates, label_templates;
  ArcTables tables;
  std::span<const float> pruner;
  BucketTable arcs;    ///< weights of all features of arcs and second-order parts
  BucketTable labels;  ///< 1 + where in label_lists
  std::span<const LabelWeight> label_lists;
};

/// The weights of a model in the making.
struct ModelParts {
  Card card;
  Settings settings;
  const Inventory& inventory;
  std::vector<std::uint8_t> label_use;
  std::string_view arc_templates, sibling_templates, grand_templates, label_templates;
  std::span<const float> pruner;
  std::span<const std::uint64_t> arc_keys;
  std::span<const float> arc_weights;  ///< those that are 0 are left out
  std::span<const std::uint64_t> label_keys;
  std::span<const std::uint32_t> label_begin;  ///< feature f's entries are begin[f] .. begin[f + 1] - 1
  std::span<const std::uint16_t> label_ids;
  std::span<const float> label_weights;
};

std::shared_ptr<const Model> make_model(const ModelParts& parts);
/// The same with another card and temperature.
std::shared_ptr<const Model> revised(const Model& model, const Card& card, double temperature);

/// The arc scores of a sentence: features of the candidates only, -inf elsewhere.
Matrix model_scores(const Model& model, const Candidates& candidates, const class Features& features,
                    std::vector<std::uint64_t>& keys, int words);

}  // namespace kirchhoff::parser
