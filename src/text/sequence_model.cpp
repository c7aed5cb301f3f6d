// Reads, writes and applies linear models over sequences.
#include "text/sequence_model.hpp"

#include <algorithm>

namespace kirchhoff::text {

SequenceModel::SequenceModel(const parser::Container& file, const std::string& name, int tags)
    : tags_(tags),
      table_(file.array<parser::Bucket>(name + ".table"), file.array<parser::LabelWeight>(name + ".lists")) {
  const auto count = static_cast<std::size_t>(tags);
  const std::string problem = table_.problem(static_cast<std::uint32_t>(tags), "tags of '" + name + "'");
  if (!problem.empty()) file.fail(problem);
  const auto transitions = file.array<float>(name + ".pairs");
  if (transitions.empty()) return;
  if (transitions.size() != count * count) file.fail(name + " has transitions of other tags");
  transitions_.resize(tags, tags);
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    if (!parser::is_weight(std::bit_cast<std::uint32_t>(transitions[i]))) {
      file.fail(name + " has a transition whose weight is not a number of moderate size");
    }
    transitions_(static_cast<Eigen::Index>(i / count), static_cast<Eigen::Index>(i % count)) = transitions[i];
  }
}

void SequenceModel::score(std::span<const std::uint64_t> keys, std::vector<float>& scores) const {
  thread_local std::vector<const parser::LabelWeight*> found;
  scores.assign(static_cast<std::size_t>(tags_), 0.0F);
  table_.add(keys, found, scores);
}

Matrix SequenceModel::emissions(const SequenceKeys& keys) const {
  Matrix emissions(static_cast<Eigen::Index>(keys.length()), tags_);
  std::vector<float> scores;
  for (std::size_t t = 0; t < keys.length(); ++t) {
    score(keys.of(t), scores);
    for (int tag = 0; tag < tags_; ++tag) {
      emissions(static_cast<Eigen::Index>(t), tag) = scores[static_cast<std::size_t>(tag)];
    }
  }
  return emissions;
}

std::vector<std::size_t> best_first(std::span<const float> scores, float least) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= least) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

void add_sections(parser::ContainerWriter& writer, const std::string& name, const SequenceWeights& weights,
                  base::Crew& crew) {
  parser::LabelTables tables =
      parser::make_label_tables({weights.keys, weights.begin, weights.tags, weights.weights}, crew, kFilled);
  writer.add_vector(name + ".table", std::move(tables.features));
  writer.add_vector(name + ".lists", std::move(tables.lists));
  writer.add_array(name + ".pairs", std::span<const float>(weights.transitions));
}

}  // namespace kirchhoff::text
