"""The decisions of a recorded run, from its conditional jumps: each with line, columns and outcome.

Offsets mean something only to the interpreter that compiled the code, so a run is read in the same version. The source
is compiled twice, as it is and with its decision points marked: the n-th conditional jumps of both are the same one.
What decides nothing in the source (the end of a `with`) is left out.
"""

from __future__ import annotations

import dis
import opcode
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import CodeType

from worldline.analyze.flow.conditions.points import MARK, DecisionPoint, MarkedTree, mark, outcome_words, position
from worldline.core.trace import ConditionalJump, Trace

_CHAINED = ("COMPARE_OP", "IS_OP", "CONTAINS_OP")
# What may stand between a mark and the jump that it is of.
_BETWEEN = ("COPY", "TO_BOOL", "NOP", "EXTENDED_ARG", "CHECK_EXC_MATCH", "CHECK_EG_MATCH", *_CHAINED)
_ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")


@dataclass(frozen=True)
class DecisionOutcome:
    """What was decided at a step: the position and source text of the condition, and whether it held (`taken`).

    Lines count from 1 and columns from 0; -1: not known, in paths of version 1. `kind`: see `DecisionPoint`.
    """

    step: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    taken: bool
    kind: str = "if"

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Where it is in the source."""
        return self.line, self.column, self.end_line, self.end_column

    def __str__(self) -> str:
        return f"{self.line}:{self.column} {self.text} → {outcome_words(self.kind, self.taken)}"


@dataclass(frozen=True)
class _Jump:
    """A conditional jump of a code object, and what it decides: a point, or nothing (-1)."""

    offset: int
    column: int
    name: str
    fallthrough: int
    point: int
    leaves: tuple[bool, bool] = (True, True)  # a case: whether not jumping, and jumping, decides it
    none_matches: bool = False  # a part of a pattern: `case None`


@dataclass(frozen=True)
class SourceDecisions:
    """The decision points of a source, and the jumps of its code objects by qualified name and first line.

    `unread` are the code objects whose jumps could not be told apart: their decisions are not known.
    """

    points: tuple[DecisionPoint, ...]
    codes: dict[tuple[str, int], tuple[dict[int, _Jump], ...]]
    unread: tuple[str, ...] = ()

    @property
    def decided(self) -> list[DecisionPoint]:
        """The points that some code decides; the compiler leaves out what it knows."""
        jumps = (jump.point for group in self.codes.values() for code in group for jump in code.values())
        return [self.points[number] for number in sorted({number for number in jumps if number >= 0})]


_NONE = SourceDecisions((), {})


@lru_cache(maxsize=64)
def source_decisions(source: str) -> SourceDecisions:
    """Read the decisions of a source, for the interpreter that executes this; none if it is not Python."""
    marked = mark(source)
    if marked is None:
        return _NONE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            plain = compile(source, "<source>", "exec", dont_inherit=True)
            twin = compile(marked.tree, "<source>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return _NONE
    codes: dict[tuple[str, int], tuple[dict[int, _Jump], ...]] = {}
    unread: list[str] = []
    for code, other in _pairs(plain, twin):
        key, jumps = (code.co_qualname, code.co_firstlineno), _jumps(code, other, marked)
        if jumps is None:
            unread.append(code.co_qualname)
        else:
            codes[key] = (*codes.get(key, ()), jumps)
    return SourceDecisions(marked.points, codes, tuple(unread))


def _pairs(plain: CodeType, twin: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Pair the code objects of both compilations; one that equals an earlier one exists only once in `plain`."""
    yield plain, twin
    others = iter([constant for constant in twin.co_consts if isinstance(constant, CodeType)])
    for code in (constant for constant in plain.co_consts if isinstance(constant, CodeType)):
        for other in others:
            if (other.co_name, other.co_firstlineno) == (code.co_name, code.co_firstlineno):
                yield from _pairs(code, other)
                break


def _is_conditional(name: str) -> bool:
    return name == "FOR_ITER" or ("JUMP" in name and "_IF_" in name)


def _instructions(code: CodeType) -> list[dis.Instruction]:
    return [instruction for instruction in dis.get_instructions(code) if instruction.opname != "CACHE"]


def _jumps(code: CodeType, twin: CodeType, marked: MarkedTree) -> dict[int, _Jump] | None:
    """Return the conditional jumps of a code object by offset, each with its point; None if its twin has others."""
    instructions, numbers = _instructions(code), list(_numbers(_instructions(twin), marked))
    places = list(code.co_positions())
    follows = [instruction.offset for instruction in instructions[1:]] + [len(code.co_code)]
    own = [at for at, instruction in enumerate(instructions) if _is_conditional(instruction.opname)]
    if len(own) != len(numbers):
        return None
    jumps = {}
    for at, number in zip(own, numbers, strict=True):
        instruction = instructions[at]
        line, end_line, column, end_column = places[instruction.offset // 2]
        jumps[instruction.offset] = _Jump(
            instruction.offset,
            -1 if column is None else column,
            instruction.opname,
            follows[at],
            number,
            none_matches=(line, end_line, column, end_column) in marked.none_patterns,
        )
    return _with_leaves(jumps, instructions, marked)


def _numbers(instructions: Sequence[dis.Instruction], marked: MarkedTree) -> Iterator[int]:
    """Yield the point of each conditional jump of marked code; -1 if it has none."""
    loop = -1
    for at, instruction in enumerate(instructions):
        if (number := _mark_of(instruction)) >= 0 and marked.points[number].kind == "for":
            loop = number
        if instruction.opname == "FOR_ITER":
            yield marked.first_loops.get(_place(instruction), -1) if loop < 0 else loop
            loop = -1
        elif _is_conditional(instruction.opname):
            number = _decided_by(instructions, at)
            yield number if number >= 0 else _case_at(_place(instruction), marked)


def _mark_of(instruction: dis.Instruction) -> int:
    name = instruction.argval
    is_mark = instruction.opname == "LOAD_ATTR" and isinstance(name, str) and name.startswith(MARK)
    return int(name[1:]) if is_mark else -1


def _decided_by(instructions: Sequence[dis.Instruction], at: int) -> int:
    """Return the mark right before a jump; in a chain of comparisons, two operations lie between."""
    at -= 1
    while at >= 0 and instructions[at].opname in _BETWEEN:
        is_chained = instructions[at].opname in _CHAINED
        at -= 1
        if is_chained and [item.opname for item in instructions[max(0, at - 1) : at + 1]] == ["SWAP", "COPY"]:
            at -= 2
    return _mark_of(instructions[at]) if at >= 0 else -1


def _place(instruction: dis.Instruction) -> tuple[int, ...]:
    place = instruction.positions
    if place is None:
        return ()
    values = place.lineno, place.end_lineno, place.col_offset, place.end_col_offset
    return tuple(-1 if value is None else value for value in values)


def _case_at(place: tuple[int, ...], marked: MarkedTree) -> int:
    """Return the point of the case whose pattern contains a position; -1 if there is none."""
    if not place:
        return -1
    line, end_line, column, end_column = place
    for pattern, number in marked.cases:
        first, last, start, end = position(pattern)
        if (first, start) <= (line, column) and (end_line, end_column) <= (last, end):
            return number
    return -1


def _with_leaves(
    jumps: dict[int, _Jump], instructions: Sequence[dis.Instruction], marked: MarkedTree
) -> dict[int, _Jump]:
    """Note which jumps of a pattern decide its case: no other jump of the pattern follows."""
    order = {instruction.offset: at for at, instruction in enumerate(instructions)}

    def decides(jump: _Jump, offset: int) -> bool:
        later = _next_jump(instructions, order, offset)
        following = jumps.get(later)
        return following is None or following.point != jump.point or later <= jump.offset

    cases = {number for _, number in marked.cases}
    return {
        offset: replace(
            jump, leaves=(decides(jump, jump.fallthrough), decides(jump, instructions[order[offset]].argval))
        )
        if jump.point in cases
        else jump
        for offset, jump in jumps.items()
    }


def _next_jump(instructions: Sequence[dis.Instruction], order: dict[int, int], offset: int) -> int:
    """Return the first conditional jump that is reached from an offset without deciding; -1 if there is none."""
    met = set[int]()
    while offset not in met and offset in order:
        met.add(offset)
        at = order[offset]
        instruction = instructions[at]
        if _is_conditional(instruction.opname):
            return offset
        if instruction.opname in _ENDS or at + 1 == len(instructions):
            return -1
        is_jump = instruction.opcode in opcode.hasjrel and instruction.opname.startswith("JUMP")
        offset = instruction.argval if is_jump else instructions[at + 1].offset
    return -1


def decision_outcomes(trace: Trace) -> tuple[DecisionOutcome, ...]:
    """Read the decisions of a run, in the order in which they were made.

    Args:
        trace: A trace that was recorded with `jumps`, by this version of Python.

    Returns:
        The decisions; none if the program is not Python.

    Raises:
        ValueError: The trace has no jumps, or is of another version of Python.
    """
    if trace.jumps is None:
        raise ValueError("the trace has no conditional jumps: record it with jumps=True")
    if not trace.interpreter.version.startswith(f"{sys.version_info[0]}.{sys.version_info[1]}."):
        raise ValueError(f"the trace is of Python {trace.interpreter.version}: read it in that version")
    program = trace.program
    sources = {program.name: program.source, **dict(program.files)}
    first_lines: dict[int, int] = {}
    for serial, line in zip(trace.columns.frame, trace.columns.line, strict=True):
        first_lines.setdefault(serial, line)
    outcomes: list[DecisionOutcome] = []
    latest: dict[int, tuple[int, bool]] = {}  # by frame, its newest decision
    for taken in trace.jumps:
        frame = trace.frames[taken.frame]
        decisions = source_decisions(sources.get(frame.file, ""))
        jump = _jump_of(decisions.codes.get((frame.name, first_lines[taken.frame]), ()), taken)
        if jump is None:
            continue
        point, jumped = decisions.points[jump.point], taken.target != jump.fallthrough
        if jump.leaves[jumped] and latest.get(taken.frame) not in point.settled:
            held = _holds(jump, point, jumped) != point.is_negated
            latest[taken.frame] = jump.point, held
            places = point.line, point.column, point.end_line, point.end_column
            outcomes.append(DecisionOutcome(taken.step, *places, point.text, held, point.kind))
    return tuple(outcomes)


def _jump_of(codes: Sequence[dict[int, _Jump]], taken: ConditionalJump) -> _Jump | None:
    """Return the jump of the source that was taken; None if it decides nothing there."""
    candidates = (code[taken.offset] for code in codes if taken.offset in code)
    jump = next((jump for jump in candidates if jump.column == taken.column), None)
    return jump if jump is not None and jump.point >= 0 else None


def _holds(jump: _Jump, point: DecisionPoint, jumped: bool) -> bool:
    """Return whether the condition holds, given whether its instruction jumped."""
    if jump.name == "FOR_ITER":
        return not jumped
    if jump.name.endswith("NONE"):
        is_none = jumped != jump.name.endswith("NOT_NONE")
        wants_none = jump.none_matches if point.kind == "case" else point.is_none_test and point.kind != "except"
        return is_none == wants_none
    return jumped == ("IF_TRUE" in jump.name)
