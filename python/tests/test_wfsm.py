"""Wfsm against enumeration of paths (without cycles) and dense linear algebra (with)."""

import pickle

import numpy as np
import pytest

import kirchhoff
from kirchhoff import Wfsm, WfsmWeights


def random_machine(rng, states=4, cyclic=True, arcs=9):
    transitions = []
    for _ in range(arcs):
        s, t = (int(x) for x in rng.integers(0, states, size=2))
        if not cyclic:
            if s == t:
                continue
            s, t = min(s, t), max(s, t)
        transitions.append((s, t, int(rng.integers(0, 3)), float(rng.normal() - (2.5 if cyclic else 0.0))))
    transitions += [(s, s + 1, 1, -1.0) for s in range(states - 1)]
    return Wfsm(transitions, start={0: 0.2, 1: -0.5}, final={states - 1: 0.1, 1: -1.0})


def all_paths(machine):
    """(start, transitions, log-weight) of every trajectory of a machine without cycles."""
    transitions, weights = machine.transitions, machine.log_weights

    def go(state, path, weight):
        if weights.final[state] > -np.inf:
            yield path, weight + weights.final[state]
        for i, t in enumerate(transitions):
            if t.source == state:
                yield from go(t.target, path + [i], weight + t.log_weight)

    for s in range(machine.states):
        if weights.start[s] > -np.inf:
            for path, weight in go(s, [], weights.start[s]):
                yield s, path, weight


class Paths:
    def __init__(self, machine):
        self.paths = list(all_paths(machine))
        self.scores = np.array([w for _, _, w in self.paths])
        self.log_z = np.logaddexp.reduce(self.scores)
        self.p = np.exp(self.scores - self.log_z)
        self.counts = np.zeros((len(self.paths), len(machine.transitions)))
        for row, (_, path, _) in zip(self.counts, self.paths):
            np.add.at(row, path, 1.0)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_against_enumeration(rng):
    machine = random_machine(rng, cyclic=False)
    oracle = Paths(machine)
    assert machine.log_partition() == pytest.approx(oracle.log_z)
    np.testing.assert_allclose(machine.transition_marginals(), oracle.p @ oracle.counts)
    np.testing.assert_allclose(machine.counts().transitions, oracle.p @ oracle.counts)
    assert machine.entropy() == pytest.approx(-(oracle.p * np.log(oracle.p)).sum())
    assert machine.expected_length() == pytest.approx(oracle.p @ oracle.counts.sum(1))
    assert machine.renyi(2.0) == pytest.approx(-np.log((oracle.p**2).sum()))
    r, s = rng.normal(size=(2, oracle.counts.shape[1])), rng.normal(size=(3, oracle.counts.shape[1]))
    fr, fs = oracle.counts @ r.T, oracle.counts @ s.T
    np.testing.assert_allclose(machine.expectation(r), oracle.p @ fr)
    second = (oracle.p * fr.T) @ fs
    np.testing.assert_allclose(machine.second_order(r, s), second)
    np.testing.assert_allclose(machine.covariance(r, s), second - np.outer(oracle.p @ fr, oracle.p @ fs), atol=1e-12)
    zeros = np.zeros(machine.states)
    moments = machine.moments(WfsmWeights(r[0], zeros, zeros), 3)
    centred = fr[:, 0] - oracle.p @ fr[:, 0]
    np.testing.assert_allclose(moments.raw, [oracle.p @ fr[:, 0] ** k for k in range(4)])
    np.testing.assert_allclose(moments.central, [oracle.p @ centred**k for k in range(4)], atol=1e-12)
    np.testing.assert_allclose(moments.cumulants[1:], [moments.raw[1], *moments.central[2:]], atol=1e-12)


def test_start_and_final_features(rng):
    machine = random_machine(rng, cyclic=False)
    oracle = Paths(machine)
    ends = [machine.transitions[path[-1]].target if path else start for start, path, _ in oracle.paths]
    start, final = rng.normal(size=(2, 1, machine.states))
    values = np.array([start[0, s] + final[0, e] for (s, _, _), e in zip(oracle.paths, ends)])
    f = (np.zeros((1, len(machine.transitions))), start, final)
    np.testing.assert_allclose(machine.expectation(f), [oracle.p @ values])
    np.testing.assert_allclose(machine.covariance(f, f), [[oracle.p @ (values - oracle.p @ values) ** 2]])


def test_strings_and_paths(rng):
    machine = random_machine(rng, cyclic=False)
    oracle = Paths(machine)
    strings = {}
    for (start, path, weight) in oracle.paths:
        symbols = tuple(machine.transitions[t].symbol for t in path if machine.transitions[t].symbol != 0)
        strings.setdefault(symbols, []).append(weight)
    for symbols, weights in strings.items():
        assert machine.log_weight(symbols) == pytest.approx(np.logaddexp.reduce(weights))
        assert machine.log_prob(symbols) == pytest.approx(np.logaddexp.reduce(weights) - oracle.log_z)
    assert machine.log_weight([2] * 50) == -np.inf
    best = machine.best_paths(len(oracle.paths) + 5)
    np.testing.assert_allclose([p.log_weight for p in best], sorted(oracle.scores, reverse=True))
    assert {(p.start, tuple(p.transitions)) for p in best} == {(s, tuple(t)) for s, t, _ in oracle.paths}
    first = best[0]
    assert machine.string(first) == [a for t in first.transitions if (a := machine.transitions[t].symbol)]


def test_samples_by_chi_square(rng):
    machine = random_machine(rng, cyclic=False)
    oracle = Paths(machine)
    count = 20_000
    samples = machine.sample_paths(count, seed=5)
    assert samples == machine.sample_paths(count, seed=5, threads=2)
    seen = {}
    for p in samples:
        key = p.start, tuple(p.transitions)
        seen[key] = seen.get(key, 0) + 1
    expected = {(s, tuple(t)): count * q for (s, t, _), q in zip(oracle.paths, oracle.p)}
    assert set(seen) <= set(expected)
    cells = [k for k, e in expected.items() if e >= 5]
    statistic = sum((seen.get(k, 0) - expected[k]) ** 2 / expected[k] for k in cells)
    k = len(cells)
    assert statistic < k + 5 * np.sqrt(2 * k) + 10  # beyond five standard deviations: about one alarm in 1e5


def dense_z(machine, weights):
    """start^T (I - W)^-1 final."""
    w = np.zeros((machine.states, machine.states))
    for t, x in zip(machine.transitions, np.exp(weights.transitions)):
        w[t.source, t.target] += x
    return np.exp(weights.start) @ np.linalg.solve(np.eye(machine.states) - w, np.exp(weights.final))


def test_cycles_against_linear_algebra(rng):
    machine = random_machine(rng)
    assert np.exp(machine.log_partition()) == pytest.approx(dense_z(machine, machine.log_weights))
    visits = np.linalg.inv(np.eye(machine.states) - sum(
        np.exp(t.log_weight) * np.outer(np.eye(machine.states)[t.source], np.eye(machine.states)[t.target])
        for t in machine.transitions))
    w = machine.log_weights
    expected = (np.exp(w.start) @ visits) * (visits @ np.exp(w.final)) / np.exp(machine.log_partition())
    np.testing.assert_allclose(machine.state_visits(), expected)


def test_derivatives_by_differences(rng):
    machine = random_machine(rng)
    w, h = machine.log_weights, 1e-6
    arcs = len(w.transitions)

    def moved(i, step):
        weights = np.exp(w.transitions)
        weights[i] += step
        return machine.with_log_weights(w._replace(transitions=np.log(weights)))

    def slope(f, i):
        return (f(moved(i, h)) - f(moved(i, -h))) / (2 * h)

    z = lambda m: np.exp(m.log_partition())
    np.testing.assert_allclose(machine.gradient().transitions, [slope(z, i) for i in range(arcs)], rtol=1e-6)
    hessian = machine.hessian()
    np.testing.assert_allclose(hessian[2], [slope(lambda m: m.gradient().transitions[2], i) for i in range(arcs)],
                               rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(machine.hessian(first=1, count=3), hessian[1:4])
    np.testing.assert_allclose(machine.derivatives(2), hessian)
    assert machine.derivative([0, 3]) == pytest.approx(hessian[0, 3])
    assert machine.log_derivative([0, 3]) == pytest.approx(np.log(hessian[0, 3]))
    zeros = np.zeros(machine.states)
    v = rng.normal(size=arcs)
    np.testing.assert_allclose(machine.hessian_vector(WfsmWeights(v, zeros, zeros)).transitions, hessian @ v)


def test_derivatives_at_weight_zero():
    machine = Wfsm([(0, 1, 1, np.log(0.5)), (0, 1, 2, -np.inf), (1, 2, 1, -np.inf)], start={0: 0.0}, final={1: 0.0})
    assert machine.gradient().transitions.tolist() == [1.0, 1.0, 0.0]
    assert machine.gradient().final.tolist() == [1.0, 0.5, 0.0]
    assert machine.derivative([1]) == machine.derivatives(1)[1] == 1.0
    assert not machine.hessian().any()


def test_gradients_by_differences(rng):
    machine = random_machine(rng)
    w, h = machine.log_weights, 1e-6
    other = machine.with_log_weights(w._replace(transitions=w.transitions - 0.3 * rng.random(len(w.transitions))))
    v = WfsmWeights(rng.normal(size=len(w.transitions)), rng.normal(size=machine.states),
                    rng.normal(size=machine.states))
    up, down = (machine.with_log_weights(WfsmWeights(*(a + s * h * b for a, b in zip(w, v)))) for s in (1, -1))
    for gradient, f in [
        (machine.entropy_gradient(), Wfsm.entropy),
        (machine.expected_length_gradient(), Wfsm.expected_length),
        (machine.renyi_gradient(2.0), lambda m: m.renyi(2.0)),
        (machine.kl_gradient(other)[0], lambda m: m.kl(other)),
        (other.kl_gradient(machine)[1], lambda m: other.kl(m)),
        (machine.cross_entropy_gradient(other)[0], lambda m: m.cross_entropy(other)),
        (other.cross_entropy_gradient(machine)[1], lambda m: other.cross_entropy(m)),
        (machine.counts(), Wfsm.log_partition),
    ]:
        along = sum((g * np.where(np.isfinite(a), b, 0.0)).sum() for g, a, b in zip(gradient, w, v))
        assert along == pytest.approx((f(up) - f(down)) / (2 * h), rel=1e-6, abs=1e-7)
    assert machine.kl(machine) == pytest.approx(0.0, abs=1e-12) and machine.kl(other) > 0.0
    along = machine.counts_along(v).transitions
    np.testing.assert_allclose(along, (up.transition_marginals() - down.transition_marginals()) / (2 * h),
                               rtol=1e-5, atol=1e-7)


def test_text_and_pickle(rng):
    machine = Wfsm([(0, 1, 1, -0.5, 2), (1, 1, 2, -2.0), (1, 2, 0, 0.0)], start={0: 0.0}, final={2: -0.25},
                   symbols={"<eps>": 0, "a": 1, "b": 2}, output_symbols={"<eps>": 0, "x": 1, "y": 2})
    assert "a" in machine.to_text() and machine.log_weight(["a", "b"]) == machine.log_weight([1, 2])
    tables = machine.symbols_text()
    again = Wfsm.from_text(machine.to_text(), symbols=tables[0], output_symbols=tables[1])
    copy = pickle.loads(pickle.dumps(machine))
    for m in (again, copy):
        assert m.log_partition() == machine.log_partition() and m.symbols == machine.symbols
    assert copy.transitions == machine.transitions
    assert machine.to_dot().startswith("digraph")
    real = Wfsm.from_text("0 1 7 0.25\n1\n", weights="real")
    assert real.log_partition() == pytest.approx(np.log(0.25)) and real.transitions[0].symbol == 7


def test_errors():
    with pytest.raises(kirchhoff.InfiniteSum, match="cycle"):
        Wfsm([(0, 0, 1, 0.1), (0, 1, 1, 0.0)], start={0: 0.0}, final={1: 0.0})
    with pytest.raises(kirchhoff.Infeasible):
        Wfsm([(0, 1, 1, 0.0)], start={0: 0.0}, final={2: 0.0})
    with pytest.raises(ValueError, match="input:1"):
        Wfsm.from_text("0 x\n")
    with pytest.raises(ValueError, match="weights"):
        Wfsm.from_text("0\n", weights="tropical")
    machine = Wfsm([(0, 1)], start={0: 0.0}, final={1: 0.0}, symbols={"<eps>": 0, "a": 1})
    for bad in [lambda: Wfsm([(0, 5)], start={0: 0.0}, final={1: 0.0}, states=2),
                lambda: Wfsm([(0, 1, 0, np.nan)], start={0: 0.0}, final={1: 0.0}),
                lambda: Wfsm([(0, 1)], start={-1: 0.0}, final={1: 0.0}),
                lambda: Wfsm([(0, 2**30)], start={0: 0.0}, final={1: 0.0}),  # which would take 24 GB
                lambda: machine.log_weight(["c"]),
                lambda: machine.expectation(np.zeros((1, 2))),
                lambda: machine.hessian_vector(WfsmWeights([1.0, 2.0], [0.0, 0.0], [0.0, 0.0])),
                lambda: machine.hessian(first=4),
                lambda: machine.sample_paths(-1),
                lambda: machine.best_paths(-1)]:
        with pytest.raises(ValueError):
            bad()
    assert machine.sample_paths(0) == [] and machine.best_paths(0) == []


def test_dtypes_and_strides(rng):
    machine = random_machine(rng, cyclic=False)
    f = rng.normal(size=(len(machine.transitions), 4))
    wanted = machine.expectation(np.ascontiguousarray(f.T))
    np.testing.assert_array_equal(machine.expectation(f.T), wanted)
    np.testing.assert_array_equal(machine.expectation(np.repeat(f.T, 2, axis=0)[::2]), wanted)
    np.testing.assert_allclose(machine.expectation(f.T.astype(np.float32)), wanted, rtol=1e-5)


def test_machines_from_arrays():
    rng = np.random.default_rng(7)
    arcs = [(i, j, int(rng.integers(3)), float(rng.normal()) - 2.0) for i in range(5) for j in range(i + 1, 6)]
    options = {"start": {0: 0.0, 1: -0.5}, "final": {5: 0.25}}
    listed = kirchhoff.Wfsm(arcs, **options)
    columns = [np.array(x) for x in zip(*arcs)]
    made = kirchhoff.Wfsm.from_arrays(*columns, **options)
    assert made.transitions == listed.transitions and made.log_partition() == listed.log_partition()
    assert made.to_text() == listed.to_text()
    both = kirchhoff.Wfsm.from_arrays([0, 1], [1, 2], 1, -0.5, [3, 4], start={0: 0.0}, final={2: 0.0}, states=4)
    assert both.states == 4 and [t.output for t in both.transitions] == [3, 4]
    assert [t.log_weight for t in both.transitions] == [-0.5, -0.5]
    empty = kirchhoff.Wfsm.from_arrays([], [], start={0: 0.0}, final={0: 0.0})
    assert empty.log_partition() == 0.0
    for wrong in [([0.5], [1]), ([0, 1], [1, 2, 3]), ([[0]], [[1]])]:
        with pytest.raises(ValueError):
            kirchhoff.Wfsm.from_arrays(*wrong, start={0: 0.0}, final={1: 0.0})
