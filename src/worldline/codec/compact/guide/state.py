"""What the guide knows at one byte of a text: the frames, and how far the line has come.

Data and its copies. `lines` and `changes` say what may follow and what a byte does to it.
"""

from __future__ import annotations

import copy
from typing import TypeAlias

from worldline.analyze.flow.table import FlowTable
from worldline.codec.compact.guide.frames import FrameStack, LiveFrame
from worldline.codec.compact.guide.guard import guard_of
from worldline.codec.compact.guide.nodes import DONE, Node
from worldline.codec.compact.prompt import Compact
from worldline.core.events import CHANGELESS
from worldline.core.program import Program
from worldline.core.trace import Hidden

Levels: TypeAlias = tuple[Node, "Levels"] | None


def bits(found: bytes) -> int:
    """Bytes as bits."""
    return sum(1 << byte for byte in set(found))


END, SPACE = bits(b"\n"), bits(b" ")


class GuideState:
    """One point of a text. `node` and `levels` read the word or value that stands here, `phase` what comes after it."""

    def __init__(
        self, program: Program, options: Compact, table: FlowTable | None, *, guarded: bool, queries: bool,
        given: tuple[Hidden, ...] = (),
    ) -> None:  # fmt: skip
        self.program, self.options, self.guarded, self.queries = program, options, guarded, queries
        self.guard, self.frames = guard_of(program, table), FrameStack()
        self.element, self.exact = options.delta == "element", options.reveal == 1
        self.given, self.drawn = given, 0  # the hidden inputs of the prompt, and how many were written
        self.ended = False
        self.text, self.at = bytearray(), 0  # the line so far, and where its newest word begins
        self.begin()

    def begin(self, phase: str = "start") -> None:
        """A fresh line."""
        self.node: Node = DONE
        self.levels: Levels = None
        self.phase = phase
        self.event, self.line = "", 0
        self.frame: LiveFrame | None = None  # whose step the line is
        self.open = False  # changes of the step itself may follow
        self.early = False  # changes of a resumed frame's step before may follow
        self.changed = False
        self.section = 0  # of the changes: new values, names that are gone, aliases
        self.edited = b""  # the name whose edits may go on
        self.used: set[bytes] = set()
        self.aliased: set[bytes] = set()

    def begin_own_changes(self) -> None:
        """Behind ` |`: what follows are changes of the resume itself."""
        self.early = self.changed = False
        self.open = self.reveals_changes("resume")
        self.section, self.edited, self.used, self.aliased = 0, b"", set(), set()
        self.go("tail")

    def twin(self) -> GuideState:
        """An independent copy."""
        other = copy.copy(self)
        other.frames, twins = self.frames.twin()
        if self.frame is not None:
            other.frame = twins.get(id(self.frame)) or self.frame.twin()
        other.text, other.used, other.aliased = bytearray(self.text), set(self.used), set(self.aliased)
        return other

    def word(self) -> bytes:
        """The word that was read last."""
        return bytes(self.text[self.at :])

    def read(self, node: Node, phase: str, *, first: bool = False) -> None:
        """Read a word next, or from this byte on (`first`); then `phase` goes on."""
        self.node, self.levels, self.phase = node, None, phase
        self.at = len(self.text) + (not first)

    def go(self, phase: str) -> None:
        """Read a byte of the line itself next."""
        self.node, self.levels, self.phase = DONE, None, phase

    def reveals_changes(self, event: str) -> bool:
        """Whether the next step, of this event, may show changes in its line."""
        if event in CHANGELESS or (event == "return" and self.exact):
            return False
        return self.options.reveals(self.frames.steps)

    def act(self, event: str, frame: LiveFrame, line: int) -> None:
        """This line is this step; its changes may follow."""
        self.event, self.frame, self.line = event, frame, line
        self.open = self.reveals_changes(event)
        self.go("tail")
