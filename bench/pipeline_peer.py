"""UDPipe 1's trainings for bench/pipeline.py: tokenizer, tagger and parser one after the other, each kept on its own.

The tokenizer and the parser have the options that UDPipe's manual gives as defaults. The tagger has two models, one for
tags and one for lemmas, with the options of the models for Universal Dependencies 2.0 that UDPipe's repository has
(training/models-ud-2.0); Afrikaans, which is not among these, has those of Dutch."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

VERSION = "1.4.0.1"
PEER = pathlib.Path(__file__).resolve().parent / "experiments" / "udpipe_peer.py"
PARTS = ("tokenizer", "tagger", "parser")

# For the tagger: rules of suffixes, enriched dictionary, whether it sees lemmas. For the lemmatizer: the first two, whether
# it sees tags, whether features are pruned.
TAGGERS = {"af_afribooms": ((8, 6, 0), (6, 4, 0, 0)), "en_ewt": ((12, 6, 1), (6, 6, 0, 0)), "fr_sequoia": ((8, 5, 1), (8, 6, 0, 1)),
           "hu_szeged": ((10, 6, 1), (6, 6, 0, 0)), "tr_imst": ((12, 6, 1), (8, 4, 0, 0)), "vi_vtb": ((8, 6, 1), (8, 6, 1, 1))}


def tagger_options(treebank):
    (rules, enrich, sees), (lemma_rules, lemma_enrich, tags, prune) = TAGGERS[treebank]
    first = {"templates": "tagger", "guesser_suffix_rules": rules, "guesser_enrich_dictionary": enrich, "guesser_prefixes_max": 0,
             "use_lemma": sees, "use_xpostag": 1, "use_feats": 1, "provide_lemma": 0, "provide_xpostag": 1, "provide_feats": 1,
             "prune_features": 0}
    second = {"templates": "lemmatizer", "guesser_suffix_rules": lemma_rules, "guesser_enrich_dictionary": lemma_enrich,
              "guesser_prefixes_max": 4, "use_lemma": 1, "use_xpostag": tags, "use_feats": tags, "provide_lemma": 1,
              "provide_xpostag": 0, "provide_feats": 0, "prune_features": prune}
    return ";".join(["models=2", *(f"{key}_{i}={value}" for i, one in enumerate((first, second), 1) for key, value in one.items())])


def options(treebank, part):
    return {"tokenizer": "early_stopping=1", "tagger": tagger_options(treebank), "parser": "iterations=10"}[part]


class Peer:
    """UDPipe's parts for one treebank. Each is a file of its own, and what is there is not trained again."""

    def __init__(self, python, treebank, train, dev, folder):
        self.python, self.treebank, self.train, self.dev, self.folder = python, treebank, train, dev, folder
        folder.mkdir(parents=True, exist_ok=True)

    def file(self, part):
        seen = hashlib.sha256(f"ufal.udpipe=={VERSION}".encode())
        for path in (self.train, self.dev):
            seen.update(path.read_bytes())
        for needed in ("tagger", "parser") if part == "parser" else (part,):
            seen.update(options(self.treebank, needed).encode())
        return self.folder / f"{self.treebank}-{part}-{seen.hexdigest()[:12]}.udpipe"

    def seconds(self, part):
        """The processor time of a part's training; None when it has not been trained."""
        cost = self.file(part).with_suffix(".json")
        return json.loads(cost.read_text())["seconds"] if cost.exists() else None

    def learn(self, part):
        if self.seconds(part) is None:
            asked = {part: options(self.treebank, part)}
            if part == "parser":
                self.learn("tagger")
                asked["tagger"] = f"from_model=file:{self.file('tagger')}"
            seconds = self.run(asked, self.file(part))
            self.file(part).with_suffix(".json").write_text(json.dumps({"seconds": round(seconds, 2)}))

    def model(self, parts):
        """A model with some of the parts; None when one of them has not been trained."""
        if any(self.seconds(part) is None for part in parts):
            return None
        made = self.folder / f"{self.treebank}-{'-'.join(parts)}.udpipe"
        newest = max(self.file(part).stat().st_mtime for part in parts)
        if not made.exists() or made.stat().st_mtime < newest:
            self.run({part: f"from_model=file:{self.file(part)}" for part in parts}, made)
        return made

    def run(self, asked, model):
        """Calls UDPipe's trainer with options for some parts; returns the processor time."""
        print(f"training: UDPipe, {model.stem}", file=sys.stderr, flush=True)
        new = model.with_suffix(".new")
        with open(model.with_suffix(".log"), "wb") as said:
            process = subprocess.Popen([self.python, PEER, "train", self.train, self.dev,
                                        *(asked.get(part, "none") for part in PARTS), new], stdout=said, stderr=said)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"pipeline: {model.with_suffix('.log')} says what is wrong")
        new.replace(model)
        return used.ru_utime + used.ru_stime
