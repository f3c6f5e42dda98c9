"""What one divergence says about its cause: the condition that was misjudged, the operation whose value is wrong.

The first divergence is to blame, so that all before it is known to be right: the state that a wrong step began with is
the true one. `cause` decides whether a divergence is to blame at all. Of a language other than Python only the words of
a line are known (`flow.line_words`): it is quoted, and its operations have no names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from worldline.analyze.flow.functions import Functions
from worldline.analyze.flow.line_words import decision, may_change, on_line
from worldline.analyze.flow.operations import (
    Operation,
    condition,
    mentions,
    of_argument,
    of_name,
    of_result,
    signature,
)
from worldline.codec.reading import Event
from worldline.core.language import source_lines
from worldline.core.program import Program
from worldline.core.value import equal, kind
from worldline.core.value_parts import split
from worldline.diagnose.blame.terms import Place, Rerun, inner_operation
from worldline.diagnose.diverge import GONE, HIDDEN, Divergence, in_words, summary
from worldline.diagnose.history import Sighting, names_before, previous, sharer, sightings

ORDINARY = 5  # a value whose text is shorter turns up in many places by chance: it proves no copying


_ACTIONS = ("event", "line", "missing", "extra")
_VALUED = ("line", "resume", "call", "return", "yield")  # events whose values a line computes


@dataclass(frozen=True, kw_only=True)
class Blame:
    """A cause by name, what it is about, and the divergence that shows it; `line` computed or decided it."""

    name: str
    divergence: Divergence
    line: int | None = None
    detail: str = ""
    operation: str = ""
    type: str = ""
    evidence: str = ""


def blame(
    program: Program,
    truth: Sequence[Event],
    found: Sequence[Event],
    divergences: Sequence[Divergence],
    record: Rerun | None = None,
) -> Blame:
    """The cause that the first divergence of two traces shows; with a `record`, sub-expressions are looked into."""
    evidence = _Evidence(program, truth, found, divergences[0], record)
    decided = _decision(evidence, divergences)
    if decided is not None:
        return _Evidence(program, truth, found, decided).action()
    one, other = evidence.one, evidence.other
    if evidence.first.what in _ACTIONS or one is None or other is None or one.event != other.event:
        return evidence.action()
    return evidence.names() if evidence.first.what == "names" else evidence.value()


def _decision(evidence: _Evidence, divergences: Sequence[Divergence]) -> Divergence | None:
    """The wrong action that a wrong set of names is only part of.

    The line of a loop decides whether it goes on and sets its variable in one step; a line that raises sets nothing.
    """
    next_ones = (one for one in divergences[1:8] if one.what in _ACTIONS or one.what == "outcome")
    after = next(next_ones, None)
    if (
        evidence.first.what != "names"
        or after is None
        or after.step != evidence.first.step + 1
        or after.found is None
    ):
        return None
    events = {
        event.event for event in (*evidence.truth[after.step : after.step + 1], evidence.found[after.found])
    }
    return after if "raise" in events or evidence.is_loop else None


@dataclass(frozen=True)
class _Evidence:
    program: Program
    truth: Sequence[Event]
    found: Sequence[Event]
    first: Divergence
    record: Rerun | None = None
    decided: int | None = None  # the line before a wrong action

    @property
    def one(self) -> Event | None:
        """The true event."""
        return self.truth[self.first.step] if self.first.step < len(self.truth) else None

    @property
    def other(self) -> Event | None:
        """The found event."""
        return None if self.first.found is None else self.found[self.first.found]

    @property
    def before(self) -> Mapping[str, str]:
        """The names of the frame before the step."""
        return names_before(self.truth, self.first.step)

    @property
    def is_python(self) -> bool:
        """Whether the syntax of the program is known."""
        return self.program.lang.has_syntax_tree

    @property
    def is_loop(self) -> bool:
        """Whether the line in question decides whether a loop goes on."""
        if self.is_python:
            return self.operation("").name == "iteration"
        origin = self._origin()
        decides = None if origin is None else decision(self._text(origin, origin.line))
        return decides is not None and decides.name == "iteration"

    # ---- actions ----

    def action(self) -> Blame:
        """A wrong action, and what it was that should have been decided otherwise."""
        one, other = self.one, self.other
        prior = None if one is None else previous(self.truth, self.first.step, one.frame)
        line = None if prior is None else self.truth[prior].line
        self = replace(self, decided=line)
        says = f"the run goes to `{self._told(one)}`, the prediction to `{self._told(other)}`"
        kinds = (one.event if one else "end"), (other.event if other else "end")
        if one is not None and other is not None and self.first.what == "event" and kinds[0] == kinds[1]:
            return self._action("in another frame", "call", says)
        special = next((event for event in ("raise", "call", "output", "yield") if event in kinds), None)
        if special is not None and kinds[0] != kinds[1]:
            named = {"raise": "exception"}.get(special, special)
            detail = f"{named} {'missed' if kinds[0] == special else 'invented'}"
            return self._action(detail, named, f"{self._after(line)}{says}")
        decides = self._decides(one, line)
        if decides is None and not self.is_python:
            return self._action("next line", "", f"{self._after(line)}{says}")
        if decides is None:
            return self._action("order of lines", "order", says)
        return self._action(decides.text, decides.name, f"line {line} decides by `{decides.text}`: {says}")

    def _decides(self, event: Event | None, line: int | None) -> Operation | None:
        if event is None:
            return None
        return condition(self._source(event), line) if self.is_python else decision(self._text(event, line))

    def _told(self, event: Event | None) -> str:
        is_call = event is not None and event.event == "call"
        return in_words(event, Functions(self.program)) if event is not None and is_call else summary(event)

    def _action(self, detail: str, operation: str, evidence: str) -> Blame:
        return Blame(
            name="wrong action",
            divergence=self.first,
            line=self.decided,
            detail=detail,
            operation=operation,
            evidence=evidence,
        )

    def _after(self, line: int | None) -> str:
        return "" if line is None else f"after line {line} "

    # ---- which names change ----

    def names(self) -> Blame:
        """A name that changes on one side only."""
        name, wanted, got = self.first.name or "", self.first.wanted, self.first.got
        if (wanted or "").startswith("&") or (got or "").startswith("&"):
            return self._blame(
                "forgotten aliasing", f"{name}{wanted or '&'}", "", f"{wanted} is marked {got}"
            )
        was_there = name in self.before
        if got == GONE or (got is None and was_there and self._is_whole):
            type_ = kind(self.before.get(name, wanted or ""))
            return self._blame("lost variable", name, type_, f"{name} is gone, though it still has a value")
        if wanted is None and got is not None:
            return self._invented(name, got)
        return self._missed(name, wanted or "")

    @property
    def _is_whole(self) -> bool:
        return self.one is not None and self.one.whole

    def _missed(self, name: str, wanted: str) -> Blame:
        operation = self.operation(kind(wanted))
        other = None if self._binds(name) else sharer(self.truth, self.first.step, name, wanted)
        if other is not None:
            says = f"{name} became {wanted}: it is changed under the name {other}"
            return self._blame("forgotten aliasing", f"{name} and {other}", kind(wanted), says, operation)
        if wanted == GONE:
            return self._blame("missed change", name, "", f"{name} is gone", operation)
        return self._blame("missed change", name, kind(wanted), f"{name} becomes {wanted}", operation)

    def _invented(self, name: str, got: str) -> Blame:
        operation = self.operation(kind(got))
        if self._binds(name):  # the line does set it, to what it was: another value was computed
            before = self.before.get(name, "unset")
            says = f"{name} stays {before}, not {got}"
            if _equal(before, got):
                says = f"{name} is {got} before and after, and the model tells it as a change"
                return self._blame("invented change", name, kind(got), says, operation)
            return self._computed("", kind(got), says, operation, self.before.get(name), got)
        values = {} if self.other is None else self.other.values
        twin = next((one for one, value in values.items() if one != name and value == got), None)
        detail = f"{name} taken for the object of {twin}" if twin else name
        return self._blame(
            "invented change", detail, kind(got), f"{name} became {got}, which it did not", operation
        )

    def _binds(self, name: str) -> bool:
        origin = self._origin()
        if origin is None:
            return False
        if not self.is_python:
            return may_change(self._text(origin, origin.line), name)
        return mentions(self._source(origin), origin.line, name)

    # ---- values ----

    def value(self) -> Blame:
        """A value that is another one."""
        name, wanted, got = self.first.name, self.first.wanted or "", self.first.got or ""
        if name == HIDDEN:
            return self._hidden(wanted, got)
        old = self.before.get(name) if name is not None else None
        if name is not None and old is not None:
            if _equal(old, got):
                return self._missed(name, wanted)
            if _equal(old, wanted):
                return self._invented(name, got)
        type_ = "exception" if self.one and self.one.event == "raise" else kind(wanted)
        operation = self.operation(kind(wanted))
        seen = self._copied(got, operation)
        if seen is not None:
            whose = f"`{seen.name}`" if seen.name else f"what step {seen.step} gave back"
            says = f"{self._subject} is {wanted}; {got} is {whose} at step {seen.step}"
            return self._blame("copied from the wrong step", f"step {seen.step}", type_, says, operation)
        says = f"{self._subject} is {wanted}, not {got}"
        return self._computed(self._where(), type_, says, operation, wanted, got)

    def _hidden(self, wanted: str, got: str) -> Blame:
        """A hidden input that is left out, made up, or one that could not be."""
        if not got:
            return self._blame("missed change", "hidden input", "hidden input", f"{wanted} is not told")
        if not wanted:
            return self._blame(
                "invented change", "hidden input", "hidden input", f"{got} is told, and nothing is drawn"
            )
        return self._blame("wrong value", "hidden input", "hidden input", f"{wanted} is told as {got}")

    def _computed(
        self, detail: str, type_: str, says: str, operation: Operation, wanted: str | None, got: str
    ) -> Blame:
        """A wrong value, and the sub-expression that it cannot have come from."""
        inner = None if wanted is None else self._inner(wanted, got)
        blamed = self._blame("wrong value", detail, type_, says, operation)
        if inner is None:
            return blamed
        named, value = inner
        said = f"{blamed.evidence}: that cannot come of `{named.text}`, which is {value}"
        return replace(blamed, operation=named.name, evidence=said)

    def _inner(self, wanted: str, got: str) -> tuple[Operation, str] | None:
        one, origin, name = self.one, self._origin(), self.first.name
        if self.record is None or not self.is_python:
            return None
        if one is None or origin is None or one.event not in _VALUED:
            return None
        step = next((i for i in range(self.first.step, -1, -1) if self.truth[i] is origin), None)
        if step is None:
            return None
        is_given = name is not None and one.event == "call" and origin is not one
        called = signature(self._source(one), one.line) if is_given else None
        if is_given and called is None:
            return None
        place = Place(step=step, name=name, event=one.event, called=called)
        try:
            return inner_operation(self.program, self.truth, place, wanted, got, self.record)
        except RecursionError:  # nested too deep to be taken apart
            return None

    @property
    def _subject(self) -> str:
        return self.first.name or (self.one.event if self.one else "") or "it"

    def _where(self) -> str:
        part = self.first.part
        if part is None or (not part.path and part.at is None):
            return ""
        return f"{part.path}{'' if part.at is None else f' character {part.at}'}".strip()

    def _copied(self, got: str, operation: Operation) -> Sighting | None:
        """Where a wrong value stood before, unless it is what the operation began with: then nothing was done to it."""
        is_copy = operation.name == "copy"
        if len(got) < ORDINARY and not is_copy:
            return None
        operands = {} if is_copy else {n: v for n, v in self.before.items() if n in operation.operands}
        if got in operands.values():
            return None
        name, seen = self.first.name, list(sightings(self.truth, got, self.first.step))
        return next((one for one in seen if one.name == name), seen[0] if seen else None)

    def operation(self, kind_of: str) -> Operation:
        """What computes the value in question."""
        one, name = self.one, self.first.name
        origin = self._origin()
        if one is None or origin is None:
            return Operation("argument", self.program.call or "")
        if not self.is_python:
            return on_line(self._text(origin, origin.line))
        source = self._source(origin)
        if name is None:
            path = self.first.part.path if self.first.part else ""
            inner = kind(_element(self.first.wanted or "", path) or "")
            return of_result(source, origin.line, one.event, kind_of, (path, inner))
        if one.event == "call" and origin is not one:
            return of_argument(source, origin.line, one.line, name, kind_of)
        return of_name(source, origin.line, name, kind_of)

    def _origin(self) -> Event | None:
        """The event whose line computes what differs: the step's, the one before it, or the caller's."""
        one, step = self.one, self.first.step
        if one is None or self.first.name is None:
            return one
        if one.event == "call":
            at = previous(self.truth, step, one.parent)
        else:
            at = previous(self.truth, step, one.frame) if one.whole else step
        return None if at is None else self.truth[at]

    def _source(self, event: Event | None) -> str:
        file = None if event is None else event.file
        return self.program.source if file is None else dict(self.program.files).get(file, "")

    def _text(self, event: Event, line: int | None) -> str:
        """The text of a line of an event's file."""
        lines = source_lines(self._source(event), self.program.language)
        return lines[line - 1] if line is not None and 0 < line <= len(lines) else ""

    def _blame(
        self, name: str, detail: str, type_: str, evidence: str, operation: Operation | None = None
    ) -> Blame:
        if operation is None:
            operation = self.operation(type_)
        on = f", by `{operation.text}`" if operation.text else ""
        origin = self._origin()
        return Blame(
            name=name, divergence=self.first, line=origin.line if origin is not None else None, detail=detail,
            operation=operation.name, type=type_,
            evidence=evidence + on,
        )  # fmt: skip


def _element(value: str, path: str) -> str | None:
    """The element of a value that a path begins with."""
    parts, key = split(value), path[1:].partition("]")[0]
    if parts is None or isinstance(parts.items, (str, bytes)) or not path.startswith("["):
        return None
    keys = parts.keys if parts.keys is not None else [str(i) for i in range(len(parts.items))]
    return parts.items[keys.index(key)] if key in keys else None


def _equal(one: str, other: str) -> bool:
    return one == other or equal(one, other)
