"""The instructions of a code object that may read or write what threads share, with the places of their operands.

A place is an index into a frame's variables, cells and operands. The depth of the operands is computed from the
bytecode, because the interpreter keeps its stack pointer in a register while it runs.
"""

from __future__ import annotations

import builtins
import opcode
from types import CodeType
from typing import Any, NamedTuple

from .. import behavior

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_names, _effect = opcode.opname, opcode.stack_effect
_jumps: set[int] = {*opcode.hasjrel, *opcode.hasjabs}
_EXTENDED_ARG = opcode.opmap["EXTENDED_ARG"]
_ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "INTERPRETER_EXIT")
_GOES_ELSEWHERE = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
# The group of an operation: how its operands are read is the same within a group.
_GROUPS = {
    "LOAD_GLOBAL": "load name",
    "LOAD_NAME": "load name",
    "STORE_GLOBAL": "store name",
    "STORE_NAME": "store name",
    "DELETE_GLOBAL": "delete name",
    "DELETE_NAME": "delete name",
    "LOAD_FROM_DICT_OR_GLOBALS": "load name",
    "LOAD_DEREF": "load cell",
    "LOAD_CLASSDEREF": "load cell",
    "LOAD_FROM_DICT_OR_DEREF": "load cell",
    "STORE_DEREF": "store cell",
    "DELETE_DEREF": "store cell",
    "LOAD_ATTR": "load attribute",
    "LOAD_METHOD": "load attribute",
    "LOAD_SUPER_ATTR": "load attribute",
    "IMPORT_FROM": "load attribute",
    "STORE_ATTR": "store attribute",
    "DELETE_ATTR": "delete attribute",
    "BINARY_SUBSCR": "load item",
    "STORE_SUBSCR": "store item",
    "DELETE_SUBSCR": "delete item",
    "BINARY_SLICE": "load slice",
    "STORE_SLICE": "store slice",
    "BINARY_OP": "operator",
    "COMPARE_OP": "compare",
    "CONTAINS_OP": "contains",
    "UNARY_NOT": "truth",
    "TO_BOOL": "truth",
    "GET_ITER": "iterate",
    "FOR_ITER": "advance",
    "SEND": "send",
    "UNPACK_SEQUENCE": "consume",
    "UNPACK_EX": "consume",
    "LIST_EXTEND": "consume",
    "SET_UPDATE": "consume",
    "DICT_UPDATE": "consume",
    "DICT_MERGE": "consume",
    "GET_LEN": "consume",
    "FORMAT_VALUE": "format",
    "FORMAT_SIMPLE": "format",
    "FORMAT_WITH_SPEC": "format",
    "CONVERT_VALUE": "format",
    "MATCH_KEYS": "match",
    "MATCH_CLASS": "match",
    "PRECALL": "call",
    "CALL": "call",
    "CALL_KW": "call with names",
    "CALL_FUNCTION_EX": "call with tuple",
    "BEFORE_WITH": "enter",
    "WITH_EXCEPT_START": "leave",
    "IMPORT_NAME": "import",
}
if "PRECALL" in opcode.opmap:  # the call that it prepares finds fewer operands
    del _GROUPS["CALL"]
_TRUTH_JUMPS = ("_IF_TRUE", "_IF_FALSE", "_IF_TRUE_OR_POP", "_IF_FALSE_OR_POP")
# The number of bits of the argument that are not the index of the name.
_FLAGS = {"LOAD_GLOBAL": 1, "LOAD_ATTR": 1 if behavior.LOAD_ATTR_HAS_FLAG else 0, "LOAD_SUPER_ATTR": 2}


class Instruction(NamedTuple):
    """An instruction that may access what threads share."""

    group: str
    argument: int
    name: str
    top: int  # the place of the topmost operand
    is_local: bool = False  # the name may be of the body of a class


def read_instructions(code: CodeType) -> dict[int, Instruction]:
    """Return the instructions that may access what threads share, by their offset."""
    data, table = _units(code), dict[int, Instruction]()
    first = count_variables(code)
    for offset, depth in _depths(code, data).items():
        op, argument, _ = data[offset]
        operation = _names[op]
        group = "truth" if operation.endswith(_TRUTH_JUMPS) else _GROUPS.get(operation)
        if group is not None:
            name = _name(code, operation, argument) if group.endswith(("name", "attribute")) else ""
            is_local = operation.endswith("_NAME") and code.co_name != "<module>"
            table[offset] = Instruction(group, argument, name, first + depth - 1, is_local)
    return table


def count_variables(code: CodeType) -> int:
    """Return the number of places before the operands: variables and cells."""
    own = [name for name in code.co_cellvars if name not in code.co_varnames]
    return code.co_nlocals + len(own) + len(code.co_freevars)


def _name(code: CodeType, operation: str, argument: int) -> str:
    return code.co_names[argument >> _FLAGS.get(operation, 0)]


def _units(code: CodeType) -> dict[int, tuple[int, int, int]]:
    """Return each instruction by its offset: operation, whole argument, offset behind it and its caches."""
    raw, units, extended = code.co_code, dict[int, tuple[int, int, int]](), 0
    for at in range(0, len(raw), 2):
        op, argument = raw[at], raw[at + 1] | extended
        extended = argument << 8 if op == _EXTENDED_ARG else 0
        if op:  # 0 is a cache
            behind = at + 2
            while behind < len(raw) and not raw[behind]:
                behind += 2
            units[at] = op, argument, behind
    return units


def _depths(code: CodeType, units: dict[int, tuple[int, int, int]]) -> dict[int, int]:
    """Return the number of operands before each reachable instruction."""
    depths, open_ = dict[int, int](), [(0, 0)]
    handlers = _handlers(code)
    while open_ or handlers:
        if not open_:
            start, end, target, depth = handlers.pop(0)
            if any(start <= at < end for at in depths):
                open_.append((target, depth))
            continue
        at, depth = open_.pop()
        while at in units and at not in depths:
            depths[at] = depth
            op, argument, behind = units[at]
            operation = _names[op]
            value = argument if op >= opcode.HAVE_ARGUMENT else None
            if op in _jumps:
                back = "BACKWARD" in operation
                open_.append((behind + (-2 if back else 2) * argument, depth + _effect(op, value, jump=True)))
            if operation in _ENDS or operation in _GOES_ELSEWHERE:
                break
            depth += _effect(op, value, jump=False)
            if operation == "RETURN_GENERATOR" and not behavior.GENERATOR_START_IS_COUNTED:
                depth += 1  # what is sent first
            at = behind
    return depths


def _handlers(code: CodeType) -> list[tuple[int, int, int, int]]:
    """Return the handlers of exceptions: start, end, target, operands at the target."""
    table, at, entries = code.co_exceptiontable, 0, list[tuple[int, int, int, int]]()

    def number() -> int:
        nonlocal at
        byte = table[at]
        value = byte & 63
        while byte & 64:
            at += 1
            byte = table[at]
            value = value << 6 | byte & 63
        at += 1
        return value

    while at < len(table):
        start, length, target, depth = number() * 2, number() * 2, number() * 2, number()
        entries.append((start, start + length, target, (depth >> 1) + (depth & 1) + 1))
    return entries


def missing_marker() -> Any:
    """Return a value that no program has: it stands for an empty place."""
    return _MISSING


_MISSING = object()
