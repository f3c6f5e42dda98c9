"""The twins that only run: breadth-first finds a shortest plan, one execution a node; the others count as well."""

from __future__ import annotations

import pytest
from table_engine import TableRuns, machine

from worldline.plan.reach.executed import breadth_first, nearest_first, random_plans
from worldline.plan.reach.goal import read_goal
from worldline.plan.reach.runs import MachineRuns, sandboxed_machine

MOST = {"executions": 100, "depth": 5}


def test_breadth_first_finds_a_shortest_plan_one_execution_a_node() -> None:
    runs = TableRuns()
    found = breadth_first(runs, read_goal("x == 4"), 2, ignored="command", **MOST)
    assert found.plan == (0, 0, 1)
    assert found.executions == runs.executions == 7  # a state that was seen is not gone on from


def test_nearest_first_and_random_plans() -> None:
    found = nearest_first(TableRuns(), read_goal("x == 5"), 2, ignored="command", **MOST)
    assert found.plan is not None
    found = random_plans(TableRuns(), read_goal("x == 2"), 2, seed=1, **MOST)
    assert found.plan is not None
    assert found.executions >= 1


def test_what_is_out_of_reach_takes_no_more_than_it_may() -> None:
    goal = read_goal("x == -1")
    assert breadth_first(TableRuns(), goal, 2, executions=7, depth=9).executions == 7
    assert nearest_first(TableRuns(), goal, 2, executions=7, depth=9).executions == 7
    assert random_plans(TableRuns(), goal, 2, executions=7, depth=9).executions == 7
    assert breadth_first(TableRuns(), goal, 2, executions=1000, depth=3, ignored="command").plan is None


@pytest.mark.usefixtures("sandbox")
def test_on_the_interpreter() -> None:
    with sandboxed_machine() as world:
        runs = MachineRuns(world, machine())
        found = breadth_first(runs, read_goal("x == 2"), 2, ignored="command", **MOST)
    assert found.plan == (0, 0)
    assert found.executions == runs.executions
