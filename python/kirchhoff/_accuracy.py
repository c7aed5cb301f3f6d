"""How accurate probabilities of trees should be."""

from __future__ import annotations

from typing import NamedTuple


class Accuracy(NamedTuple):
    """What a TreeDistribution is asked for: every marginal p has an error of at most tolerance * max(p, floor).

    With floor = 0 that is a relative error, with floor = 1 an absolute one, which the fast method reaches more often
    where scores are peaked. method can be "fast" or "robust" to force one, whatever the tolerance.

    >>> loose = kirchhoff.Accuracy(tolerance=1e-9, floor=1)
    >>> kirchhoff.TreeDistribution(np.zeros((3, 3)), root="single", accuracy=loose).methods
    ['fast']
    """

    method: str = "automatic"  #: "automatic", "fast" or "robust"
    tolerance: float = 1e-12  #: above 0, at most 1
    floor: float = 0.0  #: from 0 to 1


def checked(accuracy: Accuracy) -> Accuracy:
    if not isinstance(accuracy, Accuracy):
        raise TypeError(f"accuracy: a {type(accuracy).__name__}, expected a kirchhoff.Accuracy")
    if not 0 < accuracy.tolerance <= 1:
        raise ValueError(f"accuracy.tolerance: {accuracy.tolerance} is not above 0 and at most 1")
    if not 0 <= accuracy.floor <= 1:
        raise ValueError(f"accuracy.floor: {accuracy.floor} is not from 0 to 1")
    return accuracy
