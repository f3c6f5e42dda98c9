"""Hidden inputs of JavaScript and TypeScript: under a seed, live, replayed, and with a draw changed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hidden_lines import ControlledRuns, facts, line

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.control import with_draw
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
HEADER = "const crypto = require('crypto'), os = require('os'), fs = require('fs');\n"
LINES = (
    line("const a1 = Math.random();", "float"),
    line("const a2 = crypto.randomBytes(8).toString('hex');", "urandom 8"),
    line("const a3 = crypto.randomUUID();", "urandom 16"),
    line("const a4 = globalThis.crypto.randomUUID();", "urandom 16"),
    line("const a5 = crypto.getRandomValues(new Uint32Array(2)).join();", "urandom 8"),
    line("const a6 = crypto.randomFillSync(Buffer.alloc(9), 1).toString('hex');", "urandom 8"),
    line("const a7 = crypto.randomInt(1000000007);", "below 1000000007"),
    line("const a8 = crypto.randomInt(5, 1000000000);", "below 999999995"),
    line("const b1 = Date.now();", "clock"),
    line("const b2 = new Date().toISOString();", "clock"),
    line("const b3 = Date();", "clock", varies=False),
    line("const b4 = performance.now();", "clock"),
    line("const b5 = performance.timeOrigin;", "clock"),
    line("const b6 = process.hrtime().join();", "clock"),
    line("const b7 = process.hrtime.bigint();", "clock"),
    line("const b8 = process.uptime();", "clock"),
    line("const b9 = os.uptime();", "clock", varies=False),
    line("const c1 = os.loadavg().join();", "load", varies=False),
    line("const c2 = os.freemem();", "usage", varies=False),
    line("const c3 = os.cpus()[0].times.user;", "usage", varies=False),
    line("const c4 = process.cpuUsage().user;", "usage"),
    line("const c5 = process.memoryUsage().rss;", "usage", varies=False),
    line("const c6 = process.memoryUsage.rss();", "usage", varies=False),
    line("const c7 = process.resourceUsage().userCPUTime;", "usage"),
    line("const d1 = fs.readFileSync('/proc/uptime', 'utf8');", "proc", varies=False),
    line("const d2 = fs.readFileSync('/proc/sys/kernel/random/uuid', 'latin1');", "proc"),
    line("const dev = fs.openSync('/dev/urandom'), d3 = Buffer.alloc(4);", varies=False),
    line("const d4 = fs.readSync(dev, d3);", "urandom 4"),
    line("const e1 = [process.env.HOME, process.pid, os.hostname(), os.totalmem()].join();", varies=False),
    line("const e2 = new Date(2020, 1, 1).getTime() + Date.UTC(2020);", varies=False),
)
TIMERS = """\
const promises = require('timers/promises'), { promisify } = require('util');
const start = Date.now();
let rounds = 0;
setTimeout((word) => { console.log(word, Date.now() - start >= 3_600_000); }, 3_600_000, 'hour');
setTimeout(() => { console.log('second'); }, 1000);
clearTimeout(setTimeout(() => { console.log('never'); }, 5));
setImmediate(() => { console.log('immediate'); });
const interval = setInterval(() => {
  console.log('round', ++rounds);
  if (rounds === 3) clearInterval(interval);
}, 400);
setInterval(() => { console.log('unreferenced'); }, 2_000_000_000).unref();
(async () => {
  await promises.setTimeout(10);
  await promisify(setTimeout)(10);
  for await (const word of promises.setInterval(10, 'tick')) { console.log(word); break; }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 86_400_000);
  console.log(Date.now() - start >= 86_400_000);
})();
"""
SPIN = """\
let turns = 0, isOver = false;
setTimeout(() => { isOver = true; }, 5);
(function spin() {
  turns += 1;
  if (!isOver) setImmediate(spin);
})();
setTimeout(() => { throw new Error(`late: ${turns > 1}`); }, 20);
"""
OUTSIDE = """\
const read = new Promise((resolve) => { require('fs').readFile(__filename, () => resolve('file')); });
const late = new Promise((resolve) => { setTimeout(resolve, 60_000, 'timer'); });
Promise.race([read, late]).then((first) => {
  console.log(first);
  process.exit(3);
});
"""
DICE = """\
function dice(n) {
  const rolls = [];
  for (let i = 0; i < n; i++) {
    rolls.push(1 + Math.floor(Math.random() * 6));
  }
  return rolls;
}
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=Limits(wall=60), python=None, core="auto", trust=False, controlled=True))
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def sources(worker: SandboxWorker) -> ControlledRuns:
    source = HEADER + "".join(f"{each.text}\n" for each in LINES)
    return ControlledRuns(worker, Program(source=source, name="sources.js"))


def run(worker: SandboxWorker, source: str, control: Control | None, *, name: str = "a.js") -> Trace:
    return worker.record(Program(source=source, name=name), control=control)


@pytest.mark.parametrize("number", range(len(LINES)), ids=[each.text for each in LINES])
def test_each_source_draws_what_it_should(sources: ControlledRuns, number: int) -> None:
    sources.assert_draws(LINES[number], 2 + number)


def test_one_seed_is_one_run_and_any_record_replays(sources: ControlledRuns) -> None:
    sources.assert_seeds_decide()
    sources.assert_repeatable()


def test_the_guide_accepts_a_controlled_run(sources: ControlledRuns) -> None:
    sources.assert_guided()


def test_without_a_control_nothing_is_drawn(sources: ControlledRuns) -> None:
    assert sources.run(None).hidden == ()


def test_typescript_modules_are_controlled(worker: SandboxWorker) -> None:
    source = (
        "import { randomInt } from 'node:crypto';\n"
        "const a: number = randomInt(6);\nconst b: Date = new Date();\nclass Day extends Date {}\n"
        "console.log(a, b, new Day() instanceof Day, b.constructor === Date);\n"
        "console.log(Date.name, Date.length, `${Math.random}`);\n"
    )
    runs = ControlledRuns(worker, Program(source=source, name="a.mts"))
    assert [hidden.kind for hidden in runs.seeded.hidden] == ["below 6", "clock", "clock"]
    assert runs.seeded.output.endswith("true true\nDate 7 function random() { [native code] }\n")
    runs.assert_repeatable()


@pytest.mark.parametrize("source", [TIMERS, SPIN], ids=["timers", "spin"])
def test_timers_have_one_order_and_take_no_time(worker: SandboxWorker, source: str) -> None:
    first = run(worker, source, Control(seed=1))
    assert facts(run(worker, source, Control(seed=1))) == facts(first)
    assert facts(run(worker, source, replaying(first.hidden))) == facts(first)
    if source is TIMERS:
        words = ["immediate", "tick", "true", "round 1", "second", "hour true", "round 2", "round 3", ""]
        assert (first.outcome.kind, first.output.split("\n")) == ("returned", words)
    else:
        assert first.outcome.detail == "Error('late: true')"


def test_live_timers_replay(worker: SandboxWorker) -> None:
    source = TIMERS.replace("3_600_000", "50").replace("1000", "30").replace("86_400_000", "20").replace("400", "9")
    first = run(worker, source, Control(seed=None))
    assert first.outcome.kind == "returned", first.stderr
    again = run(worker, source, replaying(first.hidden))
    assert facts(again) == facts(first)
    spun = run(worker, SPIN, Control(seed=None))
    assert facts(run(worker, SPIN, replaying(spun.hidden))) == facts(spun)


def test_what_comes_from_outside_is_waited_for(worker: SandboxWorker) -> None:
    trace = run(worker, OUTSIDE, Control(seed=1))
    assert (trace.output, trace.outcome.kind) == ("file\n", "exited")


def test_a_draw_behind_a_call_in_its_line_belongs_to_the_step_that_comes(worker: SandboxWorker) -> None:
    trace = run(worker, "function f() { return 1; }\nconst x = f() + Math.random();\nconst y = 2;\n", Control(seed=1))
    (draw,) = trace.hidden
    assert (trace[draw.step].event, trace[draw.step].line) == ("line", 3)


def test_a_call_draws_and_one_draw_is_another(worker: SandboxWorker) -> None:
    program = Program(source=DICE, name="dice.js", call="dice(3)")
    first = worker.record(program, control=Control(seed=4))
    last = first.hidden[-1]
    assert [trace_line.line for trace_line in (first[hidden.step] for hidden in first.hidden)] == [4, 4, 4]
    changed = with_draw(first.hidden, f"{last.step}=0.99")
    again = worker.record(program, control=Control(given=changed))
    rolls = [json.loads(trace.outcome.detail) for trace in (first, again)]
    assert (rolls[1][:2], rolls[1][2]) == (rolls[0][:2], 6)


def test_a_replay_that_differs_says_where(worker: SandboxWorker) -> None:
    first = run(worker, "Math.random();\nDate.now();\n", Control(seed=1))
    trace = run(worker, "Math.random();\nMath.random();\n", replaying(first.hidden))
    assert trace.notes == ("parted at draw 2: clock was given, float asked for",)


def test_threads_of_another_language_are_not_scheduled(worker: SandboxWorker) -> None:
    trace = run(worker, "1;\n", Control(seed=1, schedule=2))
    assert trace.outcome.detail == "control: only threads of Python programs are scheduled"
