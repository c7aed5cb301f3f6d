"""Tests that a number with a fraction is an error wherever an integer is asked for: int() would cut it in silence."""

import numpy as np
import pytest

import kirchhoff as k

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(4, 4))
EMISSIONS, TRANSITIONS = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 2))
SEGMENTS = RNG.normal(size=(3, 2, 2))
SYMMETRIC = SCORES + SCORES.T
LOOP = "0 0 1 1.0\n0 1 2 0.5\n1\n"


def tree(**more):
    return k.TreeDistribution(SCORES, root="single", **more)


def projective():
    return k.ProjectiveTreeDistribution(SCORES, root="multi")


def chain():
    return k.ChainDistribution(EMISSIONS, TRANSITIONS)


def segments():
    return k.SegmentDistribution(SEGMENTS, TRANSITIONS)


def spanning():
    return k.SpanningTreeDistribution(SYMMETRIC)


def machine():
    return k.Wfsm.from_text(LOOP)


def graph():
    g = k.FactorGraph()
    for score in (1.0, -0.5, 2.0):
        g.add_variable(score)
    return g


CASES = {
    "tree lengths": lambda x: k.TreeDistribution(SCORES[None], root="single", lengths=[x + 1]),
    "tree forbid": lambda x: tree().given(forbid=[(0, x)]),
    "tree require": lambda x: tree().given(require=[(x, 2)]),
    "tree log_prob": lambda x: tree().log_prob([-1, 0, 1, x]),
    "tree samples": lambda x: tree().sample(x),
    "tree seed": lambda x: tree().sample(2, seed=x),
    "tree distinct": lambda x: tree().sample_without_replacement(x),
    "tree distinct seed": lambda x: tree().sample_without_replacement(2, seed=x),
    "tree k_best": lambda x: tree().k_best(x),
    "tree threads": lambda x: tree(threads=x),
    "projective forbid": lambda x: projective().given(forbid=[(0, x)]),
    "projective seed": lambda x: projective().sample(2, seed=x),
    "projective k_best": lambda x: projective().k_best(x),
    "chain lengths": lambda x: k.ChainDistribution(EMISSIONS[None], TRANSITIONS, lengths=[x + 1]),
    "chain require": lambda x: chain().given(require=[(x, 0)]),
    "chain forbid": lambda x: chain().given(forbid=[(0, x)]),
    "chain log_prob": lambda x: chain().log_prob([0, 1, x]),
    "chain seed": lambda x: chain().sample(2, seed=x),
    "chain samples": lambda x: chain().sample(x),
    "chain k_best": lambda x: chain().k_best(x),
    "segment lengths": lambda x: k.SegmentDistribution(SEGMENTS[None], TRANSITIONS, lengths=[x + 1]),
    "segment forbid": lambda x: segments().given(forbid=[(0, x, 0)]),
    "segment seed": lambda x: segments().sample(2, seed=x),
    "segment samples": lambda x: segments().sample((2, x)),
    "segment k_best": lambda x: segments().k_best(x),
    "spanning lengths": lambda x: k.SpanningTreeDistribution(SYMMETRIC[None], lengths=[x + 1]),
    "spanning seed": lambda x: spanning().sample(2, seed=x),
    "spanning samples": lambda x: spanning().sample(x),
    "spanning k_best": lambda x: spanning().k_best(x),
    "machine states": lambda x: k.Wfsm([(0, x, 1, -1.0)], start={0: 0.0}, final={1: 0.0}),
    "machine symbols": lambda x: k.Wfsm([(0, 1, x, -1.0)], start={0: 0.0}, final={1: 0.0}),
    "machine starts": lambda x: k.Wfsm([(0, 1, 1, -1.0), (1, 0, 1, -1.0)], start={x: 0.0}, final={1: 0.0}),
    "machine string": lambda x: machine().log_prob([x, 2]),
    "machine seed": lambda x: machine().sample_paths(2, seed=x),
    "machine paths": lambda x: machine().best_paths(x),
    "machine samples": lambda x: machine().sample_paths(x),
    "machine trajectories": lambda x: machine().sample(x),
    "machine derivative": lambda x: machine().derivative([x]),
    "graph xor": lambda x: graph().add_xor([0, x]),
    "graph pair": lambda x: graph().add_pair(0, x, 1.0),
    "graph imply": lambda x: graph().add_imply(0, x),
    "graph table": lambda x: graph().add_table([0, x], np.zeros((2, 2))),
    "graph budget": lambda x: graph().add_budget([0, 1, 2], x),
    "graph head": lambda x: graph().add_head([0], [x], [2]),
    "graph output": lambda x: graph().add_or_out([0, 2], x),
    "graph sequence": lambda x: graph().add_sequence([0, x], np.zeros(4)),
    "graph parents": lambda x: graph().add_rooted_tree([0, 1, 2], [-1, 0, x]),
    "graph counted": lambda x: graph().add_rooted_tree([0, 1, 2], [-1, 0, 0], counted=[1, 1, x], count_scores=[0, 0, 0, 0]),
    "graph compression": lambda x: graph().add_compression([0, 1, 2], x),
    "graph set_score": lambda x: graph().set_score(x, 2.0),
    "graph iterations": lambda x: k.lp_sparsemap(graph(), max_iterations=x),
    "sparsemap iterations": lambda x: k.sparsemap(SCORES, root="single", max_iterations=x),
    "graph bp iterations": lambda x: graph().solve_bp(max_iterations=x),
    "graph ad3 iterations": lambda x: graph().solve_ad3(max_iterations=x),
    "gold": lambda x: k.structured_loss(graph(), [0, 1, x], "crf"),
    "risk gold": lambda x: tree().risk([-1, 0, 1, x]),
}


@pytest.mark.parametrize("name", CASES)
def test_fractions_are_not_cut(name):
    CASES[name](1)
    CASES[name](np.int32(1))
    for value in (1.5, np.float64(1.5), float("nan"), "1"):
        with pytest.raises((ValueError, TypeError)):
            CASES[name](value)


def test_messages_name_the_argument():
    for call, message in ((lambda: graph().add_budget([0, 1], 1.5), "budget: 1.5 is not an integer"),
                          (lambda: tree().given(forbid=[(0, 2.7)]), "forbid: 2.7 is not an integer"),
                          (lambda: chain().sample(seed=0.5), "seed: 0.5 is not an integer"),
                          (lambda: tree().sample(1.5), "shape: 1.5 is not an integer"),
                          (lambda: segments().sample((2, 0.5)), "shape: 0.5 is not an integer"),
                          (lambda: spanning().sample((-1, -1)), "has a negative extent")):
        with pytest.raises(ValueError, match=message.replace(".", r"\.")):
            call()
