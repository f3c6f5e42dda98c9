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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from worldline.core.errors import UsageError
from worldline.core.text import plural
from worldline.plan.answer import ExecutionCost
from worldline.plan.reach.goal import StateGoal
from worldline.plan.reach.predicted_machine import ASKS, ENDED, LOST, Snapshot
from worldline.plan.reach.runs import MachineStop, state_key

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
class ReachNode:
    """A node of the tree: a snapshot, or the true `text` of an execution, which becomes a snapshot when expanded."""

    parent: int
    command: int
    names: Mapping[str, str]
    way: str
    snapshot: Snapshot | None
    depth: int
    text: bytes = b""
    children: list[int] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0
    is_true: bool = False
    corrected: bool = False
    failed: bool = False  # its plan was executed and did not reach the goal
    chosen: bool = False
    dropped: bool = False

    @property
    def logprob(self) -> float:
        """The log-probability of the predictions up to here; 0 for a true node."""
        return 0.0 if self.is_true or self.snapshot is None else self.snapshot.logprob

    @property
    def value(self) -> float:
        """The mean value of its visits."""
        return self.total / self.visits if self.visits else 0.0


@dataclass(frozen=True, kw_only=True)
class ReachResult:
    """The result of a search: a plan that was executed and reached the goal, or None; the tree and the cost.

    `searched` counts the executions of a search without predictions, which followed where these led nowhere.
    """

    plan: tuple[int, ...] | None
    nodes: tuple[ReachNode, ...]
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
) -> ReachResult:
    """Search for a plan to a goal. States are compared without the name `ignored`, which holds the command."""
    if way not in WAYS:
        raise UsageError(f"unknown search {way!r}: choose one of {', '.join(WAYS)}")
    return _ReachSearch(predicted, runs, goal, commands, budget, way, ignored).run()


class _ReachSearch:
    def __init__(
        self,
        predicted: MachineModel,
        runs: PlanRunner,
        goal: StateGoal,
        commands: int,
        budget: ReachBudget,
        way: str,
        ignored: str,
    ) -> None:
        self.predicted, self.runs, self.goal = predicted, runs, goal
        self.commands, self.budget, self.ignored = range(commands), budget, ignored
        self.pick: Callable[[Sequence[int]], int | None] = self._upper_bound if way == "uct" else self._best
        self.way = way
        self.nodes: list[ReachNode] = []
        self.simulations, self.executed, self.written = 0, runs.executions, predicted.written
        self.right, self.wrong = 0, 0  # predicted commands, compared with executions

    def run(self) -> ReachResult:
        """Search until the goal is reached or the budget is spent."""
        root = self.predicted.begin()
        self.nodes.append(ReachNode(-1, -1, root.names, root.way, root, 0))
        # The prediction failed before the first command: one execution shows the start.
        if root.way != ASKS:
            self._correct((), self.runs.after(()))
        plan, why = self._try([0]), ""
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

    def _is_unsure(self, numbers: Sequence[int]) -> bool:
        """Whether the model is unsure of new nodes, of which it has not checked any."""
        nodes = [self.nodes[number] for number in numbers]
        is_checked = any(node.is_true or node.dropped for node in nodes)
        has_budget = self.spent.executions < self.budget.executions
        probabilities = [math.exp(min(node.logprob, 0.0)) for node in nodes]
        return bool(nodes) and has_budget and not is_checked and sum(probabilities) / len(nodes) < UNSURE

    def _leaves(self) -> list[int]:
        """Return the nodes to expand, the best first, each with another state."""
        leaves = list[int]()
        most = min(self.budget.leaves, self.budget.simulations - self.simulations)
        while len(leaves) < most and (number := self.pick(leaves)) is not None:
            leaves.append(number)
        return leaves

    def _expand(self, numbers: Sequence[int]) -> list[int]:
        """Predict every command of some nodes in one batch, except executed ones; return the new nodes."""
        forks, origins = list[tuple[Snapshot, int]](), list[int]()
        for number in numbers:
            node = self.nodes[number]
            if node.snapshot is None:
                node.snapshot = self.predicted.after_text(node.text)
            known = {self.nodes[child].command for child in node.children}
            left = [command for command in self.commands if command not in known]
            forks += [(node.snapshot, command) for command in left]
            origins += [number] * len(left)
        new = list[int]()
        for number, (_, command), snapshot in zip(
            origins, forks, self.predicted.follow(forks) if forks else (), strict=True
        ):
            depth = self.nodes[number].depth + 1
            new.append(self._add(ReachNode(number, command, snapshot.names, snapshot.way, snapshot, depth)))
        self.simulations += len(numbers)
        for number in numbers:
            self._visit(number)
        return new

    def _visit(self, number: int) -> None:
        """Add the value of an expanded node's best child to it and to all its ancestors."""
        best = max((self._worth(self.nodes[child]) for child in self.nodes[number].children), default=0.0)
        while number >= 0:
            self.nodes[number].visits += 1
            self.nodes[number].total += best
            number = self.nodes[number].parent

    def _add(self, node: ReachNode) -> int:
        self.nodes.append(node)
        self.nodes[node.parent].children.append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def _worth(self, node: ReachNode) -> float:
        """The probability of a node, divided by its distance from the goal."""
        if node.way not in (ASKS, ENDED) or node.failed:
            return 0.0
        return math.exp(min(node.logprob, 0.0)) / (1 + self.goal.distance(node.names))

    def _try(self, numbers: Sequence[int]) -> tuple[int, ...] | None:
        """Execute the plans of nodes where the goal holds, the most probable first; return one that reached it."""
        hits = [n for n in numbers if self._hits(n)]
        for number in sorted(hits, key=lambda n: -self.nodes[n].logprob):
            if self.nodes[number].dropped or self.spent.executions >= self.budget.executions:
                continue
            plan = self._run(number)
            if plan is not None:
                return plan
            self.nodes[number].failed = True
        return None

    def _run(self, number: int) -> tuple[int, ...] | None:
        """Execute a node's plan and correct its path; return the part of the plan that reached the goal, if any."""
        plan = self._plan(number)
        stops = self.runs.after(plan)
        reached = next((i for i, stop in enumerate(stops) if self._is_goal(stop)), None)
        self._correct(plan, stops)
        return None if reached is None else self._choose(plan[:reached])

    def _doubtful(self) -> int | None:
        """The predicted node that is least confident and nearest to the goal; the deeper of equal ones."""
        every = [n for n, node in enumerate(self.nodes) if not (node.is_true or node.dropped)]
        return max(every, key=lambda n: (round(self._doubt(n), 6), self.nodes[n].depth, -n), default=None)

    def _doubt(self, number: int) -> float:
        node = self.nodes[number]
        # A lost node has no state: its parent's distance counts.
        if node.way == LOST:
            return 1 / (1 + self.goal.distance(self.nodes[max(node.parent, 0)].names))
        return (1 - math.exp(min(node.logprob, 0.0))) / (1 + self.goal.distance(node.names))

    def _hits(self, number: int) -> bool:
        node = self.nodes[number]
        return node.way in (ASKS, ENDED) and not node.failed and self.goal.holds(node.names)

    def _is_goal(self, stop: MachineStop) -> bool:
        return stop.way in (ASKS, ENDED) and self.goal.holds(stop.names)

    def _plan(self, number: int) -> tuple[int, ...]:
        commands = list[int]()
        while self.nodes[number].parent >= 0:
            commands.append(self.nodes[number].command)
            number = self.nodes[number].parent
        return tuple(reversed(commands))

    def _choose(self, plan: tuple[int, ...]) -> tuple[int, ...]:
        """Mark the path of a plan as chosen."""
        at = 0
        self.nodes[at].chosen = True
        for command in plan:
            at = self._child(at, command)
            self.nodes[at].chosen = True
        return plan

    def _child(self, number: int, command: int) -> int:
        return next(n for n in self.nodes[number].children if self.nodes[n].command == command)

    def _correct(self, plan: tuple[int, ...], stops: Sequence[MachineStop]) -> None:
        """Write the states of an execution into the nodes of its path; drop predictions below a wrong node."""
        at = 0
        for depth, stop in enumerate(stops):
            if depth:
                at = self._child_or_new(at, plan[depth - 1], stop)
            node = self.nodes[at]
            if not node.is_true:
                self._set_true(at, stop)

    def _child_or_new(self, number: int, command: int, stop: MachineStop) -> int:
        for child in self.nodes[number].children:
            if self.nodes[child].command == command:
                return child
        depth = self.nodes[number].depth + 1
        return self._add(ReachNode(number, command, stop.names, stop.way, None, depth))

    def _set_true(self, number: int, stop: MachineStop) -> None:
        node = self.nodes[number]
        if node.snapshot is not None and node.parent >= 0:
            is_right = (dict(node.names), node.way) == (dict(stop.names), stop.way)
            self.right, self.wrong = self.right + is_right, self.wrong + (not is_right)
        if node.snapshot is not None and node.snapshot.text == stop.text:
            node.snapshot = node.snapshot.certain()
        else:
            node.corrected, node.snapshot, node.text = node.snapshot is not None, None, stop.text
            self._drop(node.children)
            node.children = []
        node.is_true, node.names, node.way = True, stop.names, stop.way

    def _drop(self, numbers: Sequence[int]) -> None:
        waiting = list(numbers)
        while waiting:
            node = self.nodes[waiting.pop()]
            node.dropped = True
            waiting += node.children

    def _open(self, number: int) -> bool:
        """Whether a node can be expanded: it waits for a command, is not too deep, and lacks children."""
        node = self.nodes[number]
        return node.way == ASKS and not node.dropped and self._has_room(node)

    def _has_room(self, node: ReachNode) -> bool:
        return node.depth < self.budget.depth and len(node.children) < len(self.commands)

    def _state(self, node: ReachNode) -> tuple[tuple[str, str], ...]:
        return state_key(node.names, self.ignored)

    def _expanded_states(self) -> set[tuple[tuple[str, str], ...]]:
        """The states that are fully expanded: another node with the same state adds nothing."""
        full = len(self.commands)
        return {self._state(node) for node in self.nodes if not node.dropped and len(node.children) == full}

    def _best(self, taken: Sequence[int]) -> int | None:
        """The open node of a new state with the lowest cost; shallow before deep."""
        seen = self._expanded_states() | {self._state(self.nodes[n]) for n in taken}
        every = [n for n in range(len(self.nodes)) if self._open(n)]
        fresh = [n for n in every if self._state(self.nodes[n]) not in seen]
        # Predictions depend on the text: the same state reached on another path may continue differently.
        return min(fresh or ([] if taken else every), key=self._cost, default=None)

    def _cost(self, number: int) -> tuple[float, int, int]:
        node = self.nodes[number]
        far = self.goal.distance(node.names) if self.way == "near" else 0.0
        return round(far - node.logprob, 6), node.depth, number

    def _upper_bound(self, taken: Sequence[int]) -> int | None:
        """Descend from the root to an open node, always to the child with the highest upper bound."""
        seen = self._expanded_states() | {self._state(self.nodes[n]) for n in taken}
        live = self._live(seen, taken) or (set() if taken else self._live(set(), taken))
        if 0 not in live:
            return None
        at = 0
        while not self._open(at) or at in taken:
            below = [n for n in self.nodes[at].children if n in live]
            at = max(below, key=lambda n: (self._bound(n, at), -n))
        return at

    def _live(self, seen: set[tuple[tuple[str, str], ...]], taken: Sequence[int]) -> set[int]:
        """The nodes with something to expand at or below them."""
        live = set[int]()
        for number in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[number]
            is_free = self._open(number) and number not in taken
            fresh = is_free and (bool(node.children) or self._state(node) not in seen)
            if not node.dropped and (fresh or any(child in live for child in node.children)):
                live.add(number)
        return live

    def _bound(self, number: int, parent: int) -> float:
        node = self.nodes[number]
        worth = node.value if node.visits else self._worth(node)
        tried = math.log(1 + self.nodes[parent].visits) / (1 + node.visits)
        return worth + EXPLORING * math.sqrt(tried)
