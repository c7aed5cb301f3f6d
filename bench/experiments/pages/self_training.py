"""Treebanks that are made of a model's own parses, and what pages ask of models that may not be there."""

from pages.covariance_learning import written

COPIES = 6  # How often the trees are among the parses that a model of second order is trained on again.


def pair(training):
    """The arguments of Laboratory.model."""
    return training[0], *training[1]


def trained(lab, training):
    """The model, or None when there was no time for it."""
    file = lab.model_file(*training)
    return file if file.exists() else None


def surest(lab, trees, parses):
    """The trees, several times, and the half of the parses that have the highest log-probability for each word."""
    def sureness(block):
        log_prob = next(float(line.split("=")[1]) for line in block.splitlines() if line.startswith("# log_prob ="))
        return log_prob / sum(line.split("\t")[0].isdigit() for line in block.splitlines())

    blocks = [[block for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()] for path in (trees, parses)]
    best = sorted(blocks[1], key=sureness, reverse=True)[:len(blocks[1]) // 2]
    return written(lab, f"self-{lab.digest(trees, parses)}.conllu", "\n\n".join(blocks[0] * COPIES + best) + "\n\n")


def decided(lab, holds):
    return None if lab.quick else holds
