"""Simulated active learning: what `kirchhoff rank` is worth against annotating in random order."""

import collections
import json
import random

from page import Series
from pages.covariance_learning import accuracy, interval, points, right_heads, written

TITLE = "Active learning"
SOURCE = """Which sentences to annotate next? A parser is trained on a few sentences of en_ewt; `kirchhoff rank` orders
the others, whose trees are then looked up instead of asked for. Cost is counted in words."""

MEASURES = ("entropy", "margin", "variance", "expected_gradient")
WORDS = (1000, 2000, 4000, 8000, 16000)
QUICK_WORDS = (300, 600)
RANDOM = 3  # how many random orders there are


def write(lab, page):
    sizes = lab.pick(WORDS, QUICK_WORDS)
    pool = blocks(lab.treebank("en_ewt", "train"))[:lab.pick(4000, 150)]
    random.Random(1).shuffle(pool)
    dev = lab.sample(lab.treebank("en_ewt", "dev"), lab.pick(1000, 60))
    orders = {f"by {measure}": measure for measure in MEASURES}
    chance = [heads(lab, simulated(lab, shuffled(pool, sizes[0], seed), sizes, None), dev) for seed in range(RANDOM)]
    right = {"random order": [averaged(same_size) for same_size in zip(*chance)]}
    right |= {name: heads(lab, simulated(lab, pool, sizes, measure), dev) for name, measure in orders.items()}
    page.text(f"""The first {sizes[0]:,} words are the same for all, drawn at random from {len(pool):,} sentences. Then each order
        trains on what it has, ranks the rest by its measure per word, and takes sentences from the front until it has the next
        number of words. All models are of arcs and trained with the same options ({' '.join(map(str, options(lab)))}). UAS is that
        of all words of {lab.pick('1,000', '60')} sentences of dev. *Random order* is the mean of {RANDOM} orders, with their range;
        intervals of the differences from it are 95 % by the paired bootstrap over sentences, so they do not have what
        another first draw, or another seed of training, would change.""")
    rows = []
    for i, size in enumerate(sizes):
        scores = [accuracy(order[i]) for order in chance]
        spread = f"{points(min(scores))} to {points(max(scores))}" if i > 0 else None
        rows.append([size, "random order", points(accuracy(right["random order"][i])), None, spread])
        for name in orders if i > 0 else ():
            gain, low, high = against_random(right, name, i)
            rows.append([size, name, points(accuracy(right[name][i])), f"{gain:+.2f}", f"{low:+.2f} to {high:+.2f}"])
    page.table("curves", ["words", "order", "UAS", "against random", "95 % interval, or range"], rows, "UAS on dev.")
    page.figure("curves", "UAS against the number of annotated words", "en_ewt, models of arcs", "words", "UAS",
                [Series(name, [(size, accuracy(r)) for size, r in zip(sizes, right[name])], "dashes" if i == 0 else "line", i)
                 for i, name in enumerate(right)], log="x")
    page.heading("What it is worth")
    page.text(summary(sizes, right))


def options(lab):
    return ("--epochs", lab.pick(6, 2), "--seed", 1)


def blocks(path):
    """The sentences of a file, as text."""
    return [block.strip("\n") for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]


def words_of(block):
    return sum(line.split("\t")[0].isdigit() for line in block.split("\n"))


def shuffled(pool, words, seed):
    """Another order of the sentences, but for those that the first number of words is made of; seed 0 is the pool's own."""
    first, count = 0, 0
    while first < len(pool) and count < words:
        count += words_of(pool[first])
        first += 1
    rest = pool[first:]
    if seed:
        random.Random(seed + 1).shuffle(rest)
    return pool[:first] + rest


def heads(lab, models, dev):
    """For each model and sentence, how many heads are right, and of how many."""
    return [right_heads(dev, lab.parsed(model, dev)) for model in models]


def averaged(counts):
    """The means over several orders, sentence by sentence."""
    return [(sum(right for right, _ in same) / len(same), same[0][1]) for same in zip(*counts)]


def against_random(right, name, i):
    """The gain over the random order, and its interval."""
    gain = accuracy(right[name][i]) - accuracy(right["random order"][i])
    return (gain, *interval(right["random order"][i], right[name][i]))


def simulated(lab, pool, sizes, measure):
    """The models of one order, a model for each size: that of the pool, or by a measure."""
    rest, taken, models = list(pool), [], []
    for size in sizes:
        if models and measure:
            rest = ranked(lab, models[-1], rest, measure)
        count = sum(map(words_of, taken))
        while rest and count < size:
            taken.append(rest.pop(0))
            count += words_of(taken[-1])
        train = written(lab, f"annotated-{lab.digest(*pool)[:8]}-{measure}-{size}.conllu", "".join(block + "\n\n" for block in taken))
        models.append(lab.model(train, *options(lab)))
    return models


def ranked(lab, model, rest, measure):
    """The sentences in the order of `kirchhoff rank`."""
    file = written(lab, f"rest-{measure}.conllu", "".join(block + "\n\n" for block in rest))
    lines = lab.run("rank", "--model", model, "--by", measure, "--json", file).splitlines()
    return [rest[json.loads(line)["number"] - 1] for line in lines]


def summary(sizes, right):
    """Which orders beat the random one beyond chance, and where."""
    better, worse = collections.defaultdict(list), collections.defaultdict(list)
    for name in right:
        for i in range(1, len(sizes)):
            gain, low, high = against_random(right, name, i)
            if low > 0:
                better[name].append(f"{gain:+.2f} with {sizes[i]:,} words")
            if high < 0:
                worse[name].append(f"{gain:+.2f} with {sizes[i]:,} words")
    told = [f"*{name}* is better than a random order beyond chance by {', '.join(better[name]) or 'nothing'}, and worse by "
            f"{', '.join(worse[name]) or 'nothing'}." for name in right if name != "random order"]
    return "\n\n".join(told)
