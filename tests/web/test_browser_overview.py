"""The runs and a run's overview in a real browser: figures, filters, order, search, flips, by click and by key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from browser import NARROW, WIDE, tab
from runs import synthetic
from serving import Served, serving

from worldline.ui.web import api
from worldline.ui.web.index.index import build
from worldline.ui.web.session_cache import SessionCache

MANY = 1_500
SCROLL = """share => new Promise(done => {
  const grid = document.querySelector(".samples");
  grid.scrollTop = share * (grid.scrollHeight - grid.clientHeight);
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory, erring: tuple[Path, Path]) -> SessionCache:
    """Two runs of one small suite, and one of many samples."""
    many = synthetic(tmp_path_factory.mktemp("runs") / "many", MANY)
    return SessionCache([build(path) for path in (*erring, many)])


@pytest.fixture(scope="module")
def served(sessions: SessionCache) -> Iterator[Served]:
    with serving(*(Path(index.path) for index in sessions.runs)) as found:
        yield found


class Seen:
    """A tab on the page; at the end it must have complained of nothing."""

    def __init__(self, browser: Any, served: Served, size: dict[str, int]) -> None:
        self.page, self.complaints = tab(browser, size=size)
        self.origin = served.origin
        self.page.goto(served.url)
        self.start()

    def start(self) -> None:
        """The first page, and nothing in hand."""
        self.page.goto(f"{self.origin}/#/")
        self.page.wait_for_selector(".runs a")
        self.page.evaluate("document.activeElement.blur()")

    def open(self, hash: str) -> Any:
        self.page.goto(f"{self.origin}/{hash}")
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until the newest answers are in place."""
        self.page.wait_for_selector(".bars-all", state="attached")
        for part in (".samples", ".run-figures"):
            self.page.wait_for_selector(f"{part}[aria-busy]", state="detached")

    @property
    def total(self) -> int:
        self.settle()
        said: str = self.page.locator(".run-total").inner_text()
        return int(re.match(r"[\d,]+", said)[0].replace(",", ""))  # type: ignore[index]

    def names(self) -> list[str]:
        self.settle()
        found: list[str] = self.page.locator(".windowed-row .c-name a").all_inner_texts()
        return found

    @property
    def params(self) -> dict[str, str]:
        """The parameters of the address."""
        return dict(parse_qsl(self.page.url.partition("?")[2]))


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Seen:
    return Seen(chromium, served, WIDE)


@pytest.fixture
def seen(tabs: Seen) -> Iterator[Seen]:
    """The one tab of this module; whatever a test did in it, it must not have complained."""
    tabs.start()
    yield tabs
    assert tabs.complaints.heard == []


def listed(sessions: SessionCache, run: str = "0", **query: Any) -> list[str]:
    """The names that the server would list."""
    return [one["name"] for one in api.samples(sessions, run, {"count": 500, **query})["samples"]]


def test_a_run_is_opened_by_click_and_by_key(seen: Seen) -> None:
    seen.page.locator(".runs a").nth(1).click()
    seen.settle()
    assert seen.page.url.endswith("#/run/1")
    seen.page.keyboard.press("h")
    seen.page.wait_for_selector(".runs a")
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Enter")
    seen.settle()
    assert seen.page.url.endswith("#/run/0")
    assert "token" not in seen.page.url


def test_the_list_says_how_a_run_went_when_and_with_what(seen: Seen, sessions: SessionCache) -> None:
    told, card = api.runs(sessions)[0], seen.page.locator(".runs a").first
    share = told["answer"]
    assert share == api.overview(sessions, "0", {})["answer"]
    assert f"{100 * share['some'] / share['n']:.0f} % answers right" in card.inner_text()
    year = str(datetime.fromtimestamp(told["written"], UTC).year)
    assert year in card.locator("time").inner_text()
    assert ["seed", "0"] in told["settings"]
    assert "seed 0" in [" ".join(one.split()) for one in card.locator(".setting").all_inner_texts()]
    assert "page · erring" in card.inner_text()


def test_figures_are_the_server_s(seen: Seen, sessions: SessionCache) -> None:
    page, figures = seen.open("#/run/0"), api.overview(sessions, "0", {})
    answers = page.locator(".headline").first.inner_text()
    share = figures["answer"]
    assert f"{share['some']} of {share['n']}, {100 * share['low']:.1f} to {100 * share['high']:.1f} %" in answers
    for title, kind in (("By length", "horizon"), ("By depth", "depth"), ("By type", "type"), ("Causes", "cause")):
        rows = page.locator(f".bars:has(caption:text('{title}')) tbody tr")
        told = [(row.get_attribute("data-label"), row.locator(".bars-n").inner_text()) for row in rows.all()]
        assert told == [(bucket["label"], str(bucket["n"])) for bucket in figures["by"][kind]]


@pytest.mark.long(reason="test_a_bar_narrows_what_is_chosen_already follows one bar")
def test_every_bar_leads_to_its_samples_and_back(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0")
    for panel in range(page.locator(".bars").count()):
        row = page.locator(".bars").nth(panel).locator("tbody tr").last
        n = int(row.locator(".bars-n").inner_text())
        many = page.locator(".bars").nth(panel).locator("tbody tr").count()
        row.click()
        assert seen.total == n
        assert page.locator(".bars").nth(panel).locator("tr.chosen").count() == 1
        # The others stay in sight.
        assert page.locator(".bars").nth(panel).locator("tbody tr").count() == many
        page.locator(".bars").nth(panel).locator("tr.chosen a").press("Enter")  # by key: let it go again
        assert seen.total == len(listed(sessions))
        assert seen.params == {}


def test_a_bar_narrows_what_is_chosen_already(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/2?answer=wrong")
    row = page.locator(".bars:has(caption:text('By length')) tbody tr").first
    n = int(row.locator(".bars-n").inner_text().replace(",", ""))
    row.locator("a").press("Enter")
    assert seen.total == n
    assert seen.params["answer"] == "wrong"
    page.go_back()
    assert seen.total == api.samples(sessions, "2", {"answer": "wrong"})["total"]


def test_filters_by_choice_and_their_chips(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0")
    page.get_by_label("Filter by cause").select_option("wrong value")
    assert seen.names() == listed(sessions, cause="wrong value")
    page.get_by_label("Filter by answer").select_option("right")
    assert seen.names() == listed(sessions, cause="wrong value", answer="right")
    page.get_by_role("button", name="cause wrong value").click()
    assert seen.names() == listed(sessions, answer="right")
    page.get_by_label("Steps, at least").fill("10")
    page.get_by_label("Steps, at most").fill("60")
    page.wait_for_url(re.compile(r"steps_max=60"))
    assert seen.names() == listed(sessions, answer="right", steps_min=10, steps_max=60)
    page.locator(".brand").focus()
    page.keyboard.press("c")
    assert seen.names() == listed(sessions)


def test_a_filter_is_reached_and_chosen_by_key(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0")
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.name") == "cause"
    page.keyboard.press("ArrowDown")
    page.wait_for_url(re.compile(r"cause="))
    assert seen.names() == listed(sessions, cause=seen.params["cause"])


def test_search_from_the_keyboard_to_an_open_sample_and_back(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0")
    page.keyboard.press("/")
    page.keyboard.type("f(n)")
    page.wait_for_url(re.compile(r"q=f%28n%29"))
    wanted = listed(sessions, q="f(n)")
    assert seen.names() == wanted != listed(sessions)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    grid = page.get_by_role("grid", name="Samples")
    active = page.locator(f"#{grid.get_attribute('aria-activedescendant')}")
    assert active.locator("a").inner_text() == wanted[1]
    at = active.get_attribute("data-at")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"#/run/0/sample/{at}"))
    page.go_back()
    seen.settle()
    assert seen.names() == wanted
    assert page.locator(".windowed-row.active a").inner_text() == wanted[1]
    page.get_by_label("Search the samples").press("Escape")
    page.wait_for_url(re.compile(r"^[^=]*$"))
    assert seen.names() == listed(sessions)


def test_the_newest_search_wins(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/2")
    page.get_by_label("Search the samples").press_sequentially("sum/12", delay=1)
    page.wait_for_url(re.compile(r"q=sum%2F12"))
    assert seen.total == api.samples(sessions, "2", {"q": "sum/12"})["total"] < MANY
    assert all("sum/12" in name for name in seen.names())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("column", ["name", "cause", "agreed", "steps", "depth", "bytes"])
def test_columns_sort_both_ways_by_click(seen: Seen, sessions: SessionCache, column: str) -> None:
    page = seen.open("#/run/0")
    button = page.locator(f".samples-head .c-{column} button")
    for order, word in (("asc", "ascending"), ("desc", "descending")):
        button.click()
        page.wait_for_selector(f".c-{column}[aria-sort={word}]")
        assert seen.names() == listed(sessions, sort=column, order=order)
    button.click()
    page.wait_for_selector(".c-at[aria-sort=ascending]")
    assert seen.names() == listed(sessions)


def test_order_by_key(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0")
    page.keyboard.press("s")
    page.wait_for_selector(".c-name[aria-sort=ascending]")
    page.keyboard.press("S")
    page.wait_for_selector(".c-name[aria-sort=descending]")
    assert seen.names() == listed(sessions, sort="name", order="desc")


def test_flips_between_two_runs(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0")
    page.keyboard.press("o")
    page.keyboard.press("ArrowDown")
    page.wait_for_url(re.compile(r"other=1"))
    seen.settle()
    assert page.evaluate("document.activeElement.tagName") == "SELECT"  # to go on to a third run
    flips = api.overview(sessions, "0", {"other": "1"})["flips"]
    page.wait_for_selector(".flips")
    assert f"p = {flips['p']:.3f}" in page.locator(".flips").inner_text()
    for kind in ("gained", "lost", "both", "neither"):
        link = page.locator(f".flip.{kind}")
        assert int(link.locator("b").inner_text()) == flips[kind]
        link.click() if kind in ("gained", "both") else link.press("Enter")
        page.wait_for_selector(f".flip.{kind}.chosen")
        assert seen.names() == listed(sessions, other="1", flip=kind)
        marks = {"gained": "✗→✓", "lost": "✓→✗", "both": "✓→✓", "neither": "✗→✗"}[kind]
        shown = page.locator(".windowed-row .c-answer").all_inner_texts()
        assert {re.sub(r"\s", "", text) for text in shown} <= {marks}
    page.locator(".windowed-row .c-name a").first.click()
    page.wait_for_url(re.compile(r"/sample/.*other=1"))


def test_the_measure_is_answers_or_traces_by_click_and_by_key(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0")
    bucket = api.overview(sessions, "0", {})["by"]["type"][0]
    row = page.locator(".bars:has(caption:text('By type')) tbody tr").first
    for act, kind in ((lambda: page.get_by_role("button", name="whole traces").click(), "trace"),
                      (lambda: page.keyboard.press("m"), "answer")):  # fmt: skip
        act()
        page.wait_for_selector(f".measures [aria-pressed=true]:text('{'traces' if kind == 'trace' else 'answers'}')")
        share = bucket[kind]
        assert f"of {share['n']}, 95 % interval {100 * share['low']:.1f}" in row.locator("a").get_attribute("title")


def test_a_long_list_is_windowed_and_says_so(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/2?sort=steps&order=desc")
    wanted = [one for at in range(0, MANY, 500) for one in listed(sessions, "2", sort="steps", order="desc", offset=at)]
    grid = page.get_by_role("grid", name="Samples")
    assert grid.get_attribute("aria-rowcount") == str(MANY + 1)
    for share in (0.5, 1.0, 0.1):
        page.evaluate(SCROLL, share)
        page.wait_for_selector(".windowed-row.loading", state="detached")
        rows = page.eval_on_selector_all(
            ".windowed-row", "rows => rows.map(row => [row.ariaRowIndex, row.querySelector('a').textContent])"
        )
        assert 10 < len(rows) <= 100
        assert [name for _, name in rows] == [wanted[int(index) - 2] for index, _ in rows]
    grid.focus()
    page.keyboard.press("End")
    page.wait_for_selector(f".windowed-row.active[aria-rowindex='{MANY + 1}']")
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowUp")
    assert int(page.locator(".windowed-row.active").get_attribute("aria-rowindex")) < MANY - 8
    page.keyboard.press("Home")
    page.wait_for_selector(".windowed-row.active[aria-rowindex='2']")
    assert page.locator("#live").inner_text() == f"{MANY:,} samples"


def test_a_list_longer_than_a_browser_can_lay_out(seen: Seen) -> None:
    seen.page.evaluate("""async () => {
      const { Windowed } = await import("/windowed.js");
      const root = document.createElement("div");
      root.style.height = "400px";
      document.getElementById("main").replaceChildren(root);
      globalThis.list = new Windowed({ root, rowHeight: 25, count: 5_000_000, chunk: 100, label: "long",
        load: (k) => Array.from({ length: 100 }, (_, i) => k * 100 + i),
        render: (row, item) => { row.textContent = item; } });
    }""")
    page = seen.page
    for index in (0, 4_999_999, 2_500_000, 1_234_567):
        page.evaluate("i => list.setActive(i, { scroll: 'center' })", index)
        row = page.locator(".windowed-row.active")
        assert row.inner_text() == str(index)
        sandbox, room = row.bounding_box(), page.locator(".windowed").bounding_box()
        assert room["y"] - 1 <= sandbox["y"] <= room["y"] + room["height"] - 24
    assert page.locator(".windowed-row").count() <= 100
    page.reload()


def test_a_deep_link_shows_what_was_seen(seen: Seen, sessions: SessionCache) -> None:
    page = seen.open("#/run/0?cause=wrong+value&sort=bytes&order=desc&other=1&row=1")
    wanted = listed(sessions, cause="wrong value", sort="bytes", order="desc", other="1")
    assert seen.names() == wanted
    assert page.locator(".windowed-row.active a").inner_text() == wanted[1]
    page.wait_for_selector(".flips")
    assert page.get_by_label("Filter by cause").input_value() == "wrong value"


def test_hostile_text_is_only_text(seen: Seen) -> None:
    page = seen.open("#/run/0?q=script")
    assert page.locator(".call").first.inner_text() == "f('<script>alert(1)</script>')"
    page.get_by_label("Search the samples").fill('"><img src=x onerror=alert(1)>')
    page.wait_for_url(re.compile(r"onerror"))
    assert seen.total == 0
    assert page.locator("main img[src], main script").count() == 0


def test_a_question_that_cannot_be_answered_is_said_in_words(chromium: Any, served: Served) -> None:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector(".runs a")
    page.goto(f"{served.origin}/#/run/0?steps_min=many")
    page.wait_for_selector(".problem:visible")
    assert "steps_min" in page.locator(".problem").inner_text()
    page.goto(f"{served.origin}/#/run/77")
    assert "no such run" in page.locator(".refusal").inner_text()
    page.evaluate("localStorage.clear()")
    page.reload()
    assert "worldline view" in page.locator(".refusal").inner_text()
    page.goto(served.url)  # the printed address, in the same tab
    page.wait_for_selector(".runs a")
    assert all("status of 4" in text for text in complaints.heard)
    page.context.close()


def test_a_phone_s_width(chromium: Any, served: Served, sessions: SessionCache) -> None:
    seen = Seen(chromium, served, NARROW)
    page = seen.page
    page.goto(f"{served.origin}/#/run/0")
    page.wait_for_selector(".windowed-row:not(.loading)")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.locator("summary:text('Rates by')").click()
    page.locator(".bars:has(caption:text('By type')) tbody tr").first.click()
    n = api.overview(sessions, "0", {})["by"]["type"][0]["n"]
    assert seen.total == n
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.context.close()
    assert seen.complaints.heard == []
