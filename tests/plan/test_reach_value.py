"""A value learned from searches: its targets are shortest paths, its fit is a regression, and a search follows it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_engine import DEPTH, TableRuns, predicted

from worldline.plan.reach.goal import StateGoal, goal_of_state, read_goal
from worldline.plan.reach.search import ReachBudget, ReachResult, StateValue, reach
from worldline.plan.reach.value import (
    DISCOUNT,
    FEATURES,
    LearnedValue,
    ValueLesson,
    fit_value,
    lessons_of,
    state_features,
)
from worldline.plan.search.node import SearchNode
from worldline.plan.search.selection import estimated_puct

BUDGET = ReachBudget(depth=DEPTH, executions=1, simulations=24)


def search(goal: str, value: StateValue | None, way: str = "near", *, budget: ReachBudget = BUDGET) -> ReachResult:
    return reach(predicted(), TableRuns(), read_goal(goal), 2, budget=budget, way=way, ignored="command", value=value)


def test_features_compare_a_state_with_a_goal() -> None:
    start, goal = {"x": "0", "bag": "[]"}, read_goal("x == 4 and bag == ['key']")
    at_goal = state_features({"x": "4", "bag": "['key']"}, start, goal)
    assert at_goal == (1.0, 1.0, 1.0, 0.0, 0.0, 1.0)
    half = dict(zip(FEATURES, state_features({"x": "4", "bag": "[]"}, start, goal), strict=True))
    assert (half["conditions that hold"], half["one condition left"], half["changed"]) == (0.5, 1.0, 0.5)
    far = state_features(start, start, goal)
    assert far[1] == 0.0
    assert all(0 <= feature <= 1 for feature in far)


def test_a_state_is_a_goal_without_what_is_no_literal() -> None:
    goal = goal_of_state({"x": "3", "command": "'go'", "it": "Robot#1(x=3)"}, "command")
    assert goal is not None
    assert goal.text == "x == 3"
    assert goal_of_state({"command": "'go'"}, "command") is None
    parts = read_goal("x == 3 and not y == 1").parts()
    assert [part.text for part in parts] == ["x == 3", "not y == 1"]
    assert [part.text for part in read_goal("x == 3 or y == 1").parts()] == ["x == 3 or y == 1"]


def test_targets_are_the_fewest_commands_in_the_graph_of_the_search() -> None:
    """`add` and `double` from 0: the graph's own shortest paths, found again by hand."""
    nodes = search("x == 31", None).nodes
    edges: dict[int, set[int]] = {}
    for node in nodes:
        if node.parent is not None:
            edges.setdefault(int(node.parent.state.names["x"]), set()).add(int(node.state.names["x"]))

    def fewest(start: int, goal: int) -> int | None:
        level, seen = {start}, {start}
        for size in range(40):
            if goal in level:
                return size
            level = {after for state in level for after in edges.get(state, ())} - seen
            seen |= level
        return None

    states = {int(node.state.names["x"]) for node in nodes}
    expected = set()
    for goal in states - {0}:
        for state in states:
            away = fewest(state, goal)
            if away is not None or state in edges:
                features = state_features({"x": str(state)}, {"x": "0"}, read_goal(f"x == {goal}"))
                expected.add((features, 0.0 if away is None else DISCOUNT**away))
    lessons = {(lesson.features, lesson.target) for lesson in lessons_of(nodes, ignored="command", seed=1)}
    assert len(lessons) > 20
    assert lessons <= expected


def test_lessons_are_the_same_for_the_same_seed() -> None:
    nodes = search("x == 31", None).nodes
    assert lessons_of(nodes, ignored="command", seed=2) == lessons_of(nodes, ignored="command", seed=2)


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_a_fit_finds_the_value_behind_the_targets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true = rng.uniform(-2, 2, len(FEATURES))
    rows = np.hstack([np.ones((3000, 1)), rng.uniform(0, 1, (3000, len(FEATURES) - 1))])
    targets = 1 / (1 + np.exp(-rows @ true))
    value = fit_value(ValueLesson(tuple(row), float(target)) for row, target in zip(rows, targets, strict=True))
    predicted_targets = 1 / (1 + np.exp(-rows @ np.array(value.weights)))
    assert float(np.abs(predicted_targets - targets).mean()) < 0.01


def test_a_fit_of_nothing_but_zeros_is_finite() -> None:
    value = fit_value([ValueLesson((1.0,) * len(FEATURES), 0.0)] * 50)
    assert all(math.isfinite(weight) for weight in value.weights)
    assert value({"x": "1"}, {"x": "0"}, read_goal("x == 2")) < 0.5


@pytest.mark.parametrize("way", ["near", "uct"])
def test_a_search_follows_its_value(way: str) -> None:
    """One value prefers large states and one small ones: they expand other nodes of the same machine."""

    def large(names: Mapping[str, str], _: Mapping[str, str], __: StateGoal) -> float:
        return int(names["x"]) / 32

    def small(names: Mapping[str, str], _: Mapping[str, str], __: StateGoal) -> float:
        return 1 - int(names["x"]) / 32

    few = ReachBudget(depth=DEPTH, executions=1, simulations=6)
    biggest = [
        max(int(node.state.names["x"]) for node in search("x == 31", value, way, budget=few).nodes)
        for value in (large, small)
    ]
    assert biggest == [16, 12]
    found = search("x == 16", large, way)
    assert found.plan is not None
    assert found.why == "reached"


@pytest.mark.parametrize("way", ["near", "uct"])
def test_a_learned_value_finds_goals_of_other_searches(way: str) -> None:
    value = fit_value(lessons_of(search("x == 31", None).nodes, ignored="command", seed=0))
    for goal in ("x == 5", "x == 8", "x == 12"):
        found = search(goal, value, way)
        assert found.plan is not None
        assert found.spent.executions == 1
    again = [search("x == 12", value, way).plan for _ in range(2)]
    assert again[0] == again[1]
    near, far = ({"x": text} for text in ("11", "1"))
    assert value(near, {"x": "0"}, read_goal("x == 12")) > value(far, {"x": "0"}, read_goal("x == 12"))
    assert isinstance(value, LearnedValue)


def test_puct_is_alphazeros() -> None:
    root = SearchNode(None)
    for move, (visits, total) in enumerate(((9, 4.5), (3, 1.2), (0, 0.0))):
        child = root.add_child(move, None)
        child.visits, child.total = visits, total
    root.visits = 12
    children = list(root.children.values())
    priors = {0: 0.2, 1: 0.7, 2: 0.1}
    select = estimated_puct(lambda _: 0.3, lambda child: priors[child.action])
    bounds = [
        value + 2.0 * priors[move] * math.sqrt(12) / (1 + visits)
        for move, (value, visits) in enumerate(((0.5, 9), (0.4, 3), (0.3, 0)))
    ]
    assert select(root, children, 2.0) is children[int(np.argmax(bounds))] is children[1]
    assert select(root, children, 0.0) is children[0]
    assert bounds[1] == pytest.approx(0.4 + 1.4 * math.sqrt(12) / 4)
