"""Search over snapshots: golden trees replayed exactly by an engine of known texts, corrections, the real parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from table_engine import DEPTH, TableRuns, machine, predicted, text_of

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.reach.goal import read_goal
from worldline.plan.reach.machine import read_machine, shipped_machines
from worldline.plan.reach.predicted_machine import PredictedMachine, Snapshot
from worldline.plan.reach.runs import MachineRuns, sandboxed_machine
from worldline.plan.reach.search import WAYS, ReachBudget, ReachResult, reach
from worldline.predict.models import load_local

GOLDEN = Path(__file__).parent / "reach_trees.json"
BUDGET = ReachBudget(depth=DEPTH, executions=4, simulations=24)


def search(goal: str, way: str, *, wrong: bool = False, budget: ReachBudget = BUDGET) -> ReachResult:
    return reach(predicted(wrong=wrong), TableRuns(), read_goal(goal), 2, budget=budget, way=way, ignored="command")


def after_text(found: ReachResult) -> dict[str, object]:
    """A search as plain data."""
    rows = [
        [node.parent.number if node.parent else -1, node.action, node.state.names.get("x", "")]
        + [node.visits, round(node.value, 4)]
        + [word for word in ("is_true", "corrected", "chosen", "dropped") if getattr(node.state, word)]
        for node in found.nodes
    ]
    spent = [found.spent.executions, found.spent.bytes, found.simulations]
    return {"plan": found.plan, "why": found.why, "spent": spent, "nodes": rows}


@pytest.mark.usefixtures("sandbox")
def test_the_texts_of_the_table_are_those_of_real_runs() -> None:
    with sandboxed_machine() as world:
        runs = MachineRuns(world, machine())
        stops = runs.after((0, 0, 1, 1, 0))
    assert [stop.text for stop in stops] == [text_of((0, 0, 1, 1, 0)[:size]) for size in range(6)]
    assert [stop.names["x"] for stop in stops] == ["0", "1", "2", "4", "8", "9"]
    assert runs.executions == 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrong", [False, True])
def test_golden_trees_are_replayed_exactly(way: str, *, wrong: bool) -> None:
    found = after_text(search("x == 5", way, wrong=wrong))
    golden = json.loads(GOLDEN.read_text("utf-8"))[f"{way}{' wrong' if wrong else ''}"]
    assert json.loads(json.dumps(found)) == golden


def test_a_right_imagination_takes_one_execution() -> None:
    for way in WAYS:
        found = search("x == 5", way)
        assert found.plan is not None
        assert found.spent.executions == 1
        assert found.why == "reached"
        assert [node.action for node in found.nodes if node.state.chosen] == [-1, *found.plan]


def test_a_wrong_one_is_corrected_by_a_run_and_goes_on() -> None:
    found = search("x == 3", "near", wrong=True)
    assert found.plan is not None
    assert found.spent.executions == 2
    fixed = [node for node in found.nodes if node.state.corrected]
    assert [node.state.names["x"] for node in fixed] == ["2"]
    assert all(node.state.is_true for node in found.nodes if node.state.chosen)


@pytest.mark.parametrize("way", WAYS)
def test_equal_states_are_gone_on_from_when_no_new_one_is_left(way: str) -> None:
    """Both first commands are imagined to change nothing: what is equal to the start is expanded all the same."""
    small = ReachBudget(depth=2, executions=1, simulations=24)
    found = reach(predicted(stuck=True), TableRuns(), read_goal("x == 1"), 2, budget=small, way=way, ignored="command")
    assert found.simulations > 1
    assert found.plan == (0,)  # the run of what was imagined behind it shows that the first command was enough
    assert found.spent.executions == 1


class Counting:
    """An imagination that remembers how many forks each batch had."""

    def __init__(self, inner: PredictedMachine) -> None:
        self._inner, self.batches = inner, list[int]()

    @property
    def written(self) -> int:
        return self._inner.written

    def begin(self) -> Snapshot:
        return self._inner.begin()

    def after_text(self, text: bytes) -> Snapshot:
        return self._inner.after_text(text)

    def follow(self, forks: Sequence[tuple[Snapshot, int]]) -> list[Snapshot]:
        self.batches.append(len(forks))
        return self._inner.follow(forks)


@pytest.mark.parametrize("way", WAYS)
def test_several_leaves_are_one_batch(way: str) -> None:
    """Four leaves at a time, of different states: as many simulations may be made, in fewer batches."""
    seen, found = [], []
    for leaves in (1, 4):
        asked = Counting(predicted())
        budget = ReachBudget(depth=DEPTH, executions=1, simulations=7, leaves=leaves)
        result = reach(asked, TableRuns(), read_goal("x == 31"), 2, budget=budget, way=way, ignored="command")
        seen.append(asked.batches)
        found.append(result)
    assert seen[0] == [2] * 7
    assert sum(seen[1]) == 14
    assert len(seen[1]) < 7
    assert max(seen[1]) == 4
    assert [one.simulations for one in found] == [7, 7]
    wide = search("x == 5", way, budget=ReachBudget(depth=DEPTH, executions=4, simulations=24, leaves=4))
    assert wide.plan is not None
    assert wide.spent.executions == 1


def test_what_is_imagined_of_a_fork_does_not_hang_on_the_batch() -> None:
    asked = predicted()
    start = asked.begin()
    one, other = asked.follow([(start, 0), (start, 1)])
    apart = [asked.follow([fork])[0] for fork in ((one, 0), (other, 1), (start, 1))]
    at_once = asked.follow([(one, 0), (other, 1), (start, 1)])
    assert [each.text for each in at_once] == [each.text for each in apart]


@pytest.mark.parametrize("way", WAYS)
def test_where_imagination_meets_no_goal_a_run_corrects_it(way: str) -> None:
    """Nothing that is imagined is 2, since 1 + 1 is thought to be 3 and doubling is not allowed deep enough."""
    small = ReachBudget(depth=2, executions=4, simulations=24)
    found = reach(
        predicted(wrong=True, stuck=True), TableRuns(), read_goal("x == 2"), 2, budget=small, way=way, ignored="command"
    )
    assert found.plan in {(0, 0), (0, 1)}
    assert found.why == "reached"
    assert 1 <= found.spent.executions <= 3
    assert any(node.state.corrected for node in found.nodes)


def test_simulations_that_are_spent_leave_runs() -> None:
    found = search("x == 4", "sure", budget=ReachBudget(depth=DEPTH, executions=4, simulations=1))
    assert found.simulations == 1
    assert found.plan is None
    assert found.why == "1 simulation made, and every predicted plan was executed"
    assert found.spent.executions == 2


def test_what_was_imagined_below_a_wrong_node_is_dropped() -> None:
    found = search("x == 7", "sure", wrong=True)
    dropped = [node for node in found.nodes if node.state.dropped]
    assert dropped
    assert found.plan is not None
    assert not any(node.state.chosen for node in dropped)


def test_a_goal_out_of_reach_ends_by_its_budget() -> None:
    small = ReachBudget(depth=2, executions=4, simulations=24)
    found = search("x == 100", "near", budget=small)
    assert found.plan is None
    assert found.spent.executions == 4
    assert found.why == "every plan within the depth was predicted, and 4 executions spent"
    found = search("x == 100", "uct", budget=ReachBudget(depth=DEPTH, simulations=3, executions=1))
    assert found.why == "3 simulations made, and 1 execution spent"
    found = search("x == 100", "sure", budget=ReachBudget(depth=DEPTH, bytes=60, executions=1))
    assert found.why.endswith("bytes predicted, and 1 execution spent")


def test_a_goal_that_holds_at_once() -> None:
    found = search("x == 0", "near")
    assert found.plan == ()
    assert found.spent.executions == 1


def test_refusals() -> None:
    with pytest.raises(UsageError, match="near, sure, uct"):
        search("x == 1", "wide")
    with pytest.raises(UsageError, match="at least one"):
        ReachBudget(executions=0)


@pytest.mark.usefixtures("sandbox")
def test_the_real_engine_and_the_real_box() -> None:
    robot = read_machine(Program(source=shipped_machines()["robot"], call="robot()"))
    local = load_local("default", {"guard": "true", "threads": "1"})
    with sandboxed_machine() as world:
        twice = [
            reach(
                PredictedMachine(local, robot),
                MachineRuns(world, robot),
                read_goal("x == 1 and y == 1"),
                4,
                budget=ReachBudget(executions=2, simulations=8),
                ignored="command",
            )
            for _ in range(2)
        ]
    assert after_text(twice[0]) == after_text(twice[1])
    assert sorted(robot.words(twice[0].plan or ())) == ["right", "up"]
    assert twice[0].spent.executions == 1
