"""Random factor graphs, and what they mean: scores of assignments by the definition of each factor."""

import itertools
import math


def is_tree(factor, y):
    heads = {}
    for head, dependent, variable in factor["arcs"]:
        if y[variable]:
            if dependent in heads:
                return False
            heads[dependent] = head
    if len(heads) != factor["n"] or (factor["root"] == "single" and list(heads.values()).count(0) != 1):
        return False
    for word in heads:
        seen = set()
        while word != 0 and word not in seen:
            seen.add(word)
            word = heads[word]
        if word != 0:
            return False
    return True


def sequence_score(factor, y):
    """Transitions are listed place by place, and by the first value first; a group of one variable has 0 and 1."""
    states, sizes = [], []
    for group in factor["groups"]:
        x = [y[v] for v in group]
        if len(x) > 1 and sum(x) != 1:
            return None
        states.append(x.index(1) if len(x) > 1 else x[0])
        sizes.append(max(2, len(x)))
    found, first = 0, 0
    for t in range(len(states) - 1):
        score = factor["log_potentials"][first + states[t] * sizes[t + 1] + states[t + 1]]
        if score is None:
            return None
        found += score
        first += sizes[t] * sizes[t + 1]
    return found


def factor_score(factor, y):
    kind = factor["type"]
    if kind == "tree":
        return 0 if is_tree(factor, y) else None
    if kind == "sequence":
        return sequence_score(factor, y)
    negate = factor.get("negate", [False] * len(factor["vars"]))
    x = [int(y[v] != bool(n)) for v, n in zip(factor["vars"], negate)]
    if kind == "pair":
        return factor["score"] * x[0] * x[1]
    if kind == "table":
        return factor["log_potentials"][int("".join(map(str, x)), 2)]
    good = {"xor": sum(x) == 1, "or": sum(x) >= 1, "nand": sum(x) < len(x), "at_most_one": sum(x) <= 1,
            "imply": min(x[:-1] or [1]) <= x[-1], "and_out": x[-1] == min(x[:-1] or [1]),
            "knapsack": sum(w * b for w, b in zip(factor.get("weights", []), x)) <= factor.get("budget", 0),
            "budget": sum(x) <= factor.get("budget", 0),
            "or_out": x[-1] == (sum(x[:-1]) > 0), "xor_out": sum(x[:-1]) == x[-1]}[kind]
    return 0 if good else None


def enumerate_graph(graph):
    """{assignment: score}"""
    result = {}
    for y in itertools.product((0, 1), repeat=len(graph["scores"])):
        parts = [s for s, bit in zip(graph["scores"], y) if bit] + [factor_score(f, y) for f in graph["factors"]]
        if None not in parts:
            result[y] = math.fsum(parts)
    return result


def random_sequence(rng, n):
    order = rng.sample(range(n), n)
    cut = sorted(rng.sample(range(1, n), min(2, n - 1)))
    groups = [order[a:b] for a, b in zip([0] + cut, cut + [n])]
    sizes = [max(2, len(g)) for g in groups]
    scores = [None if rng.random() < 0.1 else round(rng.gauss(0, 1), 2)
              for a, b in zip(sizes, sizes[1:]) for _ in range(a * b)]
    return {"type": "sequence", "groups": groups, "log_potentials": scores}


def random_graph(rng):
    n = rng.randrange(3, 7)
    graph = {"id": rng.randrange(100), "scores": [round(rng.gauss(0, 1), 2) for _ in range(n)], "factors": []}
    for _ in range(rng.randrange(1, 6)):
        size = rng.randrange(2, min(n, 4) + 1)
        kind = rng.choice(["xor", "or", "nand", "at_most_one", "imply", "budget", "or_out", "xor_out", "pair", "table",
                           "knapsack", "and_out", "sequence"])
        size = 2 if kind == "pair" else size
        if kind == "sequence":
            graph["factors"].append(random_sequence(rng, n))
            continue
        factor = {"type": kind, "vars": rng.sample(range(n), size)}
        if rng.random() < 0.5:
            factor["negate"] = [rng.random() < 0.4 for _ in range(size)]
        if kind == "knapsack":
            factor["weights"] = [rng.randrange(5) for _ in range(size)]
            factor["budget"] = rng.randrange(1, 8)
        if kind == "budget":
            factor["budget"] = rng.randrange(1, size + 1)
        if kind == "pair":
            factor["score"] = round(rng.gauss(0, 1), 2)
        if kind == "table":
            factor["log_potentials"] = [None if rng.random() < 0.1 else round(rng.gauss(0, 1), 2)
                                        for _ in range(2 ** size)]
        graph["factors"].append(factor)
    return graph
