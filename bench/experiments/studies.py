"""Trainings whose results are kept for good, so that a page can be made from the runs of several days and machines.

A study is a training with what a page asks of its model. When it ends, its answers and its cost are written as a line into
RESULTS/PAGE/trainings.jsonl, with the hash of the sources that made them and the machine; the model may then be thrown
away. A run takes the lines of its own sources, and those of other commits only when it is told to (`--keep`). Where
the figures of a page have several origins, each figure has the letter of its own."""

import collections
import json
import pathlib
import threading

import laboratory
import sources

LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ"

# Which sources made a figure, on which processor, with how many trainings side by side and how many threads for each.
Origin = collections.namedtuple("Origin", "sources processor at_once threads")
# What is known of a study: the answers by the names of their questions, the processor time of the training, and who says so.
Finding = collections.namedtuple("Finding", "answers seconds origin")


class Study:
    """A training on a file with options of `kirchhoff train`. `asks` has for each question a function and its arguments after
    (laboratory, model); the function's name and the arguments are the question, and the answer is what JSON can hold."""

    def __init__(self, train, options, asks):
        self.train, self.options, self.asks = train, options, asks

    def question(self, lab):
        """A name for the training, the same in every commit."""
        return lab.digest("train", self.train, *self.options)

    def title(self):
        return " ".join([pathlib.Path(self.train).name, *(str(getattr(option, "name", option)) for option in self.options)])

    def sources(self, lab):
        """What decides the answers, besides data and options."""
        return lab.sources

    def file(self, lab):
        """Where the model is kept on this machine."""
        return lab.model_file(self.train, self.options)

    def model(self, lab):
        """The model, or None when there was no time to end its training."""
        return lab.train(self.train, self.options)


class Studies:
    """The studies of one page, and what is known of them."""

    def __init__(self, lab, file, keep=(), log=None):
        """`keep` names commits whose results count, too, or says "all"; `log` is one more file that gets the new lines."""
        self.lab, self.file, self.log, self.used = lab, pathlib.Path(file), log, []
        texts = self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else []
        self.lines = list(map(json.loads, texts))
        self.all = "all" in keep
        self.kept = {sources.of_commit(commit) or commit for commit in keep}
        self.lock = threading.Lock()

    def run(self, studies):
        """Runs those of which something is not known, as far as the time goes, and says what is known of each. Of several with
        the same training the last one is run: it is to ask for all that the others ask for."""
        studies = list(studies)
        self.lab.side_by_side(self._answer, {study.question(self.lab): study for study in studies}.values())
        return list(map(self.known, studies))

    def known(self, study):
        """What is known of a study, or None."""
        line = self._line(study)
        if line is None:
            return None
        if line not in self.used:
            self.used.append(line)
        answers = {name: line["answers"][self._name(*ask)] for name, ask in study.asks.items()}
        return Finding(answers, line["seconds"], origin(line))

    def origins(self):
        """The origins of all that the page took, the most frequent one first."""
        return [one for one, _ in collections.Counter(map(origin, self.used)).most_common()]

    def mark(self, finding):
        """The letter of a figure's origin; none where all have the same."""
        origins = self.origins()
        return "" if len(origins) < 2 else LETTERS[min(origins.index(finding.origin), len(LETTERS) - 1)]

    def legend(self):
        """What the letters stand for, in a sentence."""
        origins = self.origins()
        letters = ["", *LETTERS][1:] if len(origins) > 1 else [""]
        told = [f"{letter} {described(one)}".strip() for letter, one in zip(letters, origins)]
        return f"Trainings were run by {'; '.join(told)}." if told else ""

    def write(self):
        """Writes the file anew, without lines that the page has better ones for."""
        better = {line["training"] for line in self.used}
        kept = [line for line in self.lines if line in self.used or line["training"] not in better]
        texts = dict.fromkeys(map(written, sorted(kept, key=lambda line: (line["title"], line["training"]))))
        if texts:
            self.file.write_text("".join(texts), encoding="utf-8")

    def _line(self, study):
        """The line that answers a study: of the present sources, or else the last one of those that count."""
        found, now, wanted = None, study.sources(self.lab), {self._name(*ask) for ask in study.asks.values()}
        for line in self.lines:
            if line["training"] != study.question(self.lab) or not wanted <= line["answers"].keys():
                continue
            counts = self.all or line["sources"] in self.kept
            if line["sources"] == now or counts and (found or line)["sources"] != now:
                found = line
        return found

    def _answer(self, study):
        if self._line(study) is not None or self.lab.is_late() and not study.file(self.lab).exists():
            return
        model = study.model(self.lab)
        if model is None:
            return
        answers = {self._name(*ask): ask[0](self.lab, model, *ask[1:]) for ask in study.asks.values()}
        with self.lock:
            line = {"training": study.question(self.lab), "title": study.title(), "sources": study.sources(self.lab),
                    "processor": laboratory.processor(), **self.lab.cost(model), "answers": answers}
            for other in self.lines:  # Answers that the same training has given before.
                if all(other[name] == line[name] for name in ("training", *Origin._fields)):
                    line["answers"] = {**other["answers"], **answers}
            self.lines.append(line)
            for file in filter(None, (self.file, self.log)):
                with open(file, "a", encoding="utf-8") as out:
                    out.write(written(line))

    def _name(self, function, *arguments):
        return f"{function.__name__} {self.lab.digest(*arguments)}"


def written(line):
    return json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"


def origin(line):
    return Origin(*(line[name] for name in Origin._fields))


def described(one):
    """An origin in words."""
    commit = sources.commit_of(one.sources)
    by = f"commit {commit}" if commit else one.sources if "==" in one.sources else f"sources {one.sources}, which are no commit's"
    threads = "" if one.threads == 1 else f" on {one.threads} threads each"
    return f"{by} on {one.processor}, {one.at_once} side by side{threads}"
