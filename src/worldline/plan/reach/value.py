"""A value of predicted states, learned from the searches that it will guide.

A search leaves a graph: states, true or predicted, and the commands between them. States that were met become goals in
hindsight (Andrychowicz et al., 2017), and the target of a state is DISCOUNT to the power of the fewest commands to the
goal in that graph, 0 without a path. A logistic regression of features that every machine has learns the targets. The
features compare a state with a goal, so the value of one machine serves another.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from worldline.plan.reach.goal import NO_VALUE_DISTANCE, StateGoal, goal_of_state
from worldline.plan.reach.runs import state_key
from worldline.plan.search.node import SearchNode

DISCOUNT = 0.8  # per command
GOALS_PER_SEARCH = 12  # in hindsight
RIDGE = 1.0  # pulls weights to 0
NEWTON_STEPS = 30

StateKey = tuple[tuple[str, str], ...]
FEATURES = ("always 1", "conditions that hold", "closeness", "most distant condition", "one condition left", "changed")


def state_features(names: Mapping[str, str], start: Mapping[str, str], goal: StateGoal) -> tuple[float, ...]:
    """Return the features of a state, `FEATURES`, all between 0 and 1.

    Args:
        names: The values of the state.
        start: The values before the first command.
        goal: The goal.
    """
    distances = [min(part.distance(names), NO_VALUE_DISTANCE) for part in goal.parts()]
    left = sum(distance > 0 for distance in distances)
    changed = sum(start.get(name) != text for name, text in names.items())
    return (
        1.0,
        1 - left / len(distances),
        sum(1 / (1 + distance) for distance in distances) / len(distances),
        max(distances) / NO_VALUE_DISTANCE,
        float(left == 1),
        changed / max(len(names), 1),
    )


@dataclass(frozen=True)
class LearnedValue:
    """How likely and how soon a goal is reached from a state: the weights of a logistic regression."""

    weights: tuple[float, ...]

    def __call__(self, names: Mapping[str, str], start: Mapping[str, str], goal: StateGoal) -> float:
        """Return the value of a state, between 0 and 1."""
        return float(_logistic(np.dot(self.weights, state_features(names, start, goal))))


@dataclass(frozen=True)
class ValueLesson:
    """The features of a state with a goal, and the discounted commands to the goal."""

    features: tuple[float, ...]
    target: float


def lessons_of(nodes: Sequence[SearchNode], *, ignored: str, seed: int) -> list[ValueLesson]:
    """Return the lessons of one search.

    Args:
        nodes: The nodes of the search, root first.
        ignored: The name that holds the command, which is no part of a state.
        seed: Draws the states that become goals.
    """
    states, before = _state_graph(nodes, ignored)
    start = next(iter(states))
    reached = [state for state in states if state != start]
    goals = Random(f"hindsight {seed}").sample(reached, min(GOALS_PER_SEARCH, len(reached)))
    expanded = set[StateKey]().union(*before.values())
    lessons = []
    for wanted in goals:
        goal, away = goal_of_state(states[wanted], ignored), _commands_to(wanted, before)
        if goal is None:
            continue
        for state, names in states.items():
            # Of a state that was not expanded, nothing is known about what follows it.
            if state in away or state in expanded:
                target = DISCOUNT ** away[state] if state in away else 0.0
                lessons.append(ValueLesson(state_features(names, states[start], goal), target))
    return lessons


def fit_value(lessons: Iterable[ValueLesson]) -> LearnedValue:
    """Fit a logistic regression to targets between 0 and 1, by Newton's method."""
    known = list(lessons)
    features = np.array([lesson.features for lesson in known])
    targets = np.array([lesson.target for lesson in known])
    weights = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        predicted = _logistic(features @ weights)
        gradient = features.T @ (predicted - targets) + RIDGE * weights
        curvature = (features * (predicted * (1 - predicted))[:, None]).T @ features + RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return LearnedValue(tuple(map(float, weights)))


def _logistic(score: np.ndarray | float) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -30.0, 30.0))))


def _state_graph(
    nodes: Sequence[SearchNode], ignored: str
) -> tuple[dict[StateKey, Mapping[str, str]], dict[StateKey, set[StateKey]]]:
    """Return the states of a search with their names, and, by state, the states one command before it."""
    states, before = dict[StateKey, Mapping[str, str]](), defaultdict[StateKey, set[StateKey]](set)
    for node in nodes:
        if node.state.dropped or not node.state.names:
            continue
        key = state_key(node.state.names, ignored)
        states.setdefault(key, {name: text for name, text in node.state.names.items() if name != ignored})
        if node.parent is not None:
            before[key].add(state_key(node.parent.state.names, ignored))
    return states, before


def _commands_to(goal: StateKey, before: Mapping[StateKey, set[StateKey]]) -> dict[StateKey, int]:
    """Return the fewest commands from each state to a goal, breadth-first from the goal."""
    away, waiting = {goal: 0}, deque([goal])
    while waiting:
        state = waiting.popleft()
        for earlier in sorted(before.get(state, ())):
            if earlier not in away:
                away[earlier] = away[state] + 1
                waiting.append(earlier)
    return away
