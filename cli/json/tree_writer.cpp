// Writes a tree as fields of a JSON object; the root, which has no head, is left out.
#include "json/tree_writer.hpp"

namespace kirchhoff::cli {
namespace {

void write_words(std::string_view name, const std::vector<int>& values, JsonWriter& out) {
  out.key(name);
  out.list(values.size() - 1, [&](std::size_t i) { out.write(values[i + 1]); });
}

}  // namespace

void write_heads(const Heads& heads, JsonWriter& out) { write_words("heads", heads, out); }

void write_labels(const std::vector<int>& labels, JsonWriter& out) { write_words("labels", labels, out); }

void write_tree(const Tree& tree, JsonWriter& out) {
  write_heads(tree.heads, out);
  if (!tree.labels.empty()) write_labels(tree.labels, out);
  out.key("score");
  out.write(tree.score);
  out.key("log_prob");
  out.write(*tree.log_prob);
}

}  // namespace kirchhoff::cli
