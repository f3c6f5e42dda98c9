"""`finally` in JavaScript: what runs through it is told in order, and so is what its last line changed."""

from __future__ import annotations

from itertools import groupby, pairwise

import pytest
from node_runs import run

from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")


LEAVES = """function all(head) {
  let i = 0, x;
  HEAD {
    try {
      if (x == 1) continue;
      if (x == 4) break;
      if (x == 5) return x;
    } finally {
      head.push(x);
    }
    head.push(0);
  }
  return 9;
}
all([1, 2, 4]);
all([2, 5]);
"""

HEADS = (
    "for (x of [...head])",
    "for (x in Object.fromEntries(head.map((each) => [each])))",
    "round: for (const y of [...head]) for (x of [y])",
    "for (const y of [...head]) for (x of [y])",
    "for (; x = head[i++];)",
    "while (x = head[i++])",
)


@pytest.mark.parametrize("head", HEADS)
def test_a_jump_is_told_behind_the_finally_that_it_runs_through(recorder: SandboxWorker, head: str) -> None:
    """`continue`, the `finally`, then the loop's head: in each kind of loop, with a label too."""
    label = " round" if head.startswith("round") else ""
    source = LEAVES.replace("HEAD", head).replace("continue", f"continue{label}").replace("break", f"break{label}")
    trace = run(recorder, source)
    steps = [step for step in trace.steps if step.event == "line" and trace.frames[step.frame].name == "all"]
    lines = [line for line, _ in groupby(step.line for step in steps)]
    assert lines[:8] == [2, 3, 5, 9, 3, 5, 6, 7]
    assert {after for line, after in pairwise(lines) if line == 3} <= {5, 13}


LAST = """function* closed() {
  let i = 0;
  try {
    yield i;
  } finally {
    i += 5;
  }
}
function returns() {
  let i = 1, o = {};
  try {
    return o;
  } finally {
    i += 5; o.i = i;
  }
}
function raises() {
  let i = 2;
  try {
    null.x;
  } finally {
    const j = i;
    { let i = 9; }
    i = j + 5;
  }
}
function shadows() {
  let i = 3;
  try {
    return i;
  } finally {
    let i = 'own';
  }
}
for (const x of closed()) break;
returns();
shadows();
try {
  raises();
} catch {}
"""


def test_what_the_last_line_of_a_finally_changed_is_told(recorder: SandboxWorker) -> None:
    """A variable of the body's block too, which is out of sight where the frame ends."""
    trace = run(recorder, LAST)
    lines = [step for step in trace.steps if step.event == "line"]
    assert [dict(step.delta) for step in lines if step.line == 6] == [{"i": "5"}]
    assert [dict(step.delta) for step in lines if step.line == 14] == [{"i": "6", "o": "{'i': 6}"}]
    assert [dict(step.delta) for step in lines if step.line == 24] == [{"i": "7"}]
    assert [dict(step.delta) for step in lines if step.line == 32] == [{"i": "'own'"}]
    assert [step.arg for step in trace.steps if step.event == "return"][:3] == ["<undefined>", "{'i': 6}", "3"]
