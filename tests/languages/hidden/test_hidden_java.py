"""Hidden inputs of Java: under a seed, live, replayed, and with a draw changed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hidden_lines import ControlledRuns, facts, line

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.control import with_draw
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
HEADER = """\
import java.security.SecureRandom;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import java.util.random.RandomGenerator;
public class Main { public static void main(String[] args) throws Exception {
"""
LINES = (
    line("double a1 = Math.random();", "float"),
    line("Random random = new Random();", "bits 64"),
    line("int a2 = random.nextInt(1000000007);", "below 1000000007"),
    line("int a3 = random.nextInt();", "bits 32"),
    line("long a4 = random.nextLong();", "bits 64"),
    line("double a5 = random.nextDouble() + random.nextDouble(3.5);", "float", "float"),
    line("float a6 = random.nextFloat();", "bits 24"),
    line("boolean a7 = random.nextBoolean();", "bits 1", varies=False),
    line("int a8 = random.ints(9, 0, 99).sum();", varies=False),
    line("byte[] bytes = new byte[8];", varies=False),
    line("new SecureRandom().nextBytes(bytes);", "urandom 8"),
    line("long b1 = ThreadLocalRandom.current().nextLong(5, 1000000005L);", "below 1000000000"),
    line("long b2 = new SplittableRandom().nextLong(1L << 40);", "bits 64", f"below {1 << 40}"),
    line("long b3 = RandomGenerator.getDefault().nextLong();", "bits 64", "bits 64"),
    line("UUID b4 = UUID.randomUUID();", "urandom 16"),
    line("List<Integer> b5 = new ArrayList<>(List.of(1, 2, 3));", varies=False),
    line("Collections.shuffle(b5);", "below 3", "below 2", varies=False),
    line("DoubleSupplier dice = Math::random; Supplier<Instant> times = Instant::now;", varies=False),
    line("double b6 = dice.getAsDouble();", "float"),
    line("int b7 = ((Supplier<Random>) Random::new).get().nextInt(99999);", "bits 64", "below 99999"),
    line("long c1 = System.currentTimeMillis();", "clock"),
    line("long c2 = System.nanoTime();", "clock"),
    line("Instant c3 = Instant.now();", "clock"),
    line("LocalDateTime c4 = LocalDateTime.now();", "clock"),
    line('ZonedDateTime c5 = ZonedDateTime.now(ZoneId.of("Europe/Berlin"));', "clock"),
    line("long c6 = Clock.systemUTC().millis();", "clock"),
    line("Date c7 = new Date();", "clock"),
    line("long c8 = Calendar.getInstance().getTimeInMillis();", "clock"),
    line("long c9 = new GregorianCalendar().getTimeInMillis();", "clock"),
    line("Instant d1 = times.get();", "clock"),
    line("long d2 = Runtime.getRuntime().freeMemory();", "usage", varies=False),
    line("long d3 = Runtime.getRuntime().totalMemory();", "usage", varies=False),
    line("int e1 = new Random(7).nextInt(6);", varies=False),
    line('String e2 = String.join(",", Set.of("a", "b", "c", "d", "e"));', varies=False),
    line("Object e3 = new Object(); String e4 = e3.toString();", varies=False),
    line('String e5 = System.getenv("HOME") + LocalDate.of(2020, 1, 1);', varies=False),
    line("TimeUnit.MILLISECONDS.sleep(20);", varies=False),
    line("Thread.sleep(30);", varies=False),
    line("boolean e6 = System.nanoTime() - c2 >= 50_000_000;", "clock", varies=True),
    line('System.out.println(random + "".substring(0, 0) + e3 + e4 + e6);', varies=False),
)
DICE = """\
import java.util.Random;
public class Main {
    static final Random RANDOM = new Random();
    static int[] dice(int n) {
        int[] rolls = new int[n];
        for (int i = 0; i < n; i++) {
            rolls[i] = 1 + RANDOM.nextInt(6);
        }
        return rolls;
    }
}
"""
OWN = """\
import java.util.Random;
public class Main {
    static class Loaded extends Random {
        @Override public int nextInt(int bound) { return bound - 1; }
        @Override public int hashCode() { throw new IllegalStateException(); }
    }
    public static void main(String[] args) throws Exception {
        Random loaded = new Loaded();
        System.out.println(loaded.nextInt(6));
        System.out.println(new Loaded().nextInt(7));
        double x = loaded.nextDouble();
        Thread other = new Thread(() -> System.out.println(Math.random() < 1));
        other.start();
        other.join();
    }
}
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=Limits(wall=60), python=None, core="auto", trust=False, controlled=True))
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def sources(worker: SandboxWorker) -> ControlledRuns:
    source = HEADER + "".join(f"{each.text}\n" for each in LINES) + "} }\n"
    return ControlledRuns(worker, Program(source=source, name="Main.java"))


@pytest.mark.parametrize("number", range(len(LINES)), ids=[each.text for each in LINES])
def test_each_source_draws_what_it_should(sources: ControlledRuns, number: int) -> None:
    sources.assert_draws(LINES[number], HEADER.count("\n") + 1 + number)


def test_one_seed_is_one_run_and_any_record_replays(sources: ControlledRuns) -> None:
    sources.assert_seeds_decide()
    sources.assert_repeatable()
    assert sources.seeded.output.endswith("true\n")


def test_the_guide_accepts_a_controlled_run(sources: ControlledRuns) -> None:
    sources.assert_guided()


def test_without_a_control_nothing_is_drawn(sources: ControlledRuns) -> None:
    assert sources.run(None).hidden == ()


def test_a_call_draws_and_one_draw_is_another(worker: SandboxWorker) -> None:
    program = Program(source=DICE, name="Main.java", call="dice(3)")
    first = worker.record(program, control=Control(seed=4))
    assert [hidden.kind for hidden in first.hidden] == ["bits 64", "below 6", "below 6", "below 6"]
    last = first.hidden[-1]
    again = worker.record(program, control=Control(given=with_draw(first.hidden, f"{last.step}=5")))
    rolls = [json.loads(trace.outcome.detail) for trace in (first, again)]
    assert (rolls[1][:2], rolls[1][2]) == (rolls[0][:2], 6)


def test_classes_of_the_program_keep_their_own_methods(worker: SandboxWorker) -> None:
    """A generator of the program draws its seed alone. Another thread is noted, and its draws are not recorded."""
    runs = ControlledRuns(worker, Program(source=OWN, name="Main.java"))
    assert runs.seeded.output == "5\n6\ntrue\n", runs.seeded.stderr
    assert [hidden.kind for hidden in runs.seeded.hidden] == ["bits 64", "bits 64"]
    assert set(runs.seeded.notes) == {"threads"}


def test_a_replay_that_differs_says_where(worker: SandboxWorker) -> None:
    source = "public class Main { public static void main(String[] args) {\nMath.random();\n%s;\n} }\n"
    first = worker.record(Program(source=source % "System.nanoTime()", name="Main.java"), control=Control(seed=1))
    again = worker.record(Program(source=source % "Math.random()", name="Main.java"), control=replaying(first.hidden))
    assert again.notes == ("parted at draw 2: clock was given, float asked for",)
    assert facts(again)["outcome"] == facts(first)["outcome"]
