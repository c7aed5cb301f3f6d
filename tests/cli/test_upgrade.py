"""Opens the models and checkpoints of every release: what an older program wrote is read, or refused with a reason."""

import lzma
import re

from support import HERE, Case, run

RELEASES = HERE / "releases"
# A training only goes on in the version that wrote its checkpoint: others may learn otherwise.
RESUMABLE = {"0.2"}


class Upgrade(Case):
    def unpacked(self, path, name):
        return self.file(name, lzma.decompress(path.read_bytes()))

    def test_models_parse_as_they_did(self):
        models = sorted(RELEASES.glob("*.model.xz"))
        self.assertGreaterEqual(len(models), 4)
        for path in models:
            model = self.unpacked(path, "m.model")
            version, order = re.fullmatch(r"([\d.]+)-order([12])\.model\.xz", path.name).groups()
            info = run("model", "info", model)
            self.assertIn(f"program: kirchhoff {version}", info.stdout)
            done = run("parse", "--model", model, "--probabilities", RELEASES / "dev.conllu")
            self.assertEqual(done.returncode, 0, (path, done.stderr))
            expected = (RELEASES / f"parsed-order{order}.conllu").read_text().splitlines()
            number = re.compile(r"-?\d+\.\d+")
            for found, old in zip(done.stdout.splitlines(), expected, strict=True):
                self.assertEqual(number.sub("P", found), number.sub("P", old), path)
                for a, b in zip(number.findall(found), number.findall(old), strict=True):
                    self.assertAlmostEqual(float(a), float(b), delta=2e-3, msg=f"{path}: {found}")

    def test_checkpoints_go_on_or_say_why_not(self):
        checkpoints = sorted(RELEASES.glob("*.checkpoint.xz"))
        self.assertGreaterEqual(len(checkpoints), 2)
        for path in checkpoints:
            version = path.name.removesuffix(".checkpoint.xz")
            self.unpacked(path, "m.model.checkpoint")
            done = run("train", "--train", RELEASES / "train.conllu", "--dev", RELEASES / "dev.conllu", "--model",
                       "m.model", "--epochs", "4", "--resume", cwd=self.folder)
            if version in RESUMABLE:
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("epoch 1:", done.stderr)
                done = run("parse", "--model", "m.model", RELEASES / "dev.conllu", cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"m\.model\.checkpoint: is of version \d+, this program reads version "
                                 r"\d+; without resume, training begins anew\n$")
