"""Parses sentences with a network: the distribution over labelled trees, and the best tree of it."""
import copy
import json

import torch
from torch import nn

import kirchhoff
from kirchhoff.torch import TreeCRF

from .network import Biaffine, Size
from .vocabulary import Vocabulary


def batches(lengths, most, noise=0.0):
    """Returns lists of indices of sentences of similar lengths, with at most so many words after padding."""
    found, longest = [[]], 0
    keys = torch.tensor(lengths) + (noise * torch.rand(len(lengths)) if noise else 0.0)
    for i in torch.argsort(keys, stable=True).tolist():
        longest = max(longest, lengths[i])
        if found[-1] and longest * (len(found[-1]) + 1) > most:
            found.append([])
            longest = lengths[i]
        found[-1].append(i)
    return found


def padded(rows, device, value=0):
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value).to(device)


class NeuralParser:
    """A vocabulary, a network and the loss that makes a distribution of its scores."""

    def __init__(self, vocabulary, size, device):
        self.vocabulary, self.size, self.device = vocabulary, size, device
        self.network = Biaffine(vocabulary, size).to(device)
        self.crf = TreeCRF(root="single", reduction="sum")

    def scores(self, inputs):
        """Returns the scores of sentences as the vocabulary gives them, and their numbers of words."""
        lengths = torch.tensor([len(rows) - 1 for rows in inputs])
        return self.network(padded(inputs, self.device), lengths), lengths

    @torch.no_grad()
    def distributions(self, sentences, batch=5000):
        """Yields the indices of some sentences and the distribution over their trees, until all had their turn."""
        self.network.eval()
        for part in batches([len(s) for s in sentences], batch):
            scores, lengths = self.scores([self.vocabulary.inputs(sentences[i]) for i in part])
            yield part, self.crf.distribution(scores.cpu(), lengths, labelled=True)  # decoding is for the CPU

    def parse(self, sentences):
        """Returns the sentences with those trees that are expected to have the most right arcs and relations."""
        found = list(sentences)
        for part, p in self.distributions(sentences):
            trees = p.mbr()
            for i, heads, labels in zip(part, trees.heads, trees.labels):
                found[i] = self.with_tree(sentences[i], heads, labels)
        return found

    def with_tree(self, sentence, heads, labels):
        """Returns the sentence with another tree, whose heads and labels may have padding at the end."""
        result = copy.copy(sentence)
        result.heads = heads[: len(sentence) + 1]
        result.set_column("deprel", [self.vocabulary.relations[i] for i in labels[1 : len(sentence) + 1].tolist()])
        return result

    def save(self, path):
        """Writes a file of weights and JSON, which load without running code of the file's."""
        about = json.dumps({"tables": self.vocabulary.tables, "size": vars(self.size)})
        torch.save({"about": about, "weights": self.network.state_dict()}, path)

    @classmethod
    def load(cls, path, device):
        saved = torch.load(path, map_location=device, weights_only=True)
        about = json.loads(saved["about"])
        parser = cls(Vocabulary(about["tables"]), Size(**about["size"]), device)
        parser.network.load_state_dict(saved["weights"])
        return parser


def accuracy(gold, parsed):
    """Returns UAS and LAS in percent, as the CoNLL 2018 shared task counts them."""
    scores = kirchhoff.evaluate(gold, parsed, root="single")
    return {metric: 100.0 * scores[metric].f1 for metric in ("uas", "las")}
