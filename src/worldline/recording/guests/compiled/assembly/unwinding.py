"""Which instructions of a function only run while the stack is unwound: what an exception or a panic cleans up.

They carry lines of the source (a block's end, a variable's declaration), but nobody runs those lines: no call into the
hook belongs there. A handler does: what follows `__cxa_begin_catch` is the program's own again.
"""

from __future__ import annotations

import re

_TABLE = re.compile(r"^\t\.uleb128\t?\s*(\.L\w+)-(\.L\w+).*\n\t\.uleb128\t?\s*(\.L\w+)-(\.L(?:FB|func_begin)\d+)", re.M)
_REGION = re.compile(
    r"^\t\.uleb128\t?\s*(\.L\w+)-\.L\w+.*\n\t\.uleb128\t?\s*(\.L\w+)-\1\b.*\n\t\.uleb128\t?\s*(\.L\w+)-", re.M
)
_DATA = re.compile(r"^\t\.(?:word|byte|hword|long|quad|xword|short|[248]byte)\b[^\n]*", re.M)
_LABEL = re.compile(r"\.L\w+")
_NEVER = re.compile(
    r"__cxa_throw|__cxa_rethrow|_Unwind_Resume|\babort\b|\bexit\b|_exit\b|__assert_fail|_ZSt9terminatev|__stack_chk_fail"
    r"|4core9panicking|__cxa_call_unexpected|__cxa_throw_bad_array|_ZSt\d+__throw_"
)
_CALL = re.compile(r"\t(?:blr?|callq?)\t(\S+)")
_JUMP = re.compile(r"\t(b|br|jmp|jmpq|ret|retq|retaa|retab|udf|brk|ud2|hlt)(?![\w.])\s*(\S*)")
_BRANCH = re.compile(r"\t(?:b\.?\w{2}|cbn?z|tbn?z|j\w{1,3})\t(?:[^\n]*[, ])?(\.L\w+)$")


def landing_pads(text: str) -> set[str]:
    """The labels of an assembly's landing pads, out of its exception tables."""
    return {match[3] for match in _TABLE.finditer(text) if not match[2].startswith((".LFB", ".Lfunc_begin"))}


def regions(text: str) -> list[tuple[str, str, str]]:
    """Where an assembly's exceptions go: the labels between which they are thrown, and that of the landing pad."""
    return [(match[1], match[2], match[3]) for match in _REGION.finditer(text)]


def never_returns(line: str) -> bool:
    """Whether an instruction calls what does not come back."""
    return _is_call(line, "") and _NEVER.search(line) is not None


def leads(line: str) -> tuple[str, bool]:
    """The label that an instruction may jump to, or nothing, and whether the next instruction may follow."""
    if jump := _JUMP.match(line):
        return jump[2], False
    branch = _BRANCH.match(line)
    return branch[1] if branch else "", not never_returns(line)


def data_labels(text: str) -> set[str]:
    """The labels that tables of jumps may name."""
    return {label for match in _DATA.finditer(text) for label in _LABEL.findall(match[0])}


def ordinary(lines: list[str], pads: set[str], tables: set[str]) -> set[int]:
    """The indices of a function's lines that run when nothing is thrown, or in a handler."""
    labels = {line[:-1]: at for at, line in enumerate(lines) if line.startswith(".L") and line.endswith(":")}
    work = [0, *(_handler(lines, at) for at, line in enumerate(lines) if _is_call(line, "__cxa_begin_catch"))]
    if any(re.match(r"\t(br\t|jmpq?\t\*)", line) for line in lines):
        work += [at for label, at in labels.items() if label in tables and label not in pads]
    seen: set[int] = set()
    while work:
        at = work.pop()
        while at < len(lines) and at not in seen:
            line = lines[at]
            if line.endswith(":") and line[:-1] in pads:
                break
            seen.add(at)
            target, falls = leads(line)
            if target in labels:
                work.append(labels[target])
            if not falls:
                break
            at += 1
    return seen


def _handler(lines: list[str], call: int) -> int:
    """Where the line of a handler begins whose exception the call at an index takes: at the `.loc` before it."""
    at = call
    while at and not lines[at].startswith("\t.loc"):
        at -= 1
        if _JUMP.match(lines[at]) or _BRANCH.match(lines[at]) or lines[at].endswith(":"):
            return call
    return at


def _is_call(line: str, name: str) -> bool:
    match = _CALL.match(line)
    return match is not None and match[1].startswith(name)
