"""All distributions have the same names, arguments and shapes: the table of docs/guides/python.md, walked."""

import inspect
import pathlib
import re

import numpy as np
import pytest

import kirchhoff
from kirchhoff._verbs import parts_of

RNG = np.random.default_rng(1)
MACHINE = kirchhoff.Wfsm([(0, 1, 1, 0.1), (0, 2, 2, -0.3), (1, 2, 1, 0.4), (2, 2, 1, -1.2)], start={0: 0.0, 1: 0.2},
                         final={2: 0.0})


class Case:
    """A way to make distributions of a batch shape, which of their verbs is none and why, and how they take a structure."""

    def __init__(self, cls, make, structure=None, none=()):
        self.cls, self.make, self.structure, self.none = cls, make, structure, dict(none)

    def __call__(self, *batch, seed=0):
        return self.make(np.random.default_rng(seed), batch)


def tree(kind, labels=()):
    return lambda rng, batch: kind(rng.normal(size=batch + (4, 4) + labels), root="single", labelled=bool(labels))


def symmetric(weights):
    return weights + np.swapaxes(weights, -1, -2)


def of_tree(found):
    return (found.heads,) if found.labels is None else (found.heads, found.labels)


VARIES = "trajectories have no length in common, and may be read in many ways"
CASES = {
    "tree": Case(kirchhoff.TreeDistribution, tree(kirchhoff.TreeDistribution), of_tree),
    "labelled": Case(kirchhoff.TreeDistribution, tree(kirchhoff.TreeDistribution, (2,)), of_tree),
    "projective": Case(kirchhoff.ProjectiveTreeDistribution, tree(kirchhoff.ProjectiveTreeDistribution), of_tree),
    "spanning": Case(kirchhoff.SpanningTreeDistribution, lambda rng, batch: kirchhoff.SpanningTreeDistribution(
        symmetric(rng.normal(size=batch + (4, 4)))), lambda found: (found.edges,)),
    "chain": Case(kirchhoff.ChainDistribution, lambda rng, batch: kirchhoff.ChainDistribution(
        rng.normal(size=batch + (4, 3)), rng.normal(size=batch + (3, 3, 3))), lambda found: (found.tags,)),
    "segment": Case(kirchhoff.SegmentDistribution, lambda rng, batch: kirchhoff.SegmentDistribution(
        rng.normal(size=batch + (4, 2, 3)), rng.normal(size=batch + (3, 3))), lambda found: (found.tags, found.starts),
        {"log_marginals": "machines have counts", "risk": "segments have no fixed number",
         "risk_gradient": "segments have no fixed number"}),
    "machine": Case(kirchhoff.Wfsm, lambda rng, batch: MACHINE.with_log_weights(kirchhoff.WfsmWeights(
        rng.normal(size=4) - 1.0, *MACHINE.log_weights[1:])), None,
        {"log_marginals": "counts are no probabilities", "risk": VARIES, "risk_gradient": VARIES, "mbr": VARIES,
         "lengths": "a machine is one"}),
}
PROPERTIES = ["batch_shape", "event_shape", "scores", "lengths"]
# The arguments of each verb but for those of log_prob, risk and given, which depend on the structure.
VERBS = {"log_partition": [], "marginals": [], "log_marginals": [], "marginals_along": ["direction"], "log_count": [],
         "expectation": ["f"], "covariance": ["r", "s"], "second_order": ["r", "s"], "covariance_gradient": ["r", "s"],
         "cumulants": ["f", "order"],
         "entropy": [], "entropy_gradient": [], "entropy_with_gradient": [],
         "renyi": ["alpha"], "renyi_gradient": ["alpha"], "kl": ["q"], "kl_gradient": ["q"],
         "cross_entropy": ["q"], "cross_entropy_gradient": ["q"], "risk": None, "risk_gradient": None, "log_prob": None,
         "argmax": [], "mbr": [], "k_best": ["k"], "sample": ["shape", "seed", "rng"],
         "sample_without_replacement": ["k", "seed", "rng"], "with_temperature": ["temperature"], "given": None}
BATCHES = [(), (3,), (2, 2)]


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def batches(case):
    return [()] if case.cls is kirchhoff.Wfsm else BATCHES


def test_names_and_arguments(case):
    for name in PROPERTIES + list(VERBS):
        member = inspect.getattr_static(case.cls, name, None)
        assert (member is None) == (name in case.none), name
        if member is not None and name in PROPERTIES:
            assert isinstance(member, property), name
        elif member is not None and VERBS[name] is not None:
            given = list(inspect.signature(getattr(case.cls, name)).parameters)[1:]
            assert given[:len(VERBS[name])] == VERBS[name], name
            assert set(given[len(VERBS[name]):]) <= {"method"}, name


def shape_of(p, numbers, *more):
    """Checks that numbers of each structure have the batch's shape, and are floats for one structure."""
    shape = p.batch_shape + more
    assert np.shape(numbers) == shape
    assert isinstance(numbers, np.ndarray) if shape else isinstance(numbers, float)


def like_scores(p, answer):
    scores = parts_of(p.scores)
    assert type(answer) is type(p.scores) and [a.shape for a in parts_of(answer)] == [s.shape for s in scores]


def function(p, *count):
    """An additive function, or `count` of them: all ones."""
    axes = len(p.batch_shape)
    found = [np.ones(p.batch_shape + count + s.shape[axes:]) for s in parts_of(p.scores)]
    return type(p.scores)(*found) if isinstance(p.scores, tuple) else found[0]


@pytest.mark.parametrize("place", range(len(BATCHES)))
def test_what_a_batch_returns(case, place):
    if place >= len(batches(case)):
        return
    batch = BATCHES[place]
    p, q = case(*batch), case(*batch, seed=1)
    assert p.batch_shape == batch and isinstance(p.event_shape, tuple)
    for name in ("log_partition", "entropy", "log_count"):
        shape_of(p, getattr(p, name)())
    shape_of(p, p.renyi(2.0))
    for name in ("kl", "cross_entropy"):
        shape_of(p, getattr(p, name)(q))
        for gradient in getattr(p, f"{name}_gradient")(q):
            like_scores(p, gradient)
    f, g = function(p, 2), function(p, 3)
    assert p.expectation(f).shape == batch + (2,)
    assert p.covariance(f, g).shape == p.second_order(f, g).shape == batch + (2, 3)
    one = function(p)
    assert p.cumulants(one, 3).shape == batch + (4,)
    for answer in (p.marginals(), p.entropy_gradient(), p.renyi_gradient(2.0), p.marginals_along(one),
                   p.covariance_gradient(one, one)):
        like_scores(p, answer)
    if "log_marginals" not in case.none:
        like_scores(p, p.log_marginals())
    if "lengths" not in case.none:
        assert p.lengths.shape == batch and p.lengths.dtype.kind == "i"


@pytest.mark.parametrize("place", range(len(BATCHES)))
def test_structures(case, place):
    """Arrays of structures are (..., *shape, *event_shape), with log_prob (..., *shape)."""
    if case.structure is None or place >= len(batches(case)):
        return
    p = case(*BATCHES[place])
    found = [(p.argmax(), ()), (p.mbr(), ()), (p.k_best(2), (2,)), (p.sample(seed=1), ()), (p.sample(4, seed=1), (4,)),
             (p.sample((2, 3), seed=1), (2, 3)), (p.sample_without_replacement(2, seed=1), (2,))]
    for answer, shape in found:
        shape_of(p, answer.log_prob, *shape)
        for array in case.structure(answer):
            assert array.shape == p.batch_shape + shape + p.event_shape
    drawn = p.sample_without_replacement(2, seed=1)
    shape_of(p, drawn.perturbed, 2), shape_of(p, drawn.threshold)
    shape_of(p, p.log_prob(*case.structure(p.argmax())))
    np.testing.assert_allclose(p.log_prob(*case.structure(p.argmax())), p.argmax().log_prob, rtol=1e-12)
    np.testing.assert_allclose(p.k_best(2).log_prob[..., 0], p.argmax().log_prob, rtol=1e-12)
    if "risk" not in case.none:
        shape_of(p, p.risk(*case.structure(p.argmax())))
        like_scores(p, p.risk_gradient(*case.structure(p.argmax())))
        assert np.all(np.asarray(p.risk(*case.structure(p.argmax()))) <= 1.0)


def test_machines_have_paths():
    p = CASES["machine"]()
    best = p.argmax()
    assert best == p.k_best(3)[0] == p.best_paths(1)[0] and len(p.k_best(3)) == 3
    assert p.sample(seed=4) == p.sample(2, seed=4)[0]
    grid = p.sample((2, 3), seed=4)
    assert [len(row) for row in grid] == [3, 3] and grid[1][0] == p.sample(6, seed=4)[3]
    assert p.sample((2, 0)) == [[], []] and p.sample(0) == []
    drawn = p.sample_without_replacement(4, seed=1)
    assert len({(x.start, tuple(x.transitions)) for x in drawn.paths}) == 4
    assert (np.diff(drawn.perturbed) <= 0).all() and drawn.threshold <= drawn.perturbed[-1]
    np.testing.assert_allclose(drawn.log_prob, [x.log_prob for x in drawn.paths])
    with pytest.raises(kirchhoff.Infeasible):
        kirchhoff.Wfsm([(0, 1)], start={0: 0.0}, final={1: 0.0}).given(forbid=[0])
    with pytest.raises(ValueError, match="no transition"):
        p.given(forbid=[9])


def test_verbs_agree(case):
    p, q = case(), case(seed=1)
    value, gradient = p.entropy_with_gradient()
    assert value == p.entropy()
    for a, b in zip(parts_of(gradient), parts_of(p.entropy_gradient())):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    assert p.cross_entropy(q) == pytest.approx(p.entropy() + p.kl(q), rel=1e-12)
    assert p.renyi(1.0) == pytest.approx(p.entropy(), rel=1e-12) and p.kl(p) == pytest.approx(0.0, abs=1e-12)
    half, same = p.with_temperature(2.0), p.with_temperature(1.0)
    assert type(half) is case.cls and same.log_partition() == pytest.approx(p.log_partition(), rel=1e-14)
    assert half.entropy() > p.entropy()
    # sum p^2 = Z(2 scores) / Z(scores)^2
    twice = p.with_temperature(0.5)
    assert twice.log_partition() - 2.0 * p.log_partition() == pytest.approx(-p.renyi(2.0), rel=1e-11)
    one, two = function(p), function(p, 2)
    variance = p.covariance(two, two)
    moved = sum((a * b).sum() for a, b in zip(parts_of(p.marginals_along(one)), parts_of(one)))
    assert moved == pytest.approx(variance[0, 1], rel=1e-9, abs=1e-10)
    mean = p.expectation(two)
    np.testing.assert_allclose(p.second_order(two, two), variance + np.outer(mean, mean), rtol=1e-12)
    assert p.given().log_partition() == pytest.approx(p.log_partition(), rel=1e-14)
    for wrong in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="temperature"):
            p.with_temperature(wrong)
    if "risk" not in case.none:
        structure = case.structure(p.argmax())
        h = 1e-5
        direction = [RNG.normal(size=s.shape) for s in parts_of(p.scores)]
        if case.cls is kirchhoff.SpanningTreeDistribution:  # whose arrays have each edge twice
            direction = [symmetric(d) for d in direction]
        step = lambda t: p.with_temperature(1.0)._with(*(s + t * d for s, d in zip(parts_of(p.scores), direction)))
        slope = (step(h).risk(*structure) - step(-h).risk(*structure)) / (2 * h)
        found = sum((g * d).sum() for g, d in zip(parts_of(p.risk_gradient(*structure)), direction))
        found /= 2.0 if case.cls is kirchhoff.SpanningTreeDistribution else 1.0
        assert found == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_the_guide_has_all_names():
    page = pathlib.Path(__file__).parents[2] / "docs" / "guides" / "python.md"
    section = page.read_text().split("## One protocol", 1)[1].split("\n## ", 1)[0]
    named = set(re.findall(r"`(\w+)", section))
    assert set(PROPERTIES) | set(VERBS) <= named
