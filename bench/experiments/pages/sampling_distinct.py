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


def by_method(rows):
    """{method: {k: (milliseconds, graphs, graphs where all was fine)}}"""
    result = {}
    for row in rows:
        result.setdefault(row["method"], {})[int(row["k"])] = (float(row["milliseconds"]), int(row["graphs"]), int(row["fine"]))
    return result


def points(times):
    return [(k, ms) for k, (ms, _, _) in times.items()]


def growth(times):
    """How the time grows when k grows tenfold, at the largest k: 10 is linear."""
    largest = max(times)
    return times[largest][0] / times[largest // 10][0]


def write(lab, page, models):
    """Figures 3 and 5, the same with trained weights, and what is left out."""
    largest = lab.pick(1000, 100)
    page.heading("Figure 3: k distinct trees of 14 words")
    page.text("""The paper's trie is here a baseline of our own (`bench/baselines/trie_sampling.cpp`): a trie of heads whose nodes know how much
    probability is left below each next head, and from which every tree drawn is subtracted, with Colbourn's conditional marginals as the
    model. It is checked in every run: the joint probabilities of the first two trees, and all 64 trees of four words, each once. The
    library itself subtracts nothing: both of its functions are one race ([how](../methods/sample.md#without-replacement)).""")
    fourteen = by_method(lab.measure("distinct_times", "--weights", "uniform", "--words", 14, "--graphs", lab.pick(5, 2), "--largest", largest, "--list", 1))
    table(page, "figure3", [(label, fourteen[name]) for name, label in METHODS.items()], "Milliseconds for k trees of 14 words, random weights, from the scores.")
    series = [Series(SHORT[name], points(times), "line", colour) for colour, (name, times) in enumerate(fourteen.items())]
    series += [Series(f"{SHORT[name]}, the paper's code (Python)", [(100, ms)], "diamonds", list(fourteen).index(name)) for name, ms in REFERENCE_14.items()]
    page.figure("figure3", "Distinct trees of 14 words", "random weights, from the scores", "trees", "milliseconds", series, "xy")
    grows = {name: growth(times) for name, times in fourteen.items()}
    page.claim("beam and trie are linear in k, the older list is quadratic (§5, figure 3)",
               ", ".join(f"{SHORT[name]}: {g:.1f} times for ten times k" for name, g in grows.items()),
               grows["beam"] < 12 and grows["trie"] < 12 and grows["list"] > 12, "the list's quadratic term is small against n³ at these k")
    at = {name: times[largest][0] for name, times in fourteen.items()}
    page.claim("both beat the list (§6, figure 3)", ", ".join(f"{SHORT[name]} {ms:.3g} ms" for name, ms in at.items()) + f" for {largest:,} trees",
               at["list"] > max(at["beam"], at["trie"]))
    lengths(lab, page, largest)
    trained(lab, page, models, largest)
    page.heading("Figures 4 and 6: stochastic beam search on a GPU")
    page.table("figures4_6", ["figure", "paper", "here"], [["4: SBS in JAX, 100 words, GPU against CPU", "up to 5 times as fast", None],
                                                           ["6: the same for other lengths", "much faster on the GPU", None]],
               "A dash: comes with the GPU backend.")


def table(page, name, rows, caption):
    counts = list(rows[0][1])
    page.table(name, ["method", *(f"k = {k}" for k in counts), f"{counts[-1]} : {counts[-1] // 10}", "graphs with k distinct trees"],
               [[label, *(times[k][0] for k in counts), growth(times), f"{times[counts[-1]][2]} of {times[counts[-1]][1]}"] for label, times in rows], caption)


def lengths(lab, page, largest):
    """Figure 5."""
    page.heading("Figure 5: k distinct trees, other lengths")
    series, rows, ratios, linear = [], [], [], []
    for colour, words in enumerate(lab.pick(LENGTHS, (10, 50))):
        times = by_method(lab.measure("distinct_times", "--weights", "uniform", "--words", words, "--graphs", lab.pick(3, 1), "--largest", largest))
        rows += [(f"{SHORT[name]}, {words} words", line) for name, line in times.items()]
        series += [Series(f"{words} words", points(times["beam"]), "line", colour), Series("", points(times["trie"]), "dashes", colour)]
        ratios.append(times["trie"][largest][0] / times["beam"][largest][0])
        linear += [growth(times[name]) for name in ("beam", "trie")]
        if words == 100:
            peers(page, times)
    table(page, "figure5", rows, "Milliseconds for k trees, random weights, from the scores.")
    page.figure("figure5", "Distinct trees with one root child", "random weights; lines: beam (Kirchhoff), dashes: mass-subtracting trie", "trees",
                "milliseconds", series, "xy")
    page.claim("beam and trie are linear in k at all lengths (§5, appendix C, figure 5)", f"{min(linear):.1f} to {max(linear):.1f} times for ten times k", max(linear) < 12)
    page.claim("the beam is consistently faster than the trie (appendix C, figure 5)",
               "trie : beam is " + ", ".join(f"{r:.2g}" for r in ratios) + f" at k = {largest:,}", min(ratios) > 1,
               "our beam is not the paper's, which goes breadth-first; see figure 3")


def peers(page, times):
    """SynJax's stochastic beam search, which was measured elsewhere."""
    page.table("synjax", ["words", "k", "Kirchhoff, one thread here, ms", "SynJax on 16 CPU cores, ms", "SynJax on an H200, ms"],
               [[words, k, times["beam"][k][0] if words == 100 and k in times["beam"] else None, *ms] for (words, k), ms in SYNJAX.items()],
               "Stochastic beam search by SynJax, measured by us once on other machines, beside our beam: orders of magnitude, not ratios.")


def trained(lab, page, models, largest):
    """The same with trained weights, where the paper says that weights do not matter."""
    page.heading("Distinct trees with trained weights")
    page.text("""The paper measures random weights only, "since the runtime of these algorithms does not depend on the weights value". Ours does: trees of
    a peaked distribution share most of their heads, and prefixes that are visited again keep their state.""")
    rows = []
    for name in ("multi", "single", "default"):
        model = models[name]
        times = by_method(lab.measure("distinct_times", "--model", model.path, "--data", model.data, "--words", 20, "--graphs", lab.pick(15, 4), "--largest", largest))
        rows += [(f"{SHORT[method]}, {model.label}", line) for method, line in times.items()]
    table(page, "distinct_trained", rows, "Milliseconds for k trees of sentences of en_ewt test with 20 words or more, from the scores.")
    failed = [(label, line[largest]) for label, line in rows if label.startswith("trie") and line[largest][2] < line[largest][1]]
    if failed:
        page.text("The trie computes conditional marginals by subtraction in doubles and has no way out when they are lost: with these weights it does "
                  "not give k distinct trees in " + "; ".join(f"{g - fine} of {g} sentences ({label})" for label, (_, g, fine) in failed) + ".")
