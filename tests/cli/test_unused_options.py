"""Tests that an option which nothing uses is bad usage, with a message that says what it is for."""

import every_verb
from support import THREE, Case, json_lines, run
from test_parser import toy_treebank

BP, AD3 = "--method bp and max_product", "--method ad3"
ITERATIVE = "--method bp, max_product and ad3, and --sparse"
WFSM = "0 0 1 1.0\n0 1 2 0.5\n1\n"
ONE_TREE = "the best tree, without --k-best and --samples"


class UnusedOptions(Case):
    def assert_unused(self, option, users, *arguments, stdin=""):
        done = run(*arguments, stdin=stdin)
        message = f"kirchhoff: {option} would change nothing here: it is for {users} (see 'kirchhoff {arguments[0]} --help')\n"
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", message), arguments)

    def assert_used(self, *arguments, stdin):
        done = run(*arguments, stdin=stdin)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)

    def test_solve(self):
        text = '{"scores":[1,2],"factors":[{"type":"xor","vars":[0,1]}]}'
        table = {"--schedule": ("flooding", BP, ("bp", "max_product")),
                 "--damping": ("0.1", BP, ("bp", "max_product")),
                 "--retry-damping": ("0.5", BP, ("bp", "max_product")),
                 "--free-energy": ("convex", BP, ("bp", "max_product")),
                 "--max-iterations": ("50", ITERATIVE, ("bp", "max_product", "ad3")),
                 "--tolerance": ("1e-3", ITERATIVE, ("bp", "max_product", "ad3")),
                 "--beliefs": (None, "--method bp", ("bp",)),
                 "--duals": (None, "--method ad3 and --format json", ("ad3",)),
                 "--posteriors": (None, "--method ad3 or --sparse, and --format json", ("ad3",)),
                 "--gap": ("1e-3", AD3, ("ad3",)),
                 "--exact": (None, AD3, ("ad3",)),
                 "--time-limit": ("60", "--method ad3 and ilp", ("ad3", "ilp"))}
        for option, (value, users, methods) in table.items():
            arguments = [option] if value is None else [option, value]
            for method in ("bp", "max_product", "lp", "ilp", "ad3", "exact"):
                command = ["solve", "--method", method, *arguments]
                if method in methods:
                    self.assert_used(*command, stdin=text)
                else:
                    self.assert_unused(option, users, *command, stdin=text)
        self.assert_unused("--allow-unknown", "--format json", "solve", "--method", "bp", "--format", "uai", "--allow-unknown")

    def test_tolerance(self):
        graph = json_lines([THREE])
        for command, text in ((["tree", "--root", "single"], graph), (["decode", "--root", "single"], graph),
                              (["draw", "--root", "single"], graph), (["wfsm"], WFSM)):
            self.assert_used(*command, "--tolerance", "1e-9", stdin=text)
            self.assert_used(*command, "--tolerance", "1e-9", "--method", "automatic", stdin=text)
            for method in ("fast", "robust"):
                self.assert_unused("--tolerance", "--method automatic", *command, "--tolerance", "1e-9", "--method", method)
                if command[0] != "wfsm":
                    self.assert_unused("--floor", "--method automatic", *command, "--floor", "1", "--method", method)

    def test_chain(self):
        for want in ("samples=2", "distinct=2"):
            self.assert_used("chain", "--want", want, "--seed", 1, stdin=every_verb.CHAIN)
        self.assert_unused("--seed", "--want samples=K or distinct=K", "chain", "--want", "k_best=2", "--seed", 1)

    def test_segment(self):
        for want in ("samples=2", "distinct=2"):
            self.assert_used("segment", "--want", want, "--seed", 1, stdin=every_verb.SEGMENTS)
        self.assert_unused("--seed", "--want samples=K or distinct=K", "segment", "--want", "k_best=2", "--seed", 1)

    def test_wfsm(self):
        features = self.file("features", "0 0 1\n1 0 2\n")
        users = "--want expectation, second_order, covariance, moments=M, cumulants=M or all"
        for want in ("expectation", "moments=2", "cumulants=2", "all", "entropy,covariance"):
            self.assert_used("wfsm", "--want", want, "--features", features, stdin=WFSM)
        for want in ("entropy", "counts,paths=2"):
            self.assert_unused("--features", users, "wfsm", "--want", want, "--features", features)
        self.assert_used("wfsm", "--want", "samples=2", "--seed", 1, stdin=WFSM)
        self.assert_unused("--seed", "--want samples=K or distinct=K", "wfsm", "--want", "paths=2", "--seed", 1)
        self.assert_used("wfsm", "--want", "covariance", "--features", features, "--second-features", features, stdin=WFSM)
        self.assert_unused("--second-features", "--features with --want second_order, covariance or all", "wfsm", "--want",
                           "expectation", "--features", features, "--second-features", features)
        self.assert_unused("--other", "--want kl, cross_entropy, their gradients or all", "wfsm", "--other", features)
        self.assert_unused("--osymbols", "transducers", "wfsm", "--arcs", "acceptor", "--osymbols", features)

    def test_treebanks(self):
        tree = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
        path = self.file("t.conllu", tree)
        for option in ("--confidence", "--seed"):
            value = 0.5 if option == "--confidence" else 3
            self.assert_used("eval", path, path, option, value, stdin="")
            self.assert_unused(option, "--samples of more than 0", "eval", path, path, "--samples", 0, option, value)
        self.assert_used("convert", "--to", "displacy", "--root", "multi", stdin=tree)
        self.assert_unused("--root", "--to displacy, which needs trees", "convert", "--to", "json", "--root", "multi")

    def test_train(self):
        train = ["train", "--train", "t", "--model", self.folder / "m"]
        for option in ("--beta", "--gamma"):
            self.assert_unused(option, "every --loss but risk", *train, "--loss", "risk", option, 1)
        self.assert_unused("--cost", "every --loss but risk", *train, "--loss", "risk", "--cost", "hamming")
        relaxed = "--loss svm, or another with --beta inf, and --parts next, all or others"
        for more in ([], ["--parts", "all"], ["--loss", "svm"], ["--loss", "svm", "--parts", "arcs"],
                     ["--loss", "risk", "--parts", "all"], ["--loss", "svm", "--beta", 2, "--parts", "all"]):
            self.assert_unused("--relaxed", relaxed, *train, "--relaxed", *more)
        self.assert_unused("--rate", "--step adagrad", *train, "--step", "aggressive", "--rate", 1)
        self.assert_unused("--lambda", "--step aggressive", *train, "--lambda", 1)
        constraints = "--constraints or --constraint-features"
        self.assert_unused("--constraint-weight", constraints, *train, "--unannotated", "u", "--constraint-weight", 1)
        self.assert_unused("--teacher-weight", "--teacher", *train, "--unannotated", "u", "--teacher-weight", 1)
        for option, value, users in (("--penalty", "kl", constraints), ("--confidence", 0.5, "--teacher"),
                                     ("--regularise", "shannon", "--entropy-weight above 0")):
            self.assert_unused(option, users, *train, "--unannotated", "u", option, value)
        for taught in ((), ("--teacher", "t", "--confidence", 0.5)):
            self.assert_unused("--divergence", "--teacher without --confidence", *train, "--unannotated", "u", "--divergence",
                               "reverse", *taught)
        for option in ("--unannotated-ratio", "--unannotated-from"):
            self.assert_unused(option, "--train", "train", "--model", self.folder / "m", "--unannotated", "u", option, 2)
        objectives = "--entropy-weight above 0, --constraints, --constraint-features or --teacher"
        self.assert_unused("--unannotated", objectives, *train, "--unannotated", "u")

    def test_parse(self):
        parse = ["parse", "--model", self.folder / "missing"]
        for several in ("--k-best", "--samples"):
            self.assert_unused("--probabilities", ONE_TREE, *parse, several, 2, "--probs")
            self.assert_unused("--solver", ONE_TREE, *parse, several, 2, "--solver", "ad3")
        for form in ("conllx", "displacy"):
            self.assert_unused("--probabilities", "--format conllu and json", *parse, "--format", form, "--probs")
        self.assert_unused("--seed", "--samples", *parse, "--seed", 1)

    def test_a_model_decides(self):
        text = toy_treebank(1, 20)
        train = self.file("train.conllu", text)
        for order in (1, 2):
            model = self.folder / f"{order}.model"
            done = run("train", "--train", train, "--model", model, "--epochs", 1, "--order", order)
            self.assertEqual(done.returncode, 0, done.stderr)
            info = run("model", "info", model).stdout
            self.assertRegex(info, r"\nepoch 1: loss [\d.]+\n", "without a dev set, too, the card has all epochs")
        one, two = (["parse", "--model", self.folder / name, "--solver", "bp"] for name in ("1.model", "2.model"))
        self.assert_used(*two, stdin=text)
        self.assert_unused("--solver", "models of --parts next and others, and this one scores arcs", *one, stdin=text)
