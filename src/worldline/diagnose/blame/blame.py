"""The cause that a divergence shows: the misjudged condition, or the operation whose value is wrong.

The first divergence is to blame, so everything before it is right: a wrong step starts from the true state.
`cause` decides whether a divergence is to blame at all. For languages other than Python only the words of a
line are known (`flow.line_words`): the line is quoted, and its operations have no names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from worldline.analyze.flow.functions import Functions
from worldline.analyze.flow.line_words import decision, may_change, on_line
from worldline.analyze.flow.operations import Operation, condition, mentions, of_argument, of_name, of_result, signature
from worldline.codec.reading import Event
from worldline.core.language import source_lines
from worldline.core.program import Program
from worldline.core.text import shortened
from worldline.core.value import kind
from worldline.core.value_parts import split
from worldline.diagnose.blame.culprit import Culprit, culprits
from worldline.diagnose.blame.terms import Rerun, ValueOrigin
from worldline.diagnose.diverge import GONE, HIDDEN, Divergence, in_words, summary
from worldline.diagnose.history import Sighting, names_before, previous, sharer, sightings
from worldline.diagnose.value_diff import same_value

MIN_COPIED = 5  # characters; a shorter value occurs in many places by chance, which proves no copying


_ACTIONS = ("event", "line", "missing", "extra")
_VALUED = ("line", "resume", "call", "return", "yield", "output")  # events whose values a line computes
AMBIGUOUS = "ambiguous"
"""The operation of a failure that several operations explain equally well; they are its candidates."""
_MAX_SHOWN = 120  # characters of a value that an operation should have given


@dataclass(frozen=True, kw_only=True)
class Blame:
    """A cause by name, with what it is about and its divergence; `line` computed or decided it.

    `candidates`: the operations that explain the value equally well, if `operation` is ambiguous.
    """

    name: str
    divergence: Divergence
    line: int | None = None
    detail: str = ""
    operation: str = ""
    type: str = ""
    evidence: str = ""
    candidates: tuple[str, ...] = ()


def blame(
    program: Program,
    truth: Sequence[Event],
    predicted: Sequence[Event],
    divergences: Sequence[Divergence],
    record: Rerun | None = None,
) -> Blame:
    """Find the cause that the first divergence shows. `record` executes a program, to look into sub-expressions."""
    evidence = _Evidence(program, truth, predicted, divergences[0], record)
    decided = _decision(evidence, divergences)
    if decided is not None:
        return _Evidence(program, truth, predicted, decided).action()
    true, guess = evidence.true, evidence.predicted
    if evidence.first.what in _ACTIONS or true is None or guess is None or true.event != guess.event:
        return evidence.action()
    return evidence.names() if evidence.first.what == "names" else evidence.value()


def _decision(evidence: _Evidence, divergences: Sequence[Divergence]) -> Divergence | None:
    """The wrong action that a wrong set of names is only a part of.

    The line of a loop decides whether it continues and sets its variable in one step; a line that raises sets
    nothing. Neither drops a name, and what is raised without it only follows.
    """
    first = evidence.first
    after = next((later for later in divergences[1:8] if later.what in (*_ACTIONS, "outcome")), None)
    if first.what != "names" or after is None or after.step != first.step + 1 or after.found is None:
        return None
    if evidence.is_lost:
        return None
    events = (*evidence.truth[after.step : after.step + 1], evidence.prediction[after.found])
    is_raised = any(event.event == "raise" for event in events)
    return after if is_raised or evidence.is_loop else None


@dataclass(frozen=True)
class _Evidence:
    program: Program
    truth: Sequence[Event]
    prediction: Sequence[Event]
    first: Divergence
    record: Rerun | None = None
    decided: int | None = None  # the line before a wrong action

    @property
    def true(self) -> Event | None:
        return self.truth[self.first.step] if self.first.step < len(self.truth) else None

    @property
    def predicted(self) -> Event | None:
        return None if self.first.found is None else self.prediction[self.first.found]

    @property
    def before(self) -> Mapping[str, str]:
        return names_before(self.truth, self.first.step)

    @property
    def is_python(self) -> bool:
        """Whether the syntax of the program is known."""
        return self.program.lang.has_syntax_tree

    @property
    def is_loop(self) -> bool:
        """Whether the line decides whether a loop continues."""
        if self.is_python:
            return self.operation("").name == "iteration"
        origin = self._origin()
        decides = None if origin is None else decision(self._text(origin, origin.line))
        return decides is not None and decides.name == "iteration"

    # ---- actions ----

    def action(self) -> Blame:
        """A wrong action, and the decision that led to it."""
        true, predicted = self.true, self.predicted
        prior = None if true is None else previous(self.truth, self.first.step, true.frame)
        line = None if prior is None else self.truth[prior].line
        self = replace(self, decided=line)
        evidence = f"next is `{self._describe(true)}`, predicted `{self._describe(predicted)}`"
        kinds = (true.event if true else "end"), (predicted.event if predicted else "end")
        if true is not None and predicted is not None and self.first.what == "event" and kinds[0] == kinds[1]:
            return self._action("in another frame", "call", evidence)
        special = next((event for event in ("raise", "call", "output", "yield") if event in kinds), None)
        if special is not None and kinds[0] != kinds[1]:
            named = {"raise": "exception"}.get(special, special)
            detail = f"{named} {'missed' if kinds[0] == special else 'invented'}"
            return self._action(detail, named, f"{self._after(line)}{evidence}")
        decides = self._decides(true, line)
        if decides is None and not self.is_python:
            return self._action("next line", "", f"{self._after(line)}{evidence}")
        if decides is None:
            return self._action("order of lines", "order", evidence)
        evidence = f"line {line} decides by `{decides.text}`: {evidence}"
        return self._action(decides.text, decides.name, evidence)

    def _decides(self, event: Event | None, line: int | None) -> Operation | None:
        if event is None:
            return None
        return condition(self._source(event), line) if self.is_python else decision(self._text(event, line))

    def _describe(self, event: Event | None) -> str:
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
        return "" if line is None else f"after line {line}, "

    # ---- which names change ----

    def names(self) -> Blame:
        name, wanted, got = self.first.name or "", self.first.wanted, self.first.got
        if (wanted or "").startswith("&") or (got or "").startswith("&"):
            evidence = f"{wanted or 'no mark'}, predicted {got or 'no mark'}"
            return self._blame("forgotten aliasing", f"{name}{wanted or '&'}", "", evidence)
        if got == GONE or self.is_lost:
            type_ = kind(self.before.get(name, wanted or ""))
            return self._blame("lost variable", name, type_, f"{name} still has a value, predicted none")
        if wanted is None and got is not None:
            return self._invented(name, got)
        return self._missed(name, wanted or "")

    @property
    def is_lost(self) -> bool:
        """Whether a name that had a value is missing where all names are repeated."""
        is_whole = self.true is not None and self.true.whole
        return is_whole and self.first.got is None and (self.first.name or "") in self.before

    def _missed(self, name: str, wanted: str) -> Blame:
        operation = self.operation(kind(wanted))
        other = None if self._binds(name) else sharer(self.truth, self.first.step, name, wanted)
        if other is not None:
            evidence = f"{name} becomes {wanted}: it is changed under the name {other}"
            return self._blame("forgotten aliasing", f"{name} and {other}", kind(wanted), evidence, operation)
        if wanted == GONE:
            return self._blame("missed change", name, "", f"{name} is deleted", operation)
        return self._blame("missed change", name, kind(wanted), f"{name} becomes {wanted}", operation)

    def _invented(self, name: str, got: str) -> Blame:
        operation = self.operation(kind(got))
        if self._binds(name):  # the line sets it to its old value: another value was computed
            before = self.before.get(name, "unset")
            evidence = f"{name} stays {before}, predicted {got}"
            if same_value(before, got):
                evidence = f"{name} is {got} before and after, predicted as a change"
                return self._blame("invented change", name, kind(got), evidence, operation)
            return self._computed("", kind(got), evidence, operation, self.before.get(name), got)
        values = {} if self.predicted is None else self.predicted.values
        twin = next((other for other, value in values.items() if other != name and value == got), None)
        detail = f"{name} taken for the object of {twin}" if twin else name
        evidence = f"{name} does not change, predicted {got}"
        return self._blame("invented change", detail, kind(got), evidence, operation)

    def _binds(self, name: str) -> bool:
        origin = self._origin()
        if origin is None:
            return False
        if not self.is_python:
            return may_change(self._text(origin, origin.line), name)
        return mentions(self._source(origin), origin.line, name)

    # ---- values ----

    def value(self) -> Blame:
        name, wanted, got = self.first.name, self.first.wanted or "", self.first.got or ""
        if name == HIDDEN:
            return self._hidden(wanted, got)
        old = self.before.get(name) if name is not None else None
        if name is not None and old is not None:
            if same_value(old, got):
                return self._missed(name, wanted)
            if same_value(old, wanted):
                return self._invented(name, got)
        type_ = "exception" if self.true and self.true.event == "raise" else kind(wanted)
        operation = self.operation(kind(wanted))
        seen = self._copied(got, operation)
        if seen is not None:
            whose = f"`{seen.name}`" if seen.name else "the result"
            evidence = f"{self._subject} is {wanted}, predicted {got}, which is {whose} at step {seen.step}"
            return self._blame("copied from the wrong step", f"step {seen.step}", type_, evidence, operation)
        evidence = f"{self._subject} is {wanted}, predicted {got}"
        return self._computed(self._where(), type_, evidence, operation, wanted, got)

    def _hidden(self, wanted: str, got: str) -> Blame:
        name = "wrong value" if wanted and got else "invented change" if got else "missed change"
        evidence = f"{wanted or 'nothing is drawn'}, predicted {got or 'no draw'}"
        return self._blame(name, "hidden input", "hidden input", evidence)

    def _computed(
        self, detail: str, type_: str, evidence: str, operation: Operation, wanted: str | None, got: str
    ) -> Blame:
        """A wrong value, and the operation of the line that explains it."""
        suspects = [] if wanted is None else self._culprits(wanted, got)
        if suspects and suspects[0].loop:
            operation = replace(operation, text=suspects[0].loop)
        blamed = self._blame("wrong value", detail, type_, evidence, operation)
        names = tuple(dict.fromkeys(culprit.operation.name for culprit in suspects))
        if not names:
            return blamed
        if len(names) == 1:
            is_whole = suspects[0].operation.text == operation.text or names[0] in ("iteration", "unpacking")
            is_shown = suspects[0].is_alone and not is_whole
            shown = f": {_implied(suspects[0])}" if is_shown else ""
            return replace(blamed, operation=names[0], evidence=blamed.evidence + shown)
        shown = f"{AMBIGUOUS}: " + " or ".join(_implied(culprit) for culprit in suspects)
        return replace(blamed, operation=AMBIGUOUS, candidates=names, evidence=f"{blamed.evidence}; {shown}")

    def _culprits(self, wanted: str, got: str) -> list[Culprit]:
        """The operations of the line that explain the predicted value; none if nothing is known of them."""
        true, origin, name = self.true, self._origin(), self.first.name
        if not self.is_python or true is None or origin is None or true.event not in _VALUED:
            return []
        step = next((i for i in range(self.first.step, -1, -1) if self.truth[i] is origin), None)
        if step is None:
            return []
        is_given = name is not None and true.event == "call" and origin is not true
        called = signature(self._source(true), true.line) if is_given else None
        if is_given and called is None:
            return []
        place = ValueOrigin(step=step, name=name, event=true.event, called=called)
        try:
            return culprits(self.program, self.truth, place, wanted, got, self.record)
        except RecursionError:  # nested too deeply to be decomposed
            return []

    @property
    def _subject(self) -> str:
        return self.first.name or (self.true.event if self.true else "") or "it"

    def _where(self) -> str:
        part = self.first.part
        if part is None or (not part.path and part.at is None):
            return ""
        return f"{part.path}{'' if part.at is None else f' character {part.at}'}".strip()

    def _copied(self, got: str, operation: Operation) -> Sighting | None:
        """Where a wrong value occurred before, unless it is an operand: then nothing was computed."""
        is_copy = operation.name == "copy"
        if len(got) < MIN_COPIED and not is_copy:
            return None
        operands = {} if is_copy else {n: v for n, v in self.before.items() if n in operation.operands}
        if got in operands.values():
            return None
        name, seen = self.first.name, list(sightings(self.truth, got, self.first.step))
        return next((sighting for sighting in seen if sighting.name == name), seen[0] if seen else None)

    def operation(self, kind_of: str) -> Operation:
        """The operation that computes the value in question."""
        true, name = self.true, self.first.name
        origin = self._origin()
        if true is None or origin is None:
            return Operation("argument", self.program.call or "")
        if not self.is_python:
            return on_line(self._text(origin, origin.line))
        source = self._source(origin)
        if name is None:
            path = self.first.part.path if self.first.part else ""
            inner = kind(_element(self.first.wanted or "", path) or "")
            return of_result(source, origin.line, true.event, kind_of, (path, inner))
        if true.event == "call" and origin is not true:
            return of_argument(source, origin.line, true.line, name, kind_of)
        return of_name(source, origin.line, name, kind_of)

    def _origin(self) -> Event | None:
        """The event whose line computes what differs: the step's, the one before it, or the caller's."""
        true, step = self.true, self.first.step
        if true is None or self.first.name is None:
            return true
        if true.event == "call":
            at = previous(self.truth, step, true.parent)
        else:
            at = previous(self.truth, step, true.frame) if true.whole else step
        return None if at is None else self.truth[at]

    def _source(self, event: Event | None) -> str:
        file = None if event is None else event.file
        return self.program.source if file is None else dict(self.program.files).get(file, "")

    def _text(self, event: Event, line: int | None) -> str:
        """The text of a line of an event's file."""
        lines = source_lines(self._source(event), self.program.language)
        return lines[line - 1] if line is not None and 0 < line <= len(lines) else ""

    def _blame(self, name: str, detail: str, type_: str, evidence: str, operation: Operation | None = None) -> Blame:
        if operation is None:
            operation = self.operation(type_)
        computed = f", computed by `{operation.text}`" if operation.text else ""
        origin = self._origin()
        return Blame(
            name=name,
            divergence=self.first,
            line=origin.line if origin is not None else None,
            detail=detail,
            operation=operation.name,
            type=type_,
            evidence=evidence + computed,
        )


def _implied(culprit: Culprit) -> str:
    """What an operation gives, and what it would have to give for the predicted value."""
    true, wrong = shortened(culprit.true, _MAX_SHOWN), shortened(culprit.wrong, _MAX_SHOWN)
    if not culprit.is_alone:
        return f"one of several operations `{culprit.operation.name}`"
    return f"`{culprit.operation.text}` is {true}, the prediction implies {wrong}"


def _element(value: str, path: str) -> str | None:
    """The element of a value that a path starts with."""
    parts, key = split(value), path[1:].partition("]")[0]
    if parts is None or isinstance(parts.items, (str, bytes)) or not path.startswith("["):
        return None
    keys = parts.keys if parts.keys is not None else [str(i) for i in range(len(parts.items))]
    return parts.items[keys.index(key)] if key in keys else None
