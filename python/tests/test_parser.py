"""The parser through Python: it learns, its answers fit together, models survive files and pickles."""

import pickle

import numpy as np
import pytest

import kirchhoff
from kirchhoff import conllu


@pytest.fixture(scope="module")
def data(example_trees):
    return example_trees[:120], example_trees[120:150]


@pytest.fixture(scope="module", params=["arcs", "next", "all"])
def parser(request, data):
    epochs = []
    result = kirchhoff.Parser.train(
        *data, root="single", parts=request.param, epochs=2, epoch=lambda *report: epochs.append(report)
    )
    assert [e[0] for e in epochs] == [1, 2] and epochs[1][1] < epochs[0][1]
    assert result.parts == request.param
    return result


def heads_right(parser, gold):
    right = [a == b for s, p in zip(gold, parser.parse(gold)) for a, b in zip(s.heads[1:], p.heads[1:])]
    return np.mean(right)


RULES = ["DET -> NOUN right 0.9", "ADJ -> NOUN right 0.8", "* -> * any 1-3 0.75", "VERB -> ROOT any 0.5"]


def test_sentences_without_trees(data, tmp_path):
    train, dev = data
    text = [conllu.Sentence(s.column("form")) for s in train]
    for bare, s in zip(text, train):
        for name in ("lemma", "upos", "xpos", "feats"):
            bare.set_column(name, s.column(name))
    rules = tmp_path / "rules.txt"
    rules.write_text("\n".join(RULES))
    common = dict(root="single", epochs=3, seed=1, threads=1, unannotated=text)
    without = kirchhoff.Parser.train(constraints=RULES, penalty="hinge", entropy_weight=0.1, entropy_order=2.0, **common)
    again = kirchhoff.Parser.train((), (), constraints=rules, penalty="hinge", entropy_weight=0.1, entropy_order=2.0, **common)
    for a, b in zip(without.parse(dev), again.parse(dev)):
        assert a.heads.tolist() == b.heads.tolist()
    untaught = kirchhoff.Parser.train(entropy_weight=1e-9, **common)
    features = ["h.upos=NOUN d.upos=DET dir=leftward 0.9", "h.upos=NOUN d.upos=ADJ dir=leftward 0.8", "dist=leftward:1 0.4"]
    by_features = kirchhoff.Parser.train(constraint_features=features, penalty="hinge", entropy_weight=0.1, **common)
    assert heads_right(by_features, dev) > heads_right(untaught, dev)
    with pytest.raises(ValueError, match="constraint_features:1:1: .*'x' is not a share"):
        kirchhoff.Parser.train(constraint_features=["h.upos=NOUN x"], **common)
    assert heads_right(without, dev) > heads_right(untaught, dev) + 0.1
    assert set(without.labels) == {"root", "dep"}
    supervised = kirchhoff.Parser.train(train, root="single", epochs=3)
    student = kirchhoff.Parser.train(teacher=supervised, confidence=0.5, teacher_weight=2.0, unannotated_min_count=2, **common)
    assert heads_right(student, dev) > heads_right(without, dev)
    for divergence in ("reverse", "symmetric"):
        other = kirchhoff.Parser.train(teacher=supervised, divergence=divergence, unannotated_min_count=2, **common)
        assert heads_right(other, dev) > heads_right(without, dev)
    further = kirchhoff.Parser.train(train[:5], start=supervised, entropy_weight=0.01, unannotated_ratio=2.0, unannotated_from=2,
                                     **common)
    assert heads_right(further, dev) > 0.5


@pytest.mark.parametrize("wrong, message", [
    (dict(constraints=RULES), "is for unannotated"), (dict(penalty="kl"), "is for constraints"),
    (dict(confidence=0.5), "is for teacher"), (dict(divergence="reverse"), "is for teacher"), (dict(entropy_order=2.0), "is for entropy_weight"),
    (dict(unannotated_ratio=2.0), "is for unannotated")])
def test_what_needs_unannotated_sentences_says_so(data, wrong, message):
    with pytest.raises(ValueError, match=message):
        kirchhoff.Parser.train(data[0][:5], root="single", epochs=1, **wrong)


def test_joint_labels(data):
    train, dev = data
    parser = kirchhoff.Parser.train(train, root="single", labels="joint", loss="crf", epochs=3)
    assert parser.card["labels"] == "joint" and parser.parts == "arcs"
    right = words = 0
    for s, parsed in zip(dev, parser.parse(dev, probabilities=True)):
        gold = s.column("deprel")
        right += sum(int(h == g) * int(r == q) for h, g, r, q in zip(parsed.heads[1:], s.heads[1:], parsed.labels, gold))
        words += len(s)
        marginals = kirchhoff.TreeDistribution(parser.arc_scores(s), root="single").marginals()
        np.testing.assert_allclose(parsed.arc_probabilities, marginals[parsed.heads[1:], np.arange(1, len(s) + 1)], atol=1e-6)
        assert ((0 < parsed.label_probabilities) & (parsed.label_probabilities <= 1)).all()
    assert right / words > 0.5
    second = kirchhoff.Parser.train(train, root="single", labels="joint", order=2, epochs=1)
    assert second.card["labels"] == "joint" and second.parts == "next"
    with pytest.raises(ValueError, match="is for labels='joint'"):
        kirchhoff.Parser.train(train, root="single", cost="las")
    las = kirchhoff.Parser.train(train, root="single", labels="joint", cost="las", step="aggressive", loss="svm", epochs=2,
                                 unannotated=dev, entropy_weight=0.01)
    drawn = las.parse(dev[:1], samples=20, seed=1)[0].trees
    assert len(drawn) == 20 and las.card["labels"] == "joint"
    with pytest.raises(ValueError, match="labels is 'both', expected one of given_tree, joint"):
        kirchhoff.Parser.train(train, root="single", labels="both")


def test_parts(data):
    train, dev = data[0][:20], data[1][:5]
    assert kirchhoff.Parser.train(train, root="single", order=2, epochs=1).parts == "next"
    losses = []
    kirchhoff.Parser.train(train, root="single", order=2, loss="risk", epochs=2,
                           epoch=lambda number, loss, *scores: losses.append(loss))
    assert losses[1] < losses[0]
    both = kirchhoff.Parser.train(train, root="single", parts="all,nonprojective", loss="svm", relaxed=True, epochs=1)
    assert both.parts == "all,nonprojective"
    for parsed in both.parse(dev):
        assert parsed.inference.propagated and parsed.inference.searched
        assert parsed.inference.gap >= 0.0 and parsed.inference.iterations > 0
    for wrong in [{"order": 3}, {"parts": "some"}, {"parts": "all", "order": 2}, {"parts": "nonprojective"}]:
        with pytest.raises(ValueError):
            kirchhoff.Parser.train(train, root="single", epochs=1, **wrong)


def test_costs_and_steps(data):
    train = data[0][:20]

    def losses(**options):
        found = []
        kirchhoff.Parser.train(train, root="single", epochs=2, epoch=lambda *r: found.append(r[1]), **options)
        return found

    assert losses(loss="svm", cost="hamming", gamma=1.5) == losses(loss="svm", gamma=3.0)
    assert losses(cost="mistakes") == losses() != losses(cost="hamming")
    aggressive = losses(loss="svm", step="aggressive")
    # The cap of a step is 1 / (lambda * sentences), and 0.1 if nothing is said.
    assert aggressive == losses(loss="svm", step="aggressive", lambda_=10 / len(train)) != losses(loss="svm")
    assert aggressive != losses(loss="svm", step="aggressive", lambda_=1e4)
    assert losses(step="adagrad", rate=0.03) == losses()
    for wrong in [{"cost": "twice"}, {"cost": "hamming", "loss": "risk"}, {"step": "long"}, {"lambda_": 1.0},
                  {"step": "aggressive", "rate": 0.1}, {"step": "aggressive", "lambda_": 0.0}]:
        with pytest.raises(ValueError, match=next(iter(wrong)) if len(wrong) == 1 else None):
            kirchhoff.Parser.train(train, root="single", epochs=1, **wrong)


def test_parses_its_training_sentences(parser, data):
    parsed = parser.parse(data[0])
    right = np.concatenate([p.heads[1:] == s.heads[1:] for p, s in zip(parsed, data[0])])
    assert right.mean() > 0.9
    scores = kirchhoff.evaluate(data[0], [p.sentence for p in parsed], root="single")
    assert scores["uas"].f1 == pytest.approx(right.mean())


def test_probabilities_are_those_of_the_distribution(parser, data):
    for sentence in data[1][:10]:
        parsed = parser.parse(sentence, probabilities=True, k_best=3)
        p = kirchhoff.TreeDistribution(parser.arc_scores(sentence), root="single")
        marginals = p.marginals()
        words = np.arange(1, len(sentence) + 1)
        np.testing.assert_allclose(parsed.arc_probabilities, marginals[parsed.heads[1:], words], atol=1e-6)
        assert parsed.log_prob == pytest.approx(float(p.log_prob(parsed.heads)), abs=1e-6)
        assert parsed.entropy == pytest.approx(float(p.entropy()), abs=1e-6)
        assert (parsed.trees[0].heads == parsed.heads).all()
        assert all(a.log_prob >= b.log_prob for a, b in zip(parsed.trees, parsed.trees[1:]))
        assert "<svg" in parsed._repr_svg_()


def test_threads_seeds_and_samples(parser, data):
    one = parser.parse(data[1], samples=3, seed=5, threads=1)
    two = parser.parse(data[1], samples=3, seed=5, threads=2)
    assert [[t.heads.tolist() for t in p.trees] for p in one] == [[t.heads.tolist() for t in p.trees] for p in two]


def test_keeps_heads(parser, data):
    sentence = next(s for s in data[1] if len(s) >= 4)
    given = conllu.loads(str(sentence))[0]
    heads = np.full(len(given) + 1, -1)
    heads[1], heads[2] = 2, 0
    given.heads = heads
    parsed = parser.parse(given, keep_heads=True)
    assert parsed.heads[1] == 2 and parsed.heads[2] == 0
    heads[2] = 1
    given.heads = heads
    with pytest.raises(kirchhoff.Infeasible):
        parser.parse(given, keep_heads=True)


def test_required_and_forbidden_arcs(data):
    """Without pruning all that is found is that of the distribution over trees, given the arcs."""
    train, dev = data
    parser = kirchhoff.Parser.train(train[:60], root="single", epochs=1, prune=0.0, max_heads=100)
    some = [s for s in dev if 3 <= len(s) <= 9][:6]
    require = [[(0, 2)], [], [(2, 1), (2, 3)], [], [(3, 1)], []]
    forbid = [[], [(0, 1)], [(0, 2)], [], [], [(h, 2) for h in (0, 1)]]
    for s, arcs, no_arcs, parsed in zip(some, require, forbid,
                                        parser.parse(some, require=require, forbid=forbid, probabilities=True, k_best=3)):
        given = kirchhoff.TreeDistribution(parser.arc_scores(s), root="single").given(require=arcs, forbid=no_arcs)
        assert parsed.heads.tolist() == given.argmax().heads.tolist()
        assert [t.heads.tolist() for t in parsed.trees] == given.k_best(3).heads.tolist()[: len(parsed.trees)]
        np.testing.assert_allclose(parsed.entropy, given.entropy(), atol=1e-6)
        marginals = given.marginals()[parsed.heads[1:], np.arange(1, len(s) + 1)]
        np.testing.assert_allclose(parsed.arc_probabilities, marginals, atol=1e-6)
        alone = parser.parse(s, require=arcs, forbid=no_arcs, samples=20, seed=3)
        assert alone.heads.tolist() == parsed.heads.tolist()
        for tree in alone.trees:
            assert all(tree.heads[word] == head for head, word in arcs)
            assert all(tree.heads[word] != head for head, word in no_arcs)
    for wrong, error, match in [(dict(require=[(0, 99)]), ValueError, "99"), (dict(forbid=[0]), ValueError, "pairs"),
                                (dict(require=[(1, 2), (2, 1)]), kirchhoff.Infeasible, "cycle")]:
        with pytest.raises(error, match=match):
            parser.parse(some[0], **wrong)
    with pytest.raises(ValueError, match="1 lists of arcs for 6 graphs"):
        parser.parse(some, require=[[(0, 1)]])


def test_files_and_pickles(parser, data, tmp_path):
    path = tmp_path / "m.model"
    parser.save(path)
    for again in (kirchhoff.Parser.load(path), pickle.loads(pickle.dumps(parser))):
        assert again.labels == parser.labels and again.card == parser.card and again.root == "single"
        assert (again.parse(data[1][0]).heads == parser.parse(data[1][0]).heads).all()
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(kirchhoff.ModelError):
        kirchhoff.Parser.load(path)


def test_bad_arguments(data):
    with pytest.raises(TypeError, match="no option 'epoch_count'"):
        kirchhoff.Parser.train(data[0], root="single", epoch_count=3)
    with pytest.raises(ValueError, match="no sentences"):
        kirchhoff.Parser.train([], root="single")
    with pytest.raises(ValueError, match="hinge"):
        kirchhoff.Parser.train(data[0], root="single", loss="hinge")


def test_sentences_without_trees(data):
    """What is made of them changes the model; what would have no effect is refused."""
    train, bare = data[0][:20], data[0][20:40]

    def scores(**options):
        model = kirchhoff.Parser.train(train, root="single", order=1, epochs=2, **options)
        return model.arc_scores(data[1][0])

    plain = scores()
    teacher = kirchhoff.Parser.train(data[0][:60], root="single", order=1, epochs=2)
    for options in [{"entropy_weight": 0.5}, {"constraints": ["DET -> NOUN right 0.9"], "constraint_weight": 5.0},
                    {"teacher": teacher, "teacher_weight": 2.0}]:
        found = scores(unannotated=bare, **options)
        assert found.shape == plain.shape and not np.array_equal(found, plain)
        assert np.array_equal(found, scores(unannotated=bare, **options))
        with pytest.raises(ValueError, match="is for unannotated"):
            scores(**options)
    with pytest.raises(ValueError, match="unannotated: needs"):
        scores(unannotated=bare)
    with pytest.raises(ValueError, match="constraints:1"):
        scores(unannotated=bare, constraints=["DET NOUN"])
    assert not np.array_equal(scores(loss="risk"), plain)
