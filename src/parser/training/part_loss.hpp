// Losses over trees of models of parts: L_{beta,gamma} by belief propagation or, for beta = inf, by the best tree, and
// the expected number of wrong heads.
#pragma once

#include "dependency/second_order.hpp"
#include "kirchhoff/learn.hpp"

#include <span>
#include <vector>

namespace kirchhoff::parser {

/// The tree that is learnt from: its heads, and which of the parts it has.
struct GoldParts {
  const Heads& heads;
  const std::vector<char>& parts;
};

struct PartObjective {
  double value = 0.0;
  std::vector<double> arcs, parts;  ///< the gradient by the scores of candidates and parts
  std::vector<double> of_gold;      ///< By word, from 0: what learn::unfold() needs to know of joint labels.
};

/// For a loss that is not an expected cost, beta < inf asks for beliefs in the place of marginals and Bethe's
/// approximation of log Z; with `relaxed`, beta = inf for the relaxation's solution in the place of the best tree.
/// Where propagation does not converge the expected cost has no gradient, because beliefs are no function of the scores
/// there. `right` says how much of a gold arc is right for the expected cost, by candidate: 1 when it is empty.
PartObjective part_loss(const dependency::ScoredParts& scored, const GoldParts& gold, const Loss& loss, bool relaxed,
                        std::span<const double> right = {});

}  // namespace kirchhoff::parser
