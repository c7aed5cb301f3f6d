"""How measured costs grow: groups of rows that the measuring programs print, exponents fitted to them, and lengths."""

import collections
import math
import statistics


def points(rows, x, y="ms", **where):
    """The points (x, y) of the rows whose columns have the given values, in order of x."""
    chosen = (row for row in rows if all(row[name] == str(value) for name, value in where.items()))
    return sorted((float(row[x]), float(row[y])) for row in chosen)


def exponent(pairs, least=0.0, fewest=3):
    """The slope of log y over log x by least squares where x >= least: costs grow like x to that power. None for fewer points."""
    logs = [(math.log(x), math.log(y)) for x, y in pairs if x >= least and y > 0]
    if len(logs) < fewest:
        return None
    x0, y0 = (statistics.fmean(column) for column in zip(*logs))
    return sum((x - x0) * (y - y0) for x, y in logs) / sum((x - x0) ** 2 for x, _ in logs)


def at(pairs, x):
    """The value measured at x, or None."""
    return next((b for a, b in pairs if a == x), None)


def ratios(slow, fast):
    """The sizes that both methods have, each with how many times as long the slow one takes."""
    return [(x, y / dict(fast)[x]) for x, y in slow if x in dict(fast)]


def last_ratio(slow, fast):
    """The same at the largest of these sizes."""
    return ratios(slow, fast)[-1]


def medians(pairs):
    """The median of y for every x."""
    groups = collections.defaultdict(list)
    for x, y in pairs:
        groups[x].append(y)
    return [(x, statistics.median(groups[x])) for x in sorted(groups)]


def between(values, digits=1):
    """The range of the values in words."""
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"
