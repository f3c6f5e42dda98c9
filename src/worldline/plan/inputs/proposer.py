"""Propose inputs for a goal: drawn by type, built from constants, or mutated from the nearest inputs so far."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from worldline.data.mine.types import Parameter
from worldline.plan.inputs.goal import Goal
from worldline.plan.inputs.material import Material
from worldline.plan.inputs.nearness import FAILED_DISTANCE, Nearness
from worldline.plan.inputs.variation import fix_value, vary_value
from worldline.plan.inputs.written_forms import WrittenForms, find_forms
from worldline.plan.paths.distance import Verbatim
from worldline.plan.paths.draw import Drawer, UnknownType
from worldline.plan.paths.target import Target
from worldline.plan.search.selection import RankSelection, draw_by_rank

WAYS = ("random", "constants", "climb", "solver")
"""How inputs are proposed: drawn by type; also from constants of source and goal; also from the nearest so far; or by a
solver alone.
"""
CONSTANT_PROBABILITY = 0.5  # of an argument from constants
FRESH_PROBABILITY = 0.25  # of a newly drawn input while climbing
FORM_PROBABILITY = 0.5  # of a text of a form that the source expects, and of a change that keeps the form
FIX_PROBABILITY = 0.4  # of a change that follows the difference of the actual and the wanted result
MAX_ELITE = 30  # nearest inputs, which are mutated
RANK_RATE = 0.35  # of the rank of an input, by which it is mutated less often
MIN_KIND_WEIGHT = 0.15  # of a kind without evidence
_KINDS: dict[str, type] = {
    "int": int, "str": str, "ints": list, "strs": list, "counts": dict, "texts": dict, "bool": bool, "tuple": tuple,
    "float": float, "items": list, "rows": list, "pairs": list, "groups": dict, "floats": list, "set": set,
    "bytes": bytes, "none": type(None),
}  # fmt: skip
_COMMON = ("int", "str", "ints", "strs", "counts", "texts", "bool", "tuple", "items", "rows", "groups")

InputValues = dict[str, Any]


@dataclass(frozen=True)
class TriedInput:
    """An executed input and its distance from the goal."""

    values: InputValues
    nearness: Nearness


class InputProposer:
    """Proposes inputs for one goal, and learns from their results; `select` chooses which one is changed next."""

    def __init__(
        self, goal: Goal, target: Target, *, way: str, seed: int, select: RankSelection[TriedInput] = draw_by_rank
    ) -> None:
        self.goal, self.target, self.way, self.select = goal, target, way, select
        self.rng = Random(f"inputs/{seed}/{goal.function}")
        self.material = Material.of(target.program.source, goal.test or goal.text)
        if way == "random":
            target = replace(target, signature=replace(target.signature, texts=(), numbers=()))
        else:
            target = replace(target, signature=self._with_constants())
        self.drawer = Drawer(target)
        self.forms = WrittenForms(()) if way == "random" else find_forms(target.program.source)
        arguments = target.node.args
        self._nodes = {
            parameter.arg: parameter for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        }
        self._guesses = {parameter.name: parameter for parameter in target.signature.parameters}
        self._tally: Counter[tuple[str, type, bool]] = Counter()
        self._swept = 0
        self.elite: dict[str, TriedInput] = {}

    def _with_constants(self) -> Any:
        """Return the signature with the constants of the goal added."""
        signature = self.target.signature
        texts = tuple(value for value in self.material.values if isinstance(value, str) and 0 < len(value) <= 80)
        numbers = tuple(value for value in self.material.values if type(value) is int)
        return replace(
            signature,
            texts=tuple(dict.fromkeys((*texts, *signature.texts))),
            numbers=tuple(dict.fromkeys((*numbers, *signature.numbers))),
        )

    def learn(self, tried: TriedInput) -> None:
        """Learn from a result: whether its types work, and whether it is among the nearest."""
        works = tried.nearness.far < FAILED_DISTANCE
        for name, value in tried.values.items():
            self._tally[name, type(value), works] += 1
        self.elite.pop(tried.nearness.sort, None)  # of inputs with the same result, keep the newest
        self.elite[tried.nearness.sort] = tried
        if len(self.elite) > 2 * MAX_ELITE:
            best = sorted(self.elite.items(), key=lambda item: item[1].nearness.far)[:MAX_ELITE]
            self.elite = dict(best)

    def propose(self) -> InputValues:
        """Propose one more input."""
        if self.way == "climb" and self.elite:
            nearest = min(tried.nearness.far for tried in self.elite.values())
            if self.rng.random() >= (FRESH_PROBABILITY if nearest < FAILED_DISTANCE else 0.8):
                return self._climb()
        return self._fresh()

    # ---- drawn

    def _fresh(self) -> InputValues:
        self.drawer.call(self.rng)  # forget the values of the last call
        values = {name: self._formed(self._draw(name, parameter)) for name, parameter in self.goal.names}
        if self.way != "random":
            self._sweep(values)
        return values

    def _formed(self, value: Any) -> Any:
        """Replace a drawn text by one of a form that the source expects, if it expects any."""
        if not self.forms or not isinstance(value, str) or self.rng.random() >= FORM_PROBABILITY:
            return value
        return self.forms.draw(self.rng)

    def _sweep(self, values: InputValues) -> None:
        """Use each constant of the goal once."""
        names = list(values)
        while self._swept < len(self.material.values) * len(names):
            value = self.material.values[self._swept // len(names)]
            name = names[self._swept % len(names)]
            self._swept += 1
            if self._is_like(value, values[name], name) and self.rng.random() < 0.7:
                values[name] = value
                return

    def _is_like(self, value: Any, drawn: Any, name: str) -> bool:
        """Whether a value may replace a drawn one."""
        if isinstance(drawn, Verbatim):
            return False
        if self._nodes.get(name) is None or self._nodes[name].annotation is None:
            return self._weight(name, type(value)) > MIN_KIND_WEIGHT
        return _shape(value) == _shape(drawn)

    def _draw(self, name: str, parameter: str) -> Any:
        node = self._nodes.get(parameter)
        if node is not None and node.annotation is not None:
            try:
                value = _read_literal(self.drawer.of_type(self.rng, node.annotation))
            except UnknownType:
                return self._draw_guess(name, parameter)
            same = [
                constant for constant in self.material.by_type.get(type(value), []) if _shape(constant) == _shape(value)
            ]
            planted = self.way != "random" and self.rng.random() < CONSTANT_PROBABILITY
            return self.rng.choice(same) if same and planted else value
        return self._draw_guess(name, parameter)

    def _draw_guess(self, name: str, parameter: str) -> Any:
        weights = self._weights(parameter)
        kinds = list(weights)
        kind = self.rng.choices(
            kinds, [weights[candidate] * self._weight(name, _KINDS[candidate]) for candidate in kinds]
        )[0]
        if self.way != "random" and self.rng.random() < CONSTANT_PROBABILITY:
            constant = self.material.pick(self.rng, _KINDS[kind]) if self.rng.random() < 0.5 else None
            return self.material.build(self.rng, _KINDS[kind]) if constant is None else constant
        return _read_literal(self.drawer.of_kind(self.rng, kind))

    def _weights(self, parameter: str) -> dict[str, float]:
        guess = self._guesses.get(parameter, Parameter(parameter, {}))
        known = {kind: weight for kind, weight in guess.weights.items() if kind in _KINDS}
        functions = {kind: weight for kind, weight in guess.weights.items() if kind not in _KINDS}
        floor = {} if self.way == "random" and known else dict.fromkeys(_COMMON, MIN_KIND_WEIGHT * 4)
        if functions and not known:
            floor = dict.fromkeys(_COMMON, MIN_KIND_WEIGHT)
        return {kind: known.get(kind, 0.0) + floor.get(kind, 0.0) for kind in (*floor, *known)}

    def _weight(self, name: str, kind: type) -> float:
        """Return how often a type has worked for a name; 1 before it was tried."""
        if self.way == "random":
            return 1.0
        worked, failed = self._tally[name, kind, True], self._tally[name, kind, False]
        return (worked + 2) / (worked + failed + 2)

    # ---- climbed

    def _climb(self) -> InputValues:
        ranked = sorted(self.elite.values(), key=lambda tried: tried.nearness.far)
        parent = self.select(ranked, self.rng, RANK_RATE)
        values = dict(parent.values)
        if len(values) > 1 and self.rng.random() < 0.15:
            other = self.rng.choice(ranked)
            name = self.rng.choice(list(values))
            values[name] = other.values[name]
        for name in self.rng.sample(list(values), 1 if self.rng.random() < 0.8 else len(values)):
            values[name] = self._change(values[name], parent.nearness)
        return values

    def _change(self, value: Any, near: Nearness) -> Any:
        if self.forms and isinstance(value, str) and self.rng.random() < FORM_PROBABILITY:
            return self.forms.vary(self.rng, value)
        if near.sides and self.rng.random() < FIX_PROBABILITY:
            came, wanted = self.rng.choice(near.sides)
            new = fix_value(self.rng, value, came, wanted)
            if type(new) is type(value) and repr(new) != repr(value):
                return new
        for _ in range(1 + min(int(self.rng.expovariate(1.2)), 4)):
            value = vary_value(self.rng, value, self.material)
        return value


def _shape(value: Any) -> str:
    """Return the type of a value, and of its elements if they share one."""
    if isinstance(value, list | tuple | set | frozenset) and value:
        inner = {_shape(item) for item in value}
        return f"{type(value).__name__} of {inner.pop() if len(inner) == 1 else 'several'}"
    return type(value).__name__


def _read_literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return Verbatim(text)


def to_source(value: Any) -> str | None:
    """Return a value as source text; None if it has none, such as infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple | set | frozenset | dict):
        parts: Sequence[Any] = list(value) if not isinstance(value, dict) else [*value, *value.values()]
        if any(to_source(part) is None for part in parts):
            return None
    text = repr(value)
    return text if len(text) <= 4_000 else None
