"""`make bench`: how smooth the page is at 100,000 samples and on a trace of 100,000 steps, in a real browser.

A real server shows a synthetic run and a run of one long sample; chromium is driven by playwright, by keys and by the
mouse. A figure is the time from the event's own time stamp to the frame behind the one in which the page shows the
result (two animation frames), in milliseconds: median and worst of some repetitions, each another one than the last.
What is over the aim is said; nothing is refused, and the exit status is 0.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "web"))

from browser import ARGS, CHROMIUM, WIDE  # noqa: E402
from runs import synthetic  # noqa: E402
from serving import serving  # noqa: E402
from staged import LONG, Staged  # noqa: E402

from worldline.core.program import Program  # noqa: E402
from worldline.evaluation.run.run import run  # noqa: E402
from worldline.evaluation.suites.suite import Suite, Task  # noqa: E402

AIM = 100.0  # ms
PATIENCE = 60_000  # ms until an interaction is given up
# Starts at the event's own time stamp (or now, without one), ends one frame after the one that shows the result.
CLOCK = """([types, done]) => { globalThis.measured = new Promise((resolve, reject) => {
  const isDone = new Function(`return (${done})`);
  let start = types.length ? null : performance.now();
  const begin = (event) => { start ??= event.timeStamp; };
  for (const type of types) addEventListener(type, begin, { capture: true, once: true });
  const end = () => resolve(performance.now() - start);
  const look = () => requestAnimationFrame(start !== null && isDone() ? end : look);
  requestAnimationFrame(look);
  setTimeout(() => reject(new Error(`never seen: ${done}`)), 60000);
}); }"""
LISTED = "!document.querySelector('.samples[aria-busy]') && !document.querySelector('.samples .windowed-row.loading')"
SUMMED = "!document.querySelector('.run-figures[aria-busy]')"


@dataclass(frozen=True)
class Figure:
    """One interaction, and how long it took each time."""

    name: str
    times: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.times)

    @property
    def worst(self) -> float:
        """The longest."""
        return max(self.times)


class Watch:
    """A tab, and what is measured in it."""

    def __init__(self, page: Any, origin: str, repeats: int) -> None:
        self.page, self.origin, self.repeats = page, origin, repeats
        self.figures: list[Figure] = []

    def once(self, done: str, act: Callable[[], object], *, by: str = "keydown") -> float:
        """How long one act takes to be seen; `done` is JavaScript, `by` the event that it starts with."""
        self.page.evaluate(CLOCK, [[by], done])
        act()
        return float(self.page.evaluate("() => globalThis.measured"))

    def measure(
        self, name: str, done: Callable[[int], str], act: Callable[[int], object], *, by: str = "keydown"
    ) -> None:
        """Something done some times; the i-th is seen when `done(i)` is true."""
        self.tell(name, [self.once(done(i), lambda i=i: act(i), by=by) for i in range(self.repeats)])  # type: ignore[misc]

    def tell(self, name: str, times: list[float]) -> None:
        """Keep a figure."""
        self.figures.append(Figure(name, tuple(times)))
        print(f"  {name}: {' '.join(f'{one:.0f}' for one in times)}", flush=True)

    def open(self, hash: str, selector: str) -> None:
        """Another place of the page, not measured."""
        self.page.goto(f"{self.origin}/{hash}")
        self.page.wait_for_selector(selector)


def overview(watch: Watch, samples: int) -> None:
    """The table of 100,000 samples."""
    page = watch.page
    causes = ("wrong value", "", "malformed", "", "empty", "", "right", "")

    def cause(i: int) -> object:
        return page.get_by_label("Filter by cause").select_option(causes[i % 8])

    def chosen(i: int) -> str:
        value = causes[i % 8].replace(" ", "+")
        return f"location.hash.includes('cause={value}') === {str(bool(value)).lower()} && {LISTED}"

    watch.open("#/run/0", ".bars")
    watch.measure("filter by a cause: the table", chosen, cause, by="change")
    watch.open("#/run/0?order=asc", ".bars")
    watch.measure("filter by a cause: the bars too", lambda i: f"{SUMMED} && {chosen(i)}", cause, by="change")
    sorting(watch)
    searching(watch)
    watch.open("#/run/0", ".bars")
    watch.measure("scroll far into the table", lambda i: LISTED, scroll(page, ".samples"), by="scroll")
    page.locator(".samples").focus()
    rows = (samples + 1, 2)
    active = "document.querySelector('.windowed-row.active')?.ariaRowIndex"
    watch.measure(
        "to the end, to the start by key",
        lambda i: f"{active} === '{rows[i % 2]}' && {LISTED}",
        lambda i: page.keyboard.press(("End", "Home")[i % 2]),
    )
    page.keyboard.press("Home")
    watch.measure("next row by key", lambda i: f"{active} === '{i + 3}'", lambda i: page.keyboard.press("ArrowDown"))


def sorting(watch: Watch) -> None:
    """By a click on the head of a column."""
    columns = ("steps", "name", "cause", "bytes")
    watch.open("#/run/0?sort=at", ".bars")
    watch.measure(
        "sort by a column",
        lambda i: f"location.hash.includes('sort={columns[i % 4]}') && {LISTED}",
        lambda i: watch.page.locator(f".samples-head .c-{columns[i % 4]} button").click(),
        by="click",
    )


def searching(watch: Watch) -> None:
    """Letter by letter; each answer is waited for."""
    page, letters = watch.page, "sum/4217"

    def typed(i: int) -> object:
        return page.keyboard.type(letters[i % len(letters)])

    watch.open("#/run/0?order=desc", ".bars")
    page.get_by_label("Search the samples").focus()
    watch.measure("search: one more letter", lambda i: LISTED, typed, by="input")


def scroll(page: Any, selector: str) -> Callable[[int], object]:
    """To another far place each time, as dragging the scroll bar does."""
    places = (0.5, 0.9, 0.25, 0.75, 0.05, 0.6, 0.35)
    code = """([selector, share]) => {
      const list = document.querySelector(selector);
      list.scrollTop = share * list.scrollHeight;
    }"""
    return lambda i: page.evaluate(code, [selector, places[i % len(places)]])


def opening(watch: Watch) -> None:
    """From the table into a sample: another one each time, because one that was opened is kept."""
    page, times = watch.page, list[float]()
    seen = "!!document.querySelector('.sample-view[data-row] .steps .windowed-row:not(.loading)')"
    for i in range(watch.repeats):
        watch.open(f"#/run/0?row={40 + 7 * i}", ".windowed-row.active")
        page.locator(".samples").focus()
        times.append(watch.once(seen, lambda: page.keyboard.press("Enter")))
    watch.tell("open a sample", times)


def stepping(watch: Watch, rows: int) -> None:
    """One sample of 100,000 steps."""
    page, half, begun = watch.page, rows // 2, time.perf_counter()
    page.set_default_timeout(10 * PATIENCE)
    watch.open(f"#/run/1/sample/0?row={half}", f".sample-view[data-row='{half}']")
    page.set_default_timeout(PATIENCE)
    print(f"  (a sample of {rows:,} rows is opened in {time.perf_counter() - begun:.1f} s, once)", flush=True)
    far = [(7_919 * (i + 3)) % rows for i in range(watch.repeats)]
    here = half + watch.repeats

    def jump(i: int) -> object:
        page.locator("#jump").fill(str(far[i]))
        return page.keyboard.press("Enter")

    watch.measure("step", lambda i: at(half + 1 + i), lambda i: page.keyboard.press("ArrowRight"))
    watch.measure("step back", lambda i: at(here - 1 - i), lambda i: page.keyboard.press("ArrowLeft"))
    watch.measure("step over", lambda i: at(half + 1 + i), lambda i: page.keyboard.press("o"))
    watch.measure("jump to a step", lambda i: at(far[i]), jump, by="submit")
    watch.measure(
        "to the last step, to the first",
        lambda i: at((rows - 1, 0)[i % 2]),
        lambda i: page.keyboard.press(("End", "Home")[i % 2]),
    )
    dragging(watch, rows)
    watch.open("#/run/1/sample/0?row=20", ".sample-view[data-row='20']")
    watch.measure(
        "scroll far into the steps",
        lambda i: "!document.querySelector('.steps .loading')",
        scroll(page, ".steps"),
        by="scroll",
    )


def at(row: int) -> str:
    """That the page shows a step, and its row in the list of steps."""
    shown = f"document.querySelector('.sample-view').dataset.row === '{row}'"
    return f"{shown} && !document.querySelector('.steps .loading')"


def dragging(watch: Watch, rows: int) -> None:
    """The slider and the timeline, by the mouse."""
    page = watch.page
    slider, lanes = page.locator("#slider").bounding_box(), page.locator(".lanes").bounding_box()
    shares = [0.1 + 0.8 * ((3 * i) % 7) / 7 + 0.01 * i for i in range(watch.repeats)]
    high = slider["y"] + slider["height"] / 2
    row, value = ("document.querySelector('.sample-view').dataset.row", "document.querySelector('#slider').value")

    def drag(i: int) -> object:
        page.evaluate(f"() => {{ globalThis.before = {value}; }}")
        return page.mouse.move(slider["x"] + slider["width"] * shares[i], high)

    def click(i: int) -> object:
        return page.mouse.click(lanes["x"] + lanes["width"] * shares[i], lanes["y"] + 20)

    page.mouse.move(slider["x"] + slider["width"] / 2, high)
    page.mouse.down()
    moved = f"globalThis.before !== {value} && {row} === {value}"
    watch.measure("drag the slider", lambda i: moved, drag, by="input")
    page.mouse.up()
    watch.measure(
        "click on the timeline",
        lambda i: f"Math.abs(Number({row}) - {shares[i] * rows}) < {rows / 200}",
        click,
        by="pointerdown",
    )


def table(figures: list[Figure]) -> str:
    """The figures as text, and which are over the aim."""
    wide = max(len(one.name) for one in figures)
    lines = [f"{'interaction':{wide}}  median ms  worst ms"]
    for one in figures:
        over = "  over the aim" if one.worst > AIM else ""
        lines.append(f"{one.name:{wide}}  {one.median:9.0f}  {one.worst:8.0f}{over}")
    slow = [one.name for one in figures if one.worst > AIM]
    lines.append(f"under {AIM:.0f} ms every time: {len(figures) - len(slow)} of {len(figures)}")
    return "\n".join(lines)


@contextmanager
def runs_on_disk(options: argparse.Namespace) -> Iterator[tuple[Path, Path]]:
    """The two runs, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        many = synthetic(Path(folder) / "many", options.samples)
        turns = (options.steps - 5) // 2
        call = f"f({turns})"
        slip = Staged("slip", {"f": ((f" s={turns - 50}\n".encode(), f" s={turns + 50}\n".encode()),)})
        task = Task(program=Program(source=LONG, call=call), name=call)
        run(Suite(name="long", tasks=[task]), slip, out=Path(folder) / "long")
        yield many, Path(folder) / "long"


def main() -> None:
    """Make the runs, start the server and the browser, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=100_001)
    parser.add_argument("--repeats", type=int, default=8)
    options = parser.parse_args()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("page: playwright is not installed, so nothing is measured")
        return
    if not Path(CHROMIUM).exists():
        print(f"page: there is no {CHROMIUM}, so nothing is measured")
        return
    print(f"the page, {options.samples:,} samples, {options.steps:,} steps, {options.repeats} times each", flush=True)
    with runs_on_disk(options) as paths, serving(*paths) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        page = browser.new_context(viewport=WIDE, reduced_motion="reduce", bypass_csp=True).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(served.url)
        page.wait_for_selector(".runs a")
        watch = Watch(page, served.origin, options.repeats)
        overview(watch, options.samples)
        opening(watch)
        stepping(watch, options.steps)
        browser.close()
    print(table(watch.figures))


if __name__ == "__main__":
    main()
