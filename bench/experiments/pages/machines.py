"""The page of [ZmigrodW21]: time and memory of the Hessian, of E_2 and of D_m, against both older ways to each."""

from growth import at, exponent, last_ratio, points
from page import Series

TITLE = "Derivatives of weighted finite-state machines"
SOURCE = """[ZmigrodW21], *Higher-order Derivatives of Weighted Finite-State Machines*. The paper has no measurements, only
costs: here they are measured. Machines are complete, with N states, A symbols and random weights whose rows sum to 0.9; features are
random and, unless a line says otherwise, R = T = 10 of them fire on each transition. All methods are C++, compute the same
numbers (checked before anything is timed), and start from the weights: making and solving our machine is part of our times."""

# The methods of machine_costs: name, cost by the paper, powers of N and of A in it.
HESSIANS = {"hessian": ("Hessian, Kirchhoff", "O(A²N⁴)", 4, 2),
            "hessian_reverse": ("by reverse mode", "O(AN⁵ + A²N⁴)", 5, "1 to 2"),
            "hessian_forward": ("by forward mode, the semiring of Li and Eisner", "O(A²N⁷)", 7, 2)}
E2 = {"e2": ("E₂, Kirchhoff", "O(N³ + N²(R̄T̄ + AR′T′))", 3, 1),
      "e2_semiring": ("by the semiring of Li and Eisner", "O(N³RT + AN²RT)", 3, 1),
      "e2_hessian": ("through the Hessian by reverse mode", "O(AN⁵ + A²N⁴R′T′)", 5, 2)}
ORDERS = {"dm": "Kirchhoff, through sets", "dm_permutations": "D_m as in the paper, m! orders for each entry"}
SWEEPS = (("states", "N", "N, with A = 2"), ("symbols", "A", "A, with N = 8"))
SYMBOLS = {"states": "N", "symbols": "A", "features": "R"}
FEATURES = (("features", "R′ = R"), ("sparse", "R′ = 1"))


def pivot(rows, methods, x, y):
    """A line for each size and a column for each method."""
    lines = {method: points(rows, x, y, method=method) for method in methods}
    sizes = sorted({size for line in lines.values() for size, _ in line})
    return [[int(size), *(at(lines[method], size) for method in methods)] for size in sizes]


def write_sweep(lab, page, x, symbol, words):
    rows = lab.measure("machine_costs", "--over", x, "--limit", lab.pick(2.0, 0.02))
    page.heading(f"Over {words}")
    for name, title, methods in (("hessian", "the Hessian", HESSIANS), ("e2", "second-order expectations E₂", E2)):
        columns = [symbol, *(method[0] for method in methods.values())]
        page.table(f"{name}-{x}-ms", columns, pivot(rows, methods, x, "ms"), f"Milliseconds for {title}.")
        page.table(f"{name}-{x}-mib", columns, pivot(rows, methods, x, "mib"),
                   f"Memory for {title}: the most by which the process grows, in MiB. Below 1 it is noise.")
        page.figure(f"{name}-{x}", f"Cost of {title} over {symbol}", "", symbol, "milliseconds",
                    [Series(methods[m][0], points(rows, x, method=m), "line", c) for c, m in enumerate(methods)], log="xy")
    return rows


def write_powers(page, states, symbols):
    page.heading("Powers")
    page.text("""Fitted by least squares to all sizes and to the three largest ones of each method. They are below the theory's
        while lower-order terms count, and above it where a table leaves the caches on the way.""")
    table, fits = [], {}
    for method, (name, cost, n, a) in {**HESSIANS, **E2}.items():
        over_n, over_a = points(states, "states", method=method), points(symbols, "symbols", method=method)
        fits[method] = exponent(over_n), exponent(over_n[-3:])
        table.append([name, cost, n, *fits[method], a, exponent(over_a), exponent(over_a[-3:])])
    page.table("powers", ["method", "cost by the paper", "power of N", "all sizes", "three largest", "power of A",
                          "all sizes ", "three largest "], table,
               "Powers of N with A = 2, and of A with N = 8.")
    return fits


def write_features(lab, page):
    kept = {}
    page.heading("E₂ over the number of features")
    for sweep, words in FEATURES:
        kept[sweep] = lab.measure("machine_costs", "--over", sweep, "--limit", lab.pick(2.0, 0.02))
        columns = ["R = T", *(method[0] for method in E2.values())]
        page.table(f"e2-{sweep}-ms", columns, pivot(kept[sweep], E2, "features", "ms"),
                   f"Milliseconds, N = 10, A = 2, {words}.")
    page.table("e2-features-mib", columns, pivot(kept["features"], E2, "features", "mib"), "MiB, R′ = R.")
    page.figure("e2-features", "Cost of E₂ over the number of features",
                "N = 10, A = 2; dashes: one feature fires on each transition", "R = T", "milliseconds",
                [Series(E2[m][0] if kind == "line" else "", points(kept[sweep], "features", method=m), kind, c)
                 for c, m in enumerate(E2) for (sweep, _), kind in zip(FEATURES, ("line", "dashes"))], log="xy")
    return kept


def write_orders(lab, page):
    rows = lab.measure("machine_costs", "--over", "order", "--limit", lab.pick(5.0, 0.02))
    page.heading("All derivatives of order m, D_m")
    page.text("""A machine of two states and one symbol, with four transitions. The paper's D_m takes O(N³ + m·m!·AᵐN²ᵐ): it
        sums over all orders of every tuple of transitions. Here each multiset of transitions is computed once, through the
        sets of its positions: m²2ᵐ steps in place of m·m!.""")
    page.table("orders-ms", ["m", *ORDERS.values()], pivot(rows, ORDERS, "order", "ms"), "Milliseconds.")
    page.table("orders-mib", ["m", *ORDERS.values()], pivot(rows, ORDERS, "order", "mib"), "MiB.")
    page.figure("orders", "All derivatives of order m", "four transitions", "m", "milliseconds",
                [Series(name, points(rows, "order", method=m), "line", c) for c, (m, name) in enumerate(ORDERS.items())], log="y")
    return rows


def claim_ratio(page, rows, x, paper, ours, others, names, why=""):
    """A claim that ours is faster than all others, at the largest size that each shares with it."""
    found = [last_ratio(points(rows, x, method=other), points(rows, x, method=ours)) for other in others]
    text = ", ".join(f"{ratio:,.{1 if ratio < 100 else 0}f} times as fast as {names[other]} at {SYMBOLS[x]} = {size:.0f}"
                     for other, (size, ratio) in zip(others, found))
    page.claim(paper, text, all(ratio > 1 for _, ratio in found), why)


def first_win(rows, x, ours, other):
    """The smallest size from which ours is faster than the other method."""
    mine, theirs = dict(points(rows, x, method=ours)), dict(points(rows, x, method=other))
    losses = [size for size in set(mine) & set(theirs) if mine[size] >= theirs[size]]
    wins = [size for size in sorted(set(mine) & set(theirs)) if size > max(losses, default=0)]
    return f"from {wins[0]:.0f}" if wins else "never"


def steepest(line):
    """Two neighbouring sizes between which the cost grows most, and its power there."""
    return max(((n, m, exponent([(n, x), (m, y)], fewest=2)) for (n, x), (m, y) in zip(line, line[1:])), key=lambda s: s[2])


def write_claims(page, states, symbols, fits, features, orders):
    names = {method: text[0] for method, text in {**HESSIANS, **E2}.items()}
    claim_ratio(page, states, "states", "the Hessian is significantly faster than by reverse and by forward mode", "hessian",
                ("hessian_reverse", "hessian_forward"), names)
    known = [[fits[method][k] for method in HESSIANS] for k in range(2)]
    n, m, power = steepest(points(states, "states", method="hessian"))
    page.claim("it takes O(N⁴) against O(N⁵) and O(N⁷)",
               "fitted powers " + " and ".join(", ".join("–" if f is None else f"{f:.1f}" for f in fit) + f" ({sizes})" for fit, sizes in
                                               zip(known, ("all sizes", "the three largest"))),
               None if None in sum(known, []) else all(fit == sorted(fit) for fit in known),
               f"ours is steepest, N^{power:.1f}, between {n:.0f} and {m:.0f} states, where its table grows from "
               f"{8 * 4e-6 * n ** 4:.1f} to {8 * 4e-6 * m ** 4:.0f} MB; it is faster than reverse mode " +
               first_win(states, "states", "hessian", "hessian_reverse") + " states on")
    claim_ratio(page, states, "states", "E₂ is significantly faster than by the semiring and through the Hessian (over N)", "e2",
                ("e2_semiring", "e2_hessian"), names)
    claim_ratio(page, symbols, "symbols", "the same over A", "e2", ("e2_semiring", "e2_hessian"), names,
                "ours goes through all transitions for each of min(R, T) features, O(min(R, T)·A·N²), and makes the machine; the "
                "semiring adds the symbols up first")
    claim_ratio(page, features, "features", "the same over R, dense features", "e2", ("e2_semiring", "e2_hessian"), names)
    lines = {m: dict(points(states, "states", "mib", method=m)) for m in ("e2", "e2_hessian")}
    size = max(set(lines["e2"]) & set(lines["e2_hessian"]))
    page.claim("E₂ needs O(N² + RT + N(R + T)) memory, a Hessian O(A²N⁴)",
               f"{lines['e2'][size]:.1f} against {lines['e2_hessian'][size]:.1f} MiB at N = {size:.0f}",
               lines["e2"][size] < lines["e2_hessian"][size] if lines["e2_hessian"][size] > 4 else None)
    m, ratio = last_ratio(points(orders, "order", method="dm_permutations"), points(orders, "order", method="dm"))
    page.claim("D_m takes O(N³ + m·m!·AᵐN²ᵐ)", f"{ratio:,.0f} times as fast as that at m = {m:.0f}", ratio > 1,
               "sums over sets in place of orders: the bound holds, and is not the best")


def write(lab, page):
    states, symbols = (write_sweep(lab, page, *sweep) for sweep in SWEEPS)
    fits = write_powers(page, states, symbols)
    features = write_features(lab, page)
    orders = write_orders(lab, page)
    write_claims(page, states, symbols, fits, features["features"], orders)
