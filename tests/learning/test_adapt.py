"""A model adapted to a folder of code: kept only if better, the base untouched, nothing held out is learned from."""

from __future__ import annotations

import json
import math
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "model"))

from nets import random_trunk  # noqa: E402

from worldline.cli.learn import learn  # noqa: E402
from worldline.core.errors import DigestError, FormatError, UsageError  # noqa: E402
from worldline.core.stats import Paired  # noqa: E402
from worldline.data.frames import DocumentPair  # noqa: E402
from worldline.learning import adapt as adapting  # noqa: E402
from worldline.learning.adapt import KNOWN, SAME, UNSEEN, BeforeAfter, adapt, find_refusal, save_adaptation  # noqa: E402
from worldline.learning.call_sources import own_calls  # noqa: E402
from worldline.learning.own_calls import record_calls, split_calls  # noqa: E402
from worldline.model import checkpoint, model_folder  # noqa: E402
from worldline.model.low_rank import merge_changes  # noqa: E402
from worldline.model.shape import Shape  # noqa: E402
from worldline.model.train import low_rank  # noqa: E402
from worldline.model.train.low_rank import AdaptationConfig, LowRankChanges, train_changes  # noqa: E402
from worldline.storage import files  # noqa: E402

SHAPE = Shape(depth=2, stack=3)
BRIEF = AdaptationConfig(steps=6, rank=4, layers=2, rate=0.01, evaluations=3, patience=3, warmup=1)
FUNCTION = """\
def {name}(first: bool, second: bool):
    value = {number}
    if first:
        value = helper{half}(value)
    if second:
        return value
    return {number}
"""
HELPER = "def helper{half}(value: int):\n    again = value {sign} {half}\n    return again\n"


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of eight functions, every other two of which share a helper."""
    folder: Path = tmp_path_factory.mktemp("code")
    parts = [HELPER.format(half=half, sign="+-*%"[half]) for half in range(1, 4)]
    parts += [FUNCTION.format(name=f"pick{n}", number=n, half=1 + n % 3) for n in range(8)]
    (folder / "picks.py").write_text("\n\n".join(parts))
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model's folder."""
    out: Path = tmp_path_factory.mktemp("models") / "base"
    return _model(out, seed=3)


def _model(out: Path, seed: int) -> Path:
    draft = model_folder.create_draft(out)
    tensors = dict(random_trunk(SHAPE, seed).named_parameters())
    files.write(draft / model_folder.MODEL, checkpoint.to_bytes(tensors))
    model_folder.commit_draft(draft, out, {"kind": "weights", "shape": SHAPE.to_json()})
    return out


@pytest.fixture(scope="module")
def documents(code: Path) -> list[DocumentPair]:
    """What is learned from, as documents."""
    parts = split_calls(own_calls(code, trust=True))
    return [(call.prompt, call.steps) for call in record_calls(parts.lessons, trust=True)]


@pytest.fixture(scope="module")
def changes(base: Path, documents: list[DocumentPair]) -> LowRankChanges:
    """A few steps on them."""
    return _trained(base, documents, BRIEF)


def _trained(base: Path, documents: list[DocumentPair], how: AdaptationConfig) -> LowRankChanges:
    return train_changes(*checkpoint.read_weights(base), documents[4:], held_back=documents[:4], how=how)


# ---- which calls


@pytest.mark.long(reason="finds and runs the calls of a folder of code again")
def test_no_call_is_on_two_sides_and_functions_held_out_are_not_called(code: Path) -> None:
    calls = own_calls(code, trust=True)
    parts = split_calls(calls)
    sides = [parts.lessons, parts.held_back, parts.same, parts.unseen]
    runs = [{str(own_call.program.call) for own_call in side} for side in sides]
    assert all(runs)
    assert sum(map(len, runs)) == len(set.union(*runs)) <= len(calls)
    names = [{call.partition("(")[0] for call in side} for side in runs]
    assert not names[3] & set.union(*names[:3])
    assert names[2] <= names[0] | names[1]
    helpers = {name for name in names[3] if name.startswith("helper")}
    assert not any(
        f"{name}(value)" in own_call.program.source.partition("def pick")[2]
        for own_call in parts.lessons
        for name in helpers
    )
    assert split_calls(calls) == parts != split_calls(calls, seed=1)


def test_a_folder_with_hardly_any_calls_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def one(flag: bool):\n    x = 1\n    return x\n")
    with pytest.raises(UsageError, match="too few"):
        own_calls(tmp_path, trust=True)


# ---- training


@pytest.mark.long(reason="trains a second time on the same documents")
def test_changes_are_learned_and_the_same_for_a_seed(
    base: Path, documents: list[DocumentPair], changes: LowRankChanges
) -> None:
    assert changes.steps == BRIEF.steps
    nats = [look.nats for look in changes.evaluations]
    assert min(nats) == nats[-1] < 0.95 * nats[0]
    again = _trained(base, documents, BRIEF)
    assert all(np.array_equal(again.tensors[name], tensor) for name, tensor in changes.tensors.items())
    layers = {name.split(".")[1] for name in changes.tensors}
    assert layers == {"1", "2"}


@pytest.mark.long(reason="a second training, to learn what the merged weights cost")
def test_what_is_kept_is_what_was_trained(base: Path, documents: list[DocumentPair], changes: LowRankChanges) -> None:
    """Merged into the base's matrices, the changes cost what the last look said."""
    shape, weights = checkpoint.read_weights(base)
    nothing = replace(BRIEF, steps=1, rate=1e-12)
    trained = train_changes(
        shape, merge_changes(weights, changes.tensors), documents[4:], held_back=documents[:4], how=nothing
    )
    assert trained.evaluations[0].nats == pytest.approx(changes.evaluations[-1].nats, rel=1e-4)


def test_an_absurd_rate_leaves_the_beginning(base: Path, documents: list[DocumentPair]) -> None:
    trained = _trained(base, documents, replace(BRIEF, rate=1e36))
    assert trained.steps < BRIEF.steps
    assert not math.isfinite(trained.evaluations[-1].nats)
    assert not any(tensor.any() for name, tensor in trained.tensors.items() if name.endswith(".up"))


# ---- keeping


def test_a_kept_one_opens_and_needs_its_base_as_it_was(base: Path, changes: LowRankChanges, tmp_path: Path) -> None:
    own, out = tmp_path / "base", tmp_path / "adapted"
    shutil.copytree(base, own)
    save_adaptation(out, own, SHAPE, changes, {})
    shape, weights = checkpoint.read_weights(out)
    wanted = merge_changes(checkpoint.read_weights(own)[1], changes.tensors)
    assert shape == SHAPE
    assert all(np.array_equal(weights[name], array) for name, array in wanted.items())
    assert checkpoint.digest(out) not in (checkpoint.digest(own), "")
    with pytest.raises(UsageError, match="cannot be exported"):
        checkpoint.export(out, tmp_path / "exported")
    shutil.rmtree(own)
    _model(own, seed=4)
    with pytest.raises(DigestError, match="has changed"):
        checkpoint.read_weights(out)


def test_a_tampered_one_is_refused(base: Path, changes: LowRankChanges, tmp_path: Path) -> None:
    out = tmp_path / "adapted"
    save_adaptation(out, base, SHAPE, changes, {})
    path = out / model_folder.CHANGES
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(DigestError):
        checkpoint.read_weights(out)
    path.write_bytes(data)
    manifest = json.loads((out / model_folder.MANIFEST).read_bytes())
    (out / model_folder.MANIFEST).write_text(json.dumps(manifest | {"base": "here"}))
    with pytest.raises(FormatError, match="base"):
        checkpoint.read_weights(out)


@pytest.mark.parametrize(
    "odd",
    [
        {"head.up": np.ones((2, 1), np.float32)},
        {"nowhere.up": np.ones((2, 1), np.float32), "nowhere.down": np.ones((1, 2), np.float32)},
        {"head.up": np.ones((2, 1), np.float32), "head.down": np.ones((1, 2), np.float32)},
        {"head.up": np.full((256, 1), np.inf, np.float32), "head.down": np.ones((1, 64), np.float32)},
    ],
)
def test_changes_that_do_not_fit_are_refused(base: Path, odd: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match=r"head|nowhere"):
        merge_changes(checkpoint.read_weights(base)[1], odd)


@pytest.mark.parametrize("part", ["int8", "scale"])
def test_a_change_of_a_part_of_a_matrix_is_refused(part: str) -> None:
    base = {"a.int8": np.ones((2, 3), np.int8), "a.scale": np.ones(2, np.float32)}
    changes = {f"a.{part}.up": np.ones((2, 1), np.float32), f"a.{part}.down": np.ones((1, 3), np.float32)}
    with pytest.raises(ValueError, match="not a matrix"):
        merge_changes(base, changes)


# ---- the whole


def test_better_is_kept_and_what_forgets_is_not() -> None:
    nothing, better, worse = Paired(wrong=9), Paired(recovered=2, wrong=7), Paired(regressed=8, right=1)

    def groups(same: Paired, known: Paired) -> dict[str, BeforeAfter]:
        traces = {SAME: same, UNSEEN: nothing, KNOWN: known}
        return {name: BeforeAfter(nothing, trace) for name, trace in traces.items()}

    assert find_refusal(groups(better, nothing)) == ""
    assert find_refusal(groups(better, Paired(regressed=1, right=8))) == ""
    assert "forgets" in find_refusal(groups(better, worse))
    assert "not better" in find_refusal(groups(nothing, better))


@pytest.mark.long(reason="trains a second model; the one that is kept runs in make test")
def test_not_better_is_not_kept(code: Path, base: Path, tmp_path: Path) -> None:
    """The verb: a model that learns nothing is asked before and after, refused, and its base is as it was."""
    out, before = tmp_path / "out", (base / model_folder.MODEL).read_bytes()
    words = ["--on", str(code), "--model", str(base), "-o", str(out), "--train-steps", "1", "--json", "--trust"]
    done = CliRunner().invoke(learn, words)
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    assert not report["kept"]
    assert report["refused"].startswith("not better")
    assert not out.exists()
    assert (base / model_folder.MODEL).read_bytes() == before
    assert report["groups"][SAME]["trace"]["n"] > 3
    assert report["groups"][UNSEEN]["trace"]["n"] > 3


def test_minutes_bound_the_whole_command(
    code: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each phase reports its share of one budget, and after training the programs of before are evaluated again."""
    planned: list[float] = []

    def brief(minutes: float, seed: int) -> AdaptationConfig:
        planned.append(minutes)
        return replace(BRIEF, seed=seed)

    monkeypatch.setattr(low_rank, "AdaptationConfig", brief)
    reports: list[tuple[float, str]] = []
    done = adapt(
        code,
        out=tmp_path / "out",
        model=base,
        minutes=5.0,
        held_out=6,
        known=1,
        trust=True,
        progress=lambda share, text: reports.append((share, text)),
    )
    shares, texts = zip(*reports, strict=True)
    assert list(shares) == sorted(shares)
    phases = list(dict.fromkeys(text.partition(":")[0] for text in texts))
    assert phases == [
        "finding and recording calls",
        "drawing more calls",
        "evaluating before",
        "training",
        "evaluating after",
    ]
    assert done.steps == BRIEF.steps
    assert 0 < planned[0] < 5
    assert all(group.trace.n > 0 for group in done.groups.values())


def test_better_is_kept_and_opens(code: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the verdict turned: a net as small as this one learns no whole trace in a test's time."""
    monkeypatch.setattr(adapting, "find_refusal", lambda groups: "")
    out = tmp_path / "out"
    done = adapt(code, out=out, model=base, how=BRIEF, held_out=6, known=1, trust=True)
    assert done.nats[1] < done.nats[0]
    assert not done.as_json()["refused"]
    assert checkpoint.open_model(out).shape == SHAPE
    assert checkpoint.read_manifest(out)["base"]["place"] == str(base)
    with pytest.raises(UsageError, match="not an adaptation"):
        adapt(code, out=base, model=base, how=BRIEF, trust=True)
