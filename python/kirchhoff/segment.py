"""Distributions over segmentations with tags: semi-Markov conditional random fields, one chain or a batch of them."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from ._arrays import counted, seed_of, whole_number
from ._segment_expectations import SegmentExpectations
from .segmentations import SampledSegmentations, SegmentArrays, Segmentations


class SegmentDistribution(SegmentExpectations):
    """p(segmentation) = exp(sum of the scores of its segments and of its pairs of neighbouring tags) / Z.

    Args:
      segments: scores (..., length, longest, tags), [t, d, k] of the segment of d+1 positions with tag k that begins at
        position t; -inf forbids it. Those that would end beyond the last position are ignored.
      transitions: scores (..., tags, tags), or (tags, tags) for all chains, of tag j after tag i at [i, j].
      lengths: (...) number of positions of each chain of a padded batch, integers; default: all.
      threads: for batches; 0 means all cores.

    Raises ValueError for NaN, +inf, finite scores beyond 1e9 or a wrong shape, and Infeasible when a chain has no
    segmentation. A cost of O(A) is O(length longest tags + length tags^2) for each chain, and so is that of what has no
    cost stated. In shapes `...` is batch_shape; for one chain it is empty, and a number is a float. Arrays of results
    are 0 for segments that do not exist.

    >>> p = kirchhoff.SegmentDistribution(np.zeros((3, 2, 1)), np.zeros((1, 1)))  # three positions in ones and twos
    >>> round(np.exp(p.log_partition()).item(), 6)
    3.0
    >>> q = kirchhoff.SegmentDistribution(np.log([[[1], [2]]] * 3), np.zeros((1, 1)))  # twos count twice
    """

    __slots__ = ()

    def log_partition(self) -> Any:
        """Returns log Z, the logarithm of the sum of exp(score) over all segmentations: a number (...).

        >>> round(np.exp(q.log_partition()).item(), 6)
        5.0
        """
        return self._number(self._rows.log_partition())

    def marginals(self) -> SegmentArrays:
        """Returns the probability of each segment, and how many pairs of each kind are expected: the gradient of log Z.

        >>> (5 * q.marginals().segments[..., 0]).round(6).tolist()
        [[3.0, 2.0], [1.0, 2.0], [3.0, 0.0]]
        """
        return self._gathered(self._rows.marginals())

    def marginals_along(self, direction) -> SegmentArrays:
        """Returns d marginals(scores + t direction) / dt at t = 0: the Hessian of log Z times `direction`.

        `direction` is a pair of arrays in the shapes of the scores.

        >>> first = np.zeros((3, 2, 1))
        >>> first[0, 0] = 1.0  # that the first segment has one position has probability 2/3
        >>> (9 * p.marginals_along((first, np.zeros((1, 1)))).segments[0]).round(6).tolist()
        [[2.0], [-2.0]]
        """
        return self._gathered(self._rows.marginals_along(self._direction(direction, "direction")))

    def log_prob(self, tags, starts) -> Any:
        """Returns log p of segmentations, (...), for integers and booleans (..., length), as in Segmentations.

        It is -inf for an impossible one. With more axes after the batch's, as those of p.sample(10), there are many for
        each chain. Takes O(length (longest + tags)).

        >>> round(3 * np.exp(p.log_prob([0, 0, 0], [True, False, True])).item(), 6)
        1.0
        """
        tags, starts = np.asarray(tags), np.asarray(starts)
        if tags.dtype.kind not in "iu" or starts.dtype.kind not in "biu":
            raise ValueError(f"tags, starts: dtypes {tags.dtype}, {starts.dtype} are not of integers and booleans")
        found = [self._spread_rows(x, name) for x, name in ((tags, "tags"), (starts, "starts"))]
        if found[0][1] != found[1][1]:
            raise ValueError(f"tags, starts: shapes {tags.shape}, {starts.shape} do not fit each other")
        each, (length,) = self._each(), self.event_shape
        rows = [x.astype(np.int64).reshape(len(each), -1, length) for x, _ in found]
        numbers = [p.log_prob(t[:n], s[:n]) for p, many, begun, n in zip(each, *rows, self._lengths.reshape(-1))
                   for t, s in zip(many, begun)]
        return self._of_each(np.array(numbers), found[0][1])

    def log_count(self) -> Any:
        """Returns the logarithm of the number of possible segmentations, a number (...).

        >>> round(np.exp(p.log_count()).item(), 6)
        3.0
        """
        return self._number(np.array([p.log_count() for p in self._each()]))

    def argmax(self) -> Segmentations:
        """Returns the most probable segmentation: tags and starts (..., length), log_prob (...).

        >>> p.given(require=[(1, 2, 0)]).argmax().starts.tolist()
        [True, True, False]
        """
        return self._segmentations([p.argmax(False) for p in self._each()], ())

    def mbr(self) -> Segmentations:
        """Returns the possible segmentation with the most right segments, as expected by p, in the shapes of argmax.

        >>> p.mbr().starts.tolist()
        [True, True, True]
        """
        return self._segmentations([p.argmax(True) for p in self._each()], ())

    def k_best(self, k: int) -> Segmentations:
        """Returns the k most probable ones, best first: tags and starts (..., k, length), log_prob (..., k).

        >>> (5 * np.exp(q.k_best(4).log_prob)).round(6).tolist()
        [2.0, 2.0, 1.0, 0.0]
        """
        return self._segmentations([p.k_best(whole_number(k, "k")) for p in self._each()], (k,))

    def sample(self, shape: Union[int, tuple] = (), *, seed: Optional[int] = 0,
               rng: Optional[np.random.Generator] = None) -> Segmentations:
        """Draws independent segmentations: tags and starts (..., *shape, length), log_prob (..., *shape).

        The same seed gives the same ones, and number i does not depend on how many are drawn; chain i of a batch has
        the seed `seed + i`. With `rng` the seed is drawn from it.

        >>> drawn = p.sample(1000, seed=1)
        >>> drawn.tags.shape, bool(abs(drawn.starts[:, 1].mean() - 2 / 3) < 0.05)
        ((1000, 3), True)
        """
        shape, count = counted(shape)
        first = seed_of(seed, rng)
        return self._segmentations([p.sample(count, (first + i) % 2**64, self._threads)
                                    for i, p in enumerate(self._each())], shape)

    def sample_without_replacement(self, k: int, *, seed: Optional[int] = 0,
                                   rng: Optional[np.random.Generator] = None) -> SampledSegmentations:
        """Draws k distinct segmentations, each from p given that it is none of those before it.

        tags and starts (..., k, length), log_prob and perturbed (..., k), threshold (...). If there are fewer, the rest
        is padding.

        >>> some = p.sample_without_replacement(4, seed=1)
        >>> sorted(some.starts[:, 1:].tolist()), some.threshold
        ([[False, False], [False, True], [True, False], [True, True]], -inf)
        """
        first = seed_of(seed, rng)
        found = [p.sample_without_replacement(k, (first + i) % 2**64) for i, p in enumerate(self._each())]
        tags, starts, log_prob = self._segmentations([each[:3] for each in found], (k,))
        perturbed = np.full((len(found), k), -np.inf)
        for i, each in enumerate(found):
            perturbed[i, :len(each[3])] = each[3]
        return SampledSegmentations(tags, starts, log_prob, perturbed.reshape(self._shape + (k,)),
                                    self._number(np.array([each[4] for each in found])))

    def with_temperature(self, temperature: float) -> "SegmentDistribution":
        """Returns the distribution with scores / temperature.

        >>> (9 * q.with_temperature(0.5).marginals().segments[0]).round(6).tolist()
        [[5.0], [4.0]]
        """
        if not 0.0 < temperature < np.inf:
            raise ValueError(f"temperature is {temperature}, expected a positive number")
        return SegmentDistribution(self._scores.segments / temperature, self._scores.transitions / temperature,
                                   lengths=self._lengths, threads=self._threads)

    def given(self, *, require=(), forbid=()) -> "SegmentDistribution":
        """Returns the distribution given segments (begin, length, tag) that must and that must not be there.

        A batch takes a list of segments for each chain. Raises Infeasible when nothing is left.

        >>> p.given(forbid=[(0, 1, 0)]).argmax().starts.tolist()
        [True, False, True]
        """
        scores = np.array(self._scores.segments, order="C")
        flat = scores.reshape((-1,) + scores.shape[-3:])
        begins = np.arange(flat.shape[1])[:, None]
        ends = begins + np.arange(1, self.longest + 1)
        for name, lists in (("require", require), ("forbid", forbid)):
            for i, segments in enumerate(self._segment_lists(lists, name)):
                for begin, length, tag in segments:
                    there = 0 <= begin and 1 <= length <= self.longest and 0 <= tag < self.tags
                    if not there or begin + length > self._lengths.reshape(-1)[i]:
                        raise ValueError(f"{name}: ({begin}, {length}, {tag}) is no segment of chain {i}")
                    own = flat[i, begin, length - 1, tag]
                    if name == "require":
                        flat[i, (begins < begin + length) & (ends > begin)] = -np.inf
                    flat[i, begin, length - 1, tag] = own if name == "require" else -np.inf
        return SegmentDistribution(scores, self._scores.transitions, lengths=self._lengths, threads=self._threads)

    def _segment_lists(self, lists, name: str) -> list:
        count = len(self._alone)
        try:
            found = [lists] if not self._shape else list(lists) or [()] * count
            found = [[tuple(whole_number(x, name) for x in (begin, length, tag)) for begin, length, tag in each] for each in found]
        except (TypeError, ValueError):
            where = " in a list for each chain" if self._shape else ""
            raise ValueError(f"{name}: expected triples (begin, length, tag){where}") from None
        if len(found) != count:
            raise ValueError(f"{name}: {len(found)} lists of segments for {count} chains")
        return found

    def _segmentations(self, found, shape: tuple) -> Segmentations:
        """Returns the answers of the chains as (..., *shape, length), filled up where there are fewer."""
        count, full = int(np.prod(shape, dtype=np.int64)), self._shape + shape
        tags = np.full((len(found), count) + self.event_shape, -1, dtype=np.int64)
        starts, log_prob = np.zeros(tags.shape, dtype=bool), np.full((len(found), count), -np.inf)
        for i, (t, s, p) in enumerate(found):
            tags[i, :len(t), :t.shape[1]], starts[i, :len(t), :t.shape[1]], log_prob[i, :len(t)] = t, s != 0, p
        return Segmentations(tags.reshape(full + self.event_shape), starts.reshape(full + self.event_shape),
                             log_prob.reshape(full) if full else log_prob.item())

    def __repr__(self) -> str:
        return (f"SegmentDistribution(batch_shape={self._shape}, length<={self.event_shape[0]}, "
                f"longest={self.longest}, tags={self.tags})")
