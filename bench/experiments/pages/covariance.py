"""The page of [Druck09]: what feature covariances and pairs of arcs cost by its equations 2 and 3, by the method before
them, and by ours. What they are good for is in covariance_learning.py."""

from fractions import Fraction

from growth import at, between, exponent, points, ratios
from page import Series
from pages.covariance_learning import write_learning
from pages.expectations import FIT_FROM, costs, split, unpruned

TITLE = "Feature covariance in tree CRFs"
SOURCE = """[Druck09], *Computing Conditional Feature Covariance in Non-Projective Tree Conditional Random Fields*: an O(N⁴)
algorithm for what took O(N⁵) before, and the three training objectives that it is for. The report has no measurements."""

# The methods of expectation_costs, and the powers of N by the papers.
COVARIANCE = {"t2_sparse": ("T2, Kirchhoff", 3), "t2h": ("equation 2", 4), "covariance_conditioned": ("Druck et al. (2009)", 5)}
PAIRS = {"pairs_absolute": ("Kirchhoff, absolute accuracy", 4), "pairs": ("Kirchhoff, relative accuracy (default)", 5),
         "pairs_equation_3": ("equation 3", 4), "pairs_conditioned": ("Druck et al. (2009)", 5),
         "pairs_empty": ("an empty table", 4)}
WEIGHTS = ("trained", "random")


def sizes(lines):
    return sorted({x for line in lines.values() for x, _ in line})


def nearest(line, x):
    """The time at about this length: sentences of a parser differ a little from the length that was asked for."""
    return next((ms for words, ms in line if abs(words - x) <= x / 10), None)


def write_over_words(page, rows, name, title, methods):
    lines = {(m, w): points(rows, "words", method=m, weights=w) for m in methods for w in WEIGHTS}
    lengths = sizes({m: lines[m, "random"] for m in methods})
    columns = ["N", *(f"{methods[m][0]}, {w}" for w in WEIGHTS for m in methods)]
    page.table(f"{name}-words", columns,
               [[int(n), *(nearest(lines[m, w], n) for w in WEIGHTS for m in methods)] for n in lengths],
               f"Milliseconds for {title}, trained and random weights.")
    page.table(f"{name}-powers", ["method", "power by theory", *(f"fitted, {w} weights" for w in WEIGHTS)],
               [[text, power, *(exponent(lines[m, w], FIT_FROM) for w in WEIGHTS)] for m, (text, power) in methods.items()],
               f"Powers of N, fitted from {FIT_FROM} words on.")
    page.figure(f"{name}-words", f"Cost of {title}", "dashes: random weights", "words", "milliseconds",
                [Series(methods[m][0] if w == "trained" else "", lines[m, w], "line" if w == "trained" else "dashes", c)
                 for c, m in enumerate(methods) for w in WEIGHTS], log="xy")
    return lines


def write_over_features(page, rows):
    lines = {(m, w): points(rows, "features", method=m, weights=w) for m in (*COVARIANCE, "t2v") for w in WEIGHTS}
    names = {**{m: text for m, (text, _) in COVARIANCE.items()}, "t2v": "T2ᵛ, a derivative for each feature"}
    numbers = sizes(lines)
    page.table("covariance-features", ["F", *(f"{names[m]}, {w}" for w in WEIGHTS for m in names)],
               [[int(f), *(at(lines[m, w], f) for w in WEIGHTS for m in names)] for f in numbers],
               "Milliseconds for the covariance of F features, one of which fires on each arc, with each other; "
               f"{between([int(row['words']) for row in rows], 0)} words.")
    page.figure("covariance-features", "Cost of a covariance over the number of features", "trained weights",
                "features", "milliseconds", [Series(names[m], lines[m, "trained"], "line", c) for c, m in enumerate(names)], log="xy")
    return lines


def claim_methods(page, lines, words, ours, equation, older, why=lambda weights: ""):
    """What the report says of the older method: the advantage must grow up to the largest size that was measured."""
    for weights in WEIGHTS:
        found = ratios(lines[older, weights], lines[equation, weights])
        (n, first), (m, last), (k, most) = found[0], found[-1], max(found, key=lambda pair: pair[1])
        size, over = ratios(lines[ours, weights], lines[equation, weights])[-1]
        page.claim(f"{words}: O(N⁴) in place of O(N⁵)",
                   f"{weights} weights: {first:.1f} times as fast at {n:.0f} words, {last:.1f} times at {m:.0f}" +
                   (f", but {most:.1f} times at {k:.0f}" if k < m else ""), last > max(first, 1),
                   f"ours takes {over:.2g} times as long as the equation at {size:.0f} words" + why(weights))


def part_of_empty(lines):
    """How much of equation 3's time an empty table of that size takes, at the smallest and the largest size."""
    def why(weights):
        (n, first), *_, (m, last) = ratios(lines["pairs_empty", weights], lines["pairs_equation_3", weights])
        return (f"; making an empty table alone takes {100 * first:.0f} % of equation 3's time at {n:.0f} words and "
                f"{100 * last:.0f} % at {m:.0f}, where it has {8e-6 * (m + 1) ** 4:.0f} MB")
    return why


def note_pairs(page, lines):
    """How the library's tables of pairs stand to the equation and to the older method."""
    for weights in WEIGHTS:
        n, exact = ratios(lines["pairs", weights], lines["pairs_conditioned", weights])[-1]
        k, plain = ratios(lines["pairs_absolute", weights], lines["pairs_equation_3", weights])[-1]
        page.text(f"""With {weights} weights the library's table of pairs takes {exact:.1f} times as long at {n:.0f} words as
            that of Druck et al. if every probability is to have a relative error below 1e-12, and {plain:.1f} times as long
            at {k:.0f} words as equation 3, which bounds no error, if it is to have an absolute one.""")


def printed_equation_3(inverse, i, j, k, l):
    """Equation 3 as it is printed: the probability of the arcs j -> i and l -> k from the inverse of the Kirchhoff matrix."""
    def entry(row, column):
        return inverse[row - 1][column - 1] if column > 0 else Fraction(0)
    return (entry(i, l) * entry(k, i) - entry(i, k) * entry(k, i) - entry(i, l) * entry(k, j) + entry(i, k) * entry(k, j)
            + entry(i, i) * entry(k, k) - entry(i, i) * entry(k, l) - entry(i, j) * entry(k, k) + entry(i, j) * entry(k, l))


def claim_erratum(page):
    """Two words, in fractions: of the trees 0->1->2, 0->2->1 and {0->1, 0->2} only the first has the arcs 0->1 and 1->2."""
    w = {(0, 1): Fraction(2), (0, 2): Fraction(3), (1, 2): Fraction(5), (2, 1): Fraction(7)}
    z = w[0, 1] * w[1, 2] + w[0, 2] * w[2, 1] + w[0, 1] * w[0, 2]
    a, b, c, d = w[0, 1] + w[2, 1], -w[1, 2], -w[2, 1], w[0, 2] + w[1, 2]
    inverse = [[d / z, -b / z], [-c / z, a / z]]  # z is the determinant of [[a, b], [c, d]]
    printed = printed_equation_3(inverse, 1, 0, 2, 1)
    right, corrected = w[0, 1] * w[1, 2] / z, printed * w[0, 1] * w[1, 2]
    page.claim("equation 3 gives the probability of two arcs",
               f"{printed} where a list of all trees of two words has {right}; times the two arcs' scores it is {corrected}",
               printed == right, "the factor s(i, j) s(k, l) is missing in print; equation 2 has it")


def write_cost(lab, page):
    _, train, test = split(lab, "en_ewt")
    model = unpruned(lab, train)
    rows = costs(lab, "words", model, test, *COVARIANCE, *PAIRS)
    page.heading("Cost")
    page.text("""The method of Druck et al. (2009) requires one arc after the other and inverts the Laplacian of what is left,
        O(N⁵). Equation 2 is the covariance from a single inverse, pair by pair of arcs, and equation 3 the probability of a
        pair, both O(N⁴) for all. T2 [Zmigrod21] sums before it multiplies. Trained weights are those of a CRF over all arcs
        on English test sentences, random ones N(0, 1) log-weights; times start from the scores, and all methods are
        compared with each other on random graphs before anything is timed.

        Pairs of arcs by the library have two accuracies: every probability right to 1e-12 in absolute terms
        (`Accuracy::floor` 1), or, by default, in relative ones, for which rows that the inverse does not give so exactly
        are solved anew without subtraction, as in Druck et al. but robustly.""")
    covariance = write_over_words(page, rows, "covariance", "the covariance of 20 features", COVARIANCE)
    pairs = write_over_words(page, rows, "pairs", "all pairs of arcs", PAIRS)
    note_pairs(page, pairs)
    features = costs(lab, "features", model, test, *COVARIANCE, "t2v")
    write_over_features(page, features)
    claim_methods(page, covariance, "covariance of features (equation 2)", "t2_sparse", "t2h", "covariance_conditioned")
    claim_methods(page, pairs, "all pairs of arcs (equation 3)", "pairs_absolute", "pairs_equation_3", "pairs_conditioned",
                  part_of_empty(pairs))
    claim_erratum(page)


def write(lab, page):
    write_cost(lab, page)
    write_learning(lab, page)
