// A tree as a sequence of choices, one head after the other, each with its exact conditional probabilities: what a
// method for sequence models needs, such as a beam search, a particle filter or a sampler of one's own.
//
//   HeadSequence sequence(p);
//   while (!sequence.done()) sequence.choose(pick(sequence.log_probabilities()));
//   sequence.heads();  // a tree, with the log-probability sequence.log_prob()
//
// This is the state machine of [Stanojevic22, alg. 8], without its subtractions: docs/methods/sample.md, "Colbourn's
// sampler".
#pragma once

#include "kirchhoff/tree.hpp"

#include <memory>

namespace kirchhoff {

/// The heads chosen so far, and the distribution of the next one given these. A copy goes its own way; copying takes
/// O((n - step)^2). What never changes is shared by all copies, of which several threads may each have one.
class HeadSequence {
 public:
  /// O(n^3). Words with the most certain heads come first; with Root::single the root's child comes before all.
  explicit HeadSequence(const TreeDistribution& p);
  ~HeadSequence();
  HeadSequence(const HeadSequence& other);
  HeadSequence& operator=(const HeadSequence& other);
  HeadSequence(HeadSequence&&) noexcept;
  HeadSequence& operator=(HeadSequence&&) noexcept;

  int words() const;
  /// How many choices were made. There are words() of them.
  int step() const;
  bool done() const;
  /// The word whose head is chosen next; 0 when the root's child is, and -1 when all heads are chosen.
  int word() const;
  /// heads()[d] == -1 for words whose heads are not chosen yet.
  const Heads& heads() const;
  /// The logarithms of the probabilities of nodes 0 .. words() as the next choice (a head, or the root's child), given
  /// those made: -inf exactly where no tree is left. Each is right to 1e-6 of the probability and most to 1e-12. None
  /// are left when all heads are chosen: InputError. O(n (n - step)), and O(n^3) where a possible choice is too
  /// improbable for the fast way.
  const Vector& log_probabilities();
  /// The log-probability of the choices made: of the tree, once all are.
  double log_prob() const;
  /// Makes a choice. Throws InputError when no tree is left with it.
  void choose(int option);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kirchhoff
