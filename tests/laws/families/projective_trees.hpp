// Projective trees and labelled projective trees, as the law suite sees them.
#pragma once

#include "kirchhoff/projective.hpp"
#include "laws/families/trees.hpp"

namespace kirchhoff::laws {

template <class D, Root kRoot>
class ProjectiveFamily : public TreeFamily<D, kRoot> {
  using Base = TreeFamily<D, kRoot>;

 public:
  /// The trees' random graphs, until one has a projective tree.
  explicit ProjectiveFamily(graphs::Random& random) : Base(random) {
    while (Enumeration(structures(), this->weights()).size() == 0) static_cast<Base&>(*this) = Base(random);
  }

  std::vector<Structure> structures() const {
    std::vector<Structure> all;
    const oracle::Forest forest(oracle::ArcArray(this->words_, this->labels_), kRoot, oracle::Kind::projective);
    for (const oracle::Tree& tree : forest.trees()) all.push_back(this->structure(tree.heads, tree.labels));
    return all;
  }
  Structure sample(const D& p, std::uint64_t seed, std::uint64_t index) const {
    const Tree t = ProjectiveTreeSampler(p).sample(seed, index);
    return this->structure(t.heads, t.labels);
  }
  /// Arcs cross in the mirror where they cross: the words may be reversed.
  std::vector<std::size_t> renaming(graphs::Random&) const {
    const auto mirrored = [&](int node) { return node == 0 ? 0 : this->words_ + 1 - node; };
    std::vector<std::size_t> renamed(this->weights().size());
    for (std::size_t i = 0; i < renamed.size(); ++i) {
      const Arc arc = this->arc(i);
      renamed[i] = this->place(mirrored(arc.head), mirrored(arc.dependent), this->label(i));
    }
    return renamed;
  }
};

}  // namespace kirchhoff::laws
