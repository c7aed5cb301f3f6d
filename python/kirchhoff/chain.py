"""Distributions over tag sequences: linear-chain conditional random fields, one chain or a batch of them."""

from __future__ import annotations

from typing import Optional, Union

import numpy as np

from ._arrays import counted, seed_of, whole_number
from ._chain_expectations import ChainExpectations
from .tag_sequences import ChainArrays, SampledTags, TagSequences


class ChainDistribution(ChainExpectations):
    """p(tags) = exp(sum of the scores of its tags and of its pairs of neighbouring tags) / Z; one chain or a batch.

    Args:
      emissions: scores (..., length, tags) of each tag at each position; -inf forbids it.
      transitions: scores (..., length-1, tags, tags) of each pair of tags, [t, i, j] of tag i at position t and tag j
        at position t+1; or (tags, tags), or (..., tags, tags), for all positions alike, which takes half the time.
        Computed in double precision. A float64 array is read where it lies: do not change it while the distribution
        is in use.
      lengths: (...) number of positions of each chain of a padded batch, integers; default: all.
      threads: for batches; 0 means all cores.
      method: "automatic", or "robust" for numbers of extended range in any case.

    Raises ValueError for NaN, +inf or a wrong shape, and Infeasible when a chain has no sequence. The cost is
    O(length tags^2) for each chain. In shapes `...` is batch_shape; for one chain it is empty, and a number is a float.
    Arrays of results are 0 beyond a chain's length.

    >>> weights = np.array([[1, 2], [1, 1]])  # four sequences, of weight 1, 1, 2 and 2
    >>> p = kirchhoff.ChainDistribution(np.log(weights), np.zeros((2, 2)))
    >>> round(np.exp(p.log_partition()).item(), 6)
    6.0
    >>> q = kirchhoff.ChainDistribution(np.zeros((2, 2)), np.zeros((2, 2)))  # the same, equally probable
    >>> batch = kirchhoff.ChainDistribution(np.zeros((3, 5, 2)), np.zeros((2, 2)), lengths=[5, 2, 1])
    >>> np.exp(batch.log_partition()).round(6).tolist()
    [32.0, 4.0, 2.0]
    """

    __slots__ = ()

    def log_partition(self):
        """Returns log Z, where Z is the sum of exp(score) over all sequences: a number (...).

        It was computed when the distribution was made.

        >>> round(p.log_partition(), 6) == round(float(np.log(6)), 6)
        True
        """
        return self._number(self._batch.log_partition())

    def marginals(self) -> ChainArrays:
        """Returns the probabilities of tags and of pairs of tags, in the shapes of the scores: the gradient of log Z.

        They were computed when the distribution was made. The arrays are its own and cannot be written to.

        >>> (6 * p.marginals().emissions).round(6).tolist(), (6 * p.marginals().transitions).round(6).tolist()
        ([[2.0, 4.0], [3.0, 3.0]], [[[1.0, 1.0], [2.0, 2.0]]])
        """
        return self._tables((self._batch.emission_marginals(), self._batch.transition_marginals()))

    def log_marginals(self) -> ChainArrays:
        """Returns the logarithms of the marginals, right also where these are below the smallest double.

        Beyond a chain's length they are -inf. Takes O(length tags^2).

        >>> far = kirchhoff.ChainDistribution([[0.0, 900.0]], np.zeros((2, 2)))
        >>> far.marginals().emissions[0, 0].item(), far.log_marginals().emissions[0, 0].item()
        (0.0, -900.0)
        """
        return self._tables(self._batch.log_marginals())

    def marginals_along(self, direction) -> ChainArrays:
        """Returns d marginals(scores + t direction) / dt at t = 0: the Hessian of log Z times `direction`.

        `direction` is a pair of arrays in the shapes of the scores. Entries are covariances of its sum over the
        sequence and of having a tag, or a pair of tags. Takes O(length tags^2).

        >>> along = p.marginals_along((np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros((1, 2, 2))))
        >>> (36 * along.emissions).round(6).tolist()  # the variance of having tag 1 is 4/6 * 2/6
        [[-8.0, 8.0], [0.0, 0.0]]
        """
        return self._tables(self._batch.marginals_along(*self._function(direction, "direction")))

    def log_prob(self, tags):
        """Returns log p(tags), a number (...), for integers (..., length), in O(length); -inf for an impossible one.

        With more axes after the batch's, as those of p.sample(10), there are many sequences of each chain.

        >>> round(6 * np.exp(p.log_prob([1, 0])).item(), 6)
        2.0
        """
        rows, more = self._tag_rows(tags, "tags")
        return self._of_each(self._batch.log_prob(rows), more)

    def log_count(self):
        """Returns the logarithm of the number of possible sequences, a number (...), in O(length tags^2).

        >>> round(np.exp(p.log_count()).item(), 6)
        4.0
        """
        return self._number(self._batch.log_count())

    def argmax(self) -> TagSequences:
        """Returns the most probable sequence: tags (..., length), log_prob (...). Takes O(length tags^2).

        >>> p.argmax().tags.tolist()
        [1, 0]
        """
        return self._sequences(*self._batch.argmax(False), ())

    def mbr(self) -> TagSequences:
        """Returns the possible sequence with the most right tags, as expected by p; shapes are those of argmax.

        >>> p.mbr().tags.tolist()
        [1, 0]
        """
        return self._sequences(*self._batch.argmax(True), ())

    def k_best(self, k: int) -> TagSequences:
        """Returns the k most probable sequences, best first: tags (..., k, length), log_prob (..., k).

        It takes O(length tags^2 + k length tags log(k length tags)).

        >>> p.k_best(2).tags.tolist(), (6 * np.exp(p.k_best(2).log_prob)).round(6).tolist()
        ([[1, 0], [1, 1]], [2.0, 2.0])
        """
        return self._sequences(*self._batch.k_best(whole_number(k, "k")), (k,))

    def sample(self, shape: Union[int, tuple] = (), *, seed: Optional[int] = 0,
               rng: Optional[np.random.Generator] = None) -> TagSequences:
        """Draws independent sequences for each chain: tags (..., *shape, length), log_prob (..., *shape).

        The same seed gives the same sequences, and sequence i does not depend on how many are drawn; chain i of a batch
        has the seed `seed + i`. With `rng` the seed is drawn from it. Each takes O(length tags).

        >>> drawn = p.sample(1000, seed=1)
        >>> drawn.tags.shape, bool(abs(drawn.tags[:, 0].mean() - 4 / 6) < 0.05)
        ((1000, 2), True)
        """
        shape, count = counted(shape)
        return self._sequences(*self._batch.sample(count, seed_of(seed, rng)), shape)

    def sample_without_replacement(self, k: int, *, seed: Optional[int] = 0,
                                   rng: Optional[np.random.Generator] = None) -> SampledTags:
        """Draws k distinct sequences, each from p given that it is none of those before it.

        tags (..., k, length), log_prob and perturbed (..., k), threshold (...). If there are fewer, the rest is
        padding. Takes O(length tags^2) once and O(length tags) for each.

        >>> some = p.sample_without_replacement(5, seed=1)
        >>> sorted(some.tags.tolist()), some.threshold
        ([[-1, -1], [0, 0], [0, 1], [1, 0], [1, 1]], -inf)
        """
        tags, log_prob, perturbed, threshold = self._batch.sample_without_replacement(whole_number(k, "k"), seed_of(seed, rng))
        return SampledTags(self._out(tags), self._out(log_prob), self._out(perturbed), self._number(threshold))

    def with_temperature(self, temperature: float) -> "ChainDistribution":
        """Returns the distribution with scores / temperature, in O(length tags^2).

        >>> p.with_temperature(0.5).marginals().emissions[0].round(6).tolist()
        [0.2, 0.8]
        """
        if not 0.0 < temperature < np.inf:
            raise ValueError(f"temperature is {temperature}, expected a positive number")
        return self._with(self._scores.emissions / temperature, self._scores.transitions / temperature)

    def given(self, *, require=(), forbid=()) -> "ChainDistribution":
        """Returns the distribution given places (position, tag) that must and that must not be in the sequence.

        A batch takes a list of places for each chain. Raises Infeasible when no sequence is left. Pairs of tags are
        forbidden by their scores. Takes O(length tags^2).

        >>> p.given(require=[(0, 0)]).marginals().emissions.round(6).tolist()
        [[1.0, 0.0], [0.5, 0.5]]
        >>> p.given(forbid=[(1, 0)]).argmax().tags.tolist()
        [1, 1]
        """
        emissions = np.array(self._scores.emissions, order="C")
        flat = emissions.reshape((-1,) + emissions.shape[-2:])
        lengths = self._lengths.reshape(-1)
        for name, lists in (("require", require), ("forbid", forbid)):
            for i, places in enumerate(self._place_lists(lists, name)):
                for position, tag in places:
                    if not (0 <= position < lengths[i] and 0 <= tag < self.tags):
                        raise ValueError(f"{name}: ({position}, {tag}) is not a position and a tag of chain {i}")
                    kept = np.arange(self.tags) == tag
                    flat[i, position, ~kept if name == "require" else kept] = -np.inf
        return self._with(emissions)

    def _place_lists(self, places, name: str):
        """Returns a list of pairs (position, tag) for each chain."""
        count = int(np.prod(self._shape))
        try:
            lists = [places] if not self._shape else list(places) or [()] * count
            lists = [[(whole_number(position, name), whole_number(tag, name)) for position, tag in each] for each in lists]
        except TypeError:
            where = " in a list for each chain" if self._shape else ""
            raise ValueError(f"{name}: expected pairs (position, tag){where}") from None
        if len(lists) != count:
            raise ValueError(f"{name}: {len(lists)} lists of places for {count} chains")
        return lists

    def _sequences(self, tags: np.ndarray, log_prob: np.ndarray, shape: tuple) -> TagSequences:
        """Returns sequences (batch, count, length) as (..., *shape, length)."""
        full = self._shape + shape
        log_prob = log_prob.reshape(full)
        return TagSequences(tags.reshape(full + self.event_shape), log_prob if full else log_prob.item())

    def __repr__(self) -> str:
        return f"ChainDistribution(batch_shape={self._shape}, length<={self.event_shape[0]}, tags={self.tags})"
