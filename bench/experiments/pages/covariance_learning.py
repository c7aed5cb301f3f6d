"""The three training objectives that need feature covariances [Druck09], as learning curves against a supervised CRF.

Generalised expectations (GE), expected loss, and entropy regularisation are tuned on dev and compared on test by the
paired bootstrap over sentences."""

import collections
import dataclasses
import random

from page import Series

FULL_SIZES, QUICK_SIZES = (50, 150, 500, 1500), (50, 150)
EPOCHS = {50: 20, 150: 15, 500: 10, 1500: 8}
CONSTRAINTS = 40  # how many shares are given: the tag pairs that are most frequent
SAMPLES = 1000
CRF = ("--loss", "crf")


@dataclasses.dataclass
class Corpus:
    """Trees to learn from, sentences without trees, held-out trees, and trees that nothing was chosen on."""
    train: object
    unannotated: object
    dev: object
    test: object
    everything: object


def write_learning(lab, page):
    """Adds the learning curves to the page on covariances."""
    sizes = lab.pick(FULL_SIZES, QUICK_SIZES)
    page.heading("What the objectives are worth")
    page.text(f"""Parsers of arcs are trained on the first 50 to {max(sizes)} trees of en_ewt, the next {lab.pick('5000', '200')} sentences
        of it serving as text without trees; the pruner and all else are learnt from the few trees only. The weight of each
        objective is the best of those tried on dev ({lab.pick('500', '60')} trees). *GE, shares of the trees* asks that
        {CONSTRAINTS} pairs of tags have the shares among heads that they have in the few trees; *GE, shares of all trees* has
        shares of the whole training part, as somebody who knows the language could state them. *Expected loss* has no use for
        text without trees. Differences are against the CRF trained on the same trees, with 95 % intervals by the paired
        bootstrap over the sentences of test.""")
    rows, curves = [], collections.defaultdict(list)
    for size in sizes:
        corpus = corpus_of(lab, size)
        tried = [more for options_ in objectives(lab, size, corpus).values() for more in options_.values()]
        lab.train_all([(corpus.train, (*options(lab, size, corpus), *more)) for more in (CRF, *tried)])
        base = lab.model(corpus.train, *options(lab, size, corpus), *CRF)
        base_right = right_heads(corpus.test, lab.parsed(base, corpus.test))
        score = accuracy(base_right)
        rows.append([size, "CRF, trees alone", None, points(dev_score(lab, base, corpus)), points(score), None, None])
        curves["CRF, trees alone"].append((size, score))
        for name, tried in objectives(lab, size, corpus).items():
            models = {weight: lab.model(corpus.train, *options(lab, size, corpus), *more) for weight, more in tried.items()}
            best = max(models, key=lambda weight: dev_score(lab, models[weight], corpus))
            right = right_heads(corpus.test, lab.parsed(models[best], corpus.test))
            low, high = interval(base_right, right)
            gain = accuracy(right) - score
            rows.append([size, name, best, points(dev_score(lab, models[best], corpus)), points(accuracy(right)), f"{gain:+.2f}",
                         f"{low:+.2f} to {high:+.2f}"])
            curves[name].append((size, accuracy(right)))
            page_gains(page).append((name, size, gain, low, high))
    page.table("learning", ["trees", "objective", "weight or rate, by dev", "UAS, dev", "UAS, test", "against the CRF", "95 % interval"],
               rows, "UAS of all words.")
    page.figure("learning", "UAS on test against the number of trees", "en_ewt, arcs", "trees", "UAS",
                [Series(name, points_, "line", i) for i, (name, points_) in enumerate(curves.items())], log="x")
    claim(page)


def page_gains(page):
    """The gains so far, kept with the page that they are for."""
    page.learning_gains = getattr(page, "learning_gains", [])
    return page.learning_gains


def claim(page):
    by_name = collections.defaultdict(list)
    for name, size, gain, low, high in page_gains(page):
        by_name[name].append((size, gain, low, high))
    for name, found in by_name.items():
        sure = [f"{size} trees ({gain:+.2f})" for size, gain, low, _ in found if low > 0]
        worse = [f"{size} trees ({gain:+.2f})" for size, gain, _, high in found if high < 0]
        page.claim(f"Covariances make this objective affordable: {name} (the report trains no parser)",
                   f"better than the CRF beyond chance with {', '.join(sure) or 'none of the sizes'}; worse with "
                   f"{', '.join(worse) or 'none'}",
                   None, "the report does not say what the objectives are worth")


def corpus_of(lab, size):
    train = lab.treebank("en_ewt", "train")
    trees = max(lab.pick(FULL_SIZES, QUICK_SIZES))
    text = lab.sample(train, lab.pick(5000, 200), skip=trees)
    return Corpus(lab.sample(train, size), stripped(lab, text), lab.sample(lab.treebank("en_ewt", "dev"), lab.pick(500, 60)),
                  lab.sample(lab.treebank("en_ewt", "test"), lab.pick(10 ** 6, 100)), train)


def options(lab, size, corpus):
    return ("--dev", corpus.dev, "--epochs", lab.pick(EPOCHS[size], 4))


def objectives(lab, size, corpus):
    """For each objective, the options by the weight that is tried."""
    text = (*CRF, "--unannotated", corpus.unannotated)
    few, known = constraints(lab, corpus.train), constraints(lab, corpus.everything)
    entropy, shares, rates = lab.pick(((0.03, 0.3, 1), (3, 30, 300), (0.03, 0.1, 0.3)), ((0.3,), (30,), (0.1,)))
    return {
        "entropy regularisation": {w: (*text, "--entropy-weight", w) for w in entropy},
        "GE, shares of the trees": {w: (*text, "--constraints", few, "--constraint-weight", w) for w in shares},
        "GE, shares of all trees": {w: (*text, "--constraints", known, "--constraint-weight", w) for w in shares},
        "expected loss": {r: ("--loss", "risk", "--rate", r) for r in rates},
    }


def words(path):
    """The sentences of a file, each a list of the columns of its words."""
    sentence = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line and sentence:
            yield sentence
            sentence = []
        columns = line.split("\t")
        if columns[0].isdigit():
            sentence.append(columns)
    if sentence:
        yield sentence


def written(lab, name, text):
    """A file of the cache with this text; its content is its key."""
    path = lab.cache / name
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def stripped(lab, path):
    """The same sentences without heads and relations."""
    lines = []
    for sentence in words(path):
        lines += ["\t".join([*columns[:6], "_", "_", "_", "_"]) for columns in sentence] + [""]
    return written(lab, path.stem + "-stripped.conllu", "\n".join(lines) + "\n")


def constraints(lab, path):
    """The most frequent pairs of tags, with the share of the dependent's heads that they are."""
    pairs, tags = collections.Counter(), collections.Counter()
    for sentence in words(path):
        for d, columns in enumerate(sentence, 1):
            head = int(columns[6])
            tags[columns[3]] += 1
            pairs[columns[3], sentence[head - 1][3] if head else "ROOT", "left" if head < d else "right"] += 1
    lines = [f"{d} -> {h} {side} {count / tags[d]:.4f}\n" for (d, h, side), count in pairs.most_common(CONSTRAINTS)]
    return written(lab, path.stem + "-shares.txt", "".join(lines))


def dev_score(lab, model, corpus):
    return lab.score(model, corpus.dev)["uas"]


def right_heads(gold, system):
    """For each sentence, how many heads are right, and of how many."""
    return [(sum(a[6] == b[6] for a, b in zip(g, s)), len(g)) for g, s in zip(words(gold), words(system), strict=True)]


def accuracy(counts):
    return 100.0 * sum(right for right, _ in counts) / sum(all_ for _, all_ in counts)


def interval(base, other):
    """The percentiles 2.5 and 97.5 of the difference over samples of sentences, both systems on the same ones."""
    source = random.Random(0)
    pairs = [(b[0] - a[0], a[1]) for a, b in zip(base, other, strict=True)]
    found = []
    for _ in range(SAMPLES):
        drawn = source.choices(pairs, k=len(pairs))
        found.append(100.0 * sum(gain for gain, _ in drawn) / sum(count for _, count in drawn))
    found.sort()
    return found[int(0.025 * SAMPLES)], found[int(0.975 * SAMPLES) - 1]


def points(value):
    return f"{value:.2f}"
