// Names of tags and scripts as numbers from 0 on.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kirchhoff::text {

/// Numbers names in the order of their first occurrence.
class Numbering {
 public:
  int add(const std::string& name) {
    const auto [place, is_new] = ids_.try_emplace(name, size());
    if (is_new) names_.push_back(name);
    return place->second;
  }
  /// The number of a name, or -1 when it has none.
  int find(const std::string& name) const {
    const auto place = ids_.find(name);
    return place == ids_.end() ? -1 : place->second;
  }
  int size() const { return static_cast<int>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> ids_;
};

}  // namespace kirchhoff::text
