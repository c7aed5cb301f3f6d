"""Turns sentences into integers. The nodes of a sentence of n words are 0 .. n, and node 0 is the root."""
import collections

import torch

LETTERS = 20  # the last ones of a word are read
ROOT = 1  # the root's number everywhere; 0 is for padding and for what was not seen in training


def numbers(values, least=1):
    """Numbers the values that occur at least so often, from 2 on."""
    counts = collections.Counter(values)
    return {value: i + 2 for i, value in enumerate(sorted(v for v in counts if counts[v] >= least))}


class Vocabulary:
    """Knows the words, letters, tags and relations of the training set; `tables` has the numbers of each kind."""

    def __init__(self, tables):
        self.tables = tables
        self.tags = [name for name in tables if name not in ("word", "letter", "relation")]
        self.relations = list(tables["relation"])
        self._known_forms = {}

    @classmethod
    def of(cls, sentences, tags):
        """Leaves out words that occur once, so that the network learns what to do without their embedding."""
        column = {name: [value for s in sentences for value in s.column(name)] for name in ("form", "deprel", *tags)}
        relations = {relation: i for i, relation in enumerate(sorted(set(column["deprel"])))}
        return cls({"word": numbers(map(str.lower, column["form"]), least=2), "relation": relations,
                    "letter": numbers("".join(column["form"])), **{tag: numbers(column[tag]) for tag in tags}})

    def inputs(self, sentence):
        """Returns a row of integers for each node: its word, its tags, its letters."""
        forms = [self._form(form) for form in sentence.column("form")]
        tags = [[self.tables[tag].get(value, 0) for value in sentence.column(tag)] for tag in self.tags]
        root = [ROOT] * (1 + len(self.tags)) + [0] * LETTERS
        return torch.tensor([root] + [[word, *of_word, *letters] for (word, letters), *of_word in zip(forms, *tags)])

    def gold(self, sentence):
        """Returns head and relation of each node (n+1, 2) for a sentence of the training set."""
        relations = [-1] + [self.tables["relation"][value] for value in sentence.column("deprel")]
        return torch.tensor([sentence.heads.tolist(), relations]).T

    def _form(self, form):
        """Returns the numbers of a word and of its letters, which are kept because most words come again."""
        if form not in self._known_forms:
            word = self.tables["word"].get(form.lower(), 0)
            letters = [self.tables["letter"].get(letter, 0) for letter in form[-LETTERS:]]
            self._known_forms[form] = word, letters + [0] * (LETTERS - len(letters))
        return self._known_forms[form]
