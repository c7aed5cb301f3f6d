"""A dependency parser: trained on CoNLL-U, it gives trees with relations and probabilities."""

from __future__ import annotations

import math
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, conllu
from ._arrays import arc_lists
from ._core import ModelError, Sentence
from ._parser_statistics import ParserStatistics
from ._training_options import Treebank, sentences_of, training_options


@dataclass
class ParsedTree:
    """A tree with relations.

    heads are n + 1 integers, heads[0] == -1; labels belong to words 1 .. n; log_prob is that of the heads, and nan when
    it was not asked for.

    >>> kirchhoff.ParsedTree(np.array([-1, 0]), ["root"], 0.0).labels
    ['root']
    """
    heads: np.ndarray  #: n + 1 integers, heads[0] == -1
    labels: List[str]  #: the relations of words 1 .. n
    log_prob: float  #: log-probability of the heads; nan when it was not asked for


class Inference(NamedTuple):
    """How well the inference of a model with parts of several arcs did; that of a model of arcs is always exact.

    propagated: belief propagation was run. It `converged` or not, after so many `iterations`, and the largest change of
    a probability in the last one was `residual`. searched: the best tree was looked for by AD3. It is `certified` to be
    the best or not, no tree has a score that is higher by more than `gap`, and the relaxation's solution was `integral`
    or not.

    >>> kirchhoff.Inference().certified
    True
    """

    propagated: bool = False
    converged: bool = True
    iterations: int = 0
    residual: float = 0.0
    searched: bool = False
    certified: bool = True
    integral: bool = True
    gap: float = 0.0


@dataclass
class Parsed(ParsedTree):
    """This is what the parser found. Probabilities that were not asked for are empty arrays and nan.

    Besides what ParsedTree has: `sentence` with these heads and relations; arc_probabilities (n,), the
    probability of each word's head; label_probabilities (n,), that of its relation given the tree; the entropy of the
    distribution over heads, in nats; `trees`, the k best or samples; and how well `inference` did.

    >>> words = [("the", "DET", 2, "det"), ("dog", "NOUN", 3, "nsubj"), ("barks", "VERB", 0, "root")]
    >>> s = kirchhoff.conllu.Sentence([w[0] for w in words])
    >>> s.set_column("upos", [w[1] for w in words])
    >>> s.set_column("deprel", [w[3] for w in words])
    >>> s.heads = [-1] + [w[2] for w in words]
    >>> parsed = kirchhoff.Parser.train([s] * 20, root="single", epochs=2).parse(s, probabilities=True)
    >>> parsed.arc_probabilities.shape, parsed.sentence.column("deprel"), parsed.entropy > 0
    ((3,), ['det', 'nsubj', 'root'], True)
    """

    sentence: Sentence  #: with these heads and relations
    arc_probabilities: np.ndarray  #: the probability of the head of words 1 .. n
    label_probabilities: np.ndarray  #: the probability of their relation, given the tree
    entropy: float  #: entropy of the distribution over heads, in nats
    trees: List[ParsedTree] = field(default_factory=list)  #: the k best, or samples
    inference: Inference = Inference()  #: how well it did

    def _repr_svg_(self) -> str:
        return self.sentence._repr_svg_()


class Parser(ParserStatistics):
    """A trained model is immutable and safe to use from several threads. Parser("en.model") reads a file.

    >>> words = [("the", "DET", 2, "det"), ("dog", "NOUN", 3, "nsubj"), ("barks", "VERB", 0, "root")]
    >>> s = kirchhoff.conllu.Sentence([w[0] for w in words])
    >>> s.set_column("upos", [w[1] for w in words])
    >>> s.set_column("deprel", [w[3] for w in words])
    >>> s.heads = [-1] + [w[2] for w in words]
    >>> parser = kirchhoff.Parser.train([s] * 20, root="single", epochs=2)
    >>> parsed = parser.parse(s, probabilities=True)
    >>> parsed.heads.tolist(), parsed.labels, bool((parsed.arc_probabilities > 0.5).all())
    ([-1, 2, 3, 0], ['det', 'nsubj', 'root'], True)
    """

    def __init__(self, model: Union[str, os.PathLike, "_core.Pipeline", "_core.ParserModel"]):
        if isinstance(model, (str, os.PathLike)):
            model = _core.Pipeline.open(os.fspath(model))
        self._pipeline = model if isinstance(model, _core.Pipeline) else None
        self._model: "_core.ParserModel" = model.parser() if isinstance(model, _core.Pipeline) else model

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> "Parser":
        """Reads a file and verifies it. A ModelError, which is a ValueError, says what is wrong with it.

        >>> parser.save("en.model")
        >>> kirchhoff.Parser.load("en.model").labels == parser.labels
        True
        """
        return cls(path)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the model beside the file and renames it, so that nobody sees half a model.

        >>> parser.save("en.model")
        """
        self._model.save(os.fspath(path))

    @classmethod
    def train(
        cls,
        train: Treebank = (),
        dev: Treebank = (),
        *,
        root: str,
        loss: str = "softmax_margin",
        beta: Optional[float] = None,
        gamma: Optional[float] = None,
        features: str = "supported",
        progress: Optional[Callable[[str, int, int], None]] = None,
        epoch: Optional[Callable[[int, float, float, float, float], None]] = None,
        **options,
    ) -> "Parser":
        """Trains on sentences, or on the CoNLL-U file of that name; `dev` chooses the best epoch.

        loss: crf, svm, perceptron or softmax_margin, which are values of beta and gamma in
        1/beta log sum over trees y of exp beta (score(y) - score(gold) + gamma * wrong heads of y), or risk, the
        expected number of wrong heads.

        Options, with the defaults of `kirchhoff train`: parts ("arcs", "next", "all", or a list of siblings=next|all,
        grandparents, bigrams and nonprojective), or order (1 for arcs, 2 for next), projective (learn about trees whose
        arcs do not cross, and leave out the others), relaxed (for beta = inf: learn from the relaxation's solution),
        labels ("given_tree", or "joint", learnt and chosen together with the tree, by a loss that counts wrong
        relations, too), cost ("mistakes", "hamming", two for a wrong head, or, for joint labels, "las"), step
        ("adagrad" with rate, or "aggressive" with lambda_, by default 10 / sentences), epochs, batch, min_count,
        max_heads, prune, seed, threads, model and checkpoint (files), resume.

        Sentences without trees are `unannotated`, sentences or a file, with entropy_weight and entropy_order (1 for
        Shannon's entropy, otherwise Rényi's); constraints, lines such as "DET -> NOUN right 0.9" or, for joint labels,
        "DET -> NOUN right deprel=det 0.9", or the file that has them, and constraint_features, lines such as
        "h.upos=NOUN d.upos=ADJ agree=Number:same 0.8", with constraint_weight and penalty ("squared", "kl", "hinge");
        or teacher, a Parser, with teacher_weight and
        divergence ("forward", "reverse", "symmetric") or, for self-training, confidence. unannotated_min_count,
        unannotated_ratio and unannotated_from say which of their features get a weight, how many come for each tree,
        and from which epoch on. `start` is a Parser whose weights training begins with. With unannotated there may be
        no trees in `train`.

        `progress(stage, done, all)` is called after each batch, `epoch(number, loss, uas, las, calibration_error)`
        after each epoch. Ctrl-C stops after the batch and writes the checkpoint. Cost: O(n^3) for each sentence and
        epoch, and its features.

        >>> losses = []
        >>> again = kirchhoff.Parser.train([s] * 20, root="single", loss="crf", epochs=3,
        ...                                epoch=lambda number, loss, uas, las, error: losses.append(loss))
        >>> losses[2] < losses[0]
        True
        >>> taught = kirchhoff.Parser.train(root="single", unannotated=[s] * 20, unannotated_min_count=1,
        ...                                 constraints=["DET -> NOUN right 1", "NOUN -> VERB right 1"])
        >>> taught.parse(s).heads.tolist()
        [-1, 2, 3, 0]
        """
        options = training_options("Parser.train", dict(options, beta=beta, gamma=gamma, loss=loss, features=features))
        options["root"] = root
        return cls(_core.train_parser(sentences_of(train), sentences_of(dev), options, progress, epoch))

    @property
    def labels(self) -> List[str]:
        """The relations it knows.

        >>> sorted(parser.labels)
        ['det', 'nsubj', 'root']
        """
        return self._model.labels()

    @property
    def card(self) -> Dict[str, str]:
        """The model card tells data, options, scores and date.

        >>> all(isinstance(value, str) for value in parser.card.values())
        True
        """
        return dict(self._model.card())

    @property
    def root(self) -> str:
        """The root of its trees, "single" or "multi".

        >>> parser.root
        'single'
        """
        return self._model.root()

    @property
    def parts(self) -> str:
        """What it scores, as `train` takes it: "arcs", "next", "all", or a list.

        >>> parser.parts
        'arcs'
        """
        return self._model.parts()

    def __call__(self, text: str, *, threads: int = 0) -> List[Sentence]:
        """The sentences of a text with words, tags, lemmas, heads and relations, for models of `Pipeline.train`.

        Raises a ModelError that names the missing part if the file has no tokenizer or no tagger.
        """
        if self._pipeline is None:
            raise ModelError("this parser has no tokenizer; kirchhoff.Pipeline.train makes models with all parts")
        return self._pipeline.annotate(text, threads)

    def parse(self, sentences: Union[Sentence, Iterable[Sentence]], *, probabilities: bool = False, k_best: int = 0,
              samples: int = 0, keep_heads: bool = False, require: Sequence[Any] = (), forbid: Sequence[Any] = (),
              seed: int = 0, threads: int = 0, projective: bool = False) -> Union[Parsed, List[Parsed]]:
        """Parses one sentence (a Parsed), or several in parallel (a list).

        k_best or samples says how many trees Parsed.trees gets. With keep_heads the heads that are given stay, and
        Infeasible is raised when no tree has them. All that is found is given that the arcs (head, word) of require are
        in the tree and those of forbid are not; for several sentences there is a list for each. With projective only
        trees whose arcs do not cross count. It takes about O(n^2) for each sentence, with probabilities or projective
        O(n^3).

        >>> [t.heads.tolist() for t in parser.parse(s, k_best=2).trees][0]
        [-1, 2, 3, 0]
        >>> parser.parse(s, require=[(0, 2)]).heads.tolist()
        [-1, 2, 0, 2]
        >>> len(parser.parse([s, s], forbid=[[(0, 3)], []], threads=2))
        2
        """
        batch = [sentences] if isinstance(sentences, Sentence) else list(sentences)
        shape = () if isinstance(sentences, Sentence) else (len(batch),)
        found = self._model.parse(batch, probabilities, keep_heads, arc_lists(require, shape, "require"),
                                  arc_lists(forbid, shape, "forbid"), k_best, samples, seed, threads, projective)
        results = [self._parsed(sentence, *parts) for sentence, parts in zip(batch, found)]
        return results[0] if isinstance(sentences, Sentence) else results

    def arc_scores(self, sentence: Sentence) -> np.ndarray:
        """Returns the log-weights of the arcs, (n+1, n+1), for kirchhoff.TreeDistribution; -inf where one was pruned.

        >>> p = kirchhoff.TreeDistribution(parser.arc_scores(s), root=parser.root)
        >>> p.argmax().heads.tolist()
        [-1, 2, 3, 0]
        """
        return self._model.arc_scores(sentence)

    def _tree(self, heads: List[int], labels: List[int], log_prob: float) -> ParsedTree:
        names = self.labels
        return ParsedTree(np.asarray(heads, dtype=np.int64), [names[label] for label in labels[1:]], log_prob)

    def _parsed(self, sentence, tree, arc_probabilities, label_probabilities, entropy, inference, trees) -> Parsed:
        best = self._tree(*tree)
        annotated = conllu.loads(str(sentence), format=sentence.format)[0]
        annotated.heads = best.heads
        annotated.set_column("deprel", best.labels)
        return Parsed(
            best.heads,
            best.labels,
            best.log_prob,
            annotated,
            np.asarray(arc_probabilities[1:]),
            np.asarray(label_probabilities[1:]),
            entropy if arc_probabilities else math.nan,
            [self._tree(*t) for t in trees],
            Inference(*inference),
        )

    def __getstate__(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            self.save(path)
            return path.read_bytes()

    def __setstate__(self, state: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            path.write_bytes(state)
            self._pipeline = _core.Pipeline.open(str(path))
            self._model = self._pipeline.parser()

    def __repr__(self) -> str:
        return f"<Parser with {len(self.labels)} relations>"
