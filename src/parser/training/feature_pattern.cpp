// Compares names of features, whose atoms may be in any order.
#include "parser/training/feature_pattern.hpp"

#include "base/check.hpp"
#include "base/message.hpp"
#include "parser/features/feature_names.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace kirchhoff::parser {
namespace {

constexpr const char* kName = "FeatureConstraint";

std::vector<std::string> sorted_atoms(const std::string& name) {
  std::istringstream text(name);
  std::vector<std::string> atoms;
  for (std::string atom; text >> atom;) atoms.push_back(atom);
  std::sort(atoms.begin(), atoms.end());
  return atoms;
}

/// The template that has these atoms, without their values.
Templates templates_of(const std::vector<std::string>& atoms) {
  constexpr std::array<std::string_view, 4> kOfThree = {"dir2", "dist2", "puncts2", "dir3"};
  std::string line = "any |";
  std::string last;
  for (const std::string& atom : atoms) {
    const std::size_t equals = atom.find('=');
    const std::string name = atom.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == atom.size()) {
      base::input_error(kName, "feature: '" + atom + "' is no atom with a value, such as d.upos=NOUN");
    }
    if (name == last) base::input_error(kName, "feature: '" + name + "' has two values");
    if (std::find(kOfThree.begin(), kOfThree.end(), name) != kOfThree.end()) {
      base::input_error(kName, "feature: '" + name + "' is for parts of three words");
    }
    last = name;
    line += " " + name;
  }
  try {
    return {"hd", atoms.empty() ? "" : line + "\n"};
  } catch (const InputError& error) {
    base::input_error(kName, "feature: " + base::without_function(error.what()));
  }
}

}  // namespace

FeaturePattern::FeaturePattern(const std::string& name)
    : all_{sorted_atoms(name), Templates("hd", "")}, of_dependent_{{}, Templates("hd", "")} {
  if (all_.atoms.empty()) base::input_error(kName, "feature: is empty");
  all_.templates = templates_of(all_.atoms);
  for (const std::string& atom : all_.atoms) {
    const bool of_node = atom.substr(0, atom.find('=')).find('.') != std::string::npos;
    if (of_node && atom[0] == 'd') of_dependent_.atoms.push_back(atom);
  }
  of_dependent_.templates = templates_of(of_dependent_.atoms);
}

FeatureMatcher::FeatureMatcher(const FeaturePattern& pattern, const Inventory& inventory)
    : inventory_(&inventory),
      all_{&pattern.all_, FeatureKeys(pattern.all_.templates), {}},
      of_dependent_{&pattern.of_dependent_, FeatureKeys(pattern.of_dependent_.templates), {}} {}

void FeatureMatcher::read(const Sentence& sentence, const Encoded& encoded) {
  sentence_ = &sentence;
  encoded_ = &encoded;
  all_.features.read(encoded);
  of_dependent_.features.read(encoded);
}

bool FeatureMatcher::has(Known& known, Arc arc) {
  keys_.clear();
  known.features.append({arc.head, arc.dependent}, keys_);
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const auto [place, is_new] = known.keys.try_emplace(keys_[k], false);
    if (is_new) {
      place->second = sorted_atoms(feature_name(known.part->templates, *inventory_, *sentence_, *encoded_, arc, k)) ==
                      known.part->atoms;
    }
    if (place->second) return true;
  }
  return false;
}

}  // namespace kirchhoff::parser
