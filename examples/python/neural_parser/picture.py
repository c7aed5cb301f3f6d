"""Draws what a parser thinks of a few sentences: its parse, the entropy of its distribution, trees sampled from it."""
import numpy as np

import kirchhoff


def annotated(sentence, title, probabilities):
    """Returns the sentence with a title, and with the probability of each of its arcs, for kirchhoff.render."""
    sentence.set_comment("sent_id", title)
    sentence.set_column("misc", [f"ArcProb={min(1.0, p):.4f}" for p in probabilities])
    return sentence


def most_frequent(sampled, most):
    """Yields how often it came, heads, labels and log-probability of the trees that were sampled most often."""
    both = np.stack([sampled.heads[0], sampled.labels[0]], axis=1)
    _, first, times = np.unique(both, axis=0, return_index=True, return_counts=True)
    for k in np.argsort(-times, kind="stable")[:most]:
        yield times[k], *both[first[k]], sampled.log_prob[0, first[k]]


def trees_of(parser, sentence, samples, most=3):
    """Returns the parse of a sentence, and the trees that were sampled most often, ready to be drawn."""
    [(_, p)] = parser.distributions([sentence])
    marginals, entropy, best = p.marginals()[0], p.entropy()[0], p.mbr()
    words = np.arange(1, len(sentence) + 1)

    def drawn(heads, labels, title):
        return annotated(parser.with_tree(sentence, heads, labels), title, marginals[heads[1:], words, labels[1:]])

    title = (f"entropy {entropy:.2f} nats, that of {np.exp(entropy):,.1f} equally probable trees; "
             f"the parse, p = {np.exp(best.log_prob[0]):.3f}")
    trees = [drawn(best.heads[0], best.labels[0], title)]
    for times, heads, labels, log_prob in most_frequent(p.sample(samples, seed=1), most):
        trees.append(drawn(heads, labels, f"{times} of {samples} samples, p = {np.exp(log_prob):.3f}"))
    return trees


def picture(parser, sentences, samples=200):
    """Draws the surest, the median and the least sure of the sentences that have 6 to 12 words, if there are some."""
    chosen = [s for s in sentences if 6 <= len(s) <= 12] or sentences
    entropies = np.empty(len(chosen))
    for part, p in parser.distributions(chosen):
        entropies[part] = p.entropy()
    order = np.argsort(entropies, kind="stable")
    shown = [chosen[k] for k in dict.fromkeys((order[0], order[len(order) // 2], order[-1]))]
    return kirchhoff.render([tree for sentence in shown for tree in trees_of(parser, sentence, samples)])
