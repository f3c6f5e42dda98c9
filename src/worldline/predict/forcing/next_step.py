"""One step ahead from every true state, by an engine that reads bytes: the true text is read once.

The engine says at each true byte what it would have written; where that is the true byte throughout, writing the step
from the true beginning gives the true step (at temperature 0), so that only the others are written, each from a fork of
the engine's state. Action and state are told apart: each is compared behind true text alone, a state behind the true
action. A predictor that only gives text is asked anew behind each step that it gets wrong (`bytewise`, `frames`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from worldline.codec.compact.script import ANY, SPACE, state_bits
from worldline.codec.compact.turns import Turn, is_own, turns
from worldline.predict.forcing.bytewise import SLACK, whole_turns
from worldline.predict.forcing.forced_rollout import NextStep, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import DecodesBytes
from worldline.predict.rollout import ForkingEngine, Logits, RolloutDraft, logit_mask

BLOCK = 1 << 10  # true bytes read at once


def read_ahead(
    decoder: DecodesBytes, engine: ForkingEngine, ask: PredictionRequest, truth: Prediction, *, write: bool
) -> NextSteps:
    """Every whole true step, one step ahead; with `write` off the engine only reads."""
    began = time.perf_counter()
    steps = _Reading(decoder, engine, ask, truth.text).steps(write=write)
    return NextSteps(steps, time.perf_counter() - began)


class _Reading:
    """A true text that is being read by an engine, turn by turn."""

    def __init__(
        self, decoder: DecodesBytes, engine: ForkingEngine, ask: PredictionRequest, text: bytes
    ) -> None:
        self._decoder, self._engine, self._text = decoder, engine, text
        self._turns = whole_turns(ask, text)
        self._draft = decoder.draft(replace(ask, given=b"", limit=len(text) + SLACK + 1))
        self._found: list[NextStep] = []
        self._wrong: list[int] = []
        self._state = self._engine.start()
        self._logits = self._engine.feed(self._state, ask.prompt, pin=True)

    def steps(self, *, write: bool) -> tuple[NextStep, ...]:
        """All of them."""
        if not write:
            for block in self._blocks():
                self._read(block)
            return tuple(self._found)
        written = [bytes(draft.text) for draft in self._decoder.complete(self._begin())]
        self._found = [replace(one, found=one.wanted) for one in self._found]
        for number, text in zip(self._wrong, written, strict=True):
            turn = self._turns[number]
            step = turns(text[turn.start :])[:1]  # the grammar may have forced more
            found = text[turn.start :][: step[0].end] if step else b""
            self._found[number] = replace(self._found[number], found=found)
        return tuple(self._found)

    def _begin(self) -> Iterator[tuple[RolloutDraft, Any, Logits]]:
        """The steps that must be written, each from where the true text stands before it."""
        for block in self._blocks():
            behind, at = self._state.fork(), block[0].start
            for turn, draft, logits in self._read(block):
                if at < turn.start:
                    self._engine.feed(behind, self._text[at : turn.start], pin=False)
                    at = turn.start
                yield draft, behind.fork(), logits

    def _blocks(self) -> Iterator[list[Turn]]:
        block: list[Turn] = []
        for turn in self._turns:
            block.append(turn)
            if turn.end - block[0].start >= BLOCK:
                yield block
                block = []
        if block:
            yield block

    def _read(self, block: list[Turn]) -> list[tuple[Turn, RolloutDraft, Logits]]:
        """Compares some turns; those that the model would write otherwise, as drafts that are at their beginning."""
        start = block[0].start
        after = self._engine.feed_all(self._state, self._text[start : block[-1].end], pin=False)
        rows = np.concatenate([self._logits[None], after])
        self._logits = rows[-1]
        wrong = []
        for turn in block:
            draft = self._draft.fork(limit=turn.end + SLACK, script=_OneTurn(turn.start))
            found = _compared(self._draft, turn, self._text, rows[turn.start - start :])
            if not (found.same_action and found.same_state and self._decoder.info.is_greedy):
                self._wrong.append(len(self._found))
                wrong.append((turn, draft, rows[turn.start - start]))
            self._found.append(replace(found, step=len(self._found)))
        return wrong


class _OneTurn:
    """Stops a text behind one turn."""

    def __init__(self, start: int) -> None:
        self._at = start

    def allowed(self, text: bytearray) -> int:
        """Whatever the model likes."""
        return ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Nothing, until the turn's own line has come to its end."""
        while (stop := text.find(b"\n", self._at)) >= 0:
            if is_own(bytes(text[self._at : stop + 1])):
                return None
            self._at = stop + 1
        return b""


def _compared(draft: RolloutDraft, turn: Turn, text: bytes, rows: Logits) -> NextStep:
    """What the model would have written at each byte of a turn, all before it being true."""
    same, sums = {True: True, False: True}, {True: 0.0, False: 0.0}  # by: is it about the action
    for line in turn.lines:
        late = line.action == line.start
        for at in range(line.start, line.end):
            logits, byte, acts = draft.masked(rows[at - turn.start]), text[at], at < line.action
            if at == line.start:  # whether changes come late is a question of state
                logits = _gate(logits, SPACE if late else ANY & ~SPACE, False, same, sums)
            elif at == line.action:  # whether the action goes on is one of action
                logits = _gate(logits, state_bits(text[line.start : at]), True, same, sums)
            same[acts] &= int(logits.argmax()) == byte
            sums[acts] += float(logits[byte]) - _total(logits)
            draft.dictate(bytes([byte]))
    return NextStep(
        step=0, wanted=text[turn.start : turn.end], found=None, same_action=same[True], same_state=same[False],
        action=sums[True], state=sums[False],
    )  # fmt: skip


def _gate(logits: Logits, bits: int, acts: bool, same: dict[bool, bool], sums: dict[bool, float]) -> Logits:
    """A choice in two: first whether the byte is one of these, which is compared here, then which."""
    inside = logits + logit_mask(bits)
    same[acts] &= bool(bits >> int(logits.argmax()) & 1)
    sums[acts] += _total(inside) - _total(logits)
    return inside


def _total(logits: Logits) -> float:
    best = float(logits.max())
    return best + float(np.log(np.exp(logits - best).sum()))
