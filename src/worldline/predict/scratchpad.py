"""Scratchpads: a model predicts an easier rewriting of a program, and the steps are folded back into the program's own.

`flatten` writes one operation per line; `chars` replaces string methods by loops over characters. `auto` predicts the
flat program, and again, in smaller steps, the statements with low confidence (`depth`). Temporaries and extra steps are
folded into their statement (`analyze.rewrite.fold`), and `Scratch` stores the unfolded text. Fold a text with
`fold_text` before comparing it with such a prediction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

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
from worldline.predict.depth import DepthBudget, deepen
from worldline.predict.forcing.forced import rollouts
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.prediction import Prediction, PredictionRequest, Scratch
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor

MODES = ("none", "flatten", "chars", "auto")
GROWTH = {"flatten": 4, "chars": 16}  # the factor by which a rewriting needs more bytes of steps
DEEPENED_TOGETHER = 32  # programs after which `auto` yields its predictions


def choose_scratchpad(
    mode: str | None,
    predictor: Predictor,
    *,
    options: Compact | None = None,
    program: Program | None = None,
    resumes: bool = False,
) -> str:
    """Choose the scratchpad mode: the one that was passed, or by default `auto` wherever it applies.

    By default a model predicts as well as it can. A predictor without confidences (the interpreter, a server), Meta's
    notation, a sparse reveal and other languages have no scratchpad by default.

    Args:
        mode: The mode that was passed; None for the default.
        predictor: The model, without wrappers.
        options: How its steps are written.
        program: The program, if all requests are about one.
        resumes: The prediction resumes a text, such as one with an edit.

    Returns:
        One of `MODES`.
    """
    if mode is not None:
        return mode
    info, capabilities = predictor.info, predictor.capabilities
    has_confidence = capabilities.decodes_bytes is not None or capabilities.rolls_out is not None
    written = options or Compact()
    applies = (
        has_confidence
        and notation(info.notation).has_modes
        and not (info.is_replay or resumes)
        and can_fold(written)
        and (program is None or program.lang.offers(Feature.SCRATCHPAD))
    )
    return "auto" if applies else "none"


def can_fold(options: Compact) -> bool:
    """Whether steps in this mode can be folded: every state is shown, and no sharing."""
    return options.reveal == 1 and not options.same


def fold_text(program: Program, options: Compact, text: bytes) -> bytes:
    """Fold the steps of an unchanged program by statement, if its mode and language allow it."""
    if not can_fold(options) or not program.lang.offers(Feature.SCRATCHPAD):
        return text
    parsed = parse(text, PredictionRequest(program=program, options=options).prompt)
    return _fold(program, options, line_map(program.source), parsed)[1]


def unfold_scratch(request: PredictionRequest, scratch: Scratch) -> tuple[Parsed, FoldedRun]:
    """Return the steps of a scratchpad as steps of the rewriting and as steps of the program."""
    parsed = parse(scratch.text, replace(rewritten_request(request, scratch), given=b"").prompt)
    where = line_map(request.program.source, scratch.source, scratch.lines)
    return parsed, _fold(request.program, request.options, where, parsed)[0]


def rewritten_request(request: PredictionRequest, scratch: Scratch) -> PredictionRequest:
    """Return the request for the rewriting."""
    program = request.program
    return replace(request, program=replace(program, source=scratch.source, call=scratch.call or program.call))


@dataclass(frozen=True)
class Scratchpad:
    """Makes another predictor use a scratchpad; `depth` is the budget of `auto`.

    `is_strict`: requests to which a scratchpad does not apply are refused, not predicted as they are.
    """

    predictor: Predictor
    mode: str
    depth: DepthBudget = field(default_factory=DepthBudget)
    is_strict: bool = True

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UsageError(f"scratchpad must be one of {', '.join(MODES)}, not {self.mode!r}")
        info = self.predictor.info
        if self.mode != "none" and not notation(info.notation).has_modes:
            raise UsageError(f"a scratchpad needs the compact notation; this model writes {info.notation}")
        if self.mode != "none" and info.is_replay:
            raise UsageError("a scratchpad needs predictions of rewritten programs, which the file does not have")

    @property
    def info(self) -> ModelInfo:
        """That of the predictor, with the mode. Folded steps are not the recorded ones."""
        info = self.predictor.info
        if self.mode == "none":
            return info
        # What was calibrated or stored for one mode says nothing about another.
        digest = f"{info.digest} {self.mode}" if info.digest else ""
        return replace(info, name=f"{info.name}, scratchpad {self.mode}", digest=digest, is_ground_truth=False)

    @property
    def capabilities(self) -> Capabilities:
        """Answers and rollouts. Texts that the predictor scores or decodes would be of other programs."""
        capabilities = self.predictor.capabilities
        if self.mode == "none":
            return capabilities
        answers = capabilities.answers_questions
        return Capabilities(answers_questions=answers, rolls_out=self, samples=capabilities.samples)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, folded into the steps of its program."""
        return (rolled.prediction for rolled in self.roll(requests))

    def roll(self, requests: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        """Yield the same with the confidence of each step."""
        if self.mode == "none":
            yield from rollouts(self.predictor, requests)
            return
        if self.is_strict:
            for request in requests:
                request.program.lang.require(Feature.SCRATCHPAD, request.program.name)
        size = DEEPENED_TOGETHER if self.mode == "auto" else max(len(requests), 1)
        for group in (requests[at : at + size] for at in range(0, len(requests), size)):
            pads = [self._pad(request) for request in group]
            for request, pad, rolled in zip(group, pads, self._roll_rewritten(group, pads), strict=True):
                yield _fold_rollout(request, pad, rolled)

    def _pad(self, request: PredictionRequest) -> Scratch:
        """Rewrite the program of a request; it stays as it is if there is nothing to rewrite."""
        program, mode = request.program, self.mode
        if not self.is_strict and not _is_foldable(request):
            return Scratch(source=program.source, lines=())
        if request.given:
            raise UsageError("a scratchpad starts with the first step: it cannot continue given steps")
        is_flat = mode != "chars"
        rewriting = rewrite(program.source, flatten=is_flat, chars=not is_flat, call=program.call, arguments=is_flat)
        if rewriting.changed and not can_fold(request.options):
            raise UsageError("a scratchpad shows every state and no sharing: it needs --reveal 1")
        return Scratch(source=rewriting.source, lines=rewriting.lines, call=rewriting.call)

    def _roll_rewritten(
        self, requests: Sequence[PredictionRequest], pads: Sequence[Scratch]
    ) -> Iterator[ForcedRollout]:
        growth = GROWTH["flatten" if self.mode == "auto" else self.mode]
        grown = [
            request
            if pad.source == request.program.source
            else replace(rewritten_request(request, pad), limit=request.limit * growth)
            for request, pad in zip(requests, pads, strict=True)
        ]
        flat = rollouts(self.predictor, grown)
        if self.mode != "auto":
            return flat
        return iter(deepen(partial(rollouts, self.predictor), grown, list(flat), self.depth))


def _is_foldable(request: PredictionRequest) -> bool:
    """Whether a prediction for a request can be folded: a whole text, in a mode and a language that allow it."""
    return not request.given and can_fold(request.options) and request.program.lang.offers(Feature.SCRATCHPAD)


def _fold_rollout(request: PredictionRequest, pad: Scratch, rolled: ForcedRollout) -> ForcedRollout:
    """Turn a rollout of the rewriting into one of the program."""
    prediction, pad = rolled.prediction, replace(pad, text=rolled.prediction.text)
    if prediction.status == "fault" or not _is_foldable(request):
        return rolled
    is_same = pad.source == request.program.source
    where = line_map(request.program.source) if is_same else line_map(request.program.source, pad.source, pad.lines)
    parsed = parse(pad.text, rewritten_request(request, pad).prompt)
    try:
        run, text = _fold(request.program, request.options, where, parsed)
    except UsageError as error:  # valid steps of the rewriting that no run of the program can have
        broken = replace(prediction, text=b"", status="broken", note=f"on the scratchpad: {error}", scratch=pad)
        return replace(rolled, prediction=broken, sure=())
    status, note = prediction.status, prediction.note
    if parsed.malformed is not None:
        malformed = f"{parsed.malformed.expected} at {parsed.malformed.offset}"
        status, note = "broken", f"malformed on the scratchpad: {malformed}"
    folded = replace(
        prediction, text=text, status=status, note=note, scratch=None if is_same and text == pad.text else pad
    )
    return replace(rolled, prediction=folded, sure=_folded_confidences(text, run, rolled.sure))


def _folded_confidences(text: bytes, run: FoldedRun, sure: Sequence[StepConfidence]) -> tuple[StepConfidence, ...]:
    """Sum the confidences of the steps that were folded into each step."""
    confidences = []
    for turn, under in zip(turns(text), run.under, strict=False):
        parts = [sure[i] for i in under if i < len(sure)]
        confidences.append(
            StepConfidence(turn.start, turn.end, *(math.fsum(part[n] for part in parts) for n in range(2, 6)))
        )
    return tuple(confidences) if sure else ()


def _fold(program: Program, options: Compact, where: LineMap, parsed: Parsed) -> tuple[FoldedRun, bytes]:
    """Fold steps and write them. The text does not name the main file, so its parsed name is used."""
    program = replace(program, name=parsed.program.name if parsed.program else program.name)
    folded = fold(program, where, parsed.steps, parsed.frames, parsed.hidden)
    run = RecordedSteps(program, folded.steps, folded.frames, folded.hidden, parsed.ended)
    return folded, write(run, options)
