"""A neural parser: biaffine scorers [Dozat17] over a BiLSTM, trained on the exact likelihood of labelled gold trees.

    python examples/python/biaffine.py                 # the small treebank and a small network, in seconds
    python examples/python/biaffine.py --train en_ewt-ud-train.conllu --dev en_ewt-ud-dev.conllu \\
        --test en_ewt-ud-test.conllu --device cuda --model ewt.pt --picture ewt.svg --json ewt.json

It needs PyTorch and kirchhoff only; its parts are in neural_parser/.
"""
import argparse
import dataclasses
import json
import pathlib
import time

import torch

import kirchhoff
from neural_parser.network import Size
from neural_parser.parser import NeuralParser, accuracy
from neural_parser.picture import picture
from neural_parser.training import Schedule, train
from neural_parser.vocabulary import Vocabulary

TREEBANK = pathlib.Path(__file__).parents[1] / "treebank"
SMALL = (Size(word=50, tag=25, letter=25, lstm=100, layers=1, arc=100, label=50),
         Schedule(epochs=12, batch=200, rate=5e-3))


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for part in ("train", "dev", "test"):
        options.add_argument(f"--{part}", metavar="FILE", help="treebank in CoNLL-U; default: the small one's part")
    options.add_argument("--columns", nargs="+", default=["upos", "xpos", "feats"], metavar="NAME",
                         help="columns that the network reads beside the form; default upos xpos feats")
    options.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu",
                         help="cuda or cpu; default here %(default)s")
    options.add_argument("--seed", type=int, default=0, help="of weights, batches and dropout; default %(default)s")
    options.add_argument("--load", metavar="FILE", help="use this model instead of training one")
    options.add_argument("--model", metavar="FILE", help="write the model to this file")
    options.add_argument("--picture", metavar="FILE", help="draw parses, entropies and samples: .svg, .html or .txt")
    options.add_argument("--json", metavar="FILE", help="write scores, speeds and options to this file")
    sizes = options.add_argument_group("sizes", "The defaults are for --train FILE; the small treebank has its own.")
    for field in dataclasses.fields(Size) + dataclasses.fields(Schedule):
        sizes.add_argument(f"--{field.name}", type=field.type, metavar="N",
                           help=f"{field.metadata['help']}; default {field.default}")
    return options.parse_args()


def with_given(sizes, options):
    """Returns the sizes with those that the command line gives in their place."""
    given = {field.name: getattr(options, field.name) for field in dataclasses.fields(sizes)}
    return dataclasses.replace(sizes, **{name: value for name, value in given.items() if value is not None})


def treebank(options, part):
    return list(kirchhoff.conllu.read(getattr(options, part) or TREEBANK / f"{part}.conllu"))


def trained(options, dev):
    """Returns a parser, and what each epoch of its training gave."""
    sentences = treebank(options, "train")
    size, schedule = (with_given(sizes, options) for sizes in ((Size(), Schedule()) if options.train else SMALL))
    parser = NeuralParser(Vocabulary.of(sentences, options.columns), size, options.device)
    return parser, train(parser, sentences, dev, schedule)


def report(parser, history, dev, test):
    """Prints and returns scores and speeds; that of parsing is for all the way from sentences to sentences."""
    scores = {"dev": accuracy(dev, parser.parse(dev))}
    start = time.perf_counter()
    parsed = parser.parse(test)
    speeds = {"parsing": sum(map(len, test)) / (time.perf_counter() - start)}
    scores["test"] = accuracy(test, parsed)
    if history:
        speeds["training"] = sum(epoch["words"] for epoch in history) / sum(epoch["seconds"] for epoch in history)
    for part, score in scores.items():
        print(f"{part} UAS {score['uas']:.2f}, LAS {score['las']:.2f}")
    for what, speed in speeds.items():
        print(f"{what}: {speed:,.0f} words per second")
    return {**scores, "words_per_second": speeds, "epochs": history}


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    torch.set_float32_matmul_precision("high")  # a GPU may use TF32 for the network; the trees are not affected
    dev, test = treebank(options, "dev"), treebank(options, "test")
    if options.load:
        parser, history = NeuralParser.load(options.load, options.device), []
    else:
        parser, history = trained(options, dev)
    if options.model:
        parser.save(options.model)
    figures = report(parser, history, dev, test)
    if options.picture:
        picture(parser, test).save(options.picture)
    if options.json:
        figures.update(options=vars(options), size=vars(parser.size))
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
