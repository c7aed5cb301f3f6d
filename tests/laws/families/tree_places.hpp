// Where the arcs of trees over some words are in a list of places, one after the other as in an array of scores.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "laws/enumeration.hpp"

#include <utility>
#include <vector>

namespace kirchhoff::laws {

class TreePlaces {
 public:
  TreePlaces(int words, int labels) : words_(words), labels_(labels) {}

 protected:
  Arc arc(std::size_t place) const {
    const auto cell = static_cast<int>(place) / labels_;
    return {cell / (words_ + 1), cell % (words_ + 1)};
  }
  std::size_t place(int head, int word, int label) const {
    return (static_cast<std::size_t>(head) * (words_ + 1) + word) * labels_ + label;
  }
  int label(std::size_t place) const { return static_cast<int>(place) % labels_; }
  Structure structure(const Heads& heads, const std::vector<int>& labels) const {
    Structure s(flat_places(), 0);
    for (int word = 1; word <= words_; ++word) s[place(heads[word], word, labels.empty() ? 0 : labels[word])] = 1;
    return s;
  }
  std::pair<Heads, std::vector<int>> tree(const Structure& s) const {
    Heads heads(words_ + 1, -1);
    std::vector<int> labels(words_ + 1, 0);
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] > 0) heads[arc(i).dependent] = arc(i).head, labels[arc(i).dependent] = label(i);
    }
    return {heads, labels};
  }
  Features features(const Weights& f) const {
    std::vector<FeatureEntry> entries;
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (f[i] != 0.0) entries.push_back({arc(i).head, arc(i).dependent, 0, f[i], label(i)});
    }
    return Features(words_, 1, std::move(entries), labels_);
  }
  std::size_t flat_places() const { return static_cast<std::size_t>(words_ + 1) * (words_ + 1) * labels_; }

  int words_, labels_;
};

}  // namespace kirchhoff::laws
