"""Predicts every step from the true text before it, with an engine that reads the true text once.

At each true byte the engine's choice is known. If all choices of a step are true, the engine would write that step (at
temperature 0); only the other steps are written, each from a fork of the engine's state. Actions and states are
compared separately, each after true text only: a state follows the true action.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from worldline.codec.compact.script import ANY, SPACE, state_bits
from worldline.codec.compact.turns import Turn, is_own, turns
from worldline.predict.forcing.bytewise import SLACK_BYTES, whole_turns
from worldline.predict.forcing.forced_rollout import NextStep, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import DecodesBytes
from worldline.predict.rollout import ForkingEngine, Logits, RolloutDraft, logit_mask

BLOCK_BYTES = 1 << 10  # of the true text, read at once


def read_next_steps(
    decoder: DecodesBytes, engine: ForkingEngine, request: PredictionRequest, truth: Prediction, *, write: bool
) -> NextSteps:
    """Predict each whole true step from the truth before it; without `write`, only compare bytes."""
    began = time.perf_counter()
    steps = _Reading(decoder, engine, request, truth.text).steps(write=write)
    return NextSteps(steps, time.perf_counter() - began)


class _Reading:
    """A true text that an engine reads turn by turn."""

    def __init__(self, decoder: DecodesBytes, engine: ForkingEngine, request: PredictionRequest, text: bytes) -> None:
        self._decoder, self._engine, self._text = decoder, engine, text
        self._turns = whole_turns(request, text)
        self._draft = decoder.draft(replace(request, given=b"", limit=len(text) + SLACK_BYTES + 1))
        self._steps: list[NextStep] = []
        self._wrong: list[int] = []
        self._state = self._engine.start()
        self._logits = self._engine.feed(self._state, request.prompt, pin=True)

    def steps(self, *, write: bool) -> tuple[NextStep, ...]:
        if not write:
            for block in self._blocks():
                self._read(block)
            return tuple(self._steps)
        written = [bytes(draft.text) for draft in self._decoder.complete(self._begin())]
        self._steps = [replace(step, found=step.wanted) for step in self._steps]
        for number, text in zip(self._wrong, written, strict=True):
            turn = self._turns[number]
            step = turns(text[turn.start :])[:1]  # the grammar may have forced more than one
            predicted = text[turn.start :][: step[0].end] if step else b""
            self._steps[number] = replace(self._steps[number], found=predicted)
        return tuple(self._steps)

    def _begin(self) -> Iterator[tuple[RolloutDraft, Any, Logits]]:
        """Yield the drafts of the steps that must be written, each at its start."""
        for block in self._blocks():
            state, at = self._state.fork(), block[0].start
            for turn, draft, logits in self._read(block):
                if at < turn.start:
                    self._engine.feed(state, self._text[at : turn.start], pin=False)
                    at = turn.start
                yield draft, state.fork(), logits

    def _blocks(self) -> Iterator[list[Turn]]:
        block: list[Turn] = []
        for turn in self._turns:
            block.append(turn)
            if turn.end - block[0].start >= BLOCK_BYTES:
                yield block
                block = []
        if block:
            yield block

    def _read(self, block: list[Turn]) -> list[tuple[Turn, RolloutDraft, Logits]]:
        """Compare some turns, and return drafts of those that the model would write differently."""
        start = block[0].start
        after = self._engine.feed_all(self._state, self._text[start : block[-1].end], pin=False)
        rows = np.concatenate([self._logits[None], after])
        self._logits = rows[-1]
        wrong = []
        for turn in block:
            draft = self._draft.fork(limit=turn.end + SLACK_BYTES, script=_StopAfterTurn(turn.start))
            step = _compare(self._draft, turn, self._text, rows[turn.start - start :])
            if not (step.same_action and step.same_state and self._decoder.info.is_greedy):
                self._wrong.append(len(self._steps))
                wrong.append((turn, draft, rows[turn.start - start]))
            self._steps.append(replace(step, step=len(self._steps)))
        return wrong


class _StopAfterTurn:
    """Stops a text after one turn."""

    def __init__(self, start: int) -> None:
        self._at = start

    def allowed(self, text: bytearray) -> int:
        """Allow every byte."""
        return ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Accept every byte, and stop after the turn's own line."""
        while (stop := text.find(b"\n", self._at)) >= 0:
            if is_own(bytes(text[self._at : stop + 1])):
                return None
            self._at = stop + 1
        return b""


def _compare(draft: RolloutDraft, turn: Turn, text: bytes, rows: Logits) -> NextStep:
    """Compare the model's choice with the truth at each byte of a turn."""
    # By whether a byte belongs to the action.
    same, sums = {True: True, False: True}, {True: 0.0, False: 0.0}
    for line in turn.lines:
        late = line.action == line.start
        for at in range(line.start, line.end):
            logits, byte, is_action = draft.masked(rows[at - turn.start]), text[at], at < line.action
            if at == line.start:  # whether late changes follow is part of the state
                logits = _gate(logits, SPACE if late else ANY & ~SPACE, False, same, sums)
            elif at == line.action:  # whether the action continues is part of the action
                logits = _gate(logits, state_bits(text[line.start : at]), True, same, sums)
            same[is_action] &= int(logits.argmax()) == byte
            sums[is_action] += float(logits[byte]) - _total(logits)
            draft.dictate(bytes([byte]))
    return NextStep(
        step=0,
        wanted=text[turn.start : turn.end],
        found=None,
        same_action=same[True],
        same_state=same[False],
        action=sums[True],
        state=sums[False],
    )


def _gate(logits: Logits, bits: int, is_action: bool, same: dict[bool, bool], sums: dict[bool, float]) -> Logits:
    """Split a choice in two: compare whether the byte is in a set, and return the logits within it."""
    inside = logits + logit_mask(bits)
    same[is_action] &= bool(bits >> int(logits.argmax()) & 1)
    sums[is_action] += _total(inside) - _total(logits)
    return inside


def _total(logits: Logits) -> float:
    best = float(logits.max())
    return best + float(np.log(np.exp(logits - best).sum()))
