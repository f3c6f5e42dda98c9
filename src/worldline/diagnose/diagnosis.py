"""One sample under diagnosis: both texts read, compared and explained, each when it is first asked for, and once.

Reading and comparing are most of the time that a diagnosis takes, so whoever judges, explains, interventions or shows a sample
passes its `Diagnosis` on. What the causes are is `cause`, what is done against them `interventions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from worldline.codec.notation import notation
from worldline.codec.reading import Reading
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.text import shortened
from worldline.core.trace import Trace
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.cause import Cause, explain, guessed
from worldline.diagnose.diverge import Divergence, diverge
from worldline.diagnose.drawn import decided, guess, own_truth
from worldline.diagnose.reading import ends_alike, read
from worldline.diagnose.sample import Sample


@dataclass(frozen=True)
class Diagnosis:
    """All that is known of one sample: both readings, where they part, why, and whether the answer is right.

    `record` runs a program, for whoever can: so the operations of a line are told apart. `again` runs it in another
    process, under another hash seed: so what could not be known is told apart. Where the ask has a control they run
    under it, with the hidden inputs of the truth.
    """

    sample: Sample
    record: Rerun | None = None
    again: Rerun | None = None

    def __repr__(self) -> str:
        program, why = self.sample.ask.program, self.cause
        where = "" if self.first is None else f" at step {self.first.step}"
        said = f": {shortened(why.evidence, 80)}" if why.evidence else ""
        return f"<Diagnosis of {shortened(program.call or program.name, 40)}: {why.name}{where}{said}>"

    @cached_property
    def truth(self) -> Reading:
        """What happened."""
        return read(self.sample.ask, self.sample.truth)

    @cached_property
    def found(self) -> Reading:
        """What was predicted."""
        from worldline.diagnose.reconcile import read_beside  # with Meta's reader, which not every verb needs

        truth, found = self.sample.truth, self.sample.found
        is_same = (found.text, found.status) == (truth.text, truth.status)
        return self.truth if is_same else read_beside(self.sample.ask, found, self.truth)

    @cached_property
    def divergences(self) -> tuple[Divergence, ...]:
        """Where they part."""
        return diverge(self.truth, self.found)

    @property
    def first(self) -> Divergence | None:
        """Where they part first; None where they do not."""
        return self.divergences[0] if self.divergences else None

    @cached_property
    def cause(self) -> Cause:
        """Why they part; `right` where nothing is wrong."""
        draw = guess(self.sample, self.truth, self.found, self.first)
        if draw is not None and self.first is not None:
            return guessed(draw, self.first, self.own.cause if self.own is not None else None)
        record, again = self._held(self.record), self._held(self.again)
        return explain(self.sample, self.truth, self.found, self.divergences, record, again)

    @cached_property
    def own(self) -> Diagnosis | None:
        """The same prediction beside the run that has its own draws; None where they are the true ones, or untold."""
        sample = own_truth(self.sample, self.truth, self.found, self.record)
        return None if sample is None else Diagnosis(sample, self.record, self.again)

    def _held(self, record: Rerun | None) -> Rerun | None:
        """Who runs a program, with the hidden inputs of the truth where the ask has a control."""
        control = decided(self.sample.ask)
        if record is None or control is None:
            return record

        def held(program: Program, other: Control | None = None, /) -> Trace:
            return record(program, other or control)

        return held

    @property
    def diverges(self) -> bool:
        """Whether the prediction is not the truth. One that is cut where its truth is cut does not part from it."""
        return self.cause.name not in ("right", "budget") or bool(self.divergences)

    @property
    def is_whole(self) -> bool:
        """Whether the whole trace is right."""
        return not self.divergences

    @property
    def answer(self) -> bool | None:
        """Whether the final answer is right; None where the truth has none.

        Where a notation does not show what a script prints, a script's answer is its whole trace.
        """
        if self.truth.answer is None:
            return None
        is_script = self.sample.ask.program.call is None
        if is_script and not notation(self.sample.truth.codec).shows_io:
            return self.is_whole
        return self.found.ended and ends_alike(self.truth, self.found, printed=is_script)

    def right(self, by: str) -> bool | None:
        """Whether the `answer` is right, or the whole `trace`."""
        return self.answer if by == "answer" else self.is_whole


def cause(sample: Sample) -> Cause:
    """The cause of one sample alone."""
    return Diagnosis(sample).cause
