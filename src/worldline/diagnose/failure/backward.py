"""The history of a value: a dynamic backward slice of bounded length, newest step first.

From the expression that failed, each link is the step that wrote what the link before it read: through assignments,
changes of shared objects, returns, arguments, defaults and fixtures. A step that reads nothing is followed to the
condition that decided it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from worldline.core.value import kind
from worldline.diagnose.failure.arguments import origin_of_end, origin_of_parameter, origin_of_result
from worldline.diagnose.failure.bindings import narrowed, number_of, reads_of_write, stored_value
from worldline.diagnose.failure.conditions import deciding
from worldline.diagnose.failure.evaluation import BUILTINS, COMPREHENSIONS, COPIERS, Evaluation, called_name
from worldline.diagnose.failure.explanation import ValueLink
from worldline.diagnose.failure.origin import Keys, NameRead, Origin, Read, YieldRead
from worldline.diagnose.failure.trace_index import NameChange, TraceIndex, targets_of
from worldline.diagnose.failure.value_keys import is_known_key, is_mutable, part_of

MAX_LINKS = 8
#: Steps that are looked at for one value: those of a long loop are one link.
MAX_VISITS = 2_000
MIN_VALUE_CHARS = 3


class BackwardSlice:
    """The links of one value, found from the newest step to older ones."""

    def __init__(self, index: TraceIndex, *, max_links: int = MAX_LINKS) -> None:
        self._index, self._max_links = index, max_links
        self._waiting: list[Origin] = []
        self._seen: set[tuple[object, ...]] = set()
        self._numbers: dict[tuple[object, ...], int] = {}
        self.links: list[ValueLink] = []
        self.notes: list[str] = []

    def follow(self, read: Read) -> None:
        """Find the links behind an expression; conditions come last, if there is room."""
        conditions: list[tuple[int, Origin]] = []
        self._wait(self._origins(read), None)
        for _ in range(MAX_VISITS):
            if not self._waiting and conditions and len(self.links) < self._max_links:
                number, origin = conditions.pop(0)
                decision = deciding(self._index, origin.step)
                self._wait([] if decision is None else [decision], number)
            if not self._waiting:
                if conditions and len(self.links) < self._max_links:
                    continue
                return
            origin = self._waiting.pop(self._waiting.index(max(self._waiting, key=lambda waiting: waiting.step)))
            at = self._put(origin)
            if at is None:
                return
            older = [earlier for read in origin.reads for earlier in self._origins(read)]
            self._wait(older, at)
            if not origin.is_copy and _is_handed_over(origin, older):
                origin = replace(origin, is_copy=True)
                self.links[at] = replace(self.links[at], is_copy=True)
            if not origin.is_copy and origin.kind in ("written", "returned", "yielded", "fixture"):
                conditions.append((at, origin))

    def _wait(self, origins: list[Origin], feeds: int | None) -> None:
        for origin in origins:
            key = origin.kind, origin.step, origin.name, origin.keys
            if key not in self._seen:
                self._seen.add(key)
                self._waiting.append(replace(origin, feeds=feeds))

    def _put(self, origin: Origin) -> int | None:
        """Add a link, or count it with that of the same line and name; None if there is no more room."""
        place = self._index.place(origin.step)
        key = origin.kind, place.file, place.line, origin.name
        if key in self._numbers:
            at = self._numbers[key]
            self.links[at] = replace(self.links[at], times=self.links[at].times + 1)
            return at
        if len(self.links) >= self._max_links:
            self.notes.append(f"the history is longer: the newest {self._max_links} links are shown")
            return None
        self._numbers[key] = len(self.links)
        link = ValueLink(
            kind=origin.kind,
            place=place,
            name=origin.name,
            before=origin.before,
            after=origin.after,
            part="".join(origin.keys),
            note=origin.note,
            feeds=origin.feeds,
            is_copy=origin.is_copy,
        )
        self.links.append(link)
        return len(self.links) - 1

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # what an expression reads

    def _origins(self, read: Read) -> list[Origin]:
        if isinstance(read, NameRead):
            origin = self._of_name(read.frame, read.name, read.keys, read.at)
            return [] if origin is None else [origin]
        if isinstance(read, YieldRead):
            return [origin_of_end(self._index, read.step, read.keys)]
        return list(self._of_expression(read.evaluation, read.node, read.keys))

    def _of_expression(self, evaluation: Evaluation, node: ast.AST, keys: Keys) -> Iterator[Origin]:
        if isinstance(node, COMPREHENSIONS):
            yield from self._of_comprehension(evaluation, node, keys)
        elif node in evaluation.calls:
            yield self._of_call(evaluation.calls[node], keys)
        else:
            for part, inner in self._parts(evaluation, node, keys):
                yield from self._of_expression(evaluation, part, inner)
            if isinstance(node, ast.Attribute) and (stored := evaluation.stored(node)) is not None:
                yield self._of_store(stored, node)
            if isinstance(node, ast.Name):
                origin = self._of_name(evaluation.frame, node.id, keys, evaluation.at)
                yield from () if origin is None else (origin,)

    def _parts(self, evaluation: Evaluation, node: ast.AST, keys: Keys) -> Iterator[tuple[ast.AST, Keys]]:
        """The parts of an expression that its value comes from, and of each the part that matters."""
        match node:
            case ast.Name() | ast.Constant() | ast.Lambda():
                return
            case ast.Attribute():
                is_field = is_known_key(evaluation.value(node.value), "." + node.attr)
                if not is_field and isinstance(node.value, ast.Name) and evaluation.stored(node) is not None:
                    return
                yield node.value, ("." + node.attr, *keys) if is_field else ()
            case ast.Subscript():
                key = evaluation.key(node)
                yield node.value, () if key is None else (key, *keys)
                yield node.slice, ()
            case ast.Await() | ast.NamedExpr() | ast.Starred():
                yield node.value, keys
            case ast.List() | ast.Tuple() | ast.Dict() if (
                keys and (item := narrowed(evaluation, node, keys[0])) is not None
            ):
                yield item, keys[1:]
            case ast.Call():
                yield from self._of_unknown_call(evaluation, node, keys)
            case ast.keyword():
                yield node.value, ()
            case _:
                for part in ast.iter_child_nodes(node):
                    yield part, ()

    def _of_unknown_call(self, evaluation: Evaluation, node: ast.Call, keys: Keys) -> Iterator[tuple[ast.AST, Keys]]:
        """What a call reads that was not stepped into: its arguments, and the object of a method."""
        receiver = evaluation.value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        is_recorded = any(frame.name.rpartition(".")[2] == called_name(node) for frame in self._index.trace.frames)
        if not is_recorded and called_name(node) not in BUILTINS and (receiver is None or kind(receiver) == "object"):
            self._note(f"{ast.unparse(node.func)}() was not stepped into: its arguments are followed instead")
        part_keys = keys if called_name(node) in COPIERS else ()
        if isinstance(node.func, ast.Attribute) and called_name(node) != "deepcopy":
            yield node.func.value, part_keys
        for argument in node.args:
            yield argument, part_keys
        for keyword in node.keywords:
            yield keyword.value, ()

    def _of_comprehension(self, evaluation: Evaluation, node: ast.AST, keys: Keys) -> Iterator[Origin]:
        """What a comprehension reads: the calls of its element, and its iterables."""
        index, own = self._index, evaluation.calls.get(node)
        children = (
            index.called(own, index.first(own), index.last(own) + 1)
            if own is not None
            else index.called(evaluation.frame, evaluation.start, evaluation.end)
        )
        number = number_of(keys[0]) if keys else None
        if number is not None and number < len(children):
            yield self._of_call(children[number], keys[1:])
        elif children:
            yield self._of_call(children[-1], ())
        targets = {
            part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
        }
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in targets:
                origin = self._of_name(evaluation.frame, part.id, (), evaluation.at)
                yield from () if origin is None else (origin,)

    def _of_call(self, frame: int, keys: Keys) -> Origin:
        """What a recorded call returned; of a constructor, the last change of its object."""
        index, name = self._index, self._index.frames[frame].name
        if name.endswith("__init__"):
            origin = self._of_name(frame, "self", keys, index.last(frame) + 1)
            if origin is not None:
                return origin
        return origin_of_result(index, frame, keys)

    # who wrote a name

    def _of_name(self, frame: int, name: str, keys: Keys, at: int) -> Origin | None:
        index = self._index
        owner = index.owner(frame, name, at)
        change = None if owner is None else next(index.changes(owner, name, at, keys), None)
        if change is None:
            return None
        if index.trace[change.step].event == "call":
            return origin_of_parameter(index, change, keys)
        node = index.statement(index.frames[change.frame].file, index.trace.columns.line[change.step])
        if node is None or name not in targets_of(node):
            inner = self._inside(change, keys)
            if inner is not None:
                return self._written(*inner)
        return self._written(change, keys)

    def _written(self, change: NameChange, keys: Keys) -> Origin:
        evaluation = Evaluation(self._index, change.step)
        reads, is_copy = reads_of_write(evaluation, change.name, keys)
        return Origin(
            kind="written",
            step=change.step,
            name=change.name,
            keys=keys,
            before=change.before,
            after=change.after,
            note=self._alias(evaluation, change),
            reads=reads,
            is_copy=is_copy,
        )

    def _of_store(self, step: int, node: ast.Attribute) -> Origin:
        """A store into an attribute of an object that is too large to be recorded, such as that of a test case."""
        evaluation = Evaluation(self._index, step)
        assert isinstance(node.value, ast.Name)
        reads, is_copy = reads_of_write(evaluation, node.value.id, ("." + node.attr,))
        after = stored_value(evaluation, node.attr)
        return Origin(
            kind="written", step=step, name=ast.unparse(node), after=after, reads=reads, is_copy=is_copy and bool(after)
        )

    def _alias(self, evaluation: Evaluation, change: NameChange) -> str:
        """Through which other name a statement changed an object, if it does not use its own."""
        names = [part.id for part in ast.walk(evaluation.node or ast.Pass()) if isinstance(part, ast.Name)]
        if change.name in names or not is_mutable(change.after):
            return ""
        frame, end = evaluation.frame, evaluation.end
        other = next((name for name in names if self._index.value(frame, name, end) == change.after), None)
        return "" if other is None else f"the same object as {other}"

    def _inside(self, change: NameChange, keys: Keys) -> tuple[NameChange, Keys] | None:
        """The newest change of the same object in the calls that a step made: of the whole, or of a part it holds."""
        index, end = self._index, self._index.after(change.frame, change.step)
        newest: tuple[NameChange, Keys] | None = None
        for size in range(len(keys) + 1):
            target, rest = part_of(change.after, keys[:size]), keys[size:]
            for frame in index.inside(change.frame, change.step, end):
                # A value that cannot change in place is shared by a name of the function around, or of the module.
                shared = [change.name] if not size and not index.is_local(frame, change.name) else []
                for name in index.names(frame) if is_mutable(target) else shared:
                    inner = next(index.changes(frame, name, end, rest), None)
                    if inner is None or inner.step <= change.step or index.trace[inner.step].event == "call":
                        continue
                    is_same = index.value(frame, name, end) == target
                    if is_same and (newest is None or inner.step > newest[0].step):
                        newest = inner, rest
        return newest


def _is_handed_over(origin: Origin, older: list[Origin]) -> bool:
    """Whether a call returned the very value that a step wrote: `total = 0 + price()`. A short one may be chance."""
    is_whole = origin.kind in ("written", "returned") and not origin.keys and origin.after is not None
    if not is_whole or len(origin.after or "") < MIN_VALUE_CHARS:
        return False
    return any(earlier.kind == "returned" and earlier.after == origin.after for earlier in older)
