"""What a general chat model is told: the compact format in words, one worked example, the program.

The example is written in the mode that is asked for, so that the model sees what it is to write. Which words help a
given model most is not explored here; they are the same for all, and a run keeps them.
"""

from __future__ import annotations

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.writer import Recorded, write
from worldline.predict.predictor import Ask

PROGRAM = "{PROGRAM}"

INSTRUCTION = """\
You execute programs by hand and write down every step exactly. You are given a Python program with numbered lines and \
the call to run. Write the trace of the run, one step a line:
- `(N a=1 b='x'`: a function is called; N is the line of its `def`, then its arguments.
- `N x=2`: line N of the running function runs, then every name that it changed, with the new value. A name that is \
deleted is `-x`.
- `)VALUE`: the running function returns VALUE to its caller. If the caller's line that made the call then changes \
names, the next line begins with one space: ` x=2`.
- `!VALUE`: an exception is raised and handled in the running function; `)!VALUE`: it leaves the running function.
- `*VALUE`: a generator yields; `~`: it is resumed. `:'text\\n'`: the line printed text.
- A line number before `)`, `!`, `*` or `:` is written only if it is not the number of the function's last step.
- `.` on a line of its own ends the trace.
Values are Python literals as `repr` shows them. A first line that begins with `#` names a variant of the format, in \
which `reveal=N` shows changes at every N-th step only. Answer with the trace alone, in one code block."""

EXAMPLE = b"""\
1|def double(n):
2|    return n * 2
3|
4|def total(items):
5|    result = 0
6|    for item in items:
7|        if item > 1:
8|            result += double(item)
9|    print('done')
10|    return result
>total([1, 3])
(4 items=[1, 3]
5 result=0
6 item=1
7
6 item=3
7
8
(1 n=3
2
)6
 result=6
6
9
:'done\\n'
10
)6
.
"""


def messages(ask: Ask) -> list[dict[str, str]]:
    """The conversation for one ask."""
    wanted = _fenced(ask.prompt)
    if ask.given:
        wanted += f"\n\nThe trace begins so; go on from there:\n\n{_fenced(ask.given)}"
    return _conversation(ask.options, wanted)


def template() -> str:
    """The conversation in the default mode, with a place for the program."""
    said = _conversation(Compact(), PROGRAM)
    return "\n\n".join(f"[{each['role']}]\n{each['content']}" for each in said)


def _conversation(options: Compact, wanted: str) -> list[dict[str, str]]:
    given, steps = example(options)
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": _fenced(given)},
        {"role": "assistant", "content": _fenced(steps)},
        {"role": "user", "content": wanted},
    ]


def example(options: Compact) -> tuple[bytes, bytes]:
    """The worked example in one mode: its prompt and its steps."""
    found = parse(EXAMPLE)
    assert found.program is not None
    run = Recorded(found.program, found.steps, found.frames, found.hidden, found.ended)
    return prompt(found.program, options), write(run, options, [])


def _fenced(data: bytes) -> str:
    return f"```\n{data.decode('utf-8', 'surrogatepass')}```"
