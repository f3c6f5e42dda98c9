"""Best-first and UCT-like search over a tree of snapshots, with real executions as the correction.

The loop: pick one or more nodes, and predict every command from them in one batch. If the goal holds in a predicted
node, its plan is executed. If the execution reaches the goal, the search ends. Otherwise its true steps are dictated
into the nodes of that path, predictions below a wrong node are dropped, and the search resumes. If the predictions are
spent without a goal, the least confident and nearest path is executed, to correct it; the same after an expansion that
the model is unsure of. The search ends early if most executed commands were predicted wrong. The model and the sandbox
are protocols.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from worldline.core.errors import UsageError
from worldline.core.text import plural
from worldline.plan.answer import ExecutionCost
from worldline.plan.reach.goal import StateGoal
from worldline.plan.reach.predicted_machine import ASKS, ENDED, LOST, Snapshot
from worldline.plan.reach.runs import MachineStop, state_key
from worldline.plan.search.node import SearchNode, back_up
from worldline.plan.search.selection import ChildSelection, estimated_puct, estimated_uct

WAYS = ("near", "sure", "uct")
EXPLORING = 0.5  # weight of the exploration term of the upper bound
UNSURE = 0.7  # mean probability of predicted commands, below which one is checked
MIN_WRONG = 3  # wrongly predicted commands that show that a model cannot predict a machine


class MachineModel(Protocol):
    """Predicts what follows commands."""

    written: int

    def begin(self) -> Snapshot:
        """Predict up to the first command."""
        ...

    def follow(self, forks: Sequence[tuple[Snapshot, int]]) -> list[Snapshot]:
        """Predict what follows a command, from each of these snapshots."""
        ...

    def after_text(self, text: bytes) -> Snapshot:
        """Return the snapshot after a true text."""
        ...


class StateValue(Protocol):
    """How likely and how soon a goal is reached from a state, between 0 and 1."""

    def __call__(self, names: Mapping[str, str], start: Mapping[str, str], goal: StateGoal, /) -> float:
        """Return the value of a state; `start` holds the values before the first command."""
        ...


class PlanRunner(Protocol):
    """Executes plans and counts them."""

    executions: int

    def after(self, plan: tuple[int, ...]) -> list[MachineStop]:
        """Execute a plan; return the state before the first command and after each."""
        ...


@dataclass(frozen=True, kw_only=True)
class ReachBudget:
    """Bounds of a search, the longest plan (`depth`), and how many nodes are expanded at once (`leaves`)."""

    executions: int = 8
    simulations: int = 200
    bytes: int = 1 << 16
    depth: int = 12
    leaves: int = 1

    def __post_init__(self) -> None:
        if min(self.executions, self.simulations, self.bytes, self.depth, self.leaves) < 1:
            raise UsageError("a search needs at least one execution, simulation, byte, command and leaf")


@dataclass
class PlanState:
    """The state of a node: what is known after a plan, as a snapshot or as the true `text` of an execution.

    A true text becomes a snapshot when its node is expanded. The action of the node is the number of its command.
    """

    names: Mapping[str, str]
    way: str
    snapshot: Snapshot | None
    depth: int
    text: bytes = b""
    is_true: bool = False
    corrected: bool = False
    failed: bool = False  # its plan was executed and did not reach the goal
    chosen: bool = False
    dropped: bool = False

    @property
    def logprob(self) -> float:
        """The log-probability of the predictions up to here; 0 for a true state."""
        return 0.0 if self.is_true or self.snapshot is None else self.snapshot.logprob


@dataclass(frozen=True, kw_only=True)
class ReachResult:
    """The result of a search: a plan that was executed and reached the goal, or None; the tree and the cost.

    `searched` counts the executions of a search without predictions, which followed where these led nowhere.
    """

    plan: tuple[int, ...] | None
    nodes: tuple[SearchNode, ...]
    spent: ExecutionCost
    simulations: int
    why: str
    searched: int = 0


def reach(
    predicted: MachineModel,
    runs: PlanRunner,
    goal: StateGoal,
    commands: int,
    *,
    budget: ReachBudget,
    way: str = "near",
    ignored: str = "",
    value: StateValue | None = None,
) -> ReachResult:
    """Search for a plan to a goal.

    Args:
        predicted: The model that predicts what follows a command.
        runs: Executes plans.
        goal: What must hold.
        commands: The number of commands.
        budget: The bounds of the search.
        way: Which node comes next, one of `WAYS`.
        ignored: The name that holds the command; states are compared without it.
        value: What a state is worth, instead of its distance from the goal: in the order of `near`, and for `uct`,
            which then descends by PUCT.

    Returns:
        The plan that reached the goal when executed, the nodes and the cost.

    Raises:
        UsageError: There is no such way.
    """
    if way not in WAYS:
        raise UsageError(f"unknown search {way!r}: choose one of {', '.join(WAYS)}")
    return _ReachSearch(predicted, runs, goal, commands, budget, way, ignored, value).run()


class _ReachSearch:
    """A search in progress: its nodes in the order of creation, each with a `PlanState`."""

    def __init__(
        self,
        predicted: MachineModel,
        runs: PlanRunner,
        goal: StateGoal,
        commands: int,
        budget: ReachBudget,
        way: str,
        ignored: str,
        value: StateValue | None,
    ) -> None:
        self.predicted, self.runs, self.goal, self.value = predicted, runs, goal, value
        self.commands, self.budget, self.ignored = range(commands), budget, ignored
        self.pick: Callable[[Sequence[SearchNode]], SearchNode | None] = (
            self._descend if way == "uct" else self._cheapest
        )
        self.select: ChildSelection = estimated_uct(self._worth)
        if value is not None:
            self.select = estimated_puct(self._worth, lambda _: 1 / commands)
        self.way = way
        self.nodes: list[SearchNode] = []
        self.simulations, self.executed, self.written = 0, runs.executions, predicted.written
        self.right, self.wrong = 0, 0  # predicted commands, compared with executions

    def run(self) -> ReachResult:
        """Search until the goal is reached or the budget is spent."""
        start = self.predicted.begin()
        root = SearchNode(PlanState(start.names, start.way, start, 0), action=-1)
        self.nodes.append(root)
        # The prediction failed before the first command: one execution shows the start.
        if start.way != ASKS:
            self._correct((), self.runs.after(()))
        plan, why = self._try([root]), ""
        while plan is None and self.spent.executions < self.budget.executions:
            if why := self._is_wrong():
                break
            why = self._over()
            leaves = [] if why else self._leaves()
            if leaves:
                new = self._expand(leaves)
                plan = self._try(new)
                if plan is None and self._is_unsure(new):
                    plan = self._run(max(new, key=self._doubt))
                continue
            why = why or "every plan within the depth was predicted"
            doubtful = self._doubtful()
            if doubtful is None:
                why = f"{why}, and every predicted plan was executed"
                break
            plan = self._run(doubtful)
        else:
            spent = f"{plural(self.spent.executions, 'execution')} spent"
            why = "reached" if plan is not None else f"{why}, and {spent}" if why else spent
        return ReachResult(plan=plan, nodes=tuple(self.nodes), spent=self.spent, simulations=self.simulations, why=why)

    @property
    def spent(self) -> ExecutionCost:
        """The cost so far."""
        return ExecutionCost(
            executions=self.runs.executions - self.executed, bytes=self.predicted.written - self.written
        )

    def _over(self) -> str:
        """Return why no more may be predicted; empty if more may be."""
        if self.spent.bytes >= self.budget.bytes:
            return f"{plural(self.spent.bytes, 'byte')} predicted"
        return f"{plural(self.simulations, 'simulation')} made" if self.simulations >= self.budget.simulations else ""

    def _is_wrong(self) -> str:
        """Say that the model cannot predict this machine; empty if it can, or too little was executed."""
        if self.wrong < MIN_WRONG or self.wrong <= self.right:
            return ""
        return f"the model predicted {self.wrong} of {self.wrong + self.right} executed commands wrong"

    def _is_unsure(self, nodes: Sequence[SearchNode]) -> bool:
        """Whether the model is unsure of new nodes, of which it has not checked any."""
        is_checked = any(node.state.is_true or node.state.dropped for node in nodes)
        has_budget = self.spent.executions < self.budget.executions
        probabilities = [_probability(node) for node in nodes]
        return bool(nodes) and has_budget and not is_checked and sum(probabilities) / len(nodes) < UNSURE

    def _leaves(self) -> list[SearchNode]:
        """Return the nodes to expand, the best first, each with another state."""
        leaves = list[SearchNode]()
        most = min(self.budget.leaves, self.budget.simulations - self.simulations)
        while len(leaves) < most and (leaf := self.pick(leaves)) is not None:
            leaves.append(leaf)
        return leaves

    def _expand(self, leaves: Sequence[SearchNode]) -> list[SearchNode]:
        """Predict every command of some nodes in one batch, except executed ones; return the new nodes."""
        forks, origins = list[tuple[Snapshot, int]](), list[SearchNode]()
        for node in leaves:
            if node.state.snapshot is None:
                node.state.snapshot = self.predicted.after_text(node.state.text)
            left = [command for command in self.commands if command not in node.children]
            forks += [(node.state.snapshot, command) for command in left]
            origins += [node] * len(left)
        snapshots = self.predicted.follow(forks) if forks else []
        new = [
            self._add(node, command, snapshot.names, snapshot.way, snapshot)
            for node, (_, command), snapshot in zip(origins, forks, snapshots, strict=True)
        ]
        self.simulations += len(leaves)
        for node in leaves:
            # A node is worth as much as its best child.
            back_up(node.lineage(), [max(map(self._worth, node.children.values()), default=0.0)])
        return new

    def _add(
        self, parent: SearchNode, command: int, names: Mapping[str, str], way: str, snapshot: Snapshot | None
    ) -> SearchNode:
        state = PlanState(names, way, snapshot, parent.state.depth + 1)
        self.nodes.append(parent.add_child(command, state, number=len(self.nodes)))
        return self.nodes[-1]

    def _worth(self, node: SearchNode) -> float:
        """The probability of a node, times its value: by default, the inverse of its distance from the goal."""
        if node.state.way not in (ASKS, ENDED) or node.state.failed:
            return 0.0
        if self.value is not None:
            return _probability(node) * self.value(node.state.names, self.nodes[0].state.names, self.goal)
        return _probability(node) / (1 + self.goal.distance(node.state.names))

    def _try(self, nodes: Sequence[SearchNode]) -> tuple[int, ...] | None:
        """Execute the plans of nodes where the goal holds, the most probable first; return one that reached it."""
        hits = [node for node in nodes if self._hits(node)]
        for node in sorted(hits, key=lambda hit: -hit.state.logprob):
            if node.state.dropped or self.spent.executions >= self.budget.executions:
                continue
            plan = self._run(node)
            if plan is not None:
                return plan
            node.state.failed = True
        return None

    def _run(self, node: SearchNode) -> tuple[int, ...] | None:
        """Execute a node's plan and correct its path; return the part of the plan that reached the goal, if any."""
        plan = tuple(node.actions())
        stops = self.runs.after(plan)
        reached = next((i for i, stop in enumerate(stops) if self._is_goal(stop)), None)
        self._correct(plan, stops)
        return None if reached is None else self._choose(plan[:reached])

    def _doubtful(self) -> SearchNode | None:
        """The predicted node that is least confident and nearest to the goal; the deeper of equal ones."""
        every = [node for node in self.nodes if not (node.state.is_true or node.state.dropped)]
        return max(every, key=lambda node: (round(self._doubt(node), 6), node.state.depth, -node.number), default=None)

    def _doubt(self, node: SearchNode) -> float:
        # A lost node has no state: its parent's distance counts.
        if node.state.way == LOST:
            return 1 / (1 + self.goal.distance((node.parent or node).state.names))
        return (1 - _probability(node)) / (1 + self.goal.distance(node.state.names))

    def _hits(self, node: SearchNode) -> bool:
        state = node.state
        return state.way in (ASKS, ENDED) and not state.failed and self.goal.holds(state.names)

    def _is_goal(self, stop: MachineStop) -> bool:
        return stop.way in (ASKS, ENDED) and self.goal.holds(stop.names)

    def _choose(self, plan: tuple[int, ...]) -> tuple[int, ...]:
        """Mark the path of a plan as chosen."""
        node = self.nodes[0]
        node.state.chosen = True
        for command in plan:
            node = node.children[command]
            node.state.chosen = True
        return plan

    def _correct(self, plan: tuple[int, ...], stops: Sequence[MachineStop]) -> None:
        """Write the states of an execution into the nodes of its path; drop predictions below a wrong node."""
        node = self.nodes[0]
        for depth, stop in enumerate(stops):
            if depth:
                command = plan[depth - 1]
                node = node.children.get(command) or self._add(node, command, stop.names, stop.way, None)
            if not node.state.is_true:
                self._set_true(node, stop)

    def _set_true(self, node: SearchNode, stop: MachineStop) -> None:
        state = node.state
        if state.snapshot is not None and node.parent is not None:
            is_right = (dict(state.names), state.way) == (dict(stop.names), stop.way)
            self.right, self.wrong = self.right + is_right, self.wrong + (not is_right)
        if state.snapshot is not None and state.snapshot.text == stop.text:
            state.snapshot = state.snapshot.certain()
        else:
            state.corrected, state.snapshot, state.text = state.snapshot is not None, None, stop.text
            _drop(node.children.values())
            node.children = {}
        state.is_true, state.names, state.way = True, stop.names, stop.way

    def _open(self, node: SearchNode) -> bool:
        """Whether a node can be expanded: it waits for a command, is not too deep, and lacks children."""
        state = node.state
        has_room = state.depth < self.budget.depth and len(node.children) < len(self.commands)
        return state.way == ASKS and not state.dropped and has_room

    def _key(self, node: SearchNode) -> tuple[tuple[str, str], ...]:
        return state_key(node.state.names, self.ignored)

    def _known_states(self, taken: Sequence[SearchNode]) -> set[tuple[tuple[str, str], ...]]:
        """The states that are fully expanded, or taken: another node with the same state adds nothing."""
        full = len(self.commands)
        expanded = (node for node in self.nodes if not node.state.dropped and len(node.children) == full)
        return {self._key(node) for node in (*expanded, *taken)}

    def _cheapest(self, taken: Sequence[SearchNode]) -> SearchNode | None:
        """Best first: the open node of a new state with the lowest cost; shallow before deep."""
        seen = self._known_states(taken)
        every = [node for node in self.nodes if self._open(node)]
        fresh = [node for node in every if self._key(node) not in seen]
        # Predictions depend on the text: the same state reached on another path may continue differently.
        return min(fresh or ([] if taken else every), key=self._cost, default=None)

    def _cost(self, node: SearchNode) -> tuple[float, int, int]:
        if self.way == "near" and self.value is not None:
            return -round(self._worth(node), 6), node.state.depth, node.number
        far = self.goal.distance(node.state.names) if self.way == "near" else 0.0
        return round(far - node.state.logprob, 6), node.state.depth, node.number

    def _descend(self, taken: Sequence[SearchNode]) -> SearchNode | None:
        """Descend from the root to an open node, always to the child that the selection prefers."""
        live = self._live(self._known_states(taken), taken) or (set() if taken else self._live(set(), taken))
        node = self.nodes[0]
        if node not in live:
            return None
        while not self._open(node) or node in taken:
            node = self.select(node, [child for child in node.children.values() if child in live], EXPLORING)
        return node

    def _live(self, seen: set[tuple[tuple[str, str], ...]], taken: Sequence[SearchNode]) -> set[SearchNode]:
        """The nodes with something to expand at or below them."""
        live = set[SearchNode]()
        for node in reversed(self.nodes):
            is_free = self._open(node) and node not in taken
            fresh = is_free and (bool(node.children) or self._key(node) not in seen)
            if not node.state.dropped and (fresh or any(child in live for child in node.children.values())):
                live.add(node)
        return live


def _probability(node: SearchNode) -> float:
    """The probability of the predictions up to a node."""
    return math.exp(min(node.state.logprob, 0.0))


def _drop(nodes: Iterable[SearchNode]) -> None:
    """Mark nodes and everything below them as dropped."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        node.state.dropped = True
        waiting += node.children.values()
