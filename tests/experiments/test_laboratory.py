"""The laboratory of the results: a cached model must be one of this program, these data and these options."""

import os
import pathlib
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "experiments"))

import laboratory  # noqa: E402


class Counting(laboratory.Laboratory):
    """A laboratory whose program only counts how often it was called, and writes what it was called with."""

    def __init__(self, work, quick=True):
        super().__init__("no build", work, quick)
        self.calls, self.ends, self.last = 0, True, None

    def run(self, *arguments):
        self.calls += 1
        return '{"uas": 1}'

    def work(self, program, *arguments, until=None):
        """A training: its model, or, when it is stopped, its checkpoint."""
        self.calls, self.last = self.calls + 1, arguments
        model = pathlib.Path(arguments[arguments.index("--model") + 1])
        (model if self.ends else model.with_name(model.name + ".checkpoint")).write_text("a model")
        return 1.5, self.ends


class LaboratoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.data = self.work / "data.conllu"
        self.data.write_text("1\ta\n\n1\tb\n\n1\tc\n\n")

    def test_trains_once(self):
        lab = Counting(self.work)
        model = lab.model(self.data, "--epochs", 1)
        self.assertEqual(lab.model(self.data, "--epochs", 1), model)
        self.assertEqual(lab.calls, 1)
        again = Counting(self.work)
        self.assertEqual(again.model(self.data, "--epochs", 1), model)
        self.assertEqual(again.calls, 0)

    def test_a_training_that_was_stopped_goes_on(self):
        lab = Counting(self.work)
        lab.ends = False
        self.assertIsNone(lab.train(self.data, ("--epochs", 1)))
        self.assertNotIn("--resume", lab.last)
        lab.ends = True
        model = lab.train(self.data, ("--epochs", 1))
        self.assertIn("--resume", lab.last)
        self.assertEqual(model.read_text(), "a model")
        self.assertEqual(lab.cost(model)["seconds"], 3.0)
        self.assertEqual({path.suffix for path in lab.cache.iterdir()}, {".model", ".cost"})

    def test_a_program_is_stopped_when_its_time_is_over(self):
        lab = laboratory.Laboratory("no build", self.work, quick=True)
        _, ended = lab.work("sleep", "60", until=time.monotonic() + 0.1)
        self.assertFalse(ended)
        _, ended = lab.work("sleep", "0", until=time.monotonic() + 60)
        self.assertTrue(ended)
        with self.assertRaisesRegex(SystemExit, "status 1"):
            lab.work("false")

    def test_cores_are_shared(self):
        lab = Counting(self.work)
        for jobs, threads in ((1, os.cpu_count()), (os.cpu_count(), 1), (10 * os.cpu_count(), 1)):
            lab.jobs = jobs
            model = lab.train(self.data, ("--epochs", jobs))
            self.assertEqual(lab.last[lab.last.index("--threads") + 1], threads)
            self.assertEqual((lab.cost(model)["at_once"], lab.cost(model)["threads"]), (jobs, threads))

    def test_trains_all_once(self):
        lab = Counting(self.work)
        lab.model(self.data, "--epochs", 1)
        trainings = [(self.data, ("--epochs", epochs)) for epochs in (1, 2, 3, 4)]
        lab.train_all(trainings)
        self.assertEqual(lab.calls, 4)
        self.assertEqual(len({lab.model(data, *options) for data, options in trainings}), 4)
        self.assertEqual(lab.calls, 4)
        lab.deadline = 0.0
        lab.train_all([(self.data, ("--epochs", 5))])
        self.assertEqual(lab.calls, 4)

    def test_other_options_data_or_sources_train_anew(self):
        lab = Counting(self.work)
        models = {lab.model(self.data, "--epochs", 1), lab.model(self.data, "--epochs", 2)}
        other = self.work / "other.conllu"
        other.write_text("1\td\n\n")
        models |= {lab.model(other, "--epochs", 1), lab.model(self.data, "--dev", other), lab.model(self.data, "--dev", self.data)}
        lab.sources = "others"
        models.add(lab.model(self.data, "--epochs", 1))
        self.assertEqual(len(models), 6)
        self.assertEqual(lab.calls, 6)

    def test_a_failed_training_leaves_nothing(self):
        lab = Counting(self.work)
        lab.work = lambda *arguments, until=None: (_ for _ in ()).throw(SystemExit("no"))
        with self.assertRaises(SystemExit):
            lab.model(self.data)
        self.assertEqual(list(lab.cache.iterdir()), [])

    def test_scores_follow_the_model_and_the_data(self):
        lab = Counting(self.work)
        first, second = lab.model(self.data, "--epochs", 1), lab.model(self.data, "--epochs", 2)
        self.assertEqual(lab.score(first, self.data), {"uas": 1})
        calls = lab.calls
        lab.score(first, self.data)
        self.assertEqual(lab.calls, calls)
        lab.score(second, self.data)
        self.assertGreater(lab.calls, calls)

    def test_an_old_program_is_noticed(self):
        lab = Counting(self.work)
        lab.program = self.work / "kirchhoff"
        lab.program.write_text("")
        self.assertIsNone(lab.newer_source())
        os.utime(lab.program, (0, 0))
        self.assertTrue((ROOT / lab.newer_source()).is_file())

    def test_samples(self):
        lab = Counting(self.work)
        self.assertEqual(lab.sample(self.data, 1, skip=1).read_text(), "1\tb\n\n")
        self.assertEqual(lab.sample(self.data, 5).read_text(), self.data.read_text())

    def test_the_example_stands_in_for_a_missing_treebank(self):
        lab = Counting(self.work)
        lab.treebanks = self.work
        self.assertFalse(lab.real("xx_none"))
        self.assertTrue(lab.treebank("xx_none", "train").is_file())
        self.assertEqual(lab.missing, {"xx_none train"})


if __name__ == "__main__":
    unittest.main()
