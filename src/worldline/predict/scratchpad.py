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

from worldline.analyze.rewrite import rewrite
from worldline.analyze.rewrite.fold import FoldedRun, fold
from worldline.analyze.rewrite.line_map import LineMap, line_map
from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.turns import turns
from worldline.codec.compact.writer import RecordedSteps, write
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.language import Feature
from worldline.core.program import Program
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.rolled import ForcedRollout
from worldline.predict.prediction import Prediction, PredictionRequest, Scratch
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor

MODES = ("none", "flatten", "chars", "auto")
GROWTH = {"flatten": 4, "chars": 16}  # how many times the bytes of a program's own steps
UNSURE = 0.9  # a step less likely than this is imagined again in an easier form, under `auto`


def can_fold(options: Compact) -> bool:
    """Whether steps written so can be folded: every state is shown, and no sharing."""
    return options.reveal == 1 and not options.same


def folded(program: Program, options: Compact, text: bytes) -> bytes:
    """A text of the program itself, told by statements, as one of a rewriting is; what cannot be folded stays."""
    if not can_fold(options) or not program.lang.offers(Feature.SCRATCHPAD):
        return text
    found = _fold(
        program,
        options,
        line_map(program.source),
        parse(text, PredictionRequest(program=program, options=options).prompt),
    )
    return found[1]


def unfolded(request: PredictionRequest, scratch: Scratch) -> tuple[Parsed, FoldedRun]:
    """What a model wrote on its scratchpad, as steps of the rewriting, and as those of the program."""
    parsed = parse(scratch.text, replace(scratched(request, scratch), given=b"").prompt)
    where = line_map(request.program.source, scratch.source, scratch.lines)
    return parsed, _fold(request.program, request.options, where, parsed)[0]


def scratched(request: PredictionRequest, scratch: Scratch) -> PredictionRequest:
    """The request for the rewriting."""
    return replace(request, program=replace(request.program, source=scratch.source))


def _rollouts(predictor: Predictor, requests: Sequence[PredictionRequest]) -> Iterator[ForcedRollout]:
    """The predictor's own rollouts; of one that only predicts, free ones."""
    own = predictor.capabilities.rolls_out
    return roll(predictor, requests, force="free") if own is None else own.roll(requests)


@dataclass(frozen=True)
class Scratchpad:
    """Another predictor with a scratchpad of one mode; `unsure` is the odds below which `auto` takes one."""

    predictor: Predictor
    mode: str
    unsure: float = UNSURE

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UsageError(f"a scratchpad is one of {', '.join(MODES)}, not {self.mode!r}")
        info = self.predictor.info
        if self.mode != "none" and not notation(info.notation).has_modes:
            raise UsageError(f"a scratchpad is of the compact notation; this model writes {info.notation}")
        if self.mode != "none" and info.is_replay:
            raise UsageError("a scratchpad asks for other programs than those whose outputs the file holds")

    @property
    def info(self) -> ModelInfo:
        """The other's, and the mode; folded steps are not what the interpreter records."""
        info = self.predictor.info
        if self.mode == "none":
            return info
        return replace(info, name=f"{info.name}, scratchpad {self.mode}", is_ground_truth=False)

    @property
    def capabilities(self) -> Capabilities:
        """The other's without a scratchpad; else its answers and its rollouts: other texts are of other programs."""
        capabilities = self.predictor.capabilities
        if self.mode == "none":
            return capabilities
        return Capabilities(answers_questions=capabilities.answers_questions, rolls_out=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """What the other writes, told of the programs that were asked for."""
        return (rolled.prediction for rolled in self.roll(requests))

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        """The same, with the model's confidence in each step of the program."""
        if self.mode == "none":
            yield from _rollouts(self.predictor, requests)
            return
        for request in requests:
            _check_language(request.program)
        if self.mode == "auto":
            yield from self._auto(requests)
        else:
            pads = [_pad(request, self.mode) for request in requests]
            for request, pad, rolled in zip(requests, pads, self._written(requests, pads), strict=True):
                yield _told(request, pad, rolled)

    def _written(
        self, requests: Sequence[PredictionRequest], pads: Sequence[Scratch]
    ) -> Iterator[ForcedRollout]:
        grown = [
            request
            if pad.source == request.program.source
            else replace(scratched(request, pad), limit=self._limit(request))
            for request, pad in zip(requests, pads, strict=True)
        ]
        return _rollouts(self.predictor, grown)

    def _limit(self, request: PredictionRequest) -> int:
        return request.limit * GROWTH["flatten" if self.mode == "auto" else self.mode]

    def _auto(self, requests: Sequence[PredictionRequest]) -> Iterator[ForcedRollout]:
        """As it is first; then, of programs with unsure statements, those statements flat."""
        plain = list(_rollouts(self.predictor, requests))
        pads = [
            _pad(request, "flatten", unsure_lines(request, one, self.unsure))
            for request, one in zip(requests, plain, strict=True)
        ]
        again = [at for at, pad in enumerate(pads) if pad.source != requests[at].program.source]
        written = self._written([requests[at] for at in again], [pads[at] for at in again])
        second = dict(zip(again, written, strict=True))
        for at, (request, one) in enumerate(zip(requests, plain, strict=True)):
            other = second.get(at)
            is_surer = other is not None and _surer(other, one)
            kept = other if other is not None and is_surer else one
            spent = one.prediction.seconds + (other.prediction.seconds if other is not None else 0.0)
            pad = pads[at] if is_surer else _pad(request, "flatten", ())
            yield _told(request, pad, replace(kept, prediction=replace(kept.prediction, seconds=spent)))


def _check_language(program: Program) -> None:
    program.lang.require(Feature.SCRATCHPAD, program.name)


def unsure_lines(request: PredictionRequest, rolled: ForcedRollout, unsure: float) -> frozenset[int]:
    """The first lines of the statements at whose steps the model was less sure than that, and of those before them."""
    steps, where = parse(rolled.prediction.text, request.prompt).steps, line_map(request.program.source)
    found: set[int] = set()
    for i, (_, sure) in enumerate(zip(steps, rolled.sure, strict=False)):
        if sure.logprob < math.log(unsure):
            found |= {where.head(step.line) for step in steps[max(i - 1, 0) : i + 1]}
    return frozenset(found)


def _surer(one: ForcedRollout, other: ForcedRollout) -> bool:
    """Whether a text came to its end, and was likelier to its model than the other, which may have come to none."""
    if one.prediction.status != "ended" or other.prediction.status != "ended":
        return one.prediction.status == "ended"
    return (one.prediction.logprob or 0.0) >= (other.prediction.logprob or 0.0)


def _pad(request: PredictionRequest, mode: str, only: Collection[int] | None = None) -> Scratch:
    """The rewriting that is asked for; the program itself where there is nothing to rewrite."""
    if request.given:
        raise UsageError("a scratchpad begins with the first step: nothing can be given")
    program = request.program
    done = rewrite(
        program.source, flatten=mode == "flatten", chars=mode == "chars", call=program.call, only=only
    )
    if done.changed and not can_fold(request.options):
        raise UsageError("a scratchpad shows every state, and no sharing: not with another --reveal than 1")
    return Scratch(source=done.source, lines=done.lines)


def _told(request: PredictionRequest, pad: Scratch, rolled: ForcedRollout) -> ForcedRollout:
    """A rollout of the rewriting as one of the program."""
    found, pad = rolled.prediction, replace(pad, text=rolled.prediction.text)
    if found.status == "fault" or not can_fold(request.options):
        return rolled
    is_same = pad.source == request.program.source
    where = (
        line_map(request.program.source)
        if is_same
        else line_map(request.program.source, pad.source, pad.lines)
    )
    parsed = parse(pad.text, scratched(request, pad).prompt)
    try:
        made, text = _fold(request.program, request.options, where, parsed)
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
    return replace(rolled, prediction=told, sure=_folded_confidences(text, made, rolled.sure))


def _folded_confidences(
    text: bytes, made: FoldedRun, sure: Sequence[StepConfidence]
) -> tuple[StepConfidence, ...]:
    """How sure the model was of each step of the program: of all that is folded under it."""
    found = []
    for turn, under in zip(turns(text), made.under, strict=False):
        parts = [sure[i] for i in under if i < len(sure)]
        found.append(
            StepConfidence(turn.start, turn.end, *(math.fsum(part[n] for part in parts) for n in range(2, 6)))
        )
    return tuple(found) if sure else ()


def _fold(program: Program, options: Compact, where: LineMap, parsed: Parsed) -> tuple[FoldedRun, bytes]:
    """Steps folded, and their text, which does not know what the main file is called."""
    program = replace(program, name=parsed.program.name if parsed.program else program.name)
    made = fold(program, where, parsed.steps, parsed.frames, parsed.hidden)
    run = RecordedSteps(program, made.steps, made.frames, made.hidden, parsed.ended)
    return made, write(run, options)
