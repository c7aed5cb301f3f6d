"""The table of what kirchhoff.torch and kirchhoff.jax offer: verbs by structures, with the reason where there is none.

Both modules take what verbs have in common from here, and python/tests/test_verbs.py checks each entry of the table in
both of them: that the function is there, its value, and as many derivatives as are promised.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional, Tuple


class Verb(NamedTuple):
    """A function of scores: how many derivatives it has by them, and of how many distributions it is."""

    derivatives: int
    distributions: int = 1


VERBS: Dict[str, Verb] = {
    "log_partition": Verb(3),
    "marginals": Verb(2),
    "score": Verb(1),  # it is linear
    "log_prob": Verb(3),
    "expectation": Verb(2),
    "risk": Verb(2),
    "entropy": Verb(2),
    "renyi": Verb(2),
    "kl": Verb(2, 2),
    "cross_entropy": Verb(2, 2),
}

#: How a structure's functions are named, but for those of OWN_NAMES.
STRUCTURES: Dict[str, str] = {"tree": "{}", "chain": "chain_{}", "segment": "segment_{}", "wfsm": "wfsm.{}"}
OWN_NAMES: Dict[Tuple[str, str], str] = {("tree", "score"): "tree_score", ("wfsm", "marginals"): "wfsm.counts"}
NONE: Dict[Tuple[str, str], str] = {
    ("segment", "risk"): "a segmentation has no fixed number of segments; expectation has the number of right ones",
    ("wfsm", "score"): "trajectories have no length in common that an array could have",
    ("wfsm", "risk"): "trajectories have no positions at which one could be right",
}

#: What kirchhoff.jax finds, by the structures' names; in PyTorch `distribution` and its like do, as they need no tracing.
SEARCHES = ("argmax", "mbr", "k_best", "sample")

#: The gradient of these by the scores of p is the Hessian of log Z times a p's scores - b q's scores, for these (a, b);
#: by the scores of q it is the difference of marginals, q's - p's.
INFORMATION: Dict[str, Tuple[float, float]] = {"entropy": (-1.0, 0.0), "kl": (1.0, 1.0), "cross_entropy": (0.0, 1.0)}

TOO_MANY_DERIVATIVES = "log_partition and log_prob have three derivatives, all else has two; this asks for one more"


def name_of(structure: str, verb: str) -> Optional[str]:
    """Returns the name of a function below kirchhoff.torch and kirchhoff.jax, or None if there is none."""
    if (structure, verb) in NONE:
        return None
    return OWN_NAMES.get((structure, verb), STRUCTURES[structure].format(verb))


def parts_of(answer) -> tuple:
    """Returns an answer of a distribution in the shape of its scores as the tuple of its arrays."""
    return tuple(answer) if isinstance(answer, tuple) else (answer,)


def whole(parts):
    """Returns parts as a distribution takes them: alone, or as a tuple."""
    return parts[0] if len(parts) == 1 else tuple(parts)


def is_shannons(alpha: float) -> bool:
    """Says whether a difference of marginals has no digits of the gradient of Renyi's entropy.

    A derivative half-way, at the order (1 + alpha) / 2, is right to 1e-11 there.
    """
    return abs(alpha - 1.0) < 1e-5
