"""Hidden inputs of Go: under a seed, live, replayed, and with a draw changed; timers, goroutines, the environment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hidden_lines import ControlledRuns, facts, line

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.control import with_draw
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
HEADER = """\
package main
import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand"
	"os"
	"strings"
	"syscall"
	"time"
)
func main() {
"""
LINES = (
    line("bytes := make([]byte, 8)", varies=False),
    line("a1 := time.Now()", "clock"),
    line("a2 := time.Since(a1)", "clock"),
    line("a3 := time.Until(a1.Add(time.Hour))", "clock"),
    line("a4 := time.Now().UnixNano() - time.Now().UnixNano()", "clock", "clock"),
    line("var a5 syscall.Timeval; syscall.Gettimeofday(&a5)", "clock"),
    line("var a6 syscall.Rusage; syscall.Getrusage(0, &a6)", "usage", varies=False),
    line("rand.Read(bytes)", "urandom 8"),
    line("b1, _ := io.ReadFull(rand.Reader, bytes[:7])", "urandom 7"),
    line("b2, _ := rand.Int(rand.Reader, big.NewInt(1 << 48))", "urandom 6"),
    line('b3, _ := os.Open("/dev/urandom")', varies=False),
    line("b4, _ := b3.Read(bytes)", "urandom 8"),
    line("b5, _ := bufio.NewReader(b3).ReadByte()", "urandom 256"),
    line('b6, _ := os.ReadFile("/proc/sys/kernel/random/uuid")', "proc"),
    line('b7, _ := os.MkdirTemp("", "a")', "bits 32"),
    line("c1 := mathrand.Intn(6) + mathrand.New(mathrand.NewSource(1)).Intn(6)", varies=False),
    line("mathrand.Seed(time.Now().UnixNano())", "clock"),
    line("c2 := mathrand.Intn(1 << 30)", varies=False),
    line("c3 := mathrand.New(mathrand.NewSource(time.Now().UnixNano())).Float64()", "clock"),
    line("d1 := time.Now()", "clock"),
    line("time.Sleep(30 * time.Millisecond)", varies=False),
    line("d2 := time.Since(d1) >= 30 * time.Millisecond", "clock"),
    line("d3 := (<-time.After(20 * time.Millisecond)).Sub(d1) >= 50 * time.Millisecond", "clock"),
    line("d4 := time.NewTicker(5 * time.Millisecond)", "clock"),
    line("d5 := (<-d4.C).Before(<-d4.C)", varies=False),
    line('d6 := os.Getenv("HOME") + strings.Join(os.Environ(), " ")', varies=False),
    line("fmt.Println(d2, d3, d5, a2 > 0, a3 > 0, a4 < 0, d6, a5, b1, b2, b4, b5, b6, b7, c1, c2, c3)", varies=False),
)
DICE = """\
package main

import "crypto/rand"

func dice(n int) int {
	sum, roll := 0, []byte{0}
	for i := 0; i < n; i++ {
		rand.Read(roll)
		sum = sum*1000 + int(roll[0])
	}
	return sum
}
"""
# What waits for time in each way; a day passes in no time under a seed.
TIMERS = """\
package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

func main() {
	begin := time.Now()
	time.AfterFunc(30*UNIT, func() { fmt.Println("after") })
	ctx, cancel := context.WithTimeout(context.Background(), 20*UNIT)
	defer cancel()
	<-ctx.Done()
	fmt.Println(ctx.Err())
	ticker := time.NewTicker(5 * UNIT)
	for i := 0; i < 3; i++ {
		fmt.Println("tick", i, (<-ticker.C).Sub(begin) > 0)
	}
	ticker.Stop()
	var all sync.WaitGroup
	for i := 3; i > 0; i-- {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			time.Sleep(time.Duration(i) * UNIT)
			fmt.Println("slept", i)
		}(i)
	}
	all.Wait()
	select {
	case at := <-time.After(UNIT):
		fmt.Println("late", at.Sub(begin) > 30*UNIT)
	case <-make(chan int):
	}
	for time.Since(begin) < 40*UNIT {
	}
	fmt.Println(time.Now().Sub(begin) > 40*UNIT)
}
"""
TIMED = ["context deadline exceeded", "tick 0 true", "after", "tick 1 true", "tick 2 true"]
# What waits for the outside while timers run: another process, a pipe, a signal.
OUTSIDE = """\
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	select {
	case <-signals:
	case <-time.After(20 * time.Millisecond):
		fmt.Println("no signal")
	}
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-signals)
	reader, writer, _ := os.Pipe()
	go func() {
		time.Sleep(10 * time.Millisecond)
		writer.Write([]byte("pipe"))
	}()
	text := make([]byte, 9)
	n, _ := reader.Read(text)
	fmt.Println(string(text[:n]))
	out, err := exec.Command("/bin/sh", "-c", "sleep 0.1; echo child").Output()
	fmt.Print(string(out))
	fmt.Println(err)
}
"""
# Goroutines that only preemption, or only a turn of the others, lets continue.
TURNS = """\
package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

func main() {
	var flag int32
	go func() { atomic.StoreInt32(&flag, 1) }()
	for atomic.LoadInt32(&flag) == 0 {
		YIELD
	}
	fmt.Println("turn", runtime.NumGoroutine() > 0)
}
"""
DEADLOCK = "package main\n\nfunc main() {\n\t<-make(chan int)\n}\n"


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False, controlled=True))
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def sources(worker: SandboxWorker) -> ControlledRuns:
    source = HEADER + "".join(f"{each.text}\n" for each in LINES) + "}\n"
    return ControlledRuns(worker, Program(source=source, name="sources.go"))


def run(worker: SandboxWorker, source: str, control: Control | None) -> Trace:
    return worker.record(Program(source=source, name="a.go"), control=control)


@pytest.mark.parametrize("number", range(len(LINES)), ids=[each.text for each in LINES])
def test_each_source_draws_what_it_should(sources: ControlledRuns, number: int) -> None:
    sources.assert_draws(LINES[number], HEADER.count("\n") + 1 + number)


def test_one_seed_is_one_run_and_any_record_replays(sources: ControlledRuns) -> None:
    sources.assert_seeds_decide()
    sources.assert_repeatable()
    assert sources.seeded.output.startswith("true true true true true true ")


def test_the_guide_accepts_a_controlled_run(sources: ControlledRuns) -> None:
    sources.assert_guided()


def test_without_a_control_nothing_is_drawn(sources: ControlledRuns) -> None:
    assert sources.run(None).hidden == ()


def test_a_program_sees_no_setting_of_the_recorder(sources: ControlledRuns) -> None:
    for trace in (sources.seeded, sources.run(None)):
        assert not any(name in trace.output for name in ("GOMAXPROCS", "GOGC", "GOMEMLIMIT", "WORLDLINE"))


def test_timers_have_one_order_and_take_no_time(worker: SandboxWorker) -> None:
    source = TIMERS.replace("UNIT", "time.Hour")
    first = run(worker, source, Control(seed=1))
    lines = first.output.splitlines()
    assert (first.outcome.kind, lines[:5]) == ("returned", TIMED), first.stderr
    assert lines[5:] == ["slept 1", "slept 2", "slept 3", "late true", "true"]
    assert facts(run(worker, source, Control(seed=1))) == facts(first)
    assert facts(run(worker, source, replaying(first.hidden))) == facts(first)


def test_live_timers_replay(worker: SandboxWorker) -> None:
    source = TIMERS.replace("UNIT", "time.Millisecond")
    first = run(worker, source, Control(seed=None))
    assert first.outcome.kind == "returned", first.stderr
    assert facts(run(worker, source, replaying(first.hidden))) == facts(first)


@pytest.mark.parametrize("seed", [1, None], ids=["seed", "live"])
def test_what_comes_from_outside_is_waited_for(worker: SandboxWorker, seed: int | None) -> None:
    trace = run(worker, OUTSIDE, Control(seed=seed))
    words = ["no signal", "user defined signal 1", "pipe", "child", "<nil>"]
    assert (trace.output.splitlines(), trace.outcome.kind) == (words, "returned"), trace.stderr


@pytest.mark.parametrize("turn", ["runtime.Gosched()", "_ = flag"], ids=["yields", "spins"])
def test_other_goroutines_get_their_turn(worker: SandboxWorker, turn: str) -> None:
    trace = worker.record(Program(source=TURNS.replace("YIELD", turn), name="a.go"), control=Control(seed=1))
    assert trace.output == "turn true\n", (trace.outcome, trace.stderr)
    assert trace.notes == ("threads",)


def test_a_deadlock_is_still_one(worker: SandboxWorker) -> None:
    trace = run(worker, DEADLOCK, Control(seed=1))
    assert (trace.outcome.kind, trace.outcome.detail) == ("exited", "2")
    assert "all goroutines are asleep" in trace.stderr


def test_a_call_draws_and_one_draw_is_another(worker: SandboxWorker) -> None:
    program = Program(source=DICE, name="dice.go", call="dice(3)")
    first = worker.record(program, control=Control(seed=4))
    assert [hidden.kind for hidden in first.hidden] == ["urandom 1"] * 3
    last = first.hidden[-1]
    again = worker.record(program, control=Control(given=with_draw(first.hidden, f"{last.step}=b'\\x05'")))
    sums = [json.loads(trace.outcome.detail) for trace in (first, again)]
    assert sums[1] == sums[0] // 1000 * 1000 + 5


def test_a_clock_may_be_changed(worker: SandboxWorker) -> None:
    source = 'package main\n\nimport "time"\n\nfunc main() {\n\tnow := time.Now()\n\tprintln(now.Unix())\n}\n'
    first = run(worker, source, Control(seed=1))
    (draw,) = first.hidden
    for value, seconds in (("7000000000", "7"), ("0", "0"), ("4102444800000000000", "4102444800")):
        again = run(worker, source, Control(given=(replace(draw, value=value),)))
        assert again.stderr == f"{seconds}\n"


def test_a_replay_that_differs_says_where(worker: SandboxWorker) -> None:
    source = (
        'package main\nimport "time"\nimport "crypto/rand"\nvar one [1]byte\n'
        "func main() {\ntime.Now(); rand.Read(one[:1]); %s\n}\n"
    )
    first = run(worker, source % "time.Now()", Control(seed=1))
    again = run(worker, source % "rand.Read(one[:])", replaying(first.hidden))
    assert again.notes == ("parted at draw 3: clock was given, urandom 1 asked for",)
    assert facts(again)["outcome"] == facts(first)["outcome"]
