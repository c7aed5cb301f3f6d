"""Sampling without replacement against k: the part on figures 3 to 6 of the page on sampling."""

from page import Series

LENGTHS = (10, 25, 50, 100)
METHODS = {"beam": "beam (`sample_without_replacement`)", "one_by_one": "one by one (`DistinctTrees`)",
           "trie": "mass-subtracting trie [Shi20], our C++", "list": "list of trees [Zmigrod21s], our C++"}
SHORT = {"beam": "beam", "one_by_one": "one by one", "trie": "trie", "list": "list"}
# Milliseconds for 100 trees of 14 words by treesample's Python code on one core of a Zen 3 virtual machine.
REFERENCE_14 = {"trie": 124, "list": 146}
# Stochastic beam search of SynJax, milliseconds by (words, k): on 16 CPU cores of another machine, and on an H200.
SYNJAX = {(50, 100): (148, 4.7), (100, 100): (615, 11.3), (100, 1000): (9200, 35.5)}
LINEAR = 12  # Ten times k in up to twelve times the time: memory grows, too.


def write(lab, page, models):
    """Figures 3 and 5, the same with trained weights, and what is left out."""
    largest = lab.pick(1000, 100)
    figure3(lab, page, 10 * largest)
    figure5(lab, page, largest)
    trained(lab, page, models, largest)
    page.heading("Figures 4 and 6: stochastic beam search on a GPU")
    page.table("figures4_6", ["figure", "paper", "here"],
               [["4: SBS in JAX, 100 words, GPU against CPU", "up to 5 times as fast", None],
                ["6: the same for other lengths", "much faster on the GPU", None]],
               "A dash: comes with the GPU backend.")


def measure(lab, *options):
    """{method: {k: (milliseconds, graphs, graphs that gave k distinct trees)}}"""
    result = {}
    for row in lab.measure("distinct_times", *options):
        times = (float(row["milliseconds"]), int(row["graphs"]), int(row["fine"]))
        result.setdefault(row["method"], {})[int(row["k"])] = times
    return result


def points(times):
    return [(k, milliseconds) for k, (milliseconds, _, _) in times.items()]


def growth(times):
    """How the time grows when k grows tenfold, at the largest k: 10 is linear."""
    return times[max(times)][0] / times[max(times) // 10][0]


def table(page, name, rows, caption):
    """One row for each (label, times)."""
    counts = list(rows[0][1])
    last = counts[-1]
    page.table(name, ["method", *(f"k = {k}" for k in counts), f"{last} : {last // 10}", "graphs with k distinct trees"],
               [[label, *(times[k][0] for k in counts), growth(times), f"{times[last][2]} of {times[last][1]}"]
                for label, times in rows], caption)


def figure3(lab, page, largest):
    """14 words, beside the older list of trees."""
    page.heading("Figure 3: k distinct trees of 14 words")
    page.text("""The paper's trie is here a baseline of our own (`bench/baselines/trie_sampling.cpp`): a trie of heads
    whose nodes know how much probability is left below each next head, and from which every tree drawn is subtracted,
    with Colbourn's conditional marginals as the model. It is checked in every run: the joint probabilities of the first
    two trees, and all 64 trees of four words, each once. The library itself subtracts nothing: both of its functions
    are one race ([how](../methods/sample.md#without-replacement)).""")
    by_method = measure(lab, "--weights", "uniform", "--words", 14, "--graphs", lab.pick(5, 2), "--largest", largest,
                        "--list", 1)
    table(page, "figure3", [(label, by_method[name]) for name, label in METHODS.items()],
          "Milliseconds for k trees of 14 words, random weights, from the scores.")
    series = [Series(SHORT[name], points(times), "line", i) for i, (name, times) in enumerate(by_method.items())]
    series += [Series(f"{SHORT[name]}, the paper's code (Python)", [(100, milliseconds)], "diamonds",
                      list(by_method).index(name)) for name, milliseconds in REFERENCE_14.items()]
    page.figure("figure3", "Distinct trees of 14 words", "random weights, from the scores", "trees", "milliseconds",
                series, "xy")
    grows = {name: growth(times) for name, times in by_method.items()}
    page.claim("beam and trie are linear in k, the older list is quadratic (§5, figure 3)",
               f"from {largest // 10:,} to {largest:,} trees: " +
               ", ".join(f"{SHORT[name]} {times:.0f} times as long" for name, times in grows.items()),
               max(grows["beam"], grows["trie"]) < LINEAR < grows["list"],
               "k² n is small against k n³ up to about 1,000 trees")
    at = {name: times[largest][0] for name, times in by_method.items()}
    early = {name: times[100][0] for name, times in by_method.items()}
    page.claim("both beat the list (§6, figure 3)",
               ", ".join(f"{SHORT[name]} {milliseconds:.3g} ms" for name, milliseconds in at.items()) +
               f" for {largest:,} trees", at["list"] > max(at["beam"], at["trie"]),
               f"for 100 trees {early['list']:.2g} ms, {early['beam']:.2g} by the beam and {early['trie']:.2g} by the trie")


def figure5(lab, page, largest):
    """Other lengths."""
    page.heading("Figure 5: k distinct trees, other lengths")
    series, rows, ratios, linear = [], [], [], []
    for colour, words in enumerate(lab.pick(LENGTHS, (10, 50))):
        times = measure(lab, "--weights", "uniform", "--words", words, "--graphs", lab.pick(3, 1), "--largest", largest)
        rows += [(f"{SHORT[name]}, {words} words", line) for name, line in times.items()]
        series += [Series(f"{words} words", points(times["beam"]), "line", colour),
                   Series("", points(times["trie"]), "dashes", colour)]
        ratios.append(times["trie"][largest][0] / times["beam"][largest][0])
        linear += [growth(times[name]) for name in ("beam", "trie")]
    table(page, "figure5", rows, "Milliseconds for k trees, random weights, from the scores.")
    page.figure("figure5", "Distinct trees with one root child",
                "random weights; lines: beam (Kirchhoff), dashes: mass-subtracting trie", "trees", "milliseconds", series,
                "xy")
    beams = {label: line for label, line in rows if label.startswith("beam")}
    page.table("synjax", ["words", "k", "Kirchhoff, one thread here, ms", "SynJax on 16 CPU cores, ms",
                          "SynJax on an H200, ms"],
               [[words, k, beams.get(f"beam, {words} words", {}).get(k, (None,))[0], *peers]
                for (words, k), peers in SYNJAX.items()],
               "Stochastic beam search of SynJax, which we measured once on other machines, beside our beam: orders of "
               "magnitude, not ratios.")
    page.claim("beam and trie are linear in k at all lengths (§5, appendix C, figure 5)",
               f"{min(linear):.1f} to {max(linear):.1f} times as long for ten times k", max(linear) < LINEAR)
    page.claim("the beam is consistently faster than the trie (appendix C, figure 5)",
               "trie : beam is " + ", ".join(f"{ratio:.2g}" for ratio in ratios) + f" at k = {largest:,}", min(ratios) > 1,
               "our beam goes best-first and shares prefixes, the paper's goes breadth-first")


def trained(lab, page, models, largest):
    """The same with trained weights, where the paper says that weights do not matter."""
    page.heading("Distinct trees with trained weights")
    page.text("""The paper measures random weights only, "since the runtime of these algorithms does not depend on the
    weights value". Ours does: trees of a peaked distribution share most of their heads, and prefixes that are visited
    again keep their state.""")
    rows, words = [], 20 if lab.real("en_ewt") else 5
    for name in ("multi", "single", "default"):
        model = models.get(f"{name}_all", models[name])
        times = measure(lab, *model.source(), "--words", words, "--graphs", lab.pick(15, 4), "--largest", largest)
        rows += [(f"{SHORT[method]}, {model.name()}", line) for method, line in times.items()]
    table(page, "distinct_trained", rows,
          f"Milliseconds for k trees of sentences of en_ewt test with {words} words or more, from the scores.")
    failed = [(label, line[largest]) for label, line in rows if line[largest][2] < line[largest][1]]
    page.text("Sentences without k distinct trees: " + ("; ".join(f"{graphs - fine} of {graphs} ({label})" for label, (
        _, graphs, fine) in failed) or "none") + """. The trie computes conditional marginals by subtraction in doubles,
    and has no way out when they are lost; the library then goes on with the robust method.""")
