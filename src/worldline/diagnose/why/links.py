"""One link of the chain: the operation that set a value, and the values that it read.

The newer one of the true and the predicted writer counts: before its step both runs may still have agreed. If it has
no step beside it, the paths differ, and the condition that parted them is the next link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from worldline.analyze.flow.operations import Operation
from worldline.core.value import kind
from worldline.diagnose.failure.value_keys import keys_of, part_of
from worldline.diagnose.value_diff import difference
from worldline.diagnose.why.asked import AskedValue
from worldline.diagnose.why.chain import ChainOperand, WhyLink, is_different
from worldline.diagnose.why.operands import (
    LineReads,
    parameters,
    reads_of_argument,
    reads_of_condition,
    reads_of_result,
    reads_of_write,
)
from worldline.diagnose.why.read_values import (
    NO_READS,
    changed_inside,
    iterated_values,
    line_reads,
    other_name,
    read_values,
    value_before,
)
from worldline.diagnose.why.run_pair import RunPair
from worldline.diagnose.why.traced_run import TracedRun

MAX_OPERANDS = 8
_HANDED = {"return": "returned", "yield": "yielded", "raise": "raised", "output": "printed", "input": "read"}


@dataclass(frozen=True)
class ExplainedValue:
    """A link, the values that its operation read, and its place among the pairs of steps.

    `went`: of a condition, where both runs went after it.
    """

    link: WhyLink
    reads: tuple[AskedValue, ...] = ()
    place: int = -1
    went: str = ""


class LinkFinder:
    """Finds the link that set a value."""

    def __init__(self, runs: RunPair) -> None:
        self._runs = runs

    def explain(self, value: AskedValue) -> ExplainedValue | None:
        """Return the link of a value; None if no step of either run set it."""
        runs = self._runs
        value = value.narrowed(runs)
        true, predicted = value.writers(runs)
        place = max(
            -1 if true is None else runs.place(truth=true), -1 if predicted is None else runs.place(predicted=predicted)
        )
        if place < 0:
            return None
        pair = runs.pairs[place]
        if not pair.agrees or pair.truth is None or pair.found is None:
            return self._parted(value, true, predicted, place)
        if value.name is None:
            explained = self._handed(value, pair.truth, pair.found)
        elif runs.found.events[pair.found].event == "call":
            outer = self._captured(value, pair.truth, pair.found)
            if outer is not None:
                return self.explain(outer)
            explained = self._argument(value, pair.truth, pair.found)
        else:
            explained = self._written(value, pair.truth, pair.found)
            explained = self._one_sided(explained, value, in_truth=true == pair.truth, in_found=predicted == pair.found)
        return replace(explained, place=place)

    def _link(
        self, kind_of: str, value: AskedValue, true: int | None, predicted: int | None, reads: LineReads
    ) -> WhyLink:
        runs = self._runs
        view, step = (runs.found, predicted) if predicted is not None else (runs.truth, true)
        assert step is not None
        wanted, got = value.both(runs)
        line, true_line = view.line(step), None if true is None else runs.truth.line(true)
        return WhyLink(
            kind=kind_of,
            name=value.text,
            truth=true,
            found=predicted,
            line=line,
            true_line=true_line if true_line != line else None,
            file=view.events[step].file,
            function=view.function(view.events[step].frame),
            operation=reads.operation.name,
            text=reads.operation.text,
            wanted=wanted,
            got=got,
        )

    def _with_operands(self, link: WhyLink, values: Sequence[AskedValue]) -> ExplainedValue:
        """A link with its operands: those that have a value; if there are too many, wrong ones first."""
        known = [(value, both) for value in values if (both := value.both(self._runs)) != (None, None)]
        if len(known) > MAX_OPERANDS:
            known.sort(key=lambda entry: not is_different(*entry[1]))
        known = known[:MAX_OPERANDS]
        operands = tuple(ChainOperand(text=value.text, wanted=both[0], got=both[1]) for value, both in known)
        return ExplainedValue(replace(link, operands=operands), tuple(value for value, _ in known))

    def _written(self, value: AskedValue, true: int, predicted: int) -> ExplainedValue:
        """A name that the line of two steps set or changed, or that a call changed."""
        runs, name = self._runs, value.name or ""
        wanted, got = value.both(runs)
        kind_of = kind(wanted or got or "")
        reads = self._reads_of_write(predicted, name, kind_of)
        link = self._link("written", value, true, predicted, reads)
        if not reads.binds:
            inner = self._inner(value, link, true, predicted)
            if inner is not None:
                return inner
            other = other_name(runs, value, predicted)
            if other:
                reads = self._reads_of_write(predicted, other, kind_of)
                note = f"changed through {other}, the same object"
                link = replace(link, operation=reads.operation.name, text=reads.operation.text, note=note)
        handed = runs.truth.handed(true), runs.found.handed(predicted)
        return self._with_operands(link, read_values(runs, reads, (true, predicted), handed))

    def _reads_of_write(self, predicted: int, name: str, kind_of: str) -> LineReads:
        reads = line_reads(
            self._runs.found, predicted, lambda source, line: reads_of_write(source, line, name, kind_of)
        )
        return reads or NO_READS

    def _inner(self, value: AskedValue, link: WhyLink, true: int, predicted: int) -> ExplainedValue | None:
        """A name that a call changed: the same object under another name, or the name itself by `global`."""
        runs = self._runs
        changed = changed_inside(runs, value, true, predicted)
        if changed is not None and changed.found is not None:
            function = runs.found.function(changed.found.frame)
            note = f"changed in {function}" + ("" if changed.name == value.name else f", as {changed.name}")
            operand = ChainOperand(text=changed.text, wanted=link.wanted, got=link.got)
            return ExplainedValue(replace(link, operation="call", note=note, operands=(operand,)), (changed,))
        return None

    def _one_sided(
        self, explained: ExplainedValue, value: AskedValue, *, in_truth: bool, in_found: bool
    ) -> ExplainedValue:
        """A link that says if only one run changed the value here; it then also reads the value before."""
        link = explained.link
        if (in_truth and in_found) or link.truth is None or link.found is None:
            return explained
        note = "the prediction does not change it here" if in_truth else "it does not actually change here"
        before = value_before(value, link.truth, link.found)
        link = replace(link, note="; ".join(filter(None, (link.note, note))))
        values = dict.fromkeys((*explained.reads, before))
        return self._with_operands(link, [read for read in values if not self._is_whole_of(read, value)])

    def _is_whole_of(self, read: AskedValue, value: AskedValue) -> bool:
        return read.name == value.name and read.keys != value.keys

    def _handed(self, value: AskedValue, true: int, predicted: int) -> ExplainedValue:
        """What two steps return, yield, raise or print."""
        runs = self._runs
        event = runs.found.events[predicted].event
        wanted, got = value.both(runs)
        first = difference(wanted, got) if wanted is not None and got is not None else None
        keys = keys_of(first.path) if first is not None else ()
        inside = "" if first is None else first.path, kind(part_of(wanted, keys) or "") if keys else ""
        kind_of = kind(wanted or got or "")
        steps = runs.truth.evaluated(true), runs.found.evaluated(predicted)
        reads = line_reads(
            runs.found, steps[1], lambda source, line: reads_of_result(source, line, event, kind_of, inside)
        )
        reads = reads or NO_READS
        link = self._link(_HANDED.get(event, "returned"), value, true, predicted, reads)
        link = replace(link, line=runs.found.line(steps[1]))
        handed = runs.truth.handed(steps[0], true), runs.found.handed(steps[1], predicted)
        values = read_values(runs, reads, steps, handed)
        values += iterated_values(runs, reads, true, predicted, keys)
        return self._with_operands(link, values)

    def _captured(self, value: AskedValue, true: int, predicted: int) -> AskedValue | None:
        """The name of an enclosing function that a frame starts with, as a comprehension does; None for a parameter."""
        runs, name = self._runs, value.name or ""
        event, true_event = runs.found.events[predicted], runs.truth.events[true]
        caller = runs.found.previous(predicted, event.parent)
        true_caller = runs.truth.previous(true, true_event.parent)
        if caller is None or true_caller is None or not runs.program.lang.has_syntax_tree:
            return None
        if name in parameters(runs.found.source(event.file), event.action[1], runs.found.function(event.frame)):
            return None
        spots = runs.truth.owner(true_caller, name, before=True), runs.found.owner(caller, name, before=True)
        return None if None in spots else AskedValue(value.text, name, *spots, value.keys)

    def _argument(self, value: AskedValue, true: int, predicted: int) -> ExplainedValue:
        """A parameter: the expression of the caller that gave it its value."""
        runs, name = self._runs, value.name or ""
        event = runs.found.events[predicted]
        caller = runs.found.previous(predicted, event.parent)
        true_caller = runs.truth.previous(true, runs.truth.events[true].parent)
        if caller is None or true_caller is None:
            link = self._link("input", value, true, predicted, NO_READS)
            return ExplainedValue(replace(link, operation="argument", text=runs.program.call or ""))
        called = runs.found.function(event.frame)
        names = parameters(runs.found.source(event.file), event.action[1], called)
        reads = line_reads(
            runs.found, caller, lambda source, line: reads_of_argument(source, line, name, names, called)
        )
        reads = reads or NO_READS
        link = self._link("argument", value, true_caller, caller, reads)
        handed = runs.truth.handed(true_caller, true), runs.found.handed(caller, predicted)
        values = read_values(runs, reads, (true_caller, caller), handed)
        return self._with_operands(replace(link, note=f"passed to {called} as {name}"), values)

    # ---- different paths

    def _parted(self, value: AskedValue, true: int | None, predicted: int | None, place: int) -> ExplainedValue:
        """A value that only one run set, or both on different lines: the condition that parted them explains it."""
        runs, pair = self._runs, self._runs.pairs[place]
        own_true = true if true is not None and true == pair.truth else None
        own_found = predicted if predicted is not None and predicted == pair.found else None
        view, step = (runs.found, own_found) if own_found is not None else (runs.truth, own_true)
        reads = LineReads(Operation("", view.line_text(step))) if step is not None else NO_READS
        link = self._link("path", value, own_true, own_found, reads)
        decided = self.decided(place)
        note = decided.went if decided is not None else self._ended()
        if (own_true is None) != (own_found is None):
            only = "in the actual run" if own_found is None else "in the prediction"
            note = f"executed only {only}: {note}"
        return ExplainedValue(replace(link, note=note), (), place)

    def decided(self, place: int) -> ExplainedValue | None:
        """Return the condition that parted the paths at a pair of steps; None if the prediction has ended there."""
        runs = self._runs
        true, predicted, true_next, found_next = runs.parting(place)
        if true is None or predicted is None or found_next is None:
            return None
        at = runs.place(predicted=predicted)
        reads = line_reads(runs.found, predicted, reads_of_condition, decides=True)
        link = self._link("decided", AskedValue("next line", None, None, None), true, predicted, reads or NO_READS)
        went = f"predicted {_line(runs.found, found_next)}, actual {_line(runs.truth, true_next)}"
        if reads is None or not reads.operation.text:
            text, note = runs.found.line_text(predicted), f"{went}, after line {link.line}"
            return ExplainedValue(replace(link, operation="order", text=text), (), at, note)
        wanted, got = (_judged(view, step) for view, step in ((runs.truth, true), (runs.found, predicted)))
        note = f"{went}, because the condition at line {link.line} was misjudged"
        if wanted and got:
            judged = f"was judged {got}, actually {wanted}" if wanted != got else f"was judged {got}"
            note = f"{went}, because the condition at line {link.line} {judged}"
        link = replace(link, name=reads.operation.text, wanted=wanted, got=got)
        handed = runs.truth.handed(true), runs.found.handed(predicted)
        return replace(
            self._with_operands(link, read_values(runs, reads, (true, predicted), handed)), place=at, went=note
        )

    def _ended(self) -> str:
        count = len(self._runs.found.events)
        return f"the prediction ends after step {count - 1}" if count else "the prediction has no step"


def _judged(view: TracedRun, step: int) -> str | None:
    """How a run judged the condition of a step, in words; None if it is not known."""
    return next((condition.answer for condition in view.conditions.get(step, ())), None)


def _line(view: TracedRun, step: int | None) -> str:
    if step is None:
        return "the end"
    event = view.events[step]
    return f"line {view.line(step)}" if event.event == "line" else f"{event.event} (line {view.line(step)})"
