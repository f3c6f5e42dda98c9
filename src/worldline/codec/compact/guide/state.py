"""What the guide knows at one byte of a text: the frames, and how far the line has come.

Data and its copies. `lines` and `changes` define what may follow and what a byte does.
"""

from __future__ import annotations

import copy
from typing import TypeAlias

from worldline.analyze.flow.table import FlowTable
from worldline.codec.compact.guide.frames import FrameStack, LiveFrame
from worldline.codec.compact.guide.guard import NOT_ASSIGNED, guard_of
from worldline.codec.compact.guide.nodes import DONE, Node
from worldline.codec.compact.prompt import Compact
from worldline.core.events import CHANGELESS
from worldline.core.program import Program
from worldline.core.trace import Hidden

Levels: TypeAlias = tuple[Node, "Levels"] | None


def bits(data: bytes) -> int:
    """Return bytes as bits of an int."""
    return sum(1 << byte for byte in set(data))


END, SPACE = bits(b"\n"), bits(b" ")


class GuideState:
    """One point of a text. `node` and `levels` read the current word or value; `phase` is what comes after it."""

    def __init__(
        self,
        program: Program,
        options: Compact,
        table: FlowTable | None,
        *,
        guarded: bool,
        queries: bool,
        prompt_inputs: tuple[Hidden, ...] = (),
    ) -> None:
        self.program, self.options, self.guarded, self.queries = program, options, guarded, queries
        self.guard, self.frames = guard_of(program, table), FrameStack()
        self.element, self.exact = options.delta == "element", options.reveal == 1
        # Whether each step shows the names that its statement assigns, and the guide knows which.
        self.shows_assigned = options.assigned and self.exact
        self.adds_assigned = options.assigned and options.reveal > 1 and options.delta == "whole" and not options.same
        # The hidden inputs of the prompt, and how many of them were written.
        self.prompt_inputs, self.drawn = prompt_inputs, 0
        self.ended = False
        # The line so far, and where its newest word starts.
        self.text, self.at = bytearray(), 0
        self.begin()

    def begin(self, phase: str = "start") -> None:
        """Start a new line."""
        self.node: Node = DONE
        self.levels: Levels = None
        self.phase = phase
        self.event, self.line = "", 0
        # The frame of the step in this line.
        self.frame: LiveFrame | None = None
        # Whether changes of the step itself may follow.
        self.open = False
        # Whether changes of the step before the resume may follow.
        self.early = False
        self.changed = False
        # The section of the changes: 0 new values, 1 deleted names, 2 aliases.
        self.section = 0
        # The name whose edits may continue.
        self.edited = b""
        self.used: set[bytes] = set()
        self.aliased: set[bytes] = set()
        # What the statement of this line assigns.
        self.assigned = NOT_ASSIGNED

    def begin_own_changes(self) -> None:
        """Continue after ` |`: the changes of the resume itself follow."""
        self.early = self.changed = False
        self.open = self.reveals_changes("resume")
        self.section, self.edited, self.used, self.aliased = 0, b"", set(), set()
        self.go("tail")

    def fork(self) -> GuideState:
        other = copy.copy(self)
        other.frames, copies = self.frames.fork()
        if self.frame is not None:
            other.frame = copies.get(id(self.frame)) or self.frame.fork()
        other.text, other.used, other.aliased = bytearray(self.text), set(self.used), set(self.aliased)
        return other

    def word(self) -> bytes:
        """Return the word that was read last."""
        return bytes(self.text[self.at :])

    def read(self, node: Node, phase: str, *, first: bool = False) -> None:
        """Read a word next, or from this byte on (`first`), and then continue with `phase`."""
        self.node, self.levels, self.phase = node, None, phase
        self.at = len(self.text) + (not first)

    def go(self, phase: str) -> None:
        """Read a byte of the line itself next."""
        self.node, self.levels, self.phase = DONE, None, phase

    def reveals_changes(self, event: str) -> bool:
        """Whether the next step, if it is this event, may show changes in its line."""
        if event in CHANGELESS or (event == "return" and self.exact):
            return False
        return self.options.reveals(self.frames.steps)

    def act(self, event: str, frame: LiveFrame, line: int) -> None:
        """Set the step of this line; its changes may follow."""
        self.event, self.frame, self.line = event, frame, line
        self.open = self.reveals_changes(event)
        if event == "line" and (self.shows_assigned or self.adds_assigned):
            self.assigned = self.guard.assigned(frame.file, frame.start, line)
        if event in ("line", "return") and self.adds_assigned:
            names, body = frame.new_names
            if not body or (event == "line" and line in body):
                frame.since |= frozenset(names)
            frame.new_names = ((), frozenset())
        self.go("tail")
