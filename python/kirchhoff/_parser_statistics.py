"""What a parser expects of features over a corpus, the curvature of its log-likelihood, and what to annotate next."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Iterable, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from . import _core
from ._core import Sentence


@dataclass
class FeatureStatistics:
    """Moments of features of arcs under a parser's distribution over trees, summed over sentences.

    names (F,), expectation (F,) and covariance (F, F); `weights` (F,) are those the model gives the features, 0 for one
    it does not have; `observed` (F,) counts them in the trees of the sentences, and is None unless all have one;
    `fisher` (F,) is the diagonal of the Fisher information of weights of the features, and `hessian_product` (F,) the
    Hessian of the log-likelihood by them, times the direction, or None without one.

    >>> found = kirchhoff.FeatureStatistics(["h.upos=VERB"], np.ones(1), np.eye(1) / 4, np.zeros(1), None, 1, 3, np.ones(1), None)
    >>> np.sqrt(np.diag(found.covariance)).tolist()
    [0.5]
    """

    names: List[str]  #: such as "h.upos=NOUN d.upos=DET dir=leftward"
    expectation: np.ndarray  #: E[f]
    covariance: np.ndarray  #: Cov(f_m, f_n)
    weights: np.ndarray  #: the weights of the model
    observed: Optional[np.ndarray]  #: counts in the trees of the sentences
    sentences: int  #: how many there were
    words: int  #: how many words they have
    fisher: np.ndarray  #: Var(f) / temperature ** 2
    hessian_product: Optional[np.ndarray]  #: -Cov(f, direction) / temperature ** 2


class RankedSentence(NamedTuple):
    """A sentence, its place among those that were ranked, and the value it was ranked by.

    >>> kirchhoff.RankedSentence(kirchhoff.conllu.Sentence(["Birds", "sing"]), 0, 0.7).value
    0.7
    """

    sentence: Sentence
    number: int
    value: float


class ParserStatistics:
    """Second-order statistics of models of arcs, which are exact among the arcs that pruning leaves.

    A model of parts of several arcs raises ValueError, but for most ways to rank. All methods take `root` ("single" or
    "multi", by default the model's), `projective` and `threads` (0 for all cores).
    """

    _model: "_core.ParserModel"

    @functools.cached_property
    def _weights(self) -> "_core.ModelWeights":
        return _core.ModelWeights(self._model)

    def feature_statistics(
        self,
        sentences: Iterable[Sentence],
        templates: str,
        *,
        most: int = 50,
        names: Sequence[str] = (),
        direction: Optional[Mapping[str, float]] = None,
        root: Optional[str] = None,
        projective: bool = False,
        threads: int = 0,
    ) -> FeatureStatistics:
        """Expectations and covariances of the `most` features with the largest expectations, or of those named.

        `templates` are lines in the language of feature templates; what a line makes of an arc is one feature.
        `direction` is a vector by names of features, which the Hessian of the log-likelihood is multiplied by. Cost:
        O(n^3) for a sentence of n words, and F^2 for its F features.

        >>> parser.feature_statistics([s, s], "dir | h.upos d.upos", names=["h.upos=NOUN d.upos=DET dir=leftward"]).sentences
        2
        """
        found = _core.feature_statistics(self._model, list(sentences), templates, most, list(names),
                                         [(name, float(value)) for name, value in (direction or {}).items()], root,
                                         projective, threads)
        return FeatureStatistics(*found)

    def rank(
        self,
        sentences: Iterable[Sentence],
        *,
        by: str = "entropy",
        per: str = "word",
        top: int = 0,
        root: Optional[str] = None,
        projective: bool = False,
        threads: int = 0,
    ) -> List[RankedSentence]:
        """Orders sentences by what annotating them would teach, the first `top` only unless that is 0.

        by: entropy of the distribution over trees; margin, the difference of the log-probabilities of the two best
        trees, the smallest first; variance, the expected number of words with different heads in two random trees; or
        expected_gradient, the expected squared length of the gradient by the weights, for models of arcs. Values count
        for a word, or with per="sentence" for the sentence. Trees that sentences have do not matter; those without
        words are left out.

        >>> [item.number for item in parser.rank([s, s], by="entropy")]
        [0, 1]
        """
        sentences = list(sentences)
        found = _core.rank_sentences(self._model, sentences, by, per, top, root, projective, threads)
        return [RankedSentence(sentences[number], number, value) for number, value in found]

    def weights(self) -> np.ndarray:
        """All weights of a model of arcs, in the order of its file.

        >>> bool((parser.weights() != 0).all())
        True
        """
        return self._weights.values()

    def arc_weights(self, sentence: Sentence, head: int, dependent: int) -> np.ndarray:
        """The numbers of the weights that add up to the score of an arc, times the temperature of `arc_scores`.

        >>> found = parser.arc_weights(s, 2, 1)
        >>> bool(parser.weights()[found].sum() > 0)
        True
        """
        return np.asarray(self._weights.of_arc(sentence, head, dependent), dtype=np.int64)

    def expected_counts(
        self, sentences: Iterable[Sentence], *, root: Optional[str] = None, projective: bool = False, threads: int = 0
    ) -> np.ndarray:
        """E[f] of the feature of each weight, summed over sentences.

        >>> found = parser.expected_counts([s])
        >>> found.shape == parser.weights().shape and bool((found >= 0).all())
        True
        """
        return self._weights.expected_counts(list(sentences), root, projective, threads)

    def hessian_product(
        self,
        sentences: Iterable[Sentence],
        direction: np.ndarray,
        *,
        root: Optional[str] = None,
        projective: bool = False,
        threads: int = 0,
    ) -> np.ndarray:
        """The Hessian of the log-likelihood by the weights, times a vector. It takes O(n^3) for a sentence.

        >>> v = parser.weights()
        >>> bool(v @ parser.hessian_product([s], v) <= 0)
        True
        """
        direction = np.asarray(direction, dtype=np.float64)
        return self._weights.hessian_product(list(sentences), direction, root, projective, threads)

    def fisher_diagonal(
        self, sentences: Iterable[Sentence], *, root: Optional[str] = None, projective: bool = False, threads: int = 0
    ) -> np.ndarray:
        """The diagonal of the Fisher information of the weights, summed over sentences.

        >>> bool((parser.fisher_diagonal([s]) > -1e-9).all())
        True
        """
        return self._weights.fisher_diagonal(list(sentences), root, projective, threads)
