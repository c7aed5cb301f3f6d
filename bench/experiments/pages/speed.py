"""The page of speed: what users of a parser's scores wait for, on trained weights first and on random ones beside them."""

from page import Series

TITLE = "Speed on trained weights"
SOURCE = """Microseconds a sentence, on one thread, for the questions that users ask most, from the scores: making the
distribution is in all of them. The weights are arc scores of parsers that were trained on en_ewt, on sentences of its
test part, and N(0,1) log-weights for the same sentences. The baseline is the obvious code with Eigen's LU, which is
right only where nothing cancels."""

BANDS = ("8-12", "20-30", "40-60", "all")
QUESTIONS = ("marginals, Eigen", "marginals, one by one", "marginals, batch", "marginals, absolute error 1e-9",
             "entropies and their gradients, batch", "entropy and its gradient", "covariance of 20 x 20 features", "best tree", "100 samples", "10 distinct samples")


def models(lab):
    """Names and models: arcs with the default options, which prune; arcs with every arc; second order."""
    train = lab.treebank("en_ewt", "train")
    if lab.quick:
        train = lab.sample(train, 300)
    dense = ("--prune", "0", "--max-heads", "1000")
    epochs = ("--epochs", lab.pick("5", "1"))
    return {
        "arcs, pruned": lab.model(train, *epochs),
        "arcs, dense": lab.model(train, "--loss", "crf", *dense, *epochs),
        "second order, pruned": lab.model(train, "--order", "2", "--epochs", lab.pick("3", "1")),
    }


def write(lab, page):
    trained = models(lab)
    data = lab.treebank("en_ewt", "test")
    rows = lab.measure("bench_trained", data, *trained.values())
    names = {"N(0,1)": "N(0,1), made up"} | {path.stem: name for name, path in trained.items()}
    time = {(names[r["weights"]], r["words"], r["question"]): float(r["microseconds"]) for r in rows}
    robust = {(names[r["weights"]], r["words"]): (int(r["robust"]), int(r["graphs"]), int(r["eigen_wrong"])) for r in rows}
    order = [*trained, "N(0,1), made up"]
    bands = [band for band in BANDS if (order[0], band) in robust]

    page.heading("log Z and all marginals")
    page.table("marginals", ["weights", "words", "graphs", "by the robust method", "Eigen wrong", "Eigen, µs", "one by one, µs", "batch, µs",
                             "batch against Eigen", "batch against N(0,1)"],
               [[w, band, robust[w, band][1], robust[w, band][0], robust[w, band][2], *(time[w, band, q] for q in QUESTIONS[:3]),
                 time[w, band, QUESTIONS[0]] / time[w, band, QUESTIONS[2]],
                 time[w, band, QUESTIONS[2]] / time[order[-1], band, QUESTIONS[2]]] for band in bands for w in order],
               "Sentences by length. One by one, what the fast method cannot vouch for to twelve digits of every marginal is refined, "
               "and eliminated where that does not help: both count as the robust method. A batch (of 64 here) solves sentences of up "
               "to 32 words several at once, one in each lane of a register, by the fast method where no word is all but certain of "
               "its head and by the robust one elsewhere; the others one by one. "
               "Eigen's code is wrong where a marginal is off by more than 1e-6, or none.")
    held = lab.measure("bench_trained", data, *trained.values(), environment={"KIRCHHOFF_SIMD": "avx2"})
    narrow = {(names[r["weights"]], r["words"], r["question"]): float(r["microseconds"]) for r in held}
    page.table("avx2", ["weights", "words", "Eigen, µs", "batch, µs", "batch against Eigen"],
               [[w, band, narrow[w, band, QUESTIONS[0]], narrow[w, band, QUESTIONS[2]],
                 narrow[w, band, QUESTIONS[0]] / narrow[w, band, QUESTIONS[2]]] for band in bands for w in order],
               "The same with our kernels held to AVX2 (`KIRCHHOFF_SIMD=avx2`), as on processors without AVX-512; Eigen's code "
               "is what it was: compiled for AVX2 it takes as long, to a few percent.")
    page.heading("Other questions")
    page.table("questions", ["question, µs", "words", *order],
               [[q, band, *(time[w, band, q] for w in order)] for q in QUESTIONS[3:] for band in bands],
               "From the scores, the distribution included.")
    page.figure("marginals", "log Z and all marginals", "a batch on one thread; mean over up to 64 sentences", "words",
                "microseconds a sentence",
                [Series(w, [(i, time[w, band, QUESTIONS[2]]) for i, band in enumerate(bands)], "line", c)
                 for c, w in enumerate(order)] +
                [Series("Eigen, second order's weights", [(i, time[order[2], band, QUESTIONS[0]]) for i, band in enumerate(bands)],
                        "dashes", 6)], log="y", ticks=bands)
