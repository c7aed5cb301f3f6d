"""How sure is a distribution over trees? Entropy, samples, and what the samples are good for.

Cells in the manner of a notebook: run them one by one in an editor that knows "# %%", or all with python.
"""
# %% A graph of five words: scores are log-weights, row = head, column = dependent, node 0 the root.
import numpy as np

import kirchhoff

words = ["I", "saw", "her", "with", "binoculars"]
rng = np.random.default_rng(4)
scores = rng.normal(size=(6, 6))
scores[0, 2] += 3.0  # "saw" is the root
scores[2, [1, 3, 5]] += 2.0  # its arguments
scores[[2, 3], 5] += 1.0  # whose binoculars?
scores[5, 4] += 2.0

# %% The exact answers.
p = kirchhoff.TreeDistribution(scores, root="single")
print(f"log Z {p.log_partition():.4f}, {np.exp(p.log_count()):.0f} trees")
print(f"entropy {p.entropy():.4f} nats: as uncertain as {np.exp(p.entropy()):.1f} trees of equal probability")
print("heads of 'binoculars':", {words[h - 1] if h else "ROOT": round(float(q), 3)
                                 for h, q in enumerate(p.marginals()[:, 5]) if q > 0.05})

# %% Samples give the same, with errors; the picture shows what they would say.
sample = p.sample(2000, seed=1)
mean, error = kirchhoff.mean_estimate(-sample.log_prob)
print(f"entropy from {len(sample.heads)} samples {mean:.4f} +- {error:.4f}")
kirchhoff.render(p, words=words)  # the last value of a cell is shown by a notebook

# %% Any function of the whole tree: the depth of "binoculars", which no sum over arcs gives.
def depth(heads, word):
    return 0 if word == 0 else 1 + depth(heads, heads[word])


depths = np.array([depth(h, 5) for h in sample.heads])
mean, error = kirchhoff.mean_estimate(depths)
every = p.enumerate_support()
exact = np.exp(every.log_prob) @ [depth(h, 5) for h in every.heads]
print(f"expected depth {mean:.3f} +- {error:.3f}, exactly {exact:.3f}")

# %% Distinct trees cover more mass than as many samples, and still give estimates.
distinct = p.sample_without_replacement(50, seed=1)
covered = np.exp(distinct.log_prob).sum()
estimate = kirchhoff.normalised_estimate(distinct, [depth(h, 5) for h in distinct.heads])
print(f"50 distinct trees hold {covered:.3f} of the probability; expected depth from them {estimate:.3f}")

# %% What an answer to one question is worth: the entropy that is left when a word's head is known.
for head in (2, 3):
    left = p.given(require=[(head, 5)]).entropy()
    print(f"if 'binoculars' belongs to '{words[head - 1]}': {left:.4f} nats are left")
