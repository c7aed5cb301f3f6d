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


def ancestors(node, parents):
    """The node itself, its parent, and so on."""
    return [node] + (ancestors(parents[node], parents) if parents[node] >= 0 else [])


def counted_score(factor, y):
    """Transitions are listed for each node but the root, and by the parent's value first."""
    if factor["type"] == "compression":
        negate = factor.get("negate", [False] * len(factor["vars"]))
        states = [int(y[v] != bool(n)) for v, n in zip(factor["vars"], negate)]
        sizes, parents = [2] * len(states), [t - 1 for t in range(len(states))]
        counted = [1 if c else -1 for c in factor.get("counted", [1] * len(states))]
        count_scores = [0.0] * (factor["budget"] + 1)
    else:
        values = [[y[v] for v in group] for group in factor["groups"]]
        if any(len(x) > 1 and sum(x) != 1 for x in values):
            return None
        states = [x.index(1) if len(x) > 1 else x[0] for x in values]
        sizes, parents = [max(2, len(x)) for x in values], factor["parents"]
        counted, count_scores = factor.get("counted", [-1] * len(states)), factor.get("count_scores")
    for node, variable in factor.get("both", []):
        if y[variable] != (states[node] == 1 and states[parents[node]] == 1):
            return None
    found, first = 0, 0
    all_scores = [(parents.index(-1), count_scores)] if count_scores is not None else []
    for top, scores in all_scores + factor.get("subtree_counts", []):
        count = sum(c == s for node, (c, s) in enumerate(zip(counted, states)) if top in ancestors(node, parents))
        if count >= len(scores) or scores[count] is None:
            return None
        found += scores[count]
    for node, parent in enumerate(parents):
        if parent < 0 or "log_potentials" not in factor:
            continue
        score = factor["log_potentials"][first + states[parent] * sizes[node] + states[node]]
        if score is None:
            return None
        found += score
        first += sizes[parent] * sizes[node]
    return found


def chain_score(x, siblings):
    """Of neighbours among the x that are 1, with a start before the first and an end after the last."""
    if siblings is None:
        return 0
    places = [(i, j) for i in range(len(x) + 1) for j in range(i + 1, len(x) + 2)]
    there = [0] + [i + 1 for i, bit in enumerate(x) if bit] + [len(x) + 1]
    found = [siblings[places.index(pair)] for pair in zip(there, there[1:])]
    return None if None in found else sum(found)


def head_score(factor, y):
    heads, left, right = ([y[v] for v in factor.get(name, [])] for name in ("heads", "left", "right"))
    if heads and sum(heads) != 1:
        return None
    pairs = factor.get("grandparents", [0] * (len(heads) * len(left + right)))
    found = [chain_score(left, factor.get("left_siblings")), chain_score(right, factor.get("right_siblings"))]
    found += [s for s, (a, b) in zip(pairs, itertools.product(heads, left + right)) if a and b]
    return None if None in found else sum(found)


def factor_score(factor, y):
    kind = factor["type"]
    if kind == "head":
        return head_score(factor, y)
    if kind in ("rooted_tree", "compression"):
        return counted_score(factor, y)
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


def numbers(rng, count):
    return [None if rng.random() < 0.1 else round(rng.gauss(0, 1), 2) for _ in range(count)]


def random_rooted_tree(rng, n):
    """Parents may come after their children."""
    order = rng.sample(range(n), n)
    cut = sorted(rng.sample(range(1, n), min(2, n - 1)))
    groups = [order[a:b] for a, b in zip([0] + cut, cut + [n])]
    sizes = [max(2, len(g)) for g in groups]
    parents = rng.choice([[-1, 0, 0], [-1, 0, 1], [1, -1, 1], [1, 2, -1], [2, 0, -1]])
    factor = {"type": "rooted_tree", "groups": groups, "parents": parents}
    if rng.random() < 0.8:
        factor["log_potentials"] = numbers(rng, sum(sizes[p] * s for p, s in zip(parents, sizes) if p >= 0))
    if rng.random() < 0.8:
        factor["counted"] = [rng.randrange(-1, s) for s in sizes]
        factor["count_scores"] = [0.5] + numbers(rng, rng.randrange(0, 4))
        if rng.random() < 0.5:
            below = rng.sample([node for node, p in enumerate(parents) if p >= 0], rng.randrange(1, 3))
            factor["subtree_counts"] = [[node, [0.2] + numbers(rng, rng.randrange(0, 3))] for node in below]
    return factor


def random_compression(rng, n):
    order = rng.sample(range(n), n)
    words = order[:n - 1] if n > 3 else order
    factor = {"type": "compression", "vars": words, "budget": rng.randrange(1, len(words) + 1)}
    if n > 3:
        factor["both"] = [[rng.randrange(1, len(words)), order[-1]]]
    if rng.random() < 0.5:
        factor["counted"] = [rng.randrange(2) for _ in words]
    if rng.random() < 0.7:
        factor["log_potentials"] = numbers(rng, 4 * (len(words) - 1))
    if rng.random() < 0.5:
        factor["negate"] = [rng.random() < 0.4 for _ in words]
    return factor


def random_head(rng, n):
    order = rng.sample(range(n), n)
    first, second = sorted((rng.randrange(n), rng.randrange(n)))
    factor = {"type": "head", "heads": order[:first], "left": order[first:second], "right": order[second:]}
    sizes = [(len(factor[name]) + 1) * (len(factor[name]) + 2) // 2 for name in ("left", "right")]
    sizes.append(first * (n - first))
    for name, size in zip(("left_siblings", "right_siblings", "grandparents"), sizes):
        if rng.random() < 0.7:
            factor[name] = numbers(rng, size)
    return factor


def random_graph(rng):
    n = rng.randrange(3, 7)
    graph = {"id": rng.randrange(100), "scores": [round(rng.gauss(0, 1), 2) for _ in range(n)], "factors": []}
    for _ in range(rng.randrange(1, 6)):
        size = rng.randrange(2, min(n, 4) + 1)
        kind = rng.choice(["xor", "or", "nand", "at_most_one", "imply", "budget", "or_out", "xor_out", "pair", "table",
                           "knapsack", "and_out", "sequence", "rooted_tree", "compression", "head"])
        size = 2 if kind == "pair" else size
        if kind in ("sequence", "rooted_tree", "compression", "head"):
            make = {"sequence": random_sequence, "rooted_tree": random_rooted_tree, "compression": random_compression,
                    "head": random_head}
            graph["factors"].append(make[kind](rng, n))
            continue
        factor = {"type": kind, "vars": rng.sample(range(n), size)}
        if rng.random() < 0.5:
            factor["negate"] = [rng.random() < 0.4 for _ in range(size)]
        if kind == "knapsack":
            part = rng.choice([1, 4])  # whole weights, or quarters
            factor["weights"] = [rng.randrange(5 * part) / part for _ in range(size)]
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
