"""The tiny programs of a check: a line, a loop, a branch. Their traces are short in every notation."""

from __future__ import annotations

from worldline.core.program import Program
from worldline.evaluation.suites.suite import Suite, Task

LINE = """\
def double(n):
    return n * 2
"""
LOOP = """\
def total(numbers):
    result = 0
    for number in numbers:
        result = result + number
    return result
"""
BRANCH = """\
def label(word):
    if len(word) > 3:
        kind = 'long'
    else:
        kind = 'short'
    return word + ' is ' + kind
"""
PROGRAMS = {"double(4)": LINE, "total([1, 2])": LOOP, "label('tree')": BRANCH}


def tiny_suite() -> Suite:
    """Return the suite of a check."""
    tasks = [Task(program=Program(source=source, call=call), name=call) for call, source in PROGRAMS.items()]
    return Suite(name="check", tasks=tasks, count=len(tasks))
