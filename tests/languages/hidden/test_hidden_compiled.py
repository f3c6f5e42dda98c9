"""Hidden inputs of C, C++ and Rust: under a seed, live, replayed, and with a draw changed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hidden_lines import ControlledRuns, DrawingLine, facts, line

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.control import with_draw
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
C_HEADER = """\
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
int main(void) {
"""
C_LINES = (
    line("unsigned char bytes[8] = {0}; char text[99]; double load[3];", varies=False),
    line("time_t a1 = time(NULL);", "clock"),
    line("struct timespec a2; clock_gettime(CLOCK_MONOTONIC, &a2);", "clock"),
    line("struct timespec a3; clock_gettime(CLOCK_REALTIME, &a3);", "clock"),
    line("struct timeval a4; gettimeofday(&a4, NULL);", "clock"),
    line("struct timespec a5; timespec_get(&a5, TIME_UTC);", "clock"),
    line("clock_t a6 = clock();", "clock"),
    line("struct timespec a7; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a7);", "clock"),
    line("struct tms a8; times(&a8);", "times", varies=False),
    line("struct rusage a9; getrusage(RUSAGE_SELF, &a9);", "usage", varies=False),
    line("getloadavg(load, 3);", "load", varies=False),
    line("getrandom(bytes, 8, 0);", "urandom 8"),
    line("getentropy(bytes, 7);", "urandom 7"),
    line('int b1 = open("/dev/urandom", O_RDONLY);', varies=False),
    line("long b2 = read(b1, bytes, 6);", "urandom 6"),
    line('FILE *b3 = fopen("/dev/urandom", "rb");', varies=False),
    line("int b4 = fgetc(b3); int b5 = fgetc(b3);", "urandom 256"),
    line('FILE *b6 = fopen("/proc/sys/kernel/random/uuid", "r");', varies=False),
    line("char *b7 = fgets(text, 99, b6);", "proc"),
    line("srand(1); srandom(2); int c1 = rand() + random() % 2;", varies=False),
    line("sleep(1); usleep(1000);", varies=False),
    line("struct timespec c2 = {0, 5000000}; nanosleep(&c2, NULL);", varies=False),
    line("struct timespec c3; clock_gettime(CLOCK_MONOTONIC, &c3);", "clock"),
    line(
        "int c4 = c3.tv_sec * 1000 + c3.tv_nsec / 1000000 - a2.tv_sec * 1000 - a2.tv_nsec / 1000000 >= 1005;",
        varies=False,
    ),
    line('char *c5 = getenv("HOME");', varies=False),
    line('printf("%d %p\\n", c4, (void *)&c4);', varies=False),
)
CPP_HEADER = """\
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <numeric>
#include <random>
#include <thread>
#include <vector>
using namespace std;
int main() {
"""
CPP_LINES = (
    line("random_device device;", varies=False),
    line("unsigned a1 = device();", "bits 32"),
    line("mt19937 engine(device());", "bits 32"),
    line("int a2 = uniform_int_distribution<int>(1, 6)(engine);", varies=False),
    line("long a3 = chrono::system_clock::now().time_since_epoch().count();", "clock"),
    line("long a4 = chrono::steady_clock::now().time_since_epoch().count();", "clock"),
    line("this_thread::sleep_for(chrono::milliseconds(20));", varies=False),
    line("long a5 = chrono::steady_clock::now().time_since_epoch().count();", "clock"),
    line("int a6 = a5 - a4 >= 20000000;", varies=False),
    line('ifstream file("/dev/urandom", ios::binary);', varies=False),
    line("int a7 = file.get();", "urandom 256"),
    line("cout << a6 << '\\n';", varies=False),
)
RUST_HEADER = """\
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::time::{Duration, Instant, SystemTime};
fn main() {
"""
RUST_LINES = (
    line("    let a1 = RandomState::new().hash_one(1) % 1000000;", "urandom 16"),
    line("    let mut a2: HashMap<u32, u32> = (0..9).map(|n| (n, n)).collect();", varies=False),
    line("    let a3: Vec<u32> = a2.drain().map(|pair| pair.0).collect();", varies=False),
    line("    let a4 = Instant::now();", "clock"),
    line("    let a5 = SystemTime::now().elapsed().is_ok();", "clock", "clock"),
    line("    std::thread::sleep(Duration::from_millis(30));", varies=False),
    line("    let a6 = a4.elapsed().as_millis() >= 30;", "clock"),
    line("    let mut a7 = [0u8; 5];", varies=False),
    line('    let mut a8 = std::fs::File::open("/dev/urandom").unwrap();', varies=False),
    line("    a8.read_exact(&mut a7).unwrap();", "urandom 5"),
    line('    let a9 = std::fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap();', "proc", "proc"),
    line('    println!("{} {} {:?} {} {:?} {}", a6, a1, a3, a5, a7, a9);', varies=False),
)
TABLES = {"a.c": (C_HEADER, C_LINES), "a.cpp": (CPP_HEADER, CPP_LINES), "a.rs": (RUST_HEADER, RUST_LINES)}
CASES = [(name, number) for name, (_, lines) in TABLES.items() for number in range(len(lines))]
DICE = """\
#include <stdlib.h>
unsigned dice(int n) {
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        sum = sum * 10 + arc4random_uniform(6);
    }
    return sum;
}
"""
THREADS = """\
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
static void *work(void *n) {
    unsigned char byte;
    usleep(1000);
    getrandom(&byte, 1, 0);
    return n;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    usleep(20000);
    time_t now = time(NULL);
    pthread_join(other, NULL);
    printf("%ld\\n", (long)now);
}
"""
OWN = """\
#include <stdio.h>
typedef long time_t;
time_t time(time_t *to) { return 7; }
int main(void) {
    long now = time(0);
    printf("%ld\\n", now);
}
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=Limits(wall=60), python=None, core="auto", trust=False, controlled=True))
    yield worker
    worker.close()


def program_of(name: str, header: str, lines: tuple[DrawingLine, ...]) -> Program:
    return Program(source=header + "".join(f"{each.text}\n" for each in lines) + "}\n", name=name)


@pytest.fixture(scope="module")
def sources(worker: SandboxWorker) -> dict[str, ControlledRuns]:
    return {name: ControlledRuns(worker, program_of(name, *table)) for name, table in TABLES.items()}


@pytest.mark.parametrize(
    ("name", "number"), CASES, ids=[f"{name}: {TABLES[name][1][number].text}" for name, number in CASES]
)
def test_each_source_draws_what_it_should(sources: dict[str, ControlledRuns], name: str, number: int) -> None:
    header, lines = TABLES[name]
    sources[name].assert_draws(lines[number], header.count("\n") + 1 + number)


@pytest.mark.parametrize("name", TABLES)
def test_one_seed_is_one_run_and_any_record_replays(sources: dict[str, ControlledRuns], name: str) -> None:
    sources[name].assert_seeds_decide()
    sources[name].assert_repeatable()
    assert sources[name].seeded.output.startswith(("1", "true"))


@pytest.mark.parametrize("name", TABLES)
def test_the_guide_accepts_a_controlled_run(sources: dict[str, ControlledRuns], name: str) -> None:
    sources[name].assert_guided()


@pytest.mark.parametrize("name", TABLES)
def test_without_a_control_nothing_is_drawn(sources: dict[str, ControlledRuns], name: str) -> None:
    assert sources[name].run(None).hidden == ()


def test_a_call_draws_and_one_draw_is_another(worker: SandboxWorker) -> None:
    program = Program(source=DICE, name="dice.c", call="dice(3)")
    first = worker.record(program, control=Control(seed=4))
    assert [hidden.kind for hidden in first.hidden] == ["below 6"] * 3
    last = first.hidden[-1]
    again = worker.record(program, control=Control(given=with_draw(first.hidden, f"{last.step}=5")))
    sums = [json.loads(trace.outcome.detail) for trace in (first, again)]
    assert sums[1] == sums[0] - int(last.value) + 5


def test_another_thread_is_noted_and_waited_for(worker: SandboxWorker) -> None:
    runs = ControlledRuns(worker, Program(source=THREADS, name="threads.c"))
    assert [hidden.kind for hidden in runs.seeded.hidden] == ["clock"]
    assert runs.seeded.notes == ("threads",)


def test_a_function_of_the_program_stays_its_own(worker: SandboxWorker) -> None:
    trace = worker.record(Program(source=OWN, name="own.c"), control=Control(seed=1))
    assert (trace.output, trace.hidden) == ("7\n", ())


def test_a_replay_that_differs_says_where(worker: SandboxWorker) -> None:
    source = "#include <stdlib.h>\n#include <time.h>\nint main(void) { time(NULL); %s; return 0; }\n"
    first = worker.record(Program(source=source % "time(NULL)", name="a.c"), control=Control(seed=1))
    again = worker.record(Program(source=source % "arc4random()", name="a.c"), control=replaying(first.hidden))
    assert again.notes == ("parted at draw 2: clock was given, bits 32 asked for",)
    assert facts(again)["outcome"] == facts(first)["outcome"]
