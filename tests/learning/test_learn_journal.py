"""A model adapted to a journal: what had to be run is learned from, once each, by the code path that folders take."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "model"))

from nets import random_trunk  # noqa: E402

from worldline.cli.learn import learn  # noqa: E402
from worldline.core.errors import FormatError, UsageError  # noqa: E402
from worldline.core.program import Program  # noqa: E402
from worldline.learning import adapt as adapting  # noqa: E402
from worldline.learning.adapt import KNOWN, SAME, UNSEEN, adapt  # noqa: E402
from worldline.learning.call_sources import own_calls  # noqa: E402
from worldline.learning.own_calls import record_calls, split_calls  # noqa: E402
from worldline.model import checkpoint, model_folder  # noqa: E402
from worldline.model.shape import Shape  # noqa: E402
from worldline.model.train.low_rank import AdaptationConfig  # noqa: E402
from worldline.plan.journal import NAME, JournalEntry, append  # noqa: E402
from worldline.plan.question import Question, read_question  # noqa: E402
from worldline.storage import files  # noqa: E402

SHAPE = Shape(depth=2, stack=3)
SOURCE = """\
def pick{n}(first, second):
    value = {n} {sign} 2
    if first:
        value = second
    return value
"""
ANSWER = Question(what="return")


def entry(program: Program, question: Question = ANSWER) -> JournalEntry:
    """What a journal has of a run."""
    return JournalEntry(program=program, question=question, true="1", imagined="2", score=-0.5)


def calls(functions: int, times: int) -> list[Program]:
    """So many functions, each called so often."""
    sources = [SOURCE.format(n=n, sign="+-*%"[n % 4]) for n in range(functions)]
    return [
        Program(source=source, call=f"pick{n}({bool(turn % 2)}, {turn})")
        for n, source in enumerate(sources)
        for turn in range(times)
    ]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Eight functions, five calls each."""
    append(tmp_path / "journal", [entry(program) for program in calls(8, 5)])
    return tmp_path / "journal"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model's folder."""
    out: Path = tmp_path_factory.mktemp("models") / "base"
    draft = model_folder.create_draft(out)
    files.write(draft / model_folder.MODEL, checkpoint.to_bytes(dict(random_trunk(SHAPE, 3).named_parameters())))
    model_folder.commit_draft(draft, out, {"kind": "weights", "shape": SHAPE.to_json()})
    return out


# ---- which calls


def test_a_run_counts_once_whatever_was_asked_of_it_and_whatever_stands_beside_it(journal: Path) -> None:
    before = own_calls(journal=journal)
    first = calls(1, 1)[0]
    beside = Program(source=first.source + "\n\ndef other():\n    return 1\n", call=first.call)
    renamed = Program(source=first.source.replace("pick0", "chosen"), call=str(first.call).replace("pick0", "chosen"))
    append(journal, [entry(first, read_question("line:3")), entry(beside), entry(renamed)])
    assert len(before) == 40
    assert own_calls(journal=journal) == before
    append(journal, [entry(Program(source=first.source, call="pick0(True, 99)"))])
    assert len(own_calls(journal=journal)) == 41


def test_scripts_and_programs_of_several_files_are_told_apart_and_recorded(tmp_path: Path) -> None:
    scripts = [Program(source=f"x = {n}\ny = x + 1\nprint(y)\n", name="script.py") for n in range(8)]
    several = [
        Program(source="import part\ndef f(x):\n    return part.g(x)\n", call="f(1)", files=(("part.py", text),))
        for text in (f"def g(x):\n    return x + {n}\n" for n in range(8))
    ]
    broken = Program(source="def f(:\n", call="f(1)")
    append(tmp_path, [entry(program) for program in (*scripts, *several, broken)])
    collected = own_calls(journal=tmp_path)
    assert [times.program for times in collected] == [*scripts, *several, broken]
    assert len({times.name for times in collected[:8]}) == 8
    assert len(record_calls(collected, trust=True)) == 16


def test_most_documents_are_written_as_the_oracle_asks(journal: Path) -> None:
    collected = own_calls(journal=journal)
    assert all(times.options.bare for times in collected)
    bare = [document.prompt for document in record_calls(collected, trust=True)]
    assert 20 < sum(b"bare" in prompt.split(b"\n", 1)[0] for prompt in bare) < 40


def test_with_a_call_of_each_function_whole_functions_are_held_out(tmp_path: Path) -> None:
    append(tmp_path, [entry(program) for program in calls(20, 1)])
    parts = split_calls(own_calls(journal=tmp_path))
    assert not parts.same
    assert len(parts.unseen) == 4
    assert not {times.key for times in parts.unseen} & {times.key for times in (*parts.lessons, *parts.held_back)}


def test_a_folder_and_a_journal_are_learned_from_together(journal: Path, tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "own.py").write_text(
        "def own(flag: bool, again: bool):\n    x = 1\n    if flag:\n        x = 2\n    return x, again\n"
    )
    collected = own_calls(code, journal=journal, trust=True)
    assert {str(times.program.call)[:4] for times in collected} == {"pick", "own("}


# ---- bad input


def test_a_journal_that_is_short_missing_or_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="0 runs, too few to learn from"):
        own_calls(journal=tmp_path / "nowhere")
    append(tmp_path, [entry(program) for program in calls(3, 2)])
    with pytest.raises(UsageError, match="6 runs, too few to learn from"):
        own_calls(journal=tmp_path)
    (tmp_path / NAME).write_text("{}\n")
    with pytest.raises(FormatError, match="journal"):
        own_calls(journal=tmp_path)
    with pytest.raises(UsageError, match="a folder or to a journal"):
        own_calls()


# ---- the whole


@pytest.mark.long(reason="asks a model about 52 runs before and after it learns")
def test_not_better_is_not_kept(journal: Path, base: Path, tmp_path: Path) -> None:
    """The verb: a model that learns nothing is asked before and after, and refused; the journal is as it was."""
    out, before = tmp_path / "out", (journal / NAME).read_bytes()
    words = ["--journal", str(journal), "--model", str(base), "-o", str(out), "--train-steps", "1", "--json", "--trust"]
    done = CliRunner().invoke(learn, words)
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    assert report["refused"].startswith("not better")
    assert not out.exists()
    assert (journal / NAME).read_bytes() == before
    assert report["groups"][SAME]["trace"]["n"] == 7
    assert report["groups"][UNSEEN]["trace"]["n"] == 5
    assert report["groups"][KNOWN]["trace"]["n"] == 40


@pytest.mark.long(reason="trains a model; test_adapt.py keeps one in make test")
def test_better_is_kept_and_opens(journal: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the verdict turned: a net as small as this one learns no whole trace in a test's time."""
    monkeypatch.setattr(adapting, "find_refusal", lambda groups: "")
    how = AdaptationConfig(steps=6, rank=4, layers=2, rate=0.01, evaluations=3, patience=3, warmup=1)
    done = adapt(journal=journal, out=tmp_path / "out", model=base, how=how, held_out=6, known=1, trust=True)
    assert done.nats[1] < done.nats[0]
    assert checkpoint.open_model(tmp_path / "out").shape == SHAPE
