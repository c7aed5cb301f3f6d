"""The page on "Unbiased and efficient sampling of dependency trees" [Stanojevic22]: its figures and section 4.3.1, with
random weights and with the weights of parsers that were trained here."""

import math
import statistics

from page import Series

from . import sampling_distinct, sampling_models

TITLE = "Sampling: figures of Stanojević (2022), measured here"
SOURCE = """M. Stanojević, *Unbiased and efficient sampling of dependency trees*, EMNLP 2022 [Stanojevic22]. Z_𝒯 is the
sum of weights over all trees, Z_𝒟 that over trees with one root child. All trees that are sampled on this page have one
root child. The paper has its times in figures only, so there are no numbers of its own to print beside ours; diamonds
are the paper's NumPy code (`treesample`), run by us once on one core of another machine (Zen 3)."""

# Figure 2's axis, and microseconds for one tree by treesample on one core of a Zen 3 virtual machine.
WORDS = (5, 10, 20, 30, 40, 50, 75, 100)
TREESAMPLE = {"colbourn": {10: 706, 25: 3029, 50: 6452, 100: 20278},
              "wilson_marginal": {10: 347, 25: 1023, 50: 2506, 100: 4987},
              "wilson_reject": {10: 937, 25: 2766, 50: 5462, 100: 10701}}
METHODS = {"colbourn": "Colbourn", "wilson_marginal": "WilsonMarginal", "wilson_reject": "WilsonReject"}
# Figure 7: distributions of weights, as they are called there and in graph_source.cpp.
DISTRIBUTIONS = {"truncated normal(1, 0.5)": "normal(1,0.5)", "truncated normal(1, 1)": "normal(1,1)",
                 "truncated normal(0, 1)": "normal(0,1)", "uniform(0, 1)": "uniform", "exponential(1)": "exponential"}


def write(lab, page):
    """Measures and writes all of it."""
    three_trees(lab, page)
    models = sampling_models.train(lab)
    figure2(lab, page, models)
    random_tries(lab, page)
    sampling_models.write(lab, page, models)
    sampling_distinct.write(lab, page, models)


def three_trees(lab, page):
    """Figure 1."""
    rows = lab.measure("three_trees", "--samples", lab.pick(1000000, 20000))
    names = ("probability", "wilson_rc", "wilson_marginal", "wilson_reject", "colbourn")
    page.heading("Figure 1: three trees of equal weight")
    page.table("figure1", ["heads of A, B, C", "probability", "WilsonRC", "WilsonMarginal", "WilsonReject", "Colbourn"],
               [[f"{row['head_a']} {row['head_b']} {row['head_c']}", *(float(row[name]) for name in names)] for row in rows],
               "The share of each sampler's trees. WilsonRC draws the root's child by weight, and so prefers the tree "
               "that alone has its child.")
    shares = [float(row["wilson_rc"]) for row in rows]
    worst = max(abs(float(row[name]) - float(row["probability"])) for row in rows for name in names[2:])
    page.claim("WilsonRC draws one of the three equal trees half of the time (§4.1, figure 1)",
               f"{max(shares):.3f}, the others {min(shares):.3f}", abs(max(shares) - 0.5) < 0.02,
               f"the three unbiased samplers are within {worst:.4f} of 1/3")


def binned(rows, name):
    """Medians over sentences of about the same length: (words, milliseconds)."""
    points = []
    for low, high in ((2, 7), (8, 14), (15, 24), (25, 34), (35, 44), (45, 59), (60, 200)):
        inside = [row for row in rows if low <= int(row["words"]) <= high]
        if len(inside) >= 5:
            points.append((statistics.mean(int(row["words"]) for row in inside),
                           statistics.median(float(row[name]) for row in inside)))
    return points


def figure2(lab, page, models):
    """Time for 100 trees with replacement."""
    page.heading("Figure 2: 100 trees with replacement")
    medians = {}
    for words in WORDS:
        rows = lab.measure("sample_times", "--weights", "uniform", "--words", words, "--graphs", lab.pick(15, 5),
                           "--repetitions", lab.pick(5, 2))
        medians[words] = {name: statistics.median(float(row[name]) for row in rows)
                          for name in (*METHODS, "automatic", "wilson_rc")}
    page.table("figure2_random", ["words", *METHODS.values(), "automatic", "WilsonRC (biased)"],
               [[words, *row.values()] for words, row in medians.items()],
               "Milliseconds for 100 trees, random weights (uniform, as in the paper), from the scores, set-up included; "
               "medians over graphs of the fastest repetitions. `automatic` is what `sample_trees` does.")
    series = []
    for colour, (name, label) in enumerate(METHODS.items()):
        series.append(Series(label, [(words, row[name]) for words, row in medians.items()], "line", colour))
        series.append(Series(f"{label}, the paper's code (NumPy)", [(n, us / 10) for n, us in TREESAMPLE[name].items()],
                             "diamonds", colour))
    page.figure("figure2_random", "100 trees with one root child", "random weights", "words in the sentence",
                "milliseconds", series, "xy")
    series, rows = [], []
    for kind, name in (("line", "softmax"), ("dashes", "default")):
        model = sampling_models.largest(models, name)
        lines = {method: binned(model.times(lab), method) for method in METHODS}
        series += [Series(label if kind == "line" else "", lines[method], kind, colour)
                   for colour, (method, label) in enumerate(METHODS.items())]
        rows += [[model.name(), words, *(lines[method][i][1] for method in METHODS)]
                 for i, (words, _) in enumerate(lines["colbourn"])]
    page.table("figure2_trained", ["weights", "words, mean", *METHODS.values()], rows,
               "The same with trained weights, medians over sentences of en_ewt test of about that length. The paper's "
               "parser, Stanza, is trained with a softmax over the heads of each word; what that means, and other models, "
               "are below.")
    page.figure("figure2_trained", "100 trees with one root child",
                "trained weights; lines: softmax over heads, dashes: the default parser", "words in the sentence",
                "milliseconds", series, "xy")
    total = {name: sum(row[name] for row in medians.values()) for name in METHODS}
    marginal = total["wilson_marginal"]
    page.claim("random weights: both Wilson samplers are faster than Colbourn's (§6, figure 2)",
               f"Colbourn takes {total['colbourn'] / marginal:.1f} times WilsonMarginal's time",
               all(row["colbourn"] > max(row["wilson_marginal"], row["wilson_reject"]) for row in medians.values()))
    page.claim("random weights: WilsonMarginal is faster than WilsonReject (§6, figure 2)",
               f"WilsonReject takes {total['wilson_reject'] / marginal:.1f} times WilsonMarginal's time",
               all(row["wilson_reject"] > row["wilson_marginal"] for row in medians.values()))


def random_tries(lab, page):
    """Section 4.3.1 for random weights, and figure 7."""
    page.heading("Section 4.3.1 and figure 7: tries of WilsonReject with random weights")
    lengths, graphs = lab.pick((5, 10, 20, 50, 100), (5, 10, 20)), lab.pick(10000, 200)
    rows, histograms, means = [], [], []
    for colour, (label, name) in enumerate(DISTRIBUTIONS.items()):
        for words in lengths:
            count_ratio = (1 + 1 / words) ** (words - 1)
            measured = lab.measure("root_mass", "--weights", name, "--words", words, "--graphs", graphs,
                                   "--samplers", 0)
            tries = sorted(math.exp(float(row["log_ratio"])) for row in measured)
            ratios = [t / count_ratio for t in tries]
            means.append((statistics.mean(tries), statistics.mean(ratios)))
            rows.append([label, words, means[-1][0], count_ratio, means[-1][1], ratios[len(ratios) // 20],
                         ratios[-len(ratios) // 20], 100 * sum(r > 2 for r in ratios) / len(ratios)])
            if words in (10, lengths[-1]) and name in ("normal(1,0.5)", "uniform", "exponential"):
                kind = "line" if words == 10 else "dashes"
                histograms.append(Series(f"{label}, {words} words", histogram(ratios), kind, colour))
    page.table("tries_random", ["weights", "words", "Z_𝒯/Z_𝒟", "trees 𝒯/𝒟", "ratio of mean weights", "5 %", "95 %",
                                "above 2, %"], rows,
               f"{graphs:,} graphs in each row. The ratio of mean weights is (Z_𝒯/Z_𝒟) / (|𝒯|/|𝒟|), whose distribution is "
               "figure 7.")
    page.figure("figure7", "Mean weight of all trees over that of trees with one root child",
                f"{graphs:,} random graphs each", "ratio", "share of graphs", histograms, "x")
    worst = max(tries for tries, _ in means)
    page.claim("random weights: WilsonReject needs fewer than e = 2.718 tries on average (§4.3.1)", f"at most {worst:.3f}",
               worst < math.e, "an approximation in the paper, which takes the ratio of mean weights to be 1")
    low, high = min(r for _, r in means), max(r for _, r in means)
    page.claim("the ratio of mean weights is about 1 for all distributions and lengths (appendix D, figure 7)",
               f"means from {low:.3f} to {high:.3f}", 0.95 < low and high < 1.05)
    above = max(row[-1] for row in rows)
    page.claim("almost all ratios are smaller than 2 (appendix D)", f"at most {above:.2g} % are above 2", above < 5)


def histogram(values, bins=50, largest=2.5):
    """Shares of the values in bins of equal width on a logarithmic axis, without the rarest."""
    counts = [0] * bins
    for value in values:
        position = 0.5 + 0.5 * math.log(value) / math.log(largest)
        if 0 <= position < 1:
            counts[int(bins * position)] += 1
    return [(largest ** ((2 * b + 1) / bins - 1), count / len(values)) for b, count in enumerate(counts)
            if count >= 1e-3 * len(values)]
