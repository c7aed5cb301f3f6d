"""From raw text to trees: a tokenizer, a tagger, a lemmatizer and a parser in one model file."""

from __future__ import annotations

import math
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._core import Sentence
from ._training_options import Treebank, sentences_of, training_options
from .chain import ChainDistribution
from .parsing import Parser


@dataclass
class Tagged:
    """A sentence with its tags and lemmas. Probabilities that were not asked for are empty arrays and nan.

    `sentence` has UPOS, XPOS, FEATS and LEMMA; upos_probabilities (n,) are those of the words' universal tags,
    feats_probabilities (n,) those of XPOS and FEATS given the universal tags, and `entropy`, in nats, is that of the
    distribution over sequences of universal tags.

    >>> s = kirchhoff.conllu.Sentence(["dogs", "bark"])
    >>> kirchhoff.Tagged(s, np.ones(2), np.ones(2), 0.0, 0.0).sentence.column("form")
    ['dogs', 'bark']
    """

    sentence: Sentence  #: with UPOS, XPOS, FEATS and LEMMA
    upos_probabilities: np.ndarray  #: the probability of the universal tag of words 1 .. n
    feats_probabilities: np.ndarray  #: that of XPOS and FEATS, given the universal tags
    entropy: float  #: entropy of the distribution over sequences of universal tags, in nats
    log_prob: float  #: the log-probability of the sequence of universal tags

    def _repr_svg_(self) -> str:
        return self.sentence._repr_svg_()


Lexicon = Union[str, os.PathLike, Iterable[Sequence[str]]]
Clusters = Union[str, os.PathLike, Iterable[Tuple[str, str]]]


def _readings(lexicon: Lexicon) -> List[Tuple[str, str, str, str, str]]:
    if isinstance(lexicon, (str, os.PathLike)):
        return _core.read_lexicon(Path(lexicon).read_text(encoding="utf-8"), os.fspath(lexicon))
    readings = []
    for reading in lexicon:
        if isinstance(reading, str) or not 3 <= len(reading) <= 5:
            raise ValueError(f"lexicon: {reading!r} is not (form, lemma, upos), with or without xpos and feats")
        form, lemma, upos, xpos, feats = (*reading, "_", "_")[:5]
        readings.append((form, lemma, upos, xpos, feats))
    return readings


def _clusters(clusters: Clusters) -> List[Tuple[str, str]]:
    if isinstance(clusters, (str, os.PathLike)):
        return _core.read_clusters(Path(clusters).read_text(encoding="utf-8"), os.fspath(clusters))
    return list(clusters)


class KnownWords:
    """A lexicon for `Pipeline.tag`: readings of words, as tuples (form, lemma, upos, xpos, feats) or in a file of such
    lines with tabs between. The last two fields may be missing, and "_" leaves open what is not known.

    Words that it has can only be tagged by one of their readings, where the tagger knows its universal tag.

    >>> s = kirchhoff.conllu.Sentence(["Dogs", "bark", "."])
    >>> for name, values in [("lemma", ["dog", "bark", "."]), ("upos", ["NOUN", "VERB", "PUNCT"])]:
    ...     s.set_column(name, values)
    >>> s.heads = [-1, 2, 0, 2]
    >>> pipeline = kirchhoff.Pipeline.train([s] * 20, root="single", parser=False, tokenizer=False, threads=1)
    >>> known = kirchhoff.KnownWords([("dogs", "hound", "VERB")])
    >>> tagged = pipeline.tag(s, lexicon=known).sentence
    >>> tagged.column("upos")[0], tagged.column("lemma")[0]
    ('VERB', 'hound')
    """

    def __init__(self, readings: Lexicon):
        self._known = _core.KnownWords(_readings(readings))


class Pipeline:
    """A model file with some of the parts tokenizer, tagger, lemmatizer and parser. It is immutable.

    Pipeline("en.model") reads a file, and calling it on a text gives the sentences with all that the parts find. What
    needs a part that the file does not have raises a ModelError that names the part.

    >>> s = kirchhoff.conllu.Sentence(["Dogs", "bark", "."])
    >>> for name, values in [("lemma", ["dog", "bark", "."]), ("upos", ["NOUN", "VERB", "PUNCT"]),
    ...                      ("deprel", ["nsubj", "root", "punct"]), ("misc", ["_", "SpaceAfter=No", "_"])]:
    ...     s.set_column(name, values)
    >>> s.heads = [-1, 2, 0, 2]
    >>> pipeline = kirchhoff.Pipeline.train([s] * 20, root="single", epochs=2, threads=1)
    >>> [(t.column("form"), t.column("upos"), t.heads.tolist()) for t in pipeline("Dogs bark. Dogs bark.")][1]
    (['Dogs', 'bark', '.'], ['NOUN', 'VERB', 'PUNCT'], [-1, 2, 0, 2])
    """

    def __init__(self, model: Union[str, os.PathLike, "_core.Pipeline"]):
        self._pipeline = model if isinstance(model, _core.Pipeline) else _core.Pipeline.open(os.fspath(model))

    @classmethod
    def open(cls, path: Union[str, os.PathLike]) -> "Pipeline":
        """Reads a file and verifies it. A ModelError, which is a ValueError, says what is wrong with it.

        >>> pipeline.save("en.model")
        >>> kirchhoff.Pipeline.open("en.model").parts == pipeline.parts
        True
        """
        return cls(path)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the model beside the file and renames it, so that nobody sees half a model.

        >>> pipeline.save("en.model")
        """
        self._pipeline.save(os.fspath(path))

    @classmethod
    def train(
        cls,
        train: Treebank,
        dev: Treebank = (),
        *,
        root: str,
        tokenizer: bool = True,
        tagger: bool = True,
        lemmatizer: bool = True,
        parser: bool = True,
        tagger_epochs: int = 16,
        folds: int = 4,
        lexicon: Lexicon = (),
        clusters: Clusters = (),
        progress: Optional[Callable[[str, int, int], None]] = None,
        epoch: Optional[Callable[[int, float, float, float, float], None]] = None,
        **options,
    ) -> "Pipeline":
        """Learns the parts that are True from sentences, or from the CoNLL-U file of that name.

        The tokenizer learns from the tokens, with the white space that MISC tells (SpaceAfter=No), and a lemmatizer has
        a tagger with it. The parser learns from tags of taggers that have not seen the sentence: each of `folds` learns
        from the other parts of the treebank. With folds=0 it learns from the treebank's own tags. `dev` chooses the
        parser's best epoch. All other options, `progress` and `epoch` are those of `Parser.train`; seed, threads and
        model count for all parts. `lexicon` has readings of words that the tagger is to know besides those of the
        treebank, as `KnownWords` takes them, and `clusters` pairs (path, word), or the name of a file of them: words of
        unannotated text by Brown's algorithm. Ctrl-C ends the training and leaves a checkpoint, if it has a name, from
        which resume=True goes on.

        >>> words = kirchhoff.Pipeline.train([s] * 20, root="single", parser=False, lemmatizer=False)
        >>> words.parts
        ['tokenizer', 'tagger']
        """
        options = training_options("Pipeline.train", options)
        options.update(root=root, tokenizer=tokenizer, tagger=tagger, lemmatizer=lemmatizer, parser=parser,
                       tagger_epochs=tagger_epochs, folds=folds, lexicon=_readings(lexicon))
        options["clusters"] = _clusters(clusters)
        return cls(_core.train_pipeline(sentences_of(train), sentences_of(dev), options, progress, epoch))

    @property
    def parts(self) -> List[str]:
        """The parts that it has, of "tokenizer", "tagger", "lemmatizer" and "parser".

        >>> pipeline.parts
        ['tokenizer', 'tagger', 'lemmatizer', 'parser']
        """
        return self._pipeline.parts()

    @property
    def card(self) -> Dict[str, str]:
        """The model card, which is the parser's where there is one.

        >>> all(isinstance(value, str) for value in pipeline.card.values())
        True
        """
        return dict(self._pipeline.card())

    @property
    def parser(self) -> Parser:
        """The parser alone, for sentences that have words and tags.

        >>> pipeline.parser.parse(pipeline.tag(s).sentence).labels
        ['nsubj', 'root', 'punct']
        """
        return Parser(self._pipeline)

    @property
    def upos(self) -> List[str]:
        """The universal tags that the tagger knows.

        >>> pipeline.upos
        ['NOUN', 'VERB', 'PUNCT']
        """
        return self._pipeline.upos()

    def __call__(self, text: str, *, threads: int = 0) -> List[Sentence]:
        """The sentences of a text with all that the parts find: words, tags, lemmas, heads and relations."""
        return self._pipeline.annotate(text, threads)

    def tokenize(self, text: str, *, ranges: bool = False) -> List[Sentence]:
        """Finds sentences and words, and nothing else. Blank lines end sentences.

        MISC says which white space there was (SpaceAfter, SpacesAfter, SpacesBefore), for `plain_text`. With `ranges`
        it also has TokenRange=BEGIN:END, where each token stands in the text, in characters.

        >>> [t.column("form") for t in pipeline.tokenize("Dogs bark. Dogs bark.")]
        [['Dogs', 'bark', '.'], ['Dogs', 'bark', '.']]
        >>> pipeline.tokenize("Dogs bark.", ranges=True)[0].column("misc")
        ['TokenRange=0:4', 'SpaceAfter=No|TokenRange=5:9', 'SpaceAfter=No|TokenRange=9:10']
        """
        return self._pipeline.tokenize(text, ranges)

    def tag(
        self,
        sentences: Union[Sentence, Iterable[Sentence]],
        *,
        keep: bool = False,
        probabilities: bool = False,
        lexicon: Optional[KnownWords] = None,
        threads: int = 0,
    ) -> Union[Tagged, List[Tagged]]:
        """Finds UPOS, XPOS, FEATS and LEMMA of one sentence (a Tagged), or of several in parallel (a list).

        With `keep`, universal tags that are given stay, and all else is found given them. Words of the lexicon have one
        of their readings there.

        >>> tagged = pipeline.tag(s, probabilities=True)
        >>> tagged.sentence.column("lemma"), bool((tagged.upos_probabilities > 0.5).all()), tagged.entropy > 0
        (['dog', 'bark', '.'], True, True)
        """
        batch = [sentences] if isinstance(sentences, Sentence) else list(sentences)
        results = [found[0] for found in self._tagged(batch, keep, probabilities, lexicon, 0, threads)]
        return results[0] if isinstance(sentences, Sentence) else results

    def k_best_tags(
        self,
        sentence: Sentence,
        k: int,
        *,
        keep: bool = False,
        probabilities: bool = False,
        lexicon: Optional[KnownWords] = None,
    ) -> List[Tagged]:
        """The k most probable sequences of universal tags, best first, each with the best XPOS, FEATS and lemmas given
        these. `log_prob` says how probable each is.

        >>> [t.sentence.column("upos") for t in pipeline.k_best_tags(s, 2)][0]
        ['NOUN', 'VERB', 'PUNCT']
        """
        if k < 1:
            raise ValueError("[k_best_tags] k: must be at least 1")
        return self._tagged([sentence], keep, probabilities, lexicon, k, 1)[0]

    def _tagged(self, batch, keep, probabilities, lexicon, k, threads) -> List[List[Tagged]]:
        known = None if lexicon is None else lexicon._known
        return [
            [Tagged(sentence, np.asarray(upos[1:]), np.asarray(feats[1:]), entropy if probabilities else math.nan, log_prob)
             for sentence, upos, feats, entropy, log_prob in found]
            for found in self._pipeline.tag(batch, keep, probabilities, known, k, threads)
        ]

    def upos_distribution(self, sentence: Sentence) -> ChainDistribution:
        """Returns the distribution over the sequences of universal tags, as indices of `upos`.

        >>> p = pipeline.upos_distribution(s)
        >>> [pipeline.upos[tag] for tag in p.argmax().tags]
        ['NOUN', 'VERB', 'PUNCT']
        """
        return ChainDistribution(*self._pipeline.tag_scores(sentence))

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

    def __repr__(self) -> str:
        return f"<Pipeline with {', '.join(self.parts)}>"


def plain_text(sentences: Iterable[Sentence]) -> str:
    """The text that sentences were read from: their tokens, and the white space that MISC tells of, else one blank.

    What `Pipeline.tokenize` has read comes back character for character, but for a byte-order mark.

    >>> s = kirchhoff.conllu.Sentence(["Dogs", "bark", "."])
    >>> s.set_column("misc", ["_", "SpaceAfter=No", r"SpacesAfter=\\n"])
    >>> kirchhoff.plain_text([s])
    'Dogs bark.\\n'
    """
    return _core.plain_text(list(sentences))
