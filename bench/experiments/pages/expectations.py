"""The page of [Zmigrod21]: entropy by T1 against the past approach, how all methods grow, and the gradient of GE."""

import statistics

from growth import at, between, exponent, medians, points, ratios
from page import Series

TITLE = "Expectations under spanning trees"
SOURCE = """[Zmigrod21], *Efficient Computation of Expectations under Spanning Tree Distributions*: its table 1, the costs
of its section 5.2 and the experiment of its section 6.4. The paper's times are those of PyTorch on a laptop (Intel i7-7500U),
ours are C++ on both sides, so that ratios can be compared and milliseconds cannot."""

# Table 1: mean length, nats per word, milliseconds by T1 and by the past approach, and their ratio.
PAPER = {"fi_tdt": ("Finnish", 9.23, 0.6092, 0.4623, 1.882, 4.1), "en_ewt": ("English", 12.45, 0.8264, 0.5102, 2.778, 5.4),
         "de_gsd": ("German", 17.56, 0.8933, 0.5583, 4.104, 7.3), "fr_gsd": ("French", 24.65, 0.8923, 0.5635, 5.742, 10.2),
         "ar_pud": ("Arabic", 36.05, 0.7163, 0.6220, 9.368, 15.1)}
PAPER_GE = 9.0  # section 6.4: T2 against the materialised covariance
FEATURES = 20
DOTS = 1000  # sentences that are drawn, of each method
BINS = ((1, 10), (11, 20), (21, 40), (41, 1000))

# The methods of expectation_costs, and the power of the length that their cost has by the papers; R = S = 20.
METHODS = {"t1": ("T1", 3, "O(N³ + N²R′)"), "ge_gradient": ("GE gradient by T2", 3, "O(N³ + N²F′)"),
           "t2_sparse": ("T2, R′ = 1", 3, "O(N³(R′+S′) + RS + N²R̄S̄)"), "t2_dense": ("T2, R′ = R", 3, "the same"),
           "t2v": ("T2ᵛ", 3, "O(R(N³ + N²R′ + N²S′))"), "t2h": ("T2ʰ", 4, "O(N⁴R′S′)"),
           "covariance_conditioned": ("covariance as in Druck et al. (2009)", 5, "O(N⁵)"),
           "pairs_absolute": ("all pairs of arcs, absolute accuracy", 4, "O(N⁴)"),
           "pairs": ("all pairs of arcs, relative accuracy (default)", 4, "O(N⁴) to O(N⁵)"),
           "pairs_conditioned": ("all pairs as in Druck et al. (2009)", 5, "O(N⁵)")}
SIZES = (10, 20, 40, 80)
FIT_FROM = 14  # words; below, calls are too short to grow


def count(path):
    return sum(1 for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip())


def split(lab, name):
    """Where a parser for a treebank learns, and the test sentences: of a treebank with a test part only, halves of it."""
    test = lab.treebank(name, "test")
    part = next((part for part in ("train", "dev") if lab.real(name, part)), None)
    if part is None and lab.real(name):
        half = count(test) // 2
        source, train, test = "half of test", lab.sample(test, half), lab.sample(test, count(test), skip=half)
    else:
        source, train = part or "example", lab.treebank(name, part or "train")
    if lab.quick:
        train, test = lab.sample(train, 60), lab.sample(test, 30)
    return source, train, test


def unpruned(lab, train):
    """A CRF over all arcs, as the paper's parser is: nothing is pruned."""
    return lab.model(train, "--loss", "crf", "--prune", 0, "--max-heads", 1000, "--epochs", lab.pick(5, 1))


def mean(rows, column):
    return statistics.fmean(float(row[column]) for row in rows)


def speed_up(rows, slow="past_ms", fast="t1_ms"):
    return mean(rows, slow) / mean(rows, fast)


def entropy_row(rows):
    length = mean(rows, "words")
    return [length, mean(rows, "nats") / length, mean(rows, "t1_ms"), mean(rows, "past_ms"), speed_up(rows)]


def share(groups):
    """The percentage of sentences for which T1 needed the robust method."""
    return 100 * mean(sum(groups.values(), []), "robust")


def by_length(rows):
    """Speed-ups of short and of long sentences."""
    groups = [[row for row in rows if low <= int(row["words"]) <= high] for low, high in BINS]
    return [speed_up(group) if group else None for group in groups]


def write_entropy(lab, page):
    trained, random, sources = {}, {}, {}
    for name in PAPER:
        sources[name], train, test = split(lab, name)
        trained[name] = lab.measure("entropy_times", "--data", test, "--model", unpruned(lab, train))
        random[name] = lab.measure("entropy_times", "--data", test)
    page.heading("Table 1: the entropy of a parser's distribution")
    page.text("""Parsers are CRFs over all arcs, trained here on the part of the treebank that is named; the paper's is the
        Stanford parser, on other releases of the treebanks, and its Arabic treebank has longer sentences. The past approach
        is Smith and Eisner's (2007), n further determinants. Entropy is in nats per word, times are milliseconds per sentence.""")
    columns = ["language", "learnt from", "length", "entropy", "T1", "past", "speed-up", "paper: length", "entropy ", "T1 ",
               "past ", "speed-up "]
    page.table("table1", columns, [[PAPER[n][0], sources[n], *entropy_row(trained[n]), *PAPER[n][1:]] for n in PAPER],
               "Weights of trained parsers.")
    page.table("table1-random", ["language", "length", "entropy", "T1", "past", "speed-up"],
               [[PAPER[n][0], *entropy_row(random[n])] for n in PAPER],
               "The same sentences with random weights: log-weights N(0, 1), like no parser's.")
    everything = {"trained": sum(trained.values(), []), "random": sum(random.values(), [])}
    bins = {weights: by_length(rows) for weights, rows in everything.items()}
    labels = [f"{low}–{high}" if high < 1000 else f"from {low}" for low, high in BINS]
    page.table("speed-up-by-length", ["weights", *(f"{label} words" for label in labels)],
               [[weights, *values] for weights, values in bins.items()], "Speed-up by the length of the sentence, all languages.")
    figure_entropy(page, everything)
    claim_entropy(page, trained, random, bins["trained"])


def figure_entropy(page, everything):
    def pairs(weights, column):
        return [(int(row["words"]), float(row[column])) for row in everything[weights]]
    series = []
    for colour, column, label in ((1, "past_ms", "Smith and Eisner, O(N⁴)"), (0, "t1_ms", "T1, O(N³)")):
        dots = pairs("trained", column)
        series += [Series("", dots[::len(dots) // DOTS + 1], "dots", colour),
                   Series(f"{label}, trained weights", medians(pairs("trained", column)), "line", colour),
                   Series(f"{label}, random weights", medians(pairs("random", column)), "dashes", colour + 2),
                   Series(f"{label}, paper (Python)", [(p[1], p[4] if colour else p[3]) for p in PAPER.values()],
                          "diamonds", colour)]
    page.figure("entropy", "Entropy of a tree distribution",
                "dots are some of the sentences with trained weights; lines are medians of all",
                "words in the sentence", "milliseconds", series, log="y")


def claim_entropy(page, trained, random, bins):
    ours = {name: speed_up(rows) for name, rows in trained.items()}
    page.claim("T1 is faster than Smith and Eisner's algorithm on all five languages",
               f"{between(ours.values())} times as fast with trained weights, "
               f"{between([speed_up(rows) for rows in random.values()])} times with random ones", min(ours.values()) > 1,
               f"the robust elimination was needed for {share(trained):.0f} % of the sentences with trained weights and for "
               f"{share(random):.0f} % with random ones; it takes longer than the fast inverse")
    reached = [PAPER[name][0] for name in PAPER if ours[name] >= PAPER[name][5]]
    page.claim("by 4.1, 5.4, 7.3, 10.2 and 15.1 times (fi, en, de, fr, ar)",
               ", ".join(f"{ours[name]:.1f}" for name in PAPER) + " times", len(reached) == len(PAPER),
               "as fast or more so on " + (", ".join(reached) or "none") + "; with random weights " +
               ", ".join(f"{speed_up(random[name]):.1f}" for name in PAPER) +
               f" times; our Arabic sentences have {mean(trained['ar_pud'], 'words'):.1f} words, the paper's {PAPER['ar_pud'][1]}")
    known = [value for value in bins if value is not None]
    page.claim("the speed-up grows with the length", "by length: " + ", ".join(f"{v:.1f}" for v in known),
               known == sorted(known))


def costs(lab, over, model, data, *methods):
    """Rows of expectation_costs with random and with trained weights."""
    arguments = ("--over", over, "--limit", lab.pick(4.0, 0.02), *(("--methods", ",".join(methods)) if methods else ()))
    return (lab.measure("expectation_costs", *arguments) +
            lab.measure("expectation_costs", *arguments, "--model", model, "--data", data))


def write_growth(lab, page, model, data):
    rows = costs(lab, "words", model, data, *METHODS)
    page.heading("Section 5.2: how costs grow with the length")
    page.text(f"""Each method alone, from scores to result, with R = S = {FEATURES} features. The exponent is fitted by least
        squares to the times from {FIT_FROM} words on; it stays below the theory where lower-order terms, fixed costs and
        the growing speed of larger matrix inverses still count, and above it where tables of N⁴ numbers leave the caches. A
        method stops where a call would take more than {lab.pick(4, 0.02)} s, and tables of pairs at 80 words. Trained
        weights are the English parser's on sentences within a tenth of the length.""")
    table, fits = [], {}
    for method, (name, theory, cost) in METHODS.items():
        lines = {weights: points(rows, "words", method=method, weights=weights) for weights in ("random", "trained")}
        fits[method] = {weights: exponent(line, FIT_FROM) for weights, line in lines.items()}
        table.append([name, cost, theory, fits[method]["random"], fits[method]["trained"],
                      *(at(lines["random"], size) for size in SIZES)])
    page.table("growth", ["method", "cost by theory", "power", "random weights", "trained weights",
                          *(f"ms, N = {size}" for size in SIZES)], table,
               "Fitted powers of N, and milliseconds with random weights.")
    drawn = ("t1", "t2_sparse", "t2v", "t2h", "covariance_conditioned", "pairs_absolute", "pairs_conditioned")
    page.figure("growth", "Costs of expectations", "random weights", "words", "milliseconds",
                [Series(METHODS[m][0], points(rows, "words", method=m, weights="random"), "line", c)
                 for c, m in enumerate(drawn)],
                log="xy")
    claim_growth(page, rows, fits)


def claim_growth(page, rows, fits):
    for weights in ("random", "trained"):
        fit = {method: values[weights] for method, values in fits.items()}
        for method, paper in (("t2h", "T2ʰ [Druck09], O(N⁴R′S′)"), ("covariance_conditioned", "Druck et al. (2009), O(N⁵)")):
            slow, t2 = (points(rows, "words", method=m, weights=weights) for m in (method, "t2_sparse"))
            (n, first), *_, (m, last) = ratios(slow, t2)
            powers = fit["t2_sparse"], fit[method]
            fitted = "" if None in powers else "; fitted powers {:.1f} and {:.1f}".format(*powers)
            page.claim(f"a covariance by T2 is asymptotically faster than by {paper}",
                       f"{weights} weights: {first:.1f} times as fast at {n:.0f} words, {last:.1f} times at {m:.0f}{fitted}",
                       last > max(first, 1))


def write_ge(lab, page, model, train, data):
    arguments = ("--train", train, "--data", data, "--features", FEATURES)
    rows = {"trained": lab.measure("ge_times", *arguments, "--model", model), "random": lab.measure("ge_times", *arguments)}
    page.heading("Section 6.4: the gradient of generalized expectation")
    page.text(f"""English test sentences of 5 to 150 words and {FEATURES} features as in Druck et al. (2009): "a word of this
        tag hangs to this side of that tag". The most frequent ones of the training part are chosen, and targets are their
        rates there; nothing is taken from the test trees. T2ʰ materialises the covariance of the features with all arcs, pair by pair of arcs.""")
    table = []
    for weights, lines in rows.items():
        t2 = mean(lines, "t2_ms")
        table.append([weights, len(lines), mean(lines, "words"), t2, mean(lines, "t2h_ms"), speed_up(lines, "t2h_ms", "t2_ms"),
                      speed_up(lines, "t2h_featured_ms", "t2_ms"), max(float(row["difference"]) for row in lines)])
    page.table("ge", ["weights", "sentences", "length", "T2, ms", "T2ʰ, ms", "speed-up", "over T2ʰ of arcs with features only",
                      "largest difference"], table,
               "The paper has 9 times for almost 1,500 sentences, and a difference below 1e-16.")
    ours, off = table[0][5], table[0][7]
    page.claim("the GE gradient is 9 times as fast as by the materialised covariance",
               f"{ours:.1f} times with trained weights, {table[1][5]:.1f} times with random ones", ours >= PAPER_GE,
               f"T2 takes {table[0][3] / table[1][3]:.1f} times as long with trained weights, most of which need the robust method")
    page.claim("both gradients agree to 1e-16", f"to {off:.1g} with trained weights, {table[1][7]:.1g} with random ones",
               off <= 1e-16,
               "T2ʰ rests on an LU inverse, whose rounding errors grow as weights get peaked; T2 has a bound for its own")


def write(lab, page):
    write_entropy(lab, page)
    _, train, test = split(lab, "en_ewt")
    model = unpruned(lab, train)
    write_growth(lab, page, model, test)
    write_ge(lab, page, model, train, test)
