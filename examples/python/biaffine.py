"""A biaffine parser [Dozat17] in PyTorch, trained on the exact likelihood of the gold trees.

    python examples/python/biaffine.py [EPOCHS]
"""
import pathlib
import sys

import torch
from torch import nn

import kirchhoff
from kirchhoff.torch import TreeCRF

TREEBANK = pathlib.Path(__file__).parents[1] / "treebank"


class Biaffine(nn.Module):
    def __init__(self, forms, tags, size=64):
        super().__init__()
        self.form, self.tag = nn.Embedding(forms + 2, size), nn.Embedding(tags + 2, size)
        self.lstm = nn.LSTM(2 * size, size, bidirectional=True, batch_first=True)
        self.head, self.dependent = nn.Linear(2 * size, size), nn.Linear(2 * size, size)
        self.arc = nn.Parameter(torch.zeros(size + 1, size))

    def forward(self, forms, tags):
        states, _ = self.lstm(torch.cat([self.form(forms), self.tag(tags)], -1))
        head, dependent = torch.relu(self.head(states)), torch.relu(self.dependent(states))
        return nn.functional.pad(head, (0, 1), value=1.0) @ self.arc @ dependent.transpose(1, 2)  # [head, dependent]


def batch(sentences, vocabulary):
    """Node 0 is the root, number 1; what was not seen in training is 0."""
    numbers = lambda s, c: torch.tensor([1] + [vocabulary[c].get(v, 0) for v in s.column(c)])
    pad = lambda rows, value=0: nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value)
    inputs = [pad([numbers(s, c) for s in sentences]) for c in ("form", "upos")]
    return inputs, pad([torch.as_tensor(s.heads) for s in sentences], -1), torch.tensor([len(s) for s in sentences])


def main(epochs=15):
    torch.manual_seed(0)
    train, dev = (list(kirchhoff.conllu.read(TREEBANK / f"{part}.conllu")) for part in ("train", "dev"))
    vocabulary = {c: {v: i + 2 for i, v in enumerate(sorted({v for s in train for v in s.column(c)}))}
                  for c in ("form", "upos")}
    model, loss = Biaffine(*map(len, vocabulary.values())), TreeCRF(root="single")
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(epochs):
        for part in torch.randperm(len(train)).split(16):
            inputs, heads, lengths = batch([train[i] for i in part], vocabulary)
            optimiser.zero_grad()
            value = loss(model(*inputs), heads, lengths)
            value.backward()
            optimiser.step()
        print(f"epoch {epoch + 1}: {value.item():.3f} nats per sentence")
    inputs, _, lengths = batch(dev, vocabulary)
    best = loss.distribution(model(*inputs), lengths).mbr().heads
    parsed = kirchhoff.conllu.loads(kirchhoff.conllu.dumps(dev))
    for sentence, heads in zip(parsed, best):
        sentence.heads = heads[: len(sentence) + 1]
    print(f"dev UAS {100 * kirchhoff.evaluate(dev, parsed, root='single')['uas'].f1:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
