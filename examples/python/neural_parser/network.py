"""The network: embeddings, a BiLSTM, and biaffine scorers of arcs and relations [Dozat17]."""
import dataclasses

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def setting(default, meaning):
    return dataclasses.field(default=default, metadata={"help": meaning})


@dataclasses.dataclass
class Size:
    """The widths of the layers. The defaults suit a treebank of 10,000 sentences."""

    word: int = setting(100, "width of the embedding of a word")
    tag: int = setting(50, "width of the embedding of each column's tag")
    letter: int = setting(50, "width of the embeddings of letters and of the spelling")
    lstm: int = setting(400, "width of the LSTM in each direction")
    layers: int = setting(3, "layers of the LSTM")
    arc: int = setting(400, "width of the vectors that score arcs")
    label: int = setting(100, "width of the vectors that score relations")
    dropout: float = setting(0.33, "share of the numbers that each layer leaves out in training")
    forget: float = setting(0.2, "share of the words, tags and spellings that are left out as a whole in training")


def perceptron(inputs, outputs, dropout):
    return nn.Sequential(nn.Linear(inputs, outputs), nn.LeakyReLU(0.1), nn.Dropout(dropout))


def with_one(vectors):
    """Appends a 1 to each vector, which gives a product of two vectors its linear terms."""
    return nn.functional.pad(vectors, (0, 1), value=1.0)


class Embeddings(nn.Module):
    """A vector for each node, from its word, its letters and its tags."""

    def __init__(self, vocabulary, size):
        super().__init__()

        def table(name, width):
            return nn.Embedding(len(vocabulary.tables[name]) + 2, width, padding_idx=0)

        self.word, self.letter = table("word", size.word), table("letter", size.letter)
        self.spelling = nn.Conv1d(size.letter, size.letter, kernel_size=3, padding=1)
        self.tags = nn.ModuleList(table(tag, size.tag) for tag in vocabulary.tags)
        self.width = size.word + size.letter + len(self.tags) * size.tag
        self.forget = size.forget

    def forward(self, inputs):
        word, tags, letters = inputs.tensor_split((1, 1 + len(self.tags)), -1)
        spelling = self.spelling(self.letter(letters).flatten(0, 1).transpose(1, 2)).relu().amax(-1)
        parts = [self.word(word.squeeze(-1)), spelling.reshape(*inputs.shape[:2], -1)]
        parts += [table(tag) for table, tag in zip(self.tags, tags.unbind(-1))]
        return torch.cat([self.without_some(part) for part in parts], -1)

    def without_some(self, part):
        """In training some nodes lose a part of what is known about them: it is 0, as that of an unknown word."""
        if not self.training:
            return part
        return part * (torch.rand(*part.shape[:2], 1, device=part.device) >= self.forget)


class Biaffine(nn.Module):
    """Scores of arcs with relations, (batch, n+1, n+1, relations) [head, dependent, relation]."""

    def __init__(self, vocabulary, size):
        super().__init__()
        relations = len(vocabulary.relations)
        self.embeddings = Embeddings(vocabulary, size)
        self.dropout = nn.Dropout(size.dropout)
        self.lstm = nn.LSTM(self.embeddings.width, size.lstm, size.layers, batch_first=True, bidirectional=True,
                            dropout=size.dropout if size.layers > 1 else 0.0)
        self.arc_head, self.arc_dependent = (perceptron(2 * size.lstm, size.arc, size.dropout) for _ in range(2))
        self.label_head, self.label_dependent = (perceptron(2 * size.lstm, size.label, size.dropout) for _ in range(2))
        self.arc = nn.Parameter(torch.zeros(size.arc + 1, size.arc))
        self.label = nn.Parameter(torch.zeros(relations, size.label + 1, size.label + 1))

    def forward(self, inputs, lengths):
        """Takes integers (batch, n+1, columns), and the number of words of each sentence, on the CPU."""
        packed = pack_padded_sequence(self.embeddings(inputs), lengths + 1, batch_first=True, enforce_sorted=False)
        states = self.dropout(pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])
        arcs = with_one(self.arc_head(states)) @ self.arc @ self.arc_dependent(states).transpose(1, 2)
        heads, dependents = with_one(self.label_head(states)), with_one(self.label_dependent(states))
        by_relation = torch.einsum("bdj,rij->bdri", dependents, self.label).flatten(1, 2)
        labels = (heads @ by_relation.transpose(1, 2)).reshape(*arcs.shape, -1)
        return arcs.unsqueeze(-1) + labels
