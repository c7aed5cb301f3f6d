"""Probabilistic inference over trees: distributions, expectations, decoding, sampling.

Conventions: arc scores are log-weights in an array of shape (..., n+1, n+1), indexed [head, dependent]; node 0 is the
root, -inf forbids an arc, column 0 and the diagonal are ignored. Heads are arrays of n+1 integers with heads[0] == -1.
`root` is "single" (exactly one child of the root) or "multi" (one or more) and has no default. Examples take numpy as
np and kirchhoff as imported; those of a method go on from its class's.

>>> import numpy as np, kirchhoff
>>> p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
>>> round(float(np.exp(p.log_partition())))  # nine trees over three words
9
>>> p.argmax().heads.shape
(4,)
"""

from . import conllu
from ._core import Infeasible, InfiniteSum, ModelError, ParseError
from ._core import version as __version__
from ._accuracy import Accuracy
from ._factor_solvers import BpResult, ExactResult, FactorPosterior, MapResult
from ._parser_statistics import FeatureStatistics, RankedSentence
from ._wfsm_parts import Moments, Path, SampledPaths, Transition, WfsmProduct, WfsmWeights
from .chain import ChainDistribution
from .chain_orders import higher_order, tags_of_states
from .other_packages import from_supar, from_synjax, from_torch_struct
from .decoding import decode
from .dependency import (DependencyGraph, dependency_graph, grandparent_pairs, head_bigram_pairs,
                         sibling_pairs)
from .distribution import TreeDistribution
from .drawing import Picture, render
from .estimates import (importance_estimate, mean_estimate, normalised_estimate, unordered_set_estimate,
                        unordered_set_gradient, unordered_set_weights)
from .factor_graph import FactorGraph
from .head_sequence import HeadSequence
from .learning import GraphLoss, structured_loss
from .parsing import Inference, Parsed, ParsedTree, Parser
from .pipeline import KnownWords, Pipeline, Tagged, plain_text
from .projective import ProjectiveTreeDistribution, is_projective, log_projective_mass
from .scoring import Evaluation, Score, evaluate, slices
from .segment import SegmentDistribution
from .segmentations import SampledSegmentations, SegmentArrays, Segmentations
from .sparse_features import SparseFeatures
from .spanning import SampledSpanningTrees, SpanningTreeDistribution, SpanningTrees
from .sparse_mixtures import SparseFactor, SparseGraph, SparseTrees, lp_sparsemap, sparsemap
from .tag_sequences import ChainArrays, SampledTags, TagSequences
from .trees import DecodedTrees, SampledTrees, Trees
from .wfsm import Wfsm, best_paths

__all__ = [
    "Accuracy",
    "BpResult",
    "ChainArrays",
    "ChainDistribution",
    "DecodedTrees",
    "DependencyGraph",
    "Evaluation",
    "ExactResult",
    "FactorGraph",
    "FactorPosterior",
    "FeatureStatistics",
    "GraphLoss",
    "HeadSequence",
    "Infeasible",
    "Inference",
    "InfiniteSum",
    "KnownWords",
    "MapResult",
    "ModelError",
    "Moments",
    "ParseError",
    "Parsed",
    "ParsedTree",
    "Parser",
    "Path",
    "Picture",
    "Pipeline",
    "ProjectiveTreeDistribution",
    "RankedSentence",
    "SampledPaths",
    "SampledSegmentations",
    "SampledSpanningTrees",
    "SampledTags",
    "SampledTrees",
    "Score",
    "SegmentArrays",
    "SegmentDistribution",
    "Segmentations",
    "SpanningTreeDistribution",
    "SpanningTrees",
    "SparseFactor",
    "SparseFeatures",
    "SparseGraph",
    "SparseTrees",
    "TagSequences",
    "Tagged",
    "Transition",
    "TreeDistribution",
    "Trees",
    "Wfsm",
    "WfsmProduct", "WfsmWeights",
    "best_paths",
    "conllu",
    "decode",
    "dependency_graph",
    "evaluate",
    "from_supar",
    "from_synjax",
    "from_torch_struct",
    "grandparent_pairs",
    "head_bigram_pairs",
    "higher_order",
    "importance_estimate",
    "is_projective",
    "log_projective_mass",
    "lp_sparsemap",
    "mean_estimate",
    "normalised_estimate",
    "plain_text",
    "render",
    "sibling_pairs",
    "slices",
    "sparsemap",
    "structured_loss",
    "tags_of_states",
    "unordered_set_estimate",
    "unordered_set_gradient",
    "unordered_set_weights",
    "__version__",
]
