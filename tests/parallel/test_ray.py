"""On a real cluster of several Ray nodes the results are those of one machine, to the byte, also when a node dies."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest

ray = pytest.importorskip("ray")
os.environ.update(
    RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_UV_RUN_RUNTIME_ENV="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0",
    RAY_worker_niceness="0",  # or tests beside these would starve them
)  # fmt: skip

from ray._private import services  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402
from repository import made_recordings  # noqa: E402

import worldline  # noqa: E402
from worldline.cli import main  # noqa: E402
from worldline.core.errors import UsageError, WorldlineError  # noqa: E402
from worldline.core.program import Program  # noqa: E402
from worldline.data.build.build import BuildProgress, build_dataset  # noqa: E402
from worldline.data.load import load_all  # noqa: E402
from worldline.data.mine.mine import MiningCounts, mine  # noqa: E402
from worldline.data.mixture import TASKS, Mixture  # noqa: E402
from worldline.data.record_many import record_many  # noqa: E402
from worldline.data.repository.record import record_repositories  # noqa: E402
from worldline.evaluation.external.scored import score  # noqa: E402
from worldline.evaluation.run.directory import newest  # noqa: E402
from worldline.evaluation.run.run import run  # noqa: E402
from worldline.evaluation.run.spread import spread  # noqa: E402
from worldline.evaluation.suites import load  # noqa: E402
from worldline.evaluation.summary import Report  # noqa: E402
from worldline.parallel.pool import in_order  # noqa: E402
from worldline.parallel.ray_pool import RayPool  # noqa: E402
from worldline.plan.repair.edits.proposer import EditProposer  # noqa: E402
from worldline.plan.repair.rows import checks_from_rows  # noqa: E402
from worldline.plan.repair.search import RepairPlan, repair  # noqa: E402
from worldline.predict.models import load_model  # noqa: E402
from worldline.predict.prediction import PredictionRequest  # noqa: E402
from worldline.programs import generate  # noqa: E402
from worldline.recording.calls import caller  # noqa: E402
from worldline.recording.recorder import record  # noqa: E402

for module in (sys.modules[__name__], made_recordings):
    ray.cloudpickle.register_pickle_by_value(module)  # a worker does not know the tests
TINY = Mixture(sources=(TASKS,))
STORE = 80 << 20  # bytes
FUNCTIONS = """
def twice{0}(n: int) -> int:
    total = {0}
    for k in range(n % 5):
        total += k
    return total

def longer{0}(text: str) -> str:
    return text + str({0}) if text else "none{0}"
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services, "get_node", patiently(services.get_node))
        made = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False},
        )
        for _ in range(2):
            made.add_node(num_cpus=1, object_store_memory=STORE)
        ray.init(address=made.address, log_to_driver=False, logging_level="error")
        yield made
        ray.shutdown()
        made.shutdown()


def patiently(get_node: Callable[..., Any]) -> Callable[..., Any]:
    """Ray gives a node 30 s to start, and that cannot be set: too few where the host is busy with others."""

    def asked(*which: str) -> Any:
        until = time.monotonic() + 300
        while True:
            try:
                return get_node(*which)
            except RuntimeError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    return asked


@pytest.fixture
def killer(cluster: Any) -> Iterator[Callable[[], None]]:
    """Kills a node, once; another takes its place when the test is over."""
    victims = cluster.list_all_nodes()[1:2]

    def kill() -> None:
        if victims:
            cluster.remove_node(victims.pop(), allow_graceful=False)

    yield kill
    if not victims:
        cluster.add_node(num_cpus=1, object_store_memory=STORE)
        cluster.wait_for_nodes(timeout=120)


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file, but for the lock's."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if "lock" not in path.name}


def built(out: Path, *, count: int = 80, **how: Any) -> dict[str, bytes]:
    build_dataset(TINY, out, count=count, unit=20, **how)
    return contents(out)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return built(tmp_path_factory.mktemp("one") / "data", workers=1)


@pytest.mark.long(reason="a second dataset on the cluster")
def test_a_dataset_is_that_of_one_machine_and_grows_as_there(
    cluster: Any, whole: dict[str, bytes], tmp_path: Path
) -> None:
    shop = RayPool()
    with pytest.raises(ZeroDivisionError):  # whoever asks dies after the first unit
        built(tmp_path / "data", pool=shop, progress=lambda now: 1 // 0)
    stored = contents(tmp_path / "data")
    assert built(tmp_path / "data", pool=shop) == whole
    assert {name: data for name, data in stored.items() if name.endswith("parquet")}.items() <= whole.items()
    assert "2 nodes, 2 CPUs" in shop.summary


@pytest.mark.long(reason="test_only_units_of_a_node_that_died_are_done_again kills one too")
def test_a_node_that_dies_while_a_dataset_is_made_loses_nothing(
    killer: Callable[[], None], whole: dict[str, bytes], tmp_path: Path
) -> None:
    told: list[BuildProgress] = []

    def tell(now: BuildProgress) -> None:
        told.append(now)
        killer()

    assert built(tmp_path / "data", pool=RayPool(), progress=tell) == whole
    assert len(told) > 2


@pytest.fixture(scope="module")
def quarry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quarry") / "sample"
    folder.mkdir()
    for number in range(12):
        (folder / f"part{number}.py").write_text(FUNCTIONS.format(number))
    return folder


@pytest.fixture(scope="module")
def mined(quarry: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("mined") / "calls.xz"
    assert mine([str(quarry)], out=out).functions == 12
    return contents(out.parent)


@pytest.mark.long(reason="a second node is killed")
def test_what_is_mined_is_that_of_one_machine_also_when_a_node_dies(
    killer: Callable[[], None], quarry: Path, mined: dict[str, bytes], tmp_path: Path
) -> None:
    def tell(now: MiningCounts) -> None:
        if now.files == 2:
            killer()

    mine([str(quarry)], out=tmp_path / "calls.xz", pool=RayPool(), progress=tell)
    assert contents(tmp_path) == mined


def test_a_mining_that_stopped_goes_on_from_the_same_journal(
    cluster: Any, quarry: Path, mined: dict[str, bytes], tmp_path: Path
) -> None:
    def stop(now: MiningCounts) -> None:
        if now.files == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        mine([str(quarry)], out=tmp_path / "calls.xz", pool=RayPool(), progress=stop)
    noted = (tmp_path / "calls.xz.journal").read_bytes().splitlines()
    assert len(noted) > 3
    shutil.copy(tmp_path / "calls.xz.journal", tmp_path / "kept")
    mine([str(quarry)], out=tmp_path / "calls.xz")  # on one machine: the journal is the same
    (tmp_path / "kept").unlink()
    assert contents(tmp_path) == mined


def test_a_node_without_a_box_is_named_and_refused(cluster: Any, tmp_path: Path) -> None:
    path = os.pathsep.join(
        folder for folder in os.environ["PATH"].split(os.pathsep) if not os.path.exists(f"{folder}/bwrap")
    )
    bare = cluster.add_node(num_cpus=1, object_store_memory=STORE, env_vars={"PATH": path})
    try:
        cluster.wait_for_nodes(timeout=120)
        with pytest.raises(WorldlineError, match=r"Node \S+ \(\w{8}\) has no sandbox.*bwrap is missing"):
            RayPool()
        assert RayPool(trust=True).summary.startswith("0 units")
    finally:
        cluster.remove_node(bare)


class Noting:
    """A worker that leaves a file for each time that it does a unit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, unit: int) -> int:
        (self._folder / f"{unit} {uuid4().hex}").touch()
        return sum(range(1_000_000)) * 0 + unit

    def close(self) -> None:
        pass


def test_only_units_of_a_node_that_died_are_done_again(killer: Callable[[], None], tmp_path: Path) -> None:
    shop, found = RayPool(trust=True), []
    for number, unit in shop.map(partial(Noting, tmp_path), range(60)):
        found.append(number)
        assert unit == number
        if len(found) == 20:
            killer()
    assert sorted(found) == list(range(60))
    assert 60 <= len(os.listdir(tmp_path)) <= 60 + 4  # two processors, two units under way for each


class Failing:
    """A worker whose units say what becomes of them."""

    def __call__(self, unit: str) -> str:
        if unit == "usage":
            raise UsageError("not so")
        if unit == "fault":
            raise KeyError("missing")
        if unit == "dies":
            os._exit(9)
        return unit.upper()

    def close(self) -> None:
        pass


def test_errors_of_units_are_told_as_they_are_here(cluster: Any) -> None:
    shop = RayPool(trust=True)
    assert list(in_order(shop.map(partial(Failing), ["a", "b", "c"]))) == ["A", "B", "C"]
    with pytest.raises(UsageError, match="not so"):
        list(shop.map(Failing, ["a", "usage"]))
    with pytest.raises(KeyError, match="missing"):
        list(shop.map(Failing, ["fault", "a"]))
    with pytest.raises(WorldlineError, match="died in each of 5 attempts"):
        list(shop.map(Failing, ["dies"]))


def test_programs_are_recorded_as_they_are_here(cluster: Any, tmp_path: Path) -> None:
    programs = [generate.program(Random(f"ray/{number}")) for number in range(70)]
    here = list(record_many(programs, out=tmp_path / "here"))
    there = list(record_many(programs[:40], out=tmp_path / "there", ray="auto"))
    there += record_many(programs, out=tmp_path / "there", ray="auto")  # goes on behind those that are stored
    assert there == here
    assert list(load_all(tmp_path / "there")) == list(load_all(tmp_path / "here"))


def same_run(one: Path, other: Path) -> None:
    """The records of two runs, but for the time that they took."""
    rows = [
        [replace(record, found=replace(record.found, seconds=0.0)) for record in newest(path).values()]
        for path in (one, other)
    ]
    assert rows[0] == rows[1] != []


def reported(found: Report) -> dict[str, Any]:
    """A report, but for the time that it took."""
    return {key: value for key, value in found.as_json().items() if "seconds" not in key}


def test_a_suite_is_asked_and_judged_as_it_is_here_and_goes_on(cluster: Any, tmp_path: Path) -> None:
    model = f"python:{Path(__file__).parent / 'forgetful.py'}:Forgetful"
    shop, make = RayPool(), partial(load_model, model, {})
    here = run(load("generated", seed=3), make(), limit=24, out=tmp_path / "here")
    rows = spread(shop, make, "compact")
    run(load("generated", seed=3), make(), limit=10, out=tmp_path / "there", executor=rows)
    there = run(load("generated", seed=3), make(), limit=24, out=tmp_path / "there", executor=rows)
    assert 0 < there.as_json()["answer"]["right"] < 24
    assert reported(there) == reported(here)
    same_run(tmp_path / "here", tmp_path / "there")


def test_predictions_are_judged_as_they_are_here(cluster: Any, tmp_path: Path) -> None:
    tasks = list(islice(load("generated", seed=3).tasks, 20))
    predictor = load_model("interpreter", {})
    texts = predictor.predict([PredictionRequest(program=task.program, options=task.options) for task in tasks])
    told = [
        {
            "id": task.name, "source": task.program.source, "call": task.program.call,
            "text": found.text.decode()[: None if number % 3 else -9],
        }
        for number, (task, found) in enumerate(zip(tasks, texts, strict=True))
    ]  # fmt: skip
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in told))
    here = score(str(path), path, out=tmp_path / "here")
    there = score(str(path), path, out=tmp_path / "there", pool=RayPool())
    assert reported(there) == reported(here)
    same_run(tmp_path / "here", tmp_path / "there")


BROKEN = """
def greatest(values):
    best = values[0]
    for value in values[1:]:
        if value < best:
            best = value
    return best
"""


@pytest.mark.parametrize("executions", [2_000, 30])
def test_a_repair_is_that_of_one_machine(cluster: Any, executions: int) -> None:
    program = Program(source=BROKEN, name="greatest.py")
    tests = checks_from_rows(program, [[[[1, 2, 3]], 3], [[[5, 1]], 5], [[[4, 9, 4]], 9]], "greatest")
    plan, found = RepairPlan(executions=executions), []
    for pool in (None, RayPool()):
        with caller() as runs:
            found.append(repair(program, tests, runs, record, proposers=[EditProposer()], plan=plan, pool=pool))
    assert found[0] == found[1]
    assert found[0].patches or executions == 30


FORGETFUL = f"python:{Path(__file__).parent / 'forgetful.py'}:Forgetful"
COMBINED: dict[str, dict[str, Any]] = {
    "scratchpad": {"suite": "generated", "model": FORGETFUL, "scratchpad": "flatten"},
    "forced on a scratchpad": {
        "suite": "generated", "model": "interpreter", "scratchpad": "flatten", "force": "actions",
    },
    "shard": {"suite": "generated", "model": FORGETFUL, "shard": "2/3"},
    "repeats of a scratchpad": {
        "suite": "generated", "model": FORGETFUL, "scratchpad": "flatten", "repeats": 2,
    },
    "vote": {"suite": "generated", "model": FORGETFUL, "scratchpad": "flatten", "samples": 2},
    "states": {"suite": "states", "model": "interpreter", "of": "permutation", "length": [4]},
    "shard of states": {
        "suite": "states", "model": "interpreter", "of": "permutation", "length": [4], "shard": "1/2",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", COMBINED)
def test_a_cluster_goes_with_every_way_to_ask(cluster: Any, name: str, tmp_path: Path) -> None:
    options = {**COMBINED[name], "max_programs": 6}
    here = worldline.bench(**options, out=tmp_path / "here")
    there = worldline.bench(**options, out=tmp_path / "there", ray="auto")
    assert untimed(there.as_json()) == untimed(here.as_json())
    logs = [path.relative_to(tmp_path / "here") for path in (tmp_path / "here").rglob("*.jsonl")]
    assert len(logs) == options.get("repeats", 1)
    for log in logs:
        assert (tmp_path / "there" / log).stat().st_size > 0


def untimed(told: Any) -> Any:
    """A report without what a clock said."""
    if isinstance(told, dict):
        return {key: untimed(value) for key, value in told.items() if key != "seconds"}
    return [untimed(value) for value in told] if isinstance(told, list) else told


def test_outputs_in_order_are_not_dealt_out(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "generated", "--model", "replay:x", "-M", "by=order", "--ray"]) == 2
    assert "would take those of other programs" in capsys.readouterr().err


@pytest.mark.long(reason="starts five commands, each with its own Ray client")
def test_the_verbs_take_a_cluster(
    cluster: Any, whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "tiny.py"
    recipe.write_text(
        "from worldline.data.mixture import TASKS, Mixture\n\ndef data():\n    return Mixture(sources=(TASKS,))\n"
    )
    words = f"data build {recipe} -o {tmp_path / 'data'} --count 80 --unit 20 --ray".split()
    assert main(words) == 0
    assert contents(tmp_path / "data") == whole
    words = [
        "bench",
        "permutation",
        "--length",
        "8",
        "--model",
        "interpreter",
        "--max-programs",
        "4",
        "--ray",
        "auto",
        "--json",
    ]
    capsys.readouterr()
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["answer"]["right"] == 4


@pytest.mark.long(reason="a unit kills its worker ten times; make test kills a local worker")
def test_repositories_are_recorded_as_on_one_machine(cluster: Any, tmp_path: Path) -> None:
    behaviours = {"a": "tests 7", "b": "error", "c": "tests 30", "d": "kill", "e": "tests 2"}
    for name, behaviour in behaviours.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "behaviour").write_text(behaviour)
    paths, record_made = [str(tmp_path / name) for name in behaviours], made_recordings.record_made
    local = record_repositories(paths, tmp_path / "local", workers=2, record=record_made)
    report = record_repositories(paths, tmp_path / "cluster", ray="auto", record=record_made)
    assert [Path(failed.repository).name for failed in report.failed] == ["b", "d"]
    assert [replace(one, error="") for one in report.repositories] == [
        replace(one, error="") for one in local.repositories
    ]
    stored, expected = contents(tmp_path / "cluster"), contents(tmp_path / "local")
    # Why a worker died is said in other words.
    assert {**stored, "report.json": b""} == {**expected, "report.json": b""}
    alone = record_repositories(paths[2:3], tmp_path / "alone", ray="auto", record=record_made)
    assert dict(alone.repositories[0].tests) == {"passed": 30}
