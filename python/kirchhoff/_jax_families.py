"""The verbs of JAX's functions, once for all structures: primitives and the rules of their derivatives.

log Z has the marginals for a gradient, and further derivatives along directions: the Hessian H times a direction, and
third derivatives T(r, s). Gradients of the information of distributions are written with these.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad

from ._jax_kernels import Question
from ._jax_primitives import TREES, Kind, Work, primitive_of
from ._verbs import INFORMATION, TOO_MANY_DERIVATIVES, is_shannons, parts_of


def _over_structures(products, axes):
    """Returns the sums of products (..., array of one structure) of each structure, as one number."""
    return sum(x.reshape(x.shape[:x.ndim - n] + (-1,)).sum(-1) for x, n in zip(products, axes))


def _is_zero(tangent) -> bool:
    return type(tangent) is ad.Zero


def _finite(scores):
    return [jnp.where(jnp.isinf(x), 0, x) for x in scores]


def _zeros(outputs):
    return [ad.Zero.from_primal_value(x) for x in outputs]


def _filled(primals, tangents):
    """Returns tangents as arrays, or None if all are zero."""
    if all(map(_is_zero, tangents)):
        return None
    return [jnp.zeros(x.shape, x.dtype) if _is_zero(t) else t for x, t in zip(primals, tangents)]


def _no_fourth(*_, **__):
    raise NotImplementedError(f"kirchhoff.jax: {TOO_MANY_DERIVATIVES}")


class Family:
    """The primitives of one kind of distribution, each with the rules that make it the derivative of another."""

    def __init__(self, kind: Kind):
        self.kind, self.parts, self.axes = kind, kind.parts, kind.axes
        self.log_partition_p = self._primitive("log_partition", lambda p: p.log_partition(), True, False,
                                               question=Question(("log_partition",)))
        self.solve_p = self._primitive("solve", lambda p: (p.log_partition(), *parts_of(p.marginals())), True, True,
                                       question=Question(("log_partition", "marginals")))
        self.along_p = self._primitive("along", lambda p, r: p.marginals_along(r), False, True,
                                       question=Question(("derivatives",)))
        self.third_p = self._primitive("third", lambda p, r, s: p.covariance_gradient(r, s), False, True)
        self._values(self.log_partition_p, self.solve_p)
        ad.primitive_jvps[self.solve_p] = self._solve_jvp
        self._derivative(self.along_p, self.third_p.bind)
        self._derivative(self.third_p, _no_fourth)
        self.information_p = {verb: self._information(verb) for verb in INFORMATION}
        self.renyi_p = self._renyi()

    def _primitive(self, name: str, *work, **options) -> Primitive:
        return primitive_of(self.kind, name, Work(*work, **options))

    def log_partition(self, *operands, **static):
        return self.log_partition_p.bind(*operands, **static)[0]

    def marginals(self, *operands, **static):
        return self.solve_p.bind(*operands, **static)[1:]

    def expectation(self, *operands, f, **static):
        """E[f] (..., features); part i of f has a feature axis before the axes of one structure."""
        axes = self.axes(static)
        products = [jnp.expand_dims(p, -n - 1) * jnp.asarray(g)
                    for p, g, n in zip(self.marginals(*operands, **static), f, axes)]
        return _over_structures(products, axes).astype(operands[0].dtype)

    def information(self, verb: str, *operands, **static):
        """The entropy, or KL and the cross-entropy of two distributions, whose scores come one after the other."""
        return self.information_p[verb].bind(*operands, **static)[0]

    def renyi(self, *operands, alpha: float, **static):
        return self.renyi_p.bind(*operands, alpha=float(alpha), **static)[0]

    def _values(self, primitive: Primitive, with_gradient: Primitive, distributions: int = 1):
        """Gives a number the rule that its value and gradient come from one solution."""
        given = self.parts * distributions

        def rule(primals, tangents, **static):
            t = _filled(primals, tangents[:given])
            if t is None:
                out = primitive.bind(*primals, **static)
                return out, _zeros(out)
            value, *gradient = with_gradient.bind(*primals, **static)
            return [value], [self._dot(gradient, t, static)]

        ad.primitive_jvps[primitive] = rule

    def _dot(self, tables, direction, static):
        return _over_structures([a * t for a, t in zip(tables, direction)], self.axes(static) * 2)

    def _solve_jvp(self, primals, tangents, **static):
        out, t = self.solve_p.bind(*primals, **static), _filled(primals, tangents[:self.parts])
        if t is None:
            return out, _zeros(out)
        return out, [self._dot(out[1:], t, static), *self.along_p.bind(*primals, *t, **static)]

    def _information(self, verb: str) -> Primitive:
        """A verb of INFORMATION, whose gradient by p's scores is H d, with d = a p's scores - b q's and H the Hessian."""
        n, two = self.parts, verb != "entropy"
        a, b = INFORMATION[verb]

        def with_gradient(p, *q):
            if not two:
                value, gradient = p.entropy_with_gradient()
                return (value, *parts_of(gradient))
            of_p, of_q = getattr(p, f"{verb}_gradient")(*q)
            return (getattr(p, verb)(*q), *parts_of(of_p), *parts_of(of_q))

        value_p = self._primitive(verb, lambda p, *q: getattr(p, verb)(*q), True, False, 1 + two,
                                  None if two else Question((verb,)))
        question = None if two else Question((verb, "derivatives"), score_share=a)
        gradient_p = self._primitive(f"{verb}_gradient", with_gradient, True, True, 1 + two, question)
        self._values(value_p, gradient_p, 1 + two)

        def gap(x, y):
            return [a * u - b * v for u, v in zip(x, y)] if two else [a * u for u in x]

        def rule(primals, tangents, **static):
            given = n * (1 + two)
            out, t = gradient_p.bind(*primals, **static), _filled(primals, tangents[:given])
            if t is None:
                return out, _zeros(out)
            x, y, lengths = primals[:n], primals[n:given], primals[given]
            by_x, by_y = t[:n], t[n:]
            turned = self.third_p.bind(*x, lengths, *gap(_finite(x), _finite(y)), *by_x, **static)
            moved = self.along_p.bind(*x, lengths, *gap(by_x, by_y), **static)
            found = [u + v for u, v in zip(turned, moved)]
            if two:
                of_q, of_p = (self.along_p.bind(*s, lengths, *u, **static) for s, u in ((y, by_y), (x, by_x)))
                found += [u - v for u, v in zip(of_q, of_p)]
            return out, [self._dot(out[1:], t, static), *found]

        ad.primitive_jvps[gradient_p] = rule
        return value_p

    def _renyi(self) -> Primitive:
        own = ("alpha",)
        value_p = self._primitive("renyi", lambda p, alpha: p.renyi(alpha), True, False, own=own)
        gradient_p = self._primitive("renyi_gradient",
                                     lambda p, alpha: (p.renyi(alpha), *parts_of(p.renyi_gradient(alpha))), True, True,
                                     own=own)
        self._values(value_p, gradient_p)

        def moved(x, lengths, t, alpha, static):
            def along(order):
                return self.along_p.bind(*(order * s for s in x), lengths, *t, **static)

            if alpha == 0.0:
                return [jnp.zeros_like(s) for s in x]
            if is_shannons(alpha):
                middle = (1.0 + alpha) / 2.0
                turned = self.third_p.bind(*(middle * s for s in x), lengths, *_finite(x), *t, **static)
                return [-alpha * (u + middle * v) for u, v in zip(along(middle), turned)]
            return [alpha / (1.0 - alpha) * (alpha * u - v) for u, v in zip(along(alpha), along(1.0))]

        def rule(primals, tangents, *, alpha, **static):
            out = gradient_p.bind(*primals, alpha=alpha, **static)
            t = _filled(primals, tangents[:self.parts])
            if t is None:
                return out, _zeros(out)
            slopes = moved(primals[:self.parts], primals[self.parts], t, alpha, static)
            return out, [self._dot(out[1:], t, static), *slopes]

        ad.primitive_jvps[gradient_p] = rule
        return value_p

    def _derivative(self, primitive: Primitive, further):
        """Gives a derivative of log Z its rules: it is linear in each direction, symmetric, and moves by the next one."""
        n = self.parts
        starts = (n + 1, 2 * n + 1)

        def jvp(primals, tangents, **static):
            out = primitive.bind(*primals, **static)
            terms, t = [], _filled(primals, tangents[:n])
            if t is not None:
                terms.append(further(*primals, *t, **static))
            for at in starts[:(len(primals) - n - 1) // n]:
                t = _filled(primals[at:], tangents[at:at + n])
                if t is not None:
                    terms.append(primitive.bind(*primals[:at], *t, *primals[at + n:], **static))
            return out, [sum(parts[1:], parts[0]) for parts in zip(*terms)] if terms else _zeros(out)

        def transpose(cotangents, *operands, **static):
            at = next(a for a in starts if any(map(ad.is_undefined_primal, operands[a:a + n])))
            result = [None] * len(operands)
            if not all(map(_is_zero, cotangents)):
                given = [jnp.zeros(x.aval.shape, x.aval.dtype) if _is_zero(x) else x for x in cotangents]
                found = primitive.bind(*operands[:at], *given, *operands[at + n:], **static)
                for i, x in zip(range(at, at + n), found):
                    result[i] = x if ad.is_undefined_primal(operands[i]) else None
            return result

        ad.primitive_jvps[primitive] = jvp
        ad.primitive_transposes[primitive] = transpose


trees = Family(TREES)
