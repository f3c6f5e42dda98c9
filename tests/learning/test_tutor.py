"""The tutor as a trainer meets it: a process that sets drills, is told how they went, and moves what streams follow."""

from __future__ import annotations

import json
import sys
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import FormatError, UsageError
from worldline.data.exchange import Score
from worldline.data.frames import DocumentPair
from worldline.data.lessons import Factors, acceptance_rate
from worldline.data.mixture import Mixture, Mode, Source, draw_documents, draw_programs
from worldline.data.recipe import load_config
from worldline.learning.tutor import read_curriculum
from worldline.model.train.drills import TutorProcess

RECIPE = """
from worldline.codec.compact.prompt import Compact
from worldline.data.mixture import Mixture, Mode, Source

def data():
    spacings = (Mode(weight=0.5, options=Compact(reveal=n), kinds=("tasks",)) for n in (2, 4, 8))
    source = Source(kind="generate", program="worldline.programs.generate:program")
    tasks = Source(kind="tasks", program="worldline.programs.tasks:program")
    return Mixture(sources=(source, tasks), modes=(Mode(weight=1.0), *spacings), max_bytes=8192)
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "recipe.py"
    path.write_text(RECIPE)
    return path


@pytest.fixture
def tutor(recipe: Path) -> Iterator[TutorProcess]:
    words = ("-m", "worldline.learning.tutor", "--recipe", str(recipe), "--size", "4000", "--trust")
    built = TutorProcess([sys.executable, *words, "--out", str(recipe.with_name("curriculum.json"))])
    yield built
    built.close()


def waited(tutor: TutorProcess) -> list[DocumentPair]:
    """The next set; the deadline only guards against hanging."""
    for _ in range(12_000):
        if (received := tutor.drills()) is not None:
            return received
        time.sleep(0.01)
    raise AssertionError("no drills came")


def told(drills: list[DocumentPair], *, right: bool) -> list[Score]:
    sizes = [len(steps) for _, steps in drills]
    return [Score(array("f", [0.0 if right else -1.0] * n), bytes([right]) * n) for n in sizes]


@pytest.mark.long(reason="a tutor's process sets five sets of drills, twice")
@pytest.mark.parametrize("right", [True, False])
def test_a_spacing_opens_for_a_model_that_holds_the_last_one(recipe: Path, tutor: TutorProcess, right: bool) -> None:
    for _ in range(3):
        tutor.report(told(waited(tutor), right=right))
    waited(tutor)
    waited(tutor)  # is set when the third set's scores were taken in
    now = json.loads(recipe.with_name("curriculum.json").read_text())
    assert now["sets"] >= 3
    assert now["opened"] == (4 if right else 2)
    assert (now["factors"]["reveal 4"] > now["factors"]["reveal 2"]) is right
    log = [json.loads(line) for line in recipe.with_name("curriculum.log.jsonl").read_text().splitlines()]
    assert [line["sets"] for line in log] == list(range(1, now["sets"] + 1))


MIXTURE = Mixture(
    sources=(
        Source(kind="generate", program="worldline.programs.generate:program"),
        Source(kind="tasks", program="worldline.programs.tasks:program"),
    ),
    modes=(Mode(weight=1.0), Mode(weight=1.0, options=Compact(bare=True))),
    shift=0.0,
)


def written(path: Path, factors: dict[str, float]) -> None:
    path.write_text(json.dumps({"factors": factors}))


def test_documents_follow_the_file_as_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "curriculum.json"
    received = draw_documents(MIXTURE, trust=True, factors=Factors(path))
    assert {drill.kind for drill in islice(received, 40)} == {"generate", "tasks"}
    written(path, {"source tasks": 0.0, "mode bare": 0.0})
    later = list(islice(received, 40, 80))  # behind what was already recorded
    assert {drill.kind for drill in later} == {"generate"}
    assert not any(drill.prompt.startswith(b"# bare") for drill in later)


def test_without_a_file_documents_are_what_they_were(tmp_path: Path) -> None:
    plain = list(islice(draw_documents(MIXTURE, trust=True), 20))
    assert plain == list(islice(draw_documents(MIXTURE, trust=True, factors=Factors(tmp_path / "none")), 20))


def test_kinds_and_operations_come_by_their_factors() -> None:
    import random

    only = {f"kind {name}": 0.0 for name in _kinds()} | {"kind drill-slice": 1.0}
    programs = draw_programs(MIXTURE, random.Random(1), Factors(table=only | {"source tasks": 0.0}))
    assert all("[" in program.source for _, program, _ in islice(programs, 20))
    counts = []
    for factor in (0.5, 2.0):
        table = {"operation append": factor, "operation arithmetic": 1 / factor}
        programs = draw_programs(MIXTURE, random.Random(1), Factors(table=table))
        counts.append(sum(".append(" in program.source for _, program, _ in islice(programs, 300)))
    assert counts[1] > 1.3 * counts[0]


def _kinds() -> list[str]:
    from worldline.programs.generate import SHARES

    return list(SHARES)


def test_a_program_is_kept_by_the_mean_of_its_operations() -> None:
    factors = {"count": 2.0, "slice": 0.5}
    assert acceptance_rate({"count"}, factors) == 1.0
    assert acceptance_rate({"slice"}, factors) == 0.25
    assert acceptance_rate({"slice", "count"}, factors) == 0.625
    assert acceptance_rate({"other"}, factors) == 0.5
    assert acceptance_rate((), factors) == acceptance_rate({"count"}, {}) == 1.0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"factors": {"a": "b"}}', '{"factors": {"a": -1}}'])
def test_a_file_that_is_no_curriculum_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "curriculum.json"
    path.write_text(text)
    with pytest.raises(FormatError):
        Factors(path).renewed()
    with pytest.raises(FormatError):
        read_curriculum(path)


@pytest.mark.parametrize("data", [b"{", b"\xff", b"\xef\xbb\xbf{}"])
def test_a_curriculum_that_is_no_json_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "curriculum.json"
    path.write_bytes(data)
    with pytest.raises(FormatError):
        read_curriculum(path)


def test_a_curriculum_that_is_not_there_is_refused(tmp_path: Path) -> None:
    from worldline.model.train.config import Training, with_curriculum

    adaptive, path = load_config("curriculum", "adaptive", Training), tmp_path / "curriculum.json"
    with pytest.raises(UsageError, match=r"curriculum .* does not exist"):
        read_curriculum(path)
    with pytest.raises(UsageError, match=r"curriculum .* does not exist"):
        with_curriculum(adaptive, str(path))
    with pytest.raises(UsageError, match="no tutor"):
        with_curriculum(load_config("curriculum", "fixed", Training), str(path))
    written(path, {})
    assert with_curriculum(adaptive, str(path)).tutor[-2:] == ("--start", str(path))


def test_factors_outlive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "curriculum.json"
    factors = Factors(path)
    assert not factors.renewed()
    written(path, {"source tasks": 0.5})
    assert factors.renewed()
    assert not factors.renewed()
    path.unlink()
    path.mkdir()  # what is there can be looked at, and not read
    assert not factors.renewed()
    assert factors("source tasks") == 0.5


def test_the_recipe_of_the_experiment_differs_in_the_curriculum_alone() -> None:
    from worldline.model.train.config import Training

    fixed, adaptive = (load_config("curriculum", name, Training).to_json() for name in ("fixed", "adaptive"))
    differing = {name for name in fixed if fixed[name] != adaptive[name]}
    assert differing == {"tutor", "sources"}
    words = [Counter(drill["sources"][0]["commands"][0]) for drill in (fixed, adaptive)]
    assert set(words[1] - words[0]) == {"--curriculum", "{run}/curriculum.json"}
