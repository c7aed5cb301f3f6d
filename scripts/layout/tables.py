"""The tables that scripts/check_layout enforces: who may include whom, and which library is known where.

Edit these when the architecture changes, then copy the output of `scripts/check_layout --table` into
docs/architecture.md.
"""

# A folder of src/ may include itself, the folders named here, and whatever those may include. Everything below a folder
# counts as that folder: src/tree/kernels is "tree".
FOLDERS = {
    "base": "",
    "numeric": "base",
    "tree": "numeric",
    "chain": "numeric",
    "wfsm": "numeric",
    "segment": "wfsm",
    "expectation": "tree",
    "decode": "tree",
    "sample": "tree decode",
    "projective": "expectation sample",
    "spanning": "expectation sample",
    "factor": "tree decode",
    "dependency": "factor",
    "learn": "factor projective",
    "conllu": "base",
    "evaluate": "conllu",
    "draw": "conllu expectation",
    "cuda": "sample",
    "parser": "dependency learn evaluate",
    "text": "chain parser",
    "server": "base",
}

# Within a folder, its rooms have a direction too, read in the same way. Files that lie in no room are not restricted.
ROOMS = {
    "factor": {
        "kernels": "",
        "factors": "kernels",
        "graph": "factors",
        "bp": "graph",
        "ad3": "graph",
        "sparsemap": "ad3",
        "relaxation": "graph",
    },
    "wfsm": {
        "kernels": "",
        "machine": "",
        "solve": "machine",
        "derivatives": "solve kernels",
        "expectation": "solve",
        "batch": "expectation kernels solve",
        "paths": "solve",
        "product": "solve",
        "text": "",
    },
    "parser": {
        "features": "",
        "weights": "features",
        "file": "weights",
        "inference": "file",
        "statistics": "inference",
        "training": "inference",
    },
}

# A public header may include those named here and whatever those may include; kirchhoff.hpp may include all of them.
HEADERS = {
    "names": "",
    "output_file": "",
    "types": "names",
    "accuracy": "types",
    "exact_sum": "types",
    "parallel": "types",
    "stop_scope": "types",
    "tree": "accuracy",
    "tree_batch": "tree parallel",
    "expectation": "tree_batch",
    "decode": "tree",
    "sample": "decode tree_batch",
    "unordered_set": "sample",
    "head_sequence": "tree",
    "chain": "accuracy",
    "chain_batch": "chain parallel",
    "chain_expectation": "chain",
    "chain_orders": "chain",
    "chain_paths": "chain parallel",
    "projective": "expectation sample",
    "spanning": "expectation sample",
    "wfsm": "accuracy parallel",
    "wfsm_derivatives": "wfsm",
    "wfsm_expectation": "wfsm_derivatives",
    "wfsm_batch": "wfsm",
    "wfsm_distinct": "wfsm",
    "segment": "wfsm_batch wfsm_distinct wfsm_expectation",
    "wfsm_product": "wfsm",
    "wfsm_semiring": "wfsm",
    "wfsm_text": "wfsm",
    "factor": "types",
    "factor_graph": "factor accuracy",
    "solve": "factor_graph parallel",
    "sparsemap": "solve tree_batch",
    "dependency_graph": "solve decode",
    "part_set": "names",
    "learn": "solve sparsemap expectation decode projective",
    "conllu": "types",
    "evaluate": "conllu",
    "draw": "conllu tree",
    "parser": "conllu decode dependency_graph part_set expectation sample parallel projective",
    "model_statistics": "parser",
    "rank": "model_statistics",
    "relations": "parser",
    "train": "parser learn evaluate",
    "tokenizer": "conllu",
    "known_words": "types",
    "tagger": "chain conllu known_words",
    "pipeline": "tokenizer tagger train",
    "cuda": "tree_batch",
    "cuda_beam": "cuda sample",
    "cuda_gold": "cuda",
    "cuda_trees": "cuda sample",
}

# The public headers that a folder of src/ implements. It may include these, and those of the folders it may include.
IMPLEMENTS = {
    "base": "names output_file types accuracy parallel stop_scope",
    "numeric": "exact_sum",
    "tree": "tree tree_batch",
    "chain": "chain chain_batch chain_expectation chain_orders chain_paths",
    "wfsm": "wfsm wfsm_batch wfsm_derivatives wfsm_distinct wfsm_expectation wfsm_product wfsm_semiring wfsm_text",
    "segment": "segment",
    "expectation": "expectation",
    "decode": "decode",
    "sample": "sample unordered_set head_sequence",
    "projective": "projective",
    "spanning": "spanning",
    "factor": "factor factor_graph solve sparsemap",
    "dependency": "dependency_graph part_set",
    "learn": "learn",
    "conllu": "conllu",
    "evaluate": "evaluate",
    "draw": "draw",
    "parser": "parser model_statistics rank relations train",
    "text": "tokenizer known_words tagger pipeline",
    "cuda": "cuda cuda_beam cuda_gold cuda_trees",
}

# The start of an included path, and the folders (shell patterns; everything below counts) that know this library. Tests
# may use any of them; the standard library and POSIX are known everywhere.
LIBRARIES = {
    "Eigen/": "*",
    "hwy/": "src/numeric/simd src/*/kernels bench",
    "tbb/": "src/base",
    "oneapi/": "src/base",
    "Random123/": "src/base",
    "fmt/": "src/draw src/wfsm src/server cli bench",
    "CLI/": "cli",
    "simdjson": "cli",
    "coin/": "src/factor/relaxation",
    "ad3/": "bench",
    "FactorHeadAutomaton.h": "bench",
    "FactorSequence.h": "bench",
    "FactorTree.h": "bench",
    "xxhash": "src/parser/file",
    "zstd": "src/parser/file",
    "cuda_runtime": "src/cuda bench",
    "nanobind/": "python/src",
    "xla/": "python/src",
    "benchmark/": "bench",
    "cblas": "bench/baselines",
    "lapacke": "bench/baselines",
    "malloc.h": "bench",
    "gtest/": "tests",
    "gmock/": "tests",
    "rapidcheck": "tests",
    "boost/": "src/server",
}

# Leaves call the library as its users do: they include public headers, their own files, and libraries, never src/.
LEAVES = ["cli", "python/src", "bench", "examples", "tests/consumer"]

# A folder of src/ that is no part of the library, and the leaf that it serves.
SERVES_LEAF = {"src/server/": "cli/"}

# The judges in tests/support must not share code with what they judge, so they may know types.hpp alone. These helpers
# judge nothing; each names what it may include besides, and why.
SUPPORT = {
    "graphs.hpp": ("accuracy tree", "it runs every test with each Method that an Accuracy can ask for"),
    "compare.hpp": ("accuracy tree", "its tolerances depend on the Method that answered"),
    "features.hpp": ("expectation", "it makes the Features that expectations take"),
}

# What tests/ has besides a folder for each folder of src/.
TEST_FOLDERS = ["laws", "regressions", "support", "fuzz"]

# Words that look like the names of a public enum but are not: (file name, enum), and why.
OTHER_WORDS = {
    ("sentence_text.cpp", "Column"): "JSON has a list for each column, and its key is the plural where there is one",
    ("sentence_text.cpp", "Side"): "displaCy has these words for the direction of an arrow",
}
