"""One small command for every verb, for tests of what no verb may do: crash, hang, lose work or write half a file."""

import dataclasses
import json
import pathlib
import subprocess

import support

GRAPHS = "".join(json.dumps(graph) + "\n" for graph in (support.THREE, dict(support.THREE, words=["a", "b", "c"])))
MACHINE = "0 0 1 1.0\n0 1 2 0.5\n1\n"
PRODUCT = "0 0 1 1 1.0\n0 1 2 2 0.5\n1\n"  # has the transitions of the machine composed with itself
CHAIN = '{"emissions":[[0,1],[0.5,0],[0,2]],"transitions":[[0.5,0],[0,null]]}\n'
SEGMENTS = '{"segments":[[[0,1],[2,3]],[[0,1],[0,0]]],"transitions":[[0,1],[1,null]]}\n'
FACTORS = '{"scores":[-1,-0.5,2],"factors":[{"type":"or_out","vars":[0,1,2]},{"type":"pair","vars":[0,1],"score":-1}]}\n'
UAI = "MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n2\n1 2\n4\n1 2 3 4\n"
SENTENCES = 6


@dataclasses.dataclass
class Command:
    """A command that reads standard input if `stdin` is not None, and writes the files of `outputs`."""
    arguments: list
    stdin: bytes = None
    outputs: list = dataclasses.field(default_factory=list)
    writes_stdout: bool = True

    def line(self):
        return [support.PROGRAM, *map(str, self.arguments)]


def small_treebank():
    text = (support.EXAMPLES / "treebank" / "train.conllu").read_text()
    return "\n\n".join(text.split("\n\n")[:SENTENCES]) + "\n\n"


def commands(folder: pathlib.Path):
    """Writes the inputs into the folder and returns the commands by name; every one of them succeeds."""
    treebank, model, machine = folder / "small.conllu", folder / "small.model", folder / "machine.txt"
    treebank.write_text(small_treebank())
    machine.write_text(MACHINE)
    (folder / "graph.uai").write_text(UAI)
    (folder / "features.txt").write_text("0 0 1.5\n1 1 2\n")
    (folder / "product.txt").write_text(PRODUCT)
    (folder / "names.txt").write_text("eps 0\na 1\nb 2\n")
    (folder / "named.txt").write_text("0 0 a 1.0\n0 1 b 0.5\n1\n")
    train = ["train", "--train", treebank, "--dev", treebank, "--epochs", 1]
    subprocess.run(list(map(str, [support.PROGRAM, *train, "--model", model, "--quiet"])), check=True)
    words = folder / "words.model"
    subprocess.run(list(map(str, [support.PROGRAM, "train", "--train", treebank, "--only", "tokenizer", "--model", words, "--quiet"])),
                   check=True)
    graphs, sentences = GRAPHS.encode(), small_treebank().encode()
    root = ["--root", "single"]
    drawn, rendered = ([folder / f"{name}.html", folder / f"{name}.svg"] for name in ("drawn", "rendered"))
    return {
        "version": Command(["--version"]),
        "help": Command(["help", "tree"]),
        "tree": Command(["tree", *root, "--want", "all"], graphs),
        "decode": Command(["decode", *root, "--k-best", 3], graphs),
        "decode sparse": Command(["decode", *root, "--sparse"], graphs),
        "sample": Command(["sample", *root, "--count", 5], graphs),
        "sample distinct": Command(["sample", *root, "--projective", "--without-replacement", "--count", 3], graphs),
        "draw": Command(["draw", *root, "--html", drawn[0], "--svg", drawn[1]], graphs, drawn),
        "chain": Command(["chain", "--want", "marginals,best,samples=2"], CHAIN.encode()),
        "segment": Command(["segment", "--want", "marginals,best,samples=2"], SEGMENTS.encode()),
        "wfsm": Command(["wfsm", "--features", folder / "features.txt", "--want", "log_partition,expectation,paths=2"],
                        MACHINE.encode()),
        "wfsm product": Command(["wfsm", "--intersect", folder / "machine.txt"], MACHINE.encode()),
        "wfsm pair": Command(["wfsm", "--compose", folder / "machine.txt", "--other", folder / "product.txt", "--want", "kl"],
                             MACHINE.encode()),
        "wfsm names": Command(["wfsm", "--isymbols", folder / "names.txt", folder / "named.txt"]),
        "solve bp": Command(["solve", "--method", "bp"], FACTORS.encode()),
        "solve ad3": Command(["solve", "--method", "ad3"], FACTORS.encode()),
        "solve lp": Command(["solve", "--method", "lp"], FACTORS.encode()),
        "solve uai": Command(["solve", "--method", "exact", folder / "graph.uai"]),
        "eval": Command(["eval", treebank, treebank, "--samples", 20, "--by", "deprel"]),
        "convert": Command(["convert", "--to", "json"], sentences),
        "render": Command(["render", "--html", rendered[0], "--svg", rendered[1]], sentences, rendered),
        "train": Command([*train, "--model", folder / "out.model"], None, [folder / "out.model"], False),
        "train 2": Command([*train, "--order", 2, "--model", folder / "out.model"], None, [folder / "out.model"], False),
        "train 3": Command([*train, "--projective", "--model", folder / "out.model"], None, [folder / "out.model"], False),
        "train pipeline": Command([*train, "--pipeline", "--folds", 2, "--model", folder / "out.model"], None,
                                  [folder / "out.model"], False),
        "parse text": Command(["parse", "--model", words, "--text"], b"She saw the man. He waved.\n"),
        "parse": Command(["parse", "--model", model, "--probabilities"], sentences),
        "parse k": Command(["parse", "--model", model, "--k-best", 2, "--projective"], sentences),
        "rank": Command(["rank", "--model", model, "--top", 3], sentences),
        "features": Command(["features", "--model", model, "--template", "dir | h.upos d.upos"], sentences),
        "model": Command(["model", "info", model]),
        "completions": Command(["completions", "bash"]),
        "man": Command(["man", "tree"]),
    }
