"""A scratchpad: a model imagines an easier rewriting of a program, and what it imagined is told of the program itself.

`flatten` has one operation a line, `chars` loops over characters for string methods; `auto` imagines the program as it
is, rewrites the statements of which the model was not sure, and keeps whichever of the two it was surer of. Temporaries
and further steps are folded under the statement they belong to (`rewrite.fold`); `Scratch` keeps what was written. A
text that is compared with such a one is folded too (`folded`). Nothing is run, and nothing here judges.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from worldline.analyze.rewrite import rewrite
from worldline.analyze.rewrite.fold import FoldedRun, fold
from worldline.analyze.rewrite.line_map import LineMap, line_map
from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.turns import turns
from worldline.codec.compact.writer import Recorded, write
from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES
from worldline.core.program import Program
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.rolled import Rolled
from worldline.predict.predictor import Ask, Prediction, Predictor, Scratch, WrappedPredictor, codec_of
from worldline.predict.sureness import Sure

MODES = ("none", "flatten", "chars", "auto")
GROWTH = {"flatten": 4, "chars": 16}  # how many times the bytes of a program's own steps
UNSURE = 0.9  # a step less likely than this is imagined again in an easier form, under `auto`


def can_fold(options: Compact) -> bool:
    """Whether steps written so can be folded: every state is shown, and no sharing."""
    return options.reveal == 1 and not options.same


def folded(program: Program, options: Compact, text: bytes) -> bytes:
    """A text of the program itself, told by statements, as one of a rewriting is; what cannot be folded stays."""
    if not can_fold(options) or program.language != "python":
        return text
    found = _fold(
        program, options, line_map(program.source), parse(text, Ask(program=program, options=options).prompt)
    )
    return found[1]


def unfolded(ask: Ask, scratch: Scratch) -> tuple[Parsed, FoldedRun]:
    """What a model wrote on its scratchpad, as steps of the rewriting, and as those of the program."""
    parsed = parse(scratch.text, replace(scratched(ask, scratch), given=b"").prompt)
    where = line_map(ask.program.source, scratch.source, scratch.lines)
    return parsed, _fold(ask.program, ask.options, where, parsed)[0]


def scratched(ask: Ask, scratch: Scratch) -> Ask:
    """The ask for the rewriting."""
    return replace(ask, program=replace(ask.program, source=scratch.source))


@runtime_checkable
class RollsOut(Protocol):
    """A predictor that also says how sure it was of each step: one that is forced, for example."""

    def roll(self, asks: Sequence[Ask], /) -> Iterator[Rolled]:
        """One rollout for each ask, in their order."""
        ...


def _rollouts(predictor: Predictor, asks: Sequence[Ask]) -> Iterator[Rolled]:
    """The predictor's own rollouts; of one that only predicts, free ones."""
    return predictor.roll(asks) if isinstance(predictor, RollsOut) else roll(predictor, asks, force="free")


@dataclass(frozen=True)
class Scratchpad(WrappedPredictor):
    """Another predictor with a scratchpad of one mode; `unsure` is the odds below which `auto` takes one."""

    mode: str
    unsure: float = UNSURE

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UsageError(f"a scratchpad is one of {', '.join(MODES)}, not {self.mode!r}")
        if self.mode != "none" and codec_of(self.predictor) != "compact":
            raise UsageError(
                f"a scratchpad is of the compact notation; this model writes {codec_of(self.predictor)}"
            )
        if self.mode != "none" and getattr(self.predictor, "is_fixed", False):
            raise UsageError("a scratchpad asks for other programs than those whose outputs the file holds")

    @property
    def name(self) -> str:
        """The other's, and the mode."""
        return (
            self.predictor.name if self.mode == "none" else f"{self.predictor.name}, scratchpad {self.mode}"
        )

    def predict(self, asks: Sequence[Ask], /) -> Iterator[Prediction]:
        """What the other writes, told of the programs that were asked for."""
        return (rolled.prediction for rolled in self.roll(asks))

    def roll(self, asks: Sequence[Ask], /) -> Iterator[Rolled]:
        """The same, with the model's sureness of each step of the program."""
        if self.mode == "none":
            yield from _rollouts(self.predictor, asks)
            return
        for ask in asks:
            _check_language(ask.program)
        if self.mode == "auto":
            yield from self._auto(asks)
        else:
            pads = [_pad(ask, self.mode) for ask in asks]
            for ask, pad, rolled in zip(asks, pads, self._written(asks, pads), strict=True):
                yield _told(ask, pad, rolled)

    def _written(self, asks: Sequence[Ask], pads: Sequence[Scratch]) -> Iterator[Rolled]:
        grown = [
            ask if pad.source == ask.program.source else replace(scratched(ask, pad), limit=self._limit(ask))
            for ask, pad in zip(asks, pads, strict=True)
        ]
        return _rollouts(self.predictor, grown)

    def _limit(self, ask: Ask) -> int:
        return ask.limit * GROWTH["flatten" if self.mode == "auto" else self.mode]

    def _auto(self, asks: Sequence[Ask]) -> Iterator[Rolled]:
        """As it is first; then, of programs with unsure statements, those statements flat."""
        plain = list(_rollouts(self.predictor, asks))
        pads = [
            _pad(ask, "flatten", unsure_lines(ask, one, self.unsure))
            for ask, one in zip(asks, plain, strict=True)
        ]
        again = [at for at, pad in enumerate(pads) if pad.source != asks[at].program.source]
        written = self._written([asks[at] for at in again], [pads[at] for at in again])
        second = dict(zip(again, written, strict=True))
        for at, (ask, one) in enumerate(zip(asks, plain, strict=True)):
            other = second.get(at)
            is_surer = other is not None and _surer(other, one)
            kept = other if other is not None and is_surer else one
            spent = one.prediction.seconds + (other.prediction.seconds if other is not None else 0.0)
            pad = pads[at] if is_surer else _pad(ask, "flatten", ())
            yield _told(ask, pad, replace(kept, prediction=replace(kept.prediction, seconds=spent)))


def _check_language(program: Program) -> None:
    if program.language != "python":
        raise UsageError(
            f"a scratchpad rewrites Python, and {program.name} is {LANGUAGES[program.language]}: imagine it without"
        )


def unsure_lines(ask: Ask, rolled: Rolled, unsure: float) -> frozenset[int]:
    """The first lines of the statements at whose steps the model was less sure than that, and of those before them."""
    steps, where = parse(rolled.prediction.text, ask.prompt).steps, line_map(ask.program.source)
    found: set[int] = set()
    for i, (_, sure) in enumerate(zip(steps, rolled.sure, strict=False)):
        if sure.logprob < math.log(unsure):
            found |= {where.head(step.line) for step in steps[max(i - 1, 0) : i + 1]}
    return frozenset(found)


def _surer(one: Rolled, other: Rolled) -> bool:
    """Whether a text came to its end, and was likelier to its model than the other, which may have come to none."""
    if one.prediction.status != "ended" or other.prediction.status != "ended":
        return one.prediction.status == "ended"
    return (one.prediction.logprob or 0.0) >= (other.prediction.logprob or 0.0)


def _pad(ask: Ask, mode: str, only: Collection[int] | None = None) -> Scratch:
    """The rewriting that is asked for; the program itself where there is nothing to rewrite."""
    if ask.given:
        raise UsageError("a scratchpad begins with the first step: nothing can be given")
    program = ask.program
    done = rewrite(
        program.source, flatten=mode == "flatten", chars=mode == "chars", call=program.call, only=only
    )
    if done.changed and not can_fold(ask.options):
        raise UsageError("a scratchpad shows every state, and no sharing: not with another --reveal than 1")
    return Scratch(source=done.source, lines=done.lines)


def _told(ask: Ask, pad: Scratch, rolled: Rolled) -> Rolled:
    """A rollout of the rewriting as one of the program."""
    found, pad = rolled.prediction, replace(pad, text=rolled.prediction.text)
    if found.status == "fault" or not can_fold(ask.options):
        return rolled
    is_same = pad.source == ask.program.source
    where = line_map(ask.program.source) if is_same else line_map(ask.program.source, pad.source, pad.lines)
    parsed = parse(pad.text, scratched(ask, pad).prompt)
    try:
        made, text = _fold(ask.program, ask.options, where, parsed)
    except (
        UsageError
    ) as error:  # steps that can be written of the rewriting, and not of any run of the program
        broken = replace(found, text=b"", status="broken", note=f"on the scratchpad: {error}", scratch=pad)
        return replace(rolled, prediction=broken, sure=())
    status, note = found.status, found.note
    if parsed.malformed is not None:
        status, note = (
            "broken",
            f"malformed on the scratchpad: {parsed.malformed.expected} at {parsed.malformed.offset}",
        )
    told = replace(
        found, text=text, status=status, note=note, scratch=None if is_same and text == pad.text else pad
    )
    return replace(rolled, prediction=told, sure=_sureness(text, made, rolled.sure))


def _sureness(text: bytes, made: FoldedRun, sure: Sequence[Sure]) -> tuple[Sure, ...]:
    """How sure the model was of each step of the program: of all that is folded under it."""
    found = []
    for turn, under in zip(turns(text), made.under, strict=False):
        parts = [sure[i] for i in under if i < len(sure)]
        found.append(Sure(turn.start, turn.end, *(math.fsum(part[n] for part in parts) for n in range(2, 6))))
    return tuple(found) if sure else ()


def _fold(program: Program, options: Compact, where: LineMap, parsed: Parsed) -> tuple[FoldedRun, bytes]:
    """Steps folded, and their text, which does not know what the main file is called."""
    program = replace(program, name=parsed.program.name if parsed.program else program.name)
    made = fold(program, where, parsed.steps, parsed.frames, parsed.hidden)
    run = Recorded(program, made.steps, made.frames, made.hidden, parsed.ended)
    return made, write(run, options)
