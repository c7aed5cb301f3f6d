"""A machine in OpenFst's text format: a spelling channel. Strings, paths, counts; and back to text for fstcompile."""
import numpy as np

import kirchhoff

SYMBOLS = "<eps> 0\nc 1\na 2\nt 3\n"
# -log weights, as fstprint writes them: "cat", whose letters may be repeated and whose "a" may be dropped.
TEXT = """\
0 1 c 0.1
1 1 c 2.3
1 2 a 0.2
1 2 <eps> 1.8
2 2 a 2.5
2 3 t 0.0
3 3 t 3.0
3
"""

machine = kirchhoff.Wfsm.from_text(TEXT, symbols=SYMBOLS, name="cat.fst")
names = {number: name for name, number in machine.symbols.items()}


def spelled(path):
    return "".join(names[s] for s in machine.string(path))


print(f"log Z {machine.log_partition():.4f}, entropy {machine.entropy():.4f} nats, "
      f"expected length {machine.expected_length():.3f}")
print("best:", ", ".join(f"{spelled(p)} {np.exp(p.log_prob):.3f}" for p in machine.best_paths(4)))
print("p(cat)", round(float(np.exp(machine.log_prob("cat"))), 4), " p(ctt)",
      round(float(np.exp(machine.log_prob(["c", "t", "t"]))), 4))
print("samples:", " ".join(spelled(p) for p in machine.sample_paths(8, seed=1)))
print("uses of each transition:", np.round(machine.transition_marginals(), 3).tolist())
print("the machine again:")
print(machine.to_text(), end="")
