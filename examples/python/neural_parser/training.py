"""Trains a parser on the likelihood of gold trees, and stops when it gets no better."""
import copy
import dataclasses
import time

import torch
from torch import nn

from .network import setting
from .parser import accuracy, batches, padded


@dataclasses.dataclass
class Schedule:
    """How long to train, and how fast. The defaults suit a treebank of 10,000 sentences."""

    epochs: int = setting(40, "epochs at most")
    patience: int = setting(10, "epochs without a better LAS on dev that end the training")
    batch: int = setting(2500, "words of a batch at most, with padding")
    rate: float = setting(2e-3, "learning rate at its highest")


def rate_at(done, schedule):
    """Returns the learning rate after so many epochs: it rises during the first, and then falls to 0 at the end."""
    left = (schedule.epochs - done) / max(1.0, schedule.epochs - 1.0)
    return schedule.rate * min(done, left)


def train_epoch(parser, encoded, epoch, optimiser, schedule):
    """Takes a step for each batch, and returns the loss, -log p(gold tree), in nats."""
    parser.network.train()
    total = torch.zeros((), device=parser.device)
    parts = batches([len(gold) - 1 for _, gold in encoded], schedule.batch, noise=3.0)
    for step, k in enumerate(torch.randperm(len(parts)).tolist()):
        inputs, gold = zip(*(encoded[i] for i in parts[k]))
        scores, lengths = parser.scores(inputs)
        heads, labels = padded(gold, parser.device, -1).unbind(-1)
        loss = parser.crf(scores, heads, lengths, labels)
        total += loss.detach()
        optimiser.zero_grad()
        (loss / lengths.sum()).backward()
        nn.utils.clip_grad_norm_(parser.network.parameters(), 5.0)
        optimiser.param_groups[0]["lr"] = rate_at(epoch + (step + 0.5) / len(parts), schedule)
        optimiser.step()
    return total.item()


def train(parser, sentences, dev, schedule):
    """Leaves the parser with the weights of its best epoch, and returns a list of what each epoch gave."""
    optimiser = torch.optim.Adam(parser.network.parameters(), betas=(0.9, 0.9))
    encoded = [(parser.vocabulary.inputs(s), parser.vocabulary.gold(s)) for s in sentences]
    words = sum(map(len, sentences))
    history, best, weights = [], 0, parser.network.state_dict()
    for epoch in range(schedule.epochs):
        start = time.perf_counter()
        loss = train_epoch(parser, encoded, epoch, optimiser, schedule) / words
        seconds = time.perf_counter() - start
        score = accuracy(dev, parser.parse(dev))
        history.append({"loss": loss, "dev": score, "words": words, "seconds": seconds})
        print(f"epoch {epoch + 1}: {loss:.3f} nats per word, dev UAS {score['uas']:.2f}, LAS {score['las']:.2f}, "
              f"{seconds:.1f} s", flush=True)
        if epoch == 0 or score["las"] > history[best]["dev"]["las"]:
            best, weights = epoch, copy.deepcopy(parser.network.state_dict())
        elif epoch - best >= schedule.patience:
            break
    parser.network.load_state_dict(weights)
    return history
