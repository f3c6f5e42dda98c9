"""Two programs that are not Python, their runs written by hand, and a model that is wrong once in each.

LIST_C, MIXED_JS   a list and an array behind pointers; null, undefined, a hole, a BigInt, a cycle
stage(folder)      a run of both as `bench` leaves one; asserts nothing
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import prompt
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.evaluation.run.directory import open_run
from worldline.evaluation.run.record import prediction_record
from worldline.evaluation.run.truth import Truth, answer
from worldline.evaluation.score import judge
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction, PredictionRequest

_A = "Node#2(v=1, next=Node#1(v=2, next=None))"
_B = "Node#1(v=2, next=None)"
LIST_SOURCE = """\
#include <stdio.h>

struct Node { int v; struct Node *next; }; /* one link
   of a list */

int total(struct Node *list, int *xs) {
    int sum = 0, *p = xs + 1; // the second
    while (list != NULL) {
        sum += list->v * *p;
        list = list->next;
    }
    return sum;
}

int main(void) {
    struct Node b = {2, NULL}, a = {1, &b};
    int xs[3] = {3, 1, 2}, last;
    last = total(&a, xs);
    printf("%d\\n", last);
    return 0;
}
"""
LIST_STEPS = f"""\
(15 a=<uninit> b=<uninit> xs=<uninit> last=<uninit>
16 a={_A} b={_B}
17 xs=[3, 1, 2]
18
(6 list={_A} xs=Ptr#3([3, 1, 2], at=0)
7 sum=0 p=Ptr#3([3, 1, 2], at=1)
8
9 sum=1
10 list={_B}
8
9 sum=3
10 list=None
8
12
)3
 last=3
19
:'3\\n'
20
)0
.
"""
MIXED_SOURCE = """\
// What a page must name.
class Box {
  constructor(inner) {
    this.inner = inner;
  }
}

function mixed(n) {
  const text = `n is
${n}`;
  let gaps = [null, , undefined];
  let big = 5n;
  const box = new Box(null);
  box.inner = box;
  return [gaps, box];
}
"""
MIXED_STEPS = """\
(8 n=3
9 text='n is\\n3'
11 gaps=[None, <hole>, <undefined>]
12 big=BigInt(5)
13
(3 inner=None
4
)<undefined>
 box=Box#1(inner=None)
14 box=Box#1(inner=Box#1)
15
)[[None, <hole>, <undefined>], Box#1(inner=Box#1)]
.
"""


@dataclass(frozen=True)
class HandWritten:
    """A program, its true steps, and one text of them that a model writes otherwise."""

    program: Program
    steps: bytes
    wrong: tuple[bytes, bytes]

    @property
    def found(self) -> bytes:
        """The steps as the model imagines them."""
        return self.steps.replace(*self.wrong, 1)

    @property
    def ask(self) -> PredictionRequest:
        """What the model was asked."""
        return PredictionRequest(program=self.program, limit=4 * len(self.steps))


LIST_C = HandWritten(Program(source=LIST_SOURCE, name="list.c"), LIST_STEPS.encode(), (b"9 sum=3\n", b"9 sum=4\n"))
MIXED_JS = HandWritten(
    Program(source=MIXED_SOURCE, name="mixed.js", call="mixed(3)"),
    MIXED_STEPS.encode(),
    (b"<undefined>]\n12", b"None]\n12"),
)
ALL = (LIST_C, MIXED_JS)


def stage(folder: Path) -> Path:
    """A run of both on disk."""
    with open_run(folder, {"suite": "foreign", "model": "by hand"}) as log:
        assert log is not None
        for at, one in enumerate(ALL):
            task = Task(program=one.program, name=one.program.name)
            parsed = parse(one.steps, prompt(one.program))
            said = answer(task, parsed)
            assert said is not None, parsed.malformed
            ended = SimpleNamespace(outcome=SimpleNamespace(kind="returned", detail=""))
            true = Truth(task, cast(Trace, ended), said, margin=1 << 30)  # never cut: no step is asked of the trace
            vars(true).update(text=one.steps, parsed=parsed)
            found = Prediction(text=one.found, status="ended", logprob=-1.5, seconds=0.25)
            verdict = judge(task, true, found, ask=one.ask)
            log.add(prediction_record(at, task, one.ask, true, found, verdict))
        log.finish({})
    return folder
