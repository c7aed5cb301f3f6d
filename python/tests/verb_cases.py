"""The structures and frameworks of test_verbs.py: random scores, functions' arguments, and what NumPy's classes answer."""

import numpy as np
import pytest

import kirchhoff
from kirchhoff import _verbs

LENGTHS = [4, 2]
HEADS = np.array([[-1, 2, 0, 2, 3], [-1, 0, 1, -1, -1]])
LABELS = np.array([[-1, 1, 0, 1, 1], [-1, 0, 1, -1, -1]])
TAGS = np.array([[0, 2, 1, 1], [1, 2, 0, 0]])
STRINGS = [[1, 2], [1]]
ARCS = [(0, 1, 1), (0, 2, 2), (1, 2, 2), (1, 1, 3), (2, 1, 1)]
MACHINE = kirchhoff.Wfsm([(*arc, -1.5) for arc in ARCS], start={0: 0.0}, final={1: -0.5, 2: -0.25})


class Trees:
    """A batch of graphs: its scores as arrays, its functions' arguments, and the distribution of NumPy."""

    structure = "tree"

    def __init__(self, labelled=False, projective=False, root="single"):
        self.shape = (2, 5, 5) + ((2,) if labelled else ())
        self.tree = (HEADS, LABELS) if labelled else (HEADS,)
        self.options = {"root": root, "lengths": LENGTHS}
        self.kind = kirchhoff.ProjectiveTreeDistribution if projective else kirchhoff.TreeDistribution
        self.flags = {"labelled": labelled} if labelled else {}
        self.projective = {"projective": projective}

    def scores(self, rng):
        return (rng.normal(size=self.shape),)

    def functions(self, rng):
        return (rng.normal(size=(3,) + self.shape[1:]),)

    def distribution(self, scores):
        return self.kind(*scores, **self.options, **self.flags)

    def call(self, function, verb, scores, f):
        options = {**self.options, **self.projective}
        if verb == "score":
            return function(scores[0], *self.tree, lengths=LENGTHS)
        if verb in ("log_prob", "risk"):
            return function(scores[0], *self.tree, **options)
        return function(*scores, *{"expectation": f, "renyi": (2.0,)}.get(verb, ()), **options, **self.flags)

    def exact(self, verb, p, q, f):
        if verb in ("log_prob", "risk"):
            return getattr(p, verb)(*self.tree)
        if verb == "score":
            return p.log_prob(*self.tree) + p.log_partition()
        return getattr(p, verb)(*{"expectation": f, "renyi": (2.0,)}.get(verb, ()), *(() if q is None else (q,)))


class Chains:
    structure = "chain"

    def scores(self, rng):
        return rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 3, 3, 3))

    def functions(self, rng):
        return rng.normal(size=(3, 4, 3)), rng.normal(size=(3, 3, 3, 3))

    def distribution(self, scores):
        return kirchhoff.ChainDistribution(*scores, lengths=LENGTHS)

    def call(self, function, verb, scores, f):
        if len(scores) == 4:
            return function(scores[:2], scores[2:], lengths=LENGTHS)
        more = {"expectation": (f,), "renyi": (2.0,)}.get(verb, ())
        return function(*scores, *((TAGS,) if verb in ("score", "log_prob", "risk") else more), lengths=LENGTHS)

    def exact(self, verb, p, q, f):
        if verb in ("score", "log_prob"):
            return p.log_prob(TAGS) + (p.log_partition() if verb == "score" else 0.0)
        if verb == "risk":
            inside = np.arange(4) < np.array(LENGTHS)[:, None]
            found = np.take_along_axis(p.marginals().emissions, TAGS[..., None], -1)[..., 0]
            return (found * inside).sum(-1) / LENGTHS
        more = {"expectation": (kirchhoff.ChainArrays(*f),), "renyi": (2.0,)}.get(verb, ())
        return getattr(p, verb)(*more, *(() if q is None else (q,)))


class Segments:
    structure = "segment"
    segmentation = np.array([[0, 0, 1, 2], [1, 1, 0, 0]]), np.array([[1, 0, 1, 1], [1, 0, 0, 0]], dtype=bool)

    def scores(self, rng):
        return rng.normal(size=(2, 4, 3, 3)), rng.normal(size=(2, 3, 3))

    def functions(self, rng):
        return rng.normal(size=(3, 4, 3, 3)), rng.normal(size=(3, 3, 3))

    def distribution(self, scores):
        return kirchhoff.SegmentDistribution(*scores, lengths=LENGTHS)

    def call(self, function, verb, scores, f):
        if len(scores) == 4:
            return function(scores[:2], scores[2:], lengths=LENGTHS)
        more = {"expectation": (f,), "renyi": (2.0,)}.get(verb, ())
        return function(*scores, *(self.segmentation if verb in ("score", "log_prob") else more), lengths=LENGTHS)

    def exact(self, verb, p, q, f):
        if verb in ("score", "log_prob"):
            return p.log_prob(*self.segmentation) + (p.log_partition() if verb == "score" else 0.0)
        more = {"expectation": (kirchhoff.SegmentArrays(*f),), "renyi": (2.0,)}.get(verb, ())
        return getattr(p, verb)(*more, *(() if q is None else (q,)))


class Machines:
    structure = "wfsm"

    def scores(self, rng):
        return rng.normal(size=(2, len(ARCS))) * 0.3 - 1.5, rng.normal(size=(2, 3)), rng.normal(size=(2, 3))

    def functions(self, rng):
        return rng.normal(size=(2, len(ARCS))), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))

    def distribution(self, scores):
        return [MACHINE.with_log_weights(self.allowed(*(s[i] for s in scores))) for i in range(2)]

    @staticmethod
    def allowed(transitions, start, final):
        own = MACHINE.log_weights
        return kirchhoff.WfsmWeights(transitions, *(np.where(np.isinf(o), o, x) for o, x in
                                                    ((own.start, start), (own.final, final))))

    def call(self, function, verb, scores, f):
        more = {"expectation": (f,), "renyi": (2.0,), "log_prob": (STRINGS,)}.get(verb, ())
        found = function(MACHINE, *(scores[i:i + 3] for i in range(0, len(scores), 3)), *more)
        return tuple(found) if verb == "marginals" else found

    def exact(self, verb, p, q, f):
        name = "counts" if verb == "marginals" else verb
        found = [getattr(one, name)(*{"expectation": (f,), "renyi": (2.0,), "log_prob": (STRINGS[i],)}.get(verb, ()),
                                    *(() if q is None else (q[i],))) for i, one in enumerate(p)]
        return tuple(map(np.stack, zip(*found))) if verb == "marginals" else np.array(found)


CASES = {"tree": Trees(), "labelled": Trees(labelled=True, root="multi"), "projective": Trees(projective=True),
         "projective labelled": Trees(labelled=True, projective=True, root="multi"), "chain": Chains(),
         "segment": Segments(),
         "wfsm": Machines()}
TABLE = [(case, verb) for case, made in CASES.items() for verb in _verbs.VERBS
         if _verbs.name_of(made.structure, verb) is not None]


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        import kirchhoff.torch as module
        self.module = module

    def array(self, x):
        return self.torch.as_tensor(x)

    def numpy(self, x):
        return x.detach().numpy()

    def gradient(self, f, x):
        """The gradient of a number by all parts of x, which can be differentiated further."""
        x = [t if t.requires_grad else t.clone().requires_grad_() for t in x]
        found = self.torch.autograd.grad(f(*x), x, create_graph=True, allow_unused=True)
        return [self.torch.zeros_like(s) if g is None else g for g, s in zip(found, x)]

    def twice(self, f, x, r):
        """The second derivative of a number, times a direction."""
        x = [t.clone().requires_grad_() for t in x]
        return self.gradient(lambda *s: sum((g * d).sum() for g, d in zip(self.gradient(f, s), r)), x)


class Jax:
    def __init__(self):
        self.jax = pytest.importorskip("jax")
        self.jax.config.update("jax_enable_x64", True)
        import kirchhoff.jax as module
        self.module = module

    def array(self, x):
        return self.jax.numpy.asarray(x)

    numpy = staticmethod(np.asarray)

    def gradient(self, f, x):
        return self.jax.grad(f, argnums=tuple(range(len(x))))(*x)

    def twice(self, f, x, r):
        """Reverse mode over forward mode, under jit."""
        along = lambda *s: self.jax.jvp(f, s, tuple(r))[1]
        return self.jax.jit(lambda *s: self.gradient(along, s))(*x)
