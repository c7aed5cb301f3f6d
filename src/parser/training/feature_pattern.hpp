// Features by their names, as feature_name writes them: which arcs have one, and which words it is about.
#pragma once

#include "parser/features/feature_keys.hpp"

#include "kirchhoff/conllu.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace kirchhoff::parser {

/// The name of a feature, as templates and values.
class FeaturePattern {
 public:
  /// Throws InputError when these are not atoms of arcs with their values.
  explicit FeaturePattern(const std::string& name);

 private:
  friend class FeatureMatcher;
  /// Atoms with their values, sorted, and the template that they are of.
  struct Part {
    std::vector<std::string> atoms;
    Templates templates;
  };
  Part all_, of_dependent_;
};

/// Tells whether the arcs and words of sentences are as a pattern says.
class FeatureMatcher {
 public:
  /// The pattern and the inventory, by which sentences are encoded, must outlive it.
  FeatureMatcher(const FeaturePattern& pattern, const Inventory& inventory);
  /// Prepares for a sentence, which must stay alive in both forms.
  void read(const Sentence& sentence, const Encoded& encoded);
  bool matches(Arc arc) { return has(all_, arc); }
  /// Whether the word has what the pattern says of dependents.
  bool describes(int word) { return of_dependent_.part->atoms.empty() || has(of_dependent_, {0, word}); }

 private:
  /// Names take long to write, and there are few keys: what was found out about one is kept.
  struct Known {
    const FeaturePattern::Part* part;
    FeatureKeys features;
    std::unordered_map<std::uint64_t, bool> keys;
  };
  bool has(Known& known, Arc arc);

  const Inventory* inventory_;
  Known all_, of_dependent_;
  const Sentence* sentence_ = nullptr;
  const Encoded* encoded_ = nullptr;
  std::vector<std::uint64_t> keys_;
};

}  // namespace kirchhoff::parser
