"""A page of results: claims of the paper with what we find, tables (also as CSV), and figures (SVG by matplotlib)."""

import csv
import dataclasses
import pathlib

# The colours can be told apart by the colour-blind [Okabe and Ito].
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLES = {"line": {"linestyle": "-", "marker": "o", "markersize": 3}, "dashes": {"linestyle": "--", "marker": "o", "markersize": 3},
          "dots": {"linestyle": "", "marker": ".", "markersize": 2, "alpha": 0.4},
          "diamonds": {"linestyle": "", "marker": "D", "markersize": 5}}
HOLDS = {True: "yes", False: "**no**", None: "–"}
WIDTH = 120


@dataclasses.dataclass
class Series:
    """Points (x, y) or, with an interval, (x, y, low, high); kinds are those of STYLES, and bars."""
    label: str
    points: list
    kind: str = "line"
    colour: int = 0


@dataclasses.dataclass
class Marked:
    """What stands in a cell, with a letter that says where it is from; the CSV has the value alone."""
    value: object
    mark: str


def plain(value):
    return value.value if isinstance(value, Marked) else value


def drawing():
    """Matplotlib, for pages that have figures: the same figure is the same file, and text stays text."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "kirchhoff", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
                                "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.3})
    import matplotlib.pyplot as plt
    return plt


def filled(text):
    """Paragraphs of prose, broken at 120 columns."""
    lines = []
    for paragraph in text.strip().split("\n\n"):
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) > WIDTH:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines += [line, ""]
    return lines


def cell(value):
    """How a value stands in a table: three significant digits of what is measured, a dash for what is not there."""
    if isinstance(value, Marked):
        return cell(value.value) + (value.mark if value.value is not None else "")
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


class Page:
    """Collects what is written and puts it into RESULTS/<name>.md and the folder RESULTS/<name>/."""

    def __init__(self, results, name, title, source):
        self.results, self.name, self.title, self.source = pathlib.Path(results), name, title, source
        self.folder = self.results / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lines, self.claims = [], []
        self.studies = None  # The trainings of pages that are made in several runs.

    def heading(self, text):
        self.lines += [f"## {text}", ""]

    def text(self, text):
        """Prose; paragraphs are parted by empty lines."""
        self.lines += filled(text)

    def table(self, name, columns, rows, caption=""):
        """Writes rows of text, numbers and None as a table here and as <name>.csv, with all digits, beside it."""
        rows = [list(row) for row in rows]
        for row in rows:
            if len(row) != len(columns):
                raise ValueError(f"{self.name}, table {name}: {len(row)} cells for {len(columns)} columns")
        with (self.folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([columns, *([plain(value) for value in row] for row in rows)])
        numeric = [all(isinstance(plain(row[c]), (int, float, type(None))) for row in rows) for c in range(len(columns))]
        if caption:
            self.text(f"{caption} ([CSV]({self.name}/{name}.csv))")
        self.lines += ["| " + " | ".join(columns) + " |", "|" + "|".join("--:" if n else "---" for n in numeric) + "|"]
        self.lines += ["| " + " | ".join(map(cell, row)) + " |" for row in rows] + [""]

    def figure(self, name, title, subtitle, x, y, series, log="", ticks=()):
        """Draws series into <name>.svg; `log` names the axes that are logarithmic, `ticks` names x = 0, 1, ..."""
        plt = drawing()
        figure, axes = plt.subplots(figsize=(7, 4.2))
        for s in series:
            columns = list(zip(*s.points)) if s.points else [(), ()]
            colour = COLOURS[s.colour % len(COLOURS)]
            if s.kind == "bars":
                axes.bar(columns[0], columns[1], color=colour, label=s.label or None)
                continue
            axes.plot(columns[0], columns[1], color=colour, label=s.label or None, **STYLES[s.kind])
            if len(columns) == 4:
                axes.fill_between(columns[0], columns[2], columns[3], color=colour, alpha=0.15, linewidth=0)
        if "x" in log:
            axes.set_xscale("log")
        if "y" in log:
            axes.set_yscale("log")
        if ticks:
            axes.set_xticks(range(len(ticks)), ticks)
        axes.set_title(f"{title}\n{subtitle}" if subtitle else title, loc="left", fontsize=10)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if any(s.label for s in series):
            axes.legend(fontsize=8, frameon=False)
        figure.savefig(self.folder / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)
        self.lines += [f"![{title}]({self.name}/{name}.svg)", ""]

    def claim(self, paper, ours, holds, why=""):
        """A claim of the paper, what we find, and whether it holds here (None: not to be decided here)."""
        self.claims.append((paper, ours, holds, why))

    def write(self, footer):
        """Writes the page: its claims first, then the rest, then how it was made."""
        lines = [f"# {self.title}", "", *filled(self.source)]
        if self.claims:
            lines += ["| the paper says | we find | holds | |", "|---|---|---|---|"]
            lines += [f"| {paper} | {ours} | {HOLDS[holds]} | {why} |" for paper, ours, holds, why in self.claims] + [""]
        lines += [*self.lines, "## How this page is made", "", *filled(footer)]
        path = self.results / f"{self.name}.md"
        new = path.with_suffix(".md.new")
        new.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
        new.replace(path)
