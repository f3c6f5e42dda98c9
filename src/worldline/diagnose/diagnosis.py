"""The diagnosis of one sample: both texts read, compared and explained, each on first use and only once.

Reading and comparing take most of the time of a diagnosis, so whoever judges, explains, tests or shows a
sample passes its `Diagnosis` on. `cause` defines the causes, `interventions` how they are tested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from worldline.codec.notation import notation
from worldline.codec.reading import Reading
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.text import shortened
from worldline.core.trace import Trace
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.cause import Cause, explain, explain_guess
from worldline.diagnose.diverge import Divergence, diverge
from worldline.diagnose.drawn import control_of, find_guess, record_own_draws
from worldline.diagnose.reading import ends_alike, read
from worldline.diagnose.sample import Sample


@dataclass(frozen=True)
class Diagnosis:
    """Everything known about one sample: both readings, the divergences, the cause, and whether the answer is right.

    `record` executes a program, to tell the operations of a line apart. `again` executes it in another
    process under another hash seed, to find what could not be known. Under a control, both get the hidden
    inputs of the truth.
    """

    sample: Sample
    record: Rerun | None = None
    again: Rerun | None = None

    def __repr__(self) -> str:
        program, cause = self.sample.ask.program, self.cause
        where = "" if self.first is None else f" at step {self.first.step}"
        evidence = f": {shortened(cause.evidence, 80)}" if cause.evidence else ""
        return f"<Diagnosis of {shortened(program.call or program.name, 40)}: {cause.name}{where}{evidence}>"

    @cached_property
    def truth(self) -> Reading:
        """The true trace."""
        return read(self.sample.ask, self.sample.truth)

    @cached_property
    def found(self) -> Reading:
        """The predicted trace."""
        from worldline.diagnose.reconcile import read_beside  # imports the reader of Meta's notation

        truth, prediction = self.sample.truth, self.sample.found
        is_same = (prediction.text, prediction.status) == (truth.text, truth.status)
        return self.truth if is_same else read_beside(self.sample.ask, prediction, self.truth)

    @cached_property
    def divergences(self) -> tuple[Divergence, ...]:
        """All divergences, the first one first."""
        return diverge(self.truth, self.found)

    @property
    def first(self) -> Divergence | None:
        """The first divergence; None if there is none."""
        return self.divergences[0] if self.divergences else None

    @cached_property
    def cause(self) -> Cause:
        """Why the prediction diverges; `right` if nothing is wrong."""
        draw = find_guess(self.sample, self.truth, self.found, self.first)
        if draw is not None and self.first is not None:
            return explain_guess(draw, self.first, self.own.cause if self.own is not None else None)
        record, again = self._held(self.record), self._held(self.again)
        return self._stored(explain(self.sample, self.truth, self.found, self.divergences, record, again))

    def _stored(self, cause: Cause) -> Cause:
        """The cause with the operation that was blamed when the prediction was judged."""
        stored = self.sample.blamed
        if stored is None or stored.cause != cause.name or not cause.operation:
            return cause
        evidence = stored.note or cause.evidence
        return replace(cause, operation=stored.operation, candidates=stored.candidates, evidence=evidence)

    @cached_property
    def own(self) -> Diagnosis | None:
        """The same prediction beside the execution with its own draws; None if they are the true ones or unknown."""
        sample = record_own_draws(self.sample, self.truth, self.found, self.record)
        return None if sample is None else Diagnosis(sample, self.record, self.again)

    def _held(self, record: Rerun | None) -> Rerun | None:
        """A function that executes a program with the hidden inputs of the truth, if the request has a control."""
        control = control_of(self.sample.ask)
        if record is None or control is None:
            return record

        def held(program: Program, other: Control | None = None, /) -> Trace:
            return record(program, other or control)

        return held

    @property
    def diverges(self) -> bool:
        """Whether the prediction is wrong. A prediction cut where its truth is cut as well does not diverge."""
        return self.cause.name not in ("right", "budget") or bool(self.divergences)

    @property
    def is_whole(self) -> bool:
        """Whether the whole trace is right."""
        return not self.divergences

    @property
    def answer(self) -> bool | None:
        """Whether the final answer is right; None if the truth has none.

        If a notation does not show what a script prints, a script is right if its whole trace is.
        """
        if self.truth.answer is None:
            return None
        is_script = self.sample.ask.program.call is None
        if is_script and not notation(self.sample.truth.codec).shows_io:
            return self.is_whole
        return self.found.ended and ends_alike(self.truth, self.found, printed=is_script)

    def right(self, by: str) -> bool | None:
        """Return whether the `answer` or the whole `trace` is right."""
        return self.answer if by == "answer" else self.is_whole


def cause(sample: Sample) -> Cause:
    """Return the cause of one sample."""
    return Diagnosis(sample).cause
