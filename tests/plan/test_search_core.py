"""The search core: visits add up, backups equal a naive recomputation, formulas equal their papers', seeds decide."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_engine import TableRuns

from worldline.core.program import Program
from worldline.plan.games.kuhn import KuhnPoker
from worldline.plan.inputs.goal import goal_of_return
from worldline.plan.inputs.nearness import Nearness
from worldline.plan.inputs.proposer import InputProposer, TriedInput
from worldline.plan.paths.target import find_target
from worldline.plan.play.beliefs import initial_belief, update_belief
from worldline.plan.play.information_sets import search_situations
from worldline.plan.play.uct import search
from worldline.plan.reach.executed import breadth_first, nearest_first
from worldline.plan.reach.goal import read_goal
from worldline.plan.reach.runs import MachineStop, state_key
from worldline.plan.search.node import NOBODY, SearchNode, back_up, most_visited_child, simulate
from worldline.plan.search.selection import (
    Frontier,
    draw_by_rank,
    estimated_uct,
    select_available,
    select_uct,
    upper_bound,
)

SEEDS = st.integers(0, 10_000)


@dataclass(frozen=True)
class DrawnGame:
    """A game whose shape and returns are drawn from a seed: two players move in turn, up to a depth."""

    seed: int
    history: tuple[int, ...] = ()
    players = 2

    @property
    def player(self) -> int:
        return -2 if len(self.history) >= 2 + self.seed % 3 else len(self.history) % 2

    def moves(self) -> list[int]:
        return list(range(1 + Random(f"{self.seed} {self.history}").randrange(4)))

    def step(self, move: int) -> DrawnGame:
        return DrawnGame(self.seed, (*self.history, move))

    def returns(self) -> list[float]:
        value = Random(f"returns {self.seed} {self.history}").uniform(-1, 1)
        return [value, -value]


def every_node(root: SearchNode) -> Iterator[SearchNode]:
    yield root
    for child in root.children.values():
        yield from every_node(child)


def flat(root: SearchNode) -> list[tuple[object, ...]]:
    return [(node.actions(), node.visits, node.total) for node in every_node(root)]


@given(seed=SEEDS, simulations=st.integers(1, 120))
@settings(max_examples=60, deadline=None)
def test_the_visits_of_children_add_up(seed: int, simulations: int) -> None:
    root = search(DrawnGame(seed), simulations=simulations, seed=seed)
    assert root.visits == simulations
    for node in every_node(root):
        below = sum(child.visits for child in node.children.values())
        if node.state.player >= 0:
            assert node.visits == below + (node is not root)  # the visit that created it ended there
        assert not node.children or node.state.player >= 0


@given(seed=SEEDS, simulations=st.integers(1, 80))
@settings(max_examples=60, deadline=None)
def test_backups_equal_a_naive_recomputation(seed: int, simulations: int) -> None:
    rng, root = Random(seed), SearchNode(None, actor=0)

    def follow(node: SearchNode) -> tuple[SearchNode, bool] | None:
        if len(node.actions()) == 4:
            return None
        move = rng.randrange(3)
        actor = rng.choice((0, 1, NOBODY))
        is_new = move not in node.children
        return (node.add_child(move, None, actor=actor) if is_new else node.children[move]), is_new

    def evaluate(leaf: SearchNode) -> list[float]:
        returns = [rng.uniform(-1, 1), rng.uniform(-1, 1)]
        log.append((tuple(leaf.actions()), returns))
        return returns

    log: list[tuple[tuple[int, ...], list[float]]] = []
    for _ in range(simulations):
        simulate(root, follow, evaluate)
    for node in every_node(root):
        own = tuple(node.actions())
        through = [returns for path, returns in log if path[: len(own)] == own]
        assert node.visits == len(through) > 0
        expected = sum(returns[node.actor] for returns in through) if node.actor >= 0 else 0.0
        assert node.total == pytest.approx(expected)


@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_the_same_seed_gives_the_same_tree(seed: int) -> None:
    first, again = (flat(search(DrawnGame(seed), simulations=60, seed=seed)) for _ in range(2))
    assert first == again


def test_another_seed_gives_another_tree() -> None:
    trees = {str(flat(search(DrawnGame(5), simulations=60, seed=seed))) for seed in range(5)}
    assert len(trees) == 5


def test_selection_enters_as_a_function() -> None:
    def first(_: SearchNode, children: object, __: float) -> SearchNode:
        return next(iter(children))  # type: ignore[call-overload, no-any-return]

    root = search(DrawnGame(2), simulations=80, seed=1, select=first)
    visits = [child.visits for child in root.children.values()]
    assert visits[1:] == [1] * (len(visits) - 1)
    assert visits[0] == 80 - len(visits) + 1
    balanced = search(DrawnGame(2), simulations=80, seed=1, exploration=100.0)
    visits = [child.visits for child in balanced.children.values()]
    assert max(visits) - min(visits) <= 1


def node_with(*children: tuple[int, float, int]) -> SearchNode:
    """A node whose children have these visits, totals and availabilities."""
    root = SearchNode(None)
    for move, (visits, total, available) in enumerate(children):
        child = root.add_child(move, None)
        child.visits, child.total, child.available = visits, total, available
    root.visits = sum(visits for visits, _, _ in children)
    return root


def test_the_bound_is_ucb1() -> None:
    assert upper_bound(0.5, 100, 25, 2.0) == pytest.approx(0.5 + 2 * math.sqrt(math.log(100) / 25))
    root = node_with((10, 6.0, 10), (5, 2.5, 90))
    children = list(root.children.values())
    assert select_uct(root, children, 0.0) is children[0]
    assert select_uct(root, children, 1.0) is children[1]  # 0.60 + 0.52 and 0.50 + 0.74
    near = node_with((10, 6.0, 15), (9, 5.0, 15))
    assert select_available(near, near.children.values(), 0.1) is near.children[0]
    near.children[1].available = 10**6
    assert select_available(near, near.children.values(), 0.1) is near.children[1]


def test_an_unvisited_child_is_worth_its_estimate() -> None:
    root = node_with((3, 1.5, 0), (0, 0.0, 0))
    children = list(root.children.values())
    assert estimated_uct(lambda _: 0.9)(root, children, 0.0) is children[1]
    assert estimated_uct(lambda _: 0.1)(root, children, 0.0) is children[0]
    assert estimated_uct(lambda _: 0.1)(root, children, 1.0) is children[1]


@pytest.mark.parametrize("select", [select_uct, select_available, estimated_uct(lambda _: 0.0)])
def test_ties_go_to_the_first(select: object) -> None:
    root = node_with((4, 2.0, 12), (4, 2.0, 12), (4, 2.0, 12))
    assert select(root, root.children.values(), 1.0) is root.children[0]  # type: ignore[operator]
    assert most_visited_child(root) is root.children[0]


def test_the_most_visited_child_wins_and_then_the_better() -> None:
    root = node_with((4, 4.0, 0), (5, 0.0, 0), (5, 1.0, 0))
    assert most_visited_child(root) is root.children[2]


def test_a_path_is_counted_where_it_went() -> None:
    root = SearchNode(None)
    child = root.add_child("a", None, actor=1)
    leaf = child.add_child("b", None, actor=NOBODY)
    back_up(leaf.lineage(), [2.0, 3.0])
    assert [(node.visits, node.total, node.value) for node in (root, child, leaf)] == [
        (1, 2.0, 2.0),
        (1, 3.0, 3.0),
        (1, 0.0, 0.0),
    ]
    assert leaf.actions() == ["a", "b"]


@given(seed=st.integers(0, 200), simulations=st.integers(2, 150))
@settings(max_examples=30, deadline=None)
def test_situations_count_as_often_as_their_moves(seed: int, simulations: int) -> None:
    belief = initial_belief(KuhnPoker())
    for seen in ("1 1 ", "1 2 "):
        belief = update_belief(belief, 0, seen)
    tree = search_situations(belief, simulations=simulations, seed=seed)
    assert tree.root.visits == simulations
    for situation in tree.situations.values():
        moves = situation.children.values()
        assert situation.visits == sum(move.visits for move in moves)
        assert all(move.visits <= move.available <= situation.visits for move in moves)


@given(costs=st.lists(st.integers(0, 5), max_size=40))
def test_a_frontier_is_a_stable_sort(costs: list[int]) -> None:
    frontier = Frontier[int]()
    for number, cost in enumerate(costs):
        frontier.add(number, cost)
    taken = [frontier.take() for _ in range(len(frontier))]
    assert taken == sorted(range(len(costs)), key=lambda number: costs[number])


def test_ranks_are_drawn_exponentially() -> None:
    rng, n = Random(3), 20_000
    drawn = Counter(draw_by_rank("abcd", rng, 0.7) for _ in range(n))
    for rank, letter in enumerate("abc"):
        share = math.exp(-0.7 * rank) * (1 - math.exp(-0.7))
        assert drawn[letter] / n == pytest.approx(share, abs=0.015)
    assert drawn["d"] / n == pytest.approx(math.exp(-2.1), abs=0.015)


def test_the_input_that_is_changed_next_is_selected_by_a_function() -> None:
    offered = list[int]()

    def first(ranked: Sequence[TriedInput], _: Random, __: float) -> TriedInput:
        offered.append(len(ranked))
        return ranked[0]

    program = Program(source="def f(n: int):\n    return n * 3\n")
    goal = goal_of_return(program.source, "f", "300", exact=True)
    proposer = InputProposer(goal, find_target(program, "f"), way="climb", seed=0, select=first)
    for number in (5, 100, 7):
        proposer.learn(TriedInput({goal.names[0][0]: number}, Nearness(abs(number * 3 - 300), sort=str(number))))
    changed = [proposer.propose()[goal.names[0][0]] for _ in range(40)]
    assert set(offered) == {3}
    assert len(changed) == 40
    assert sum(abs(value - 100) < 20 for value in changed if isinstance(value, int)) > 10


class WatchedRuns(TableRuns):
    """Runs that remember the plans they were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.plans: list[tuple[int, ...]] = []

    def after(self, plan: tuple[int, ...]) -> list[MachineStop]:
        self.plans.append(plan)
        return super().after(plan)


def queue_search(runs: WatchedRuns, depth: int) -> None:
    """Breadth-first search as a textbook writes it: a queue of plans."""
    waiting, seen = deque[tuple[int, ...]]([()]), set[object]()
    while waiting:
        plan = waiting.popleft()
        state = state_key(runs.after(plan)[-1].names, "command")
        if len(plan) < depth and state not in seen:
            waiting += [(*plan, command) for command in range(2)]
        seen.add(state)


def test_breadth_first_is_best_first_at_equal_costs() -> None:
    runs, textbook = WatchedRuns(), WatchedRuns()
    breadth_first(runs, read_goal("x == -1"), 2, executions=1000, depth=4, ignored="command")
    queue_search(textbook, 4)
    assert runs.plans == textbook.plans
    assert len(runs.plans) > 10


def test_nearest_first_goes_on_from_the_nearest_state() -> None:
    runs = WatchedRuns()
    nearest_first(runs, read_goal("x == 16"), 2, executions=1000, depth=5, ignored="command")
    assert runs.plans[-1] == (0, 0, 1, 1, 1)
    assert len(runs.plans) < 20
