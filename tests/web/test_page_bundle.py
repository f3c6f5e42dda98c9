"""A bundle: opened from a disk with the network cut, it shows, filters, sorts and sums what the server would."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import tab
from runs import Erring, copied

from worldline.cli import main
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.ui.session.why import stored_chains
from worldline.ui.web import api
from worldline.ui.web.bundle.bundle import bundle, open_sessions
from worldline.ui.web.index.index import build
from worldline.ui.web.service import Opening
from worldline.ui.web.session_cache import SessionCache

EVIL = "</script><script>document.title='owned'</script><!--\u2028\u2029<img src=x onerror=alert(1)>"
QUESTIONS: tuple[dict[str, Any], ...] = (
    {}, {"q": "f(n)"}, {"q": "SCRIPT"}, {"q": "no such text"}, {"cause": "wrong value"}, {"type": "int"},
    {"ending": "budget"}, {"suite": "sum"}, {"operation": "copy"}, {"answer": "right"}, {"trace": "wrong"},
    {"steps_min": "9", "steps_max": "40"}, {"depth": "1"},
    {"depth_min": "9", "depth_max": "16"}, {"other": "1"}, {"other": "1", "flip": "gained"},
    {"other": "1", "flip": "lost", "answer": "right"}, {"other": "1", "flip": "neither", "steps_min": "3"},
    {"answer": "wrong", "type": "int", "q": "range"},
)  # fmt: skip
ORDERS = ("at", "name", "steps", "agreed", "bytes", "cause", "seconds", "depth")


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory, erring: tuple[Path, Path]) -> SessionCache:
    """Two runs of one suite and one of programs that mean harm."""
    folder = tmp_path_factory.mktemp("bundled")
    calls = (f"f({EVIL!r})", "f({'__proto__': 1, 'constructor': 2})")
    source = f"# {EVIL}\ndef f(x):\n    __proto__ = x\n    return __proto__\n"
    tasks = [Task(program=Program(source=source, call=call), name=EVIL) for call in calls]
    run(Suite(name="evil", tasks=tasks), Erring(), out=folder / "evil", config={"options": {"seed": 0}})
    return SessionCache([build(path) for path in (*erring, folder / "evil")])


@pytest.fixture(scope="module")
def written(sessions: SessionCache, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same as a file and as a folder: the pages to open."""
    folder = tmp_path_factory.mktemp("out")
    bundle(sessions, folder / "page.html")
    bundle(sessions, folder / "site")
    return {"file": folder / "page.html", "folder": folder / "site" / "index.html"}


class Opened:
    """A bundle in a browser that has no network; whatever it asks of one is an error."""

    def __init__(self, browser: Any, path: Path, hash: str = "") -> None:
        self.page, self.complaints = tab(browser)
        self.url, self.asked = path.as_uri(), list[str]()
        self.page.context.set_offline(True)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(self.url + hash)
        self.page.wait_for_selector(".runs a")

    def open(self, hash: str) -> Any:
        self.page.goto(self.url + hash)
        return self.page

    def ask(self, method: str, *arguments: Any) -> Any:
        """What the page's own api answers."""
        code = """async ([method, args]) => (await import("worldline/api.js")).api[method](...args)"""
        return self.page.evaluate(code, [method, list(arguments)])


@pytest.fixture(scope="module", params=["file", "folder"])
def tabs(chromium: Any, written: dict[str, Path], request: pytest.FixtureRequest) -> Opened:
    return Opened(chromium, written[request.param])


@pytest.fixture
def opened(tabs: Opened) -> Iterator[Opened]:
    """A tab on its first page; whatever a test did in it, it must have asked for nothing and complained of nothing."""
    tabs.open("#/").wait_for_selector(".runs a")
    yield tabs
    assert [url for url in tabs.asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert tabs.complaints.heard == []


def plain(value: Any) -> Any:
    """As JSON brings it; figures to nine places, because sums of logarithms are not sums of integers."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-9, abs=1e-9)
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


@pytest.mark.long(reason="compares a bundle with the server for every filter")
def test_lists_and_sums_are_the_server_s(opened: Opened, sessions: SessionCache) -> None:
    for question in QUESTIONS:
        assert opened.ask("samples", "0", question) == plain(api.samples(sessions, "0", question)), question
        assert opened.ask("overview", "0", question) == plain(api.overview(sessions, "0", question)), question


def test_orders_are_the_server_s(opened: Opened, sessions: SessionCache) -> None:
    for sort in ORDERS:
        for order in ("asc", "desc"):
            question = {"sort": sort, "order": order, "offset": 2, "count": 9}
            wanted = api.samples(sessions, "1", question)
            assert opened.ask("samples", "1", question) == plain(wanted), question


def test_sessions_timelines_and_chunks_are_the_server_s(opened: Opened, sessions: SessionCache) -> None:
    for at in (0, 3, 8, 14):
        assert opened.ask("sample", "0", at) == plain(api.sample(sessions, "0", at))
        assert opened.ask("timeline", "0", at) == plain(api.timeline(sessions, "0", at))
        assert opened.ask("chunk", "0", at, 0) == plain(api.chunk(sessions, "0", at, 0))
        beside = {"left": "found", "right": "other", "other": "1"}
        assert opened.ask("sample", "0", at, {"other": "1"}) == plain(api.sample(sessions, "0", at, "1"))
        assert opened.ask("chunk", "0", at, 0, beside) == plain(api.chunk(sessions, "0", at, 0, **beside))


def test_the_chains_of_wrong_values_are_the_server_s(opened: Opened, sessions: SessionCache) -> None:
    asked = 0
    for at in (0, 3, 8, 14):
        session = sessions.get("0", at)
        chains = stored_chains(session.run_diff(0, "truth", "found"), session.session.branch(0).cause)
        for key, chain in chains.items():
            assert opened.ask("why", "0", at, {"key": key}) == plain(chain), key
            asked += 1
    assert asked


def test_why_is_answered_without_a_server(opened: Opened, sessions: SessionCache) -> None:
    at = next(at for at in range(20) if _has_wrong_result(sessions, at))
    rows = len(sessions.get("0", at).run_diff(0, "truth", "found").rows)
    page = opened.open(f"#/run/0/sample/{at}?row={rows - 1}")
    page.locator(".carried .why-button").click()
    page.wait_for_selector(".why-panel:not([hidden]) .chain li.origin")


def _has_wrong_result(sessions: SessionCache, at: int) -> bool:
    """Whether both runs of a sample return in their last row, another value each."""
    run_diff = sessions.get("0", at).run_diff(0, "truth", "found")
    last = run_diff.rows[-1]
    if run_diff.left is None or last.left is None or last.right is None:
        return False
    values = run_diff.left.events[last.left].arg, run_diff.right.events[last.right].arg
    return None not in values and values[0] != values[1]


def test_it_is_walked_by_click_and_by_key(opened: Opened, sessions: SessionCache) -> None:
    page = opened.page
    assert "it has no model" in page.locator("main").inner_text()
    page.locator(".runs a").first.click()
    page.wait_for_selector(".bars")
    page.locator(".bars:has(caption:text('Causes')) tbody tr").last.click()
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"#/run/0/sample/\d+"))
    page.wait_for_selector(".windowed-row:not(.loading)")


def test_interventions_are_refused_in_words(opened: Opened) -> None:
    said = opened.page.evaluate(
        """async () => { const { api } = await import("worldline/api.js");
        try { await api.branch("0", 0, {}); } catch (error) { return [error.slug, error.message, api.isLive()]; } }"""
    )
    assert said[0] == "not-live"
    assert "worldline view" in said[1]
    assert said[2] is False


def test_harmful_text_stays_text(opened: Opened) -> None:
    page = opened.open("#/run/2")
    page.wait_for_selector(".windowed-row .c-name a")
    assert "</script><script>" in page.locator(".windowed-row .c-name a").first.inner_text()
    page.locator(".windowed-row .c-name a").nth(1).click()
    page.wait_for_selector(".windowed-row:not(.loading)")
    assert page.title() != "owned"
    assert page.locator("main img, main script").count() == 0
    assert "__proto__" in page.locator("main").inner_text()


def test_nothing_else_can_be_run_in_it(opened: Opened) -> None:
    """The policy holds even were there a way to put a tag into the page."""
    heard = len(opened.complaints.heard)
    opened.page.evaluate(
        """() => { const box = document.createElement("div");
        box.innerHTML = "<img src=x onerror='document.title=`owned`'><a onclick='document.title=`owned`'>x</a>";
        document.body.append(box); box.querySelector("a").click();
        const frame = document.createElement("iframe"); frame.src = "https://example.com/"; box.append(frame);
        return new Promise(done => setTimeout(done, 100)); }"""
    )
    assert opened.page.title() != "owned"
    assert len(opened.complaints.heard) > heard
    assert all("Content Security Policy" in text or "ERR_" in text for text in opened.complaints.heard)
    opened.complaints.heard.clear()
    opened.asked.clear()


def test_a_program_is_imagined_and_bundled(chromium: Any, tmp_path: Path) -> None:
    program = Program(source="def f(n):\n    m = n + 1\n    return m\n", call="f(4)")
    sessions = open_sessions(Opening(programs=(program,), models={"interpreter": Interpreter}))
    told = bundle(sessions, tmp_path / "page.html")
    assert (told.samples, told.stepped) == (1, 1)
    opened = Opened(chromium, tmp_path / "page.html", "#/")
    page = opened.page
    assert opened.ask("samples", "live", {"q": "M = N"}) == plain(api.samples(sessions, "live", {"q": "M = N"}))
    assert opened.ask("samples", "live", {"q": "nothing"})["total"] == 0
    page.get_by_role("link", name="Tried programs").click()
    page.locator(".windowed-row .c-name a").click()
    page.wait_for_selector(".steps .windowed-row:has-text('return')")
    page.context.close()
    assert opened.complaints.heard == []


def spoil(data: bytes) -> bytes:
    """Two lines that are no records, and one whose program is not the one that it names."""
    lines = data.splitlines(keepends=True)
    forged = json.loads(lines[4])
    lines[4] = json.dumps({**forged, "source": forged["source"] + "# more"}).encode() + b"\n"
    return b"".join([*lines[:2], b'{"at": "<b>1</b>"}\n', lines[3][:40] + b"\n", *lines[4:]])


LOST = "1 cannot be opened: records.jsonl: the program of sample 4 does not match"


@pytest.mark.long(reason="test_what_cannot_be_read_is_shown_on_the_page spoils the same run")
@pytest.mark.parametrize("name", ["page.html", "site"])
def test_what_cannot_be_read_is_told_by_the_verb_and_in_the_bundle(
    erring: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path, out = copied(erring[0], tmp_path / "spoiled", spoil), tmp_path / name
    assert main(["view", str(path), str(erring[1]), "--no-model", "--bundle", str(out)]) == 1
    told = capsys.readouterr()
    assert told.out.startswith(f"{out if name == 'page.html' else out / 'index.html'}: ")
    findings = told.err.splitlines()
    assert [line.split(": ")[:2] for line in findings] == [["finding", str(path)]] * 3
    assert "2 lines are not records: line 3: not a record of a run: " in findings[0]
    assert "; line 4: not a record of a run: " in findings[0]
    assert "records.jsonl does not match manifest.json" in findings[1]
    assert LOST in findings[2]
    page = (out if name == "page.html" else out / "index.html").read_text("utf-8")
    block = re.search(r'id="data-runs">(.*?)</script>', page)
    assert block is not None
    runs = json.loads(block[1])
    assert [line.partition(f"{path}: ")[2] for line in findings] == runs["runs"][0]["notes"]
    assert runs["runs"][1]["notes"] == []
    assert {"sample-0-3", "sample-0-4"}.isdisjoint(runs["names"])
    assert "sample-0-5" in runs["names"]
    assert str(tmp_path) not in page


def test_a_line_that_is_no_record_is_a_finding_by_itself(
    erring: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied(erring[0], tmp_path / "spoiled", lambda data: data + b"[]\n")
    assert main(["view", str(path), "--no-model", "--bundle", str(tmp_path / "page.html")]) == 1
    told = capsys.readouterr()
    assert told.out.startswith(f"{tmp_path / 'page.html'}: ")
    assert told.err.startswith(f"finding: {path}: 1 line is not a record: line ")


def test_what_cannot_be_read_is_shown_on_the_page(chromium: Any, erring: tuple[Path, Path], tmp_path: Path) -> None:
    path, out = copied(erring[0], tmp_path / "spoiled", spoil), tmp_path / "page.html"
    bundle(SessionCache([build(path), build(erring[1])]), out)
    opened = Opened(chromium, out)
    for place in ("#/", "#/run/0"):
        page = opened.open(place)
        page.wait_for_selector("text=lines are not records")
        assert LOST in page.locator("main").inner_text()
    assert opened.ask("samples", "0", {})["total"] == len(build(path)) == len(build(erring[0])) - 2
    assert opened.ask("sample", "0", 5)["at"] == 5
    said = opened.page.evaluate(
        """async () => { const { api } = await import("worldline/api.js");
        try { await api.sample("0", 4); } catch (error) { return error.message; } }"""
    )
    assert "could not be read" in said
    page.context.close()
    assert opened.complaints.heard == []


def test_a_run_that_is_only_not_through_is_bundled_as_it_is(
    erring: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied(erring[0], tmp_path / "killed", lambda data: data[:-20])
    (path / "manifest.json").unlink()
    assert main(["view", str(path), "--no-model", "--bundle", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().err == ""
    assert b"the last line is torn" in (tmp_path / "page.html").read_bytes()


def test_a_program_without_a_model_is_recorded() -> None:
    sessions = open_sessions(Opening(programs=(Program(source="x = 1\n"),)))
    assert api.run_overview(sessions, "live", 0)["names"] == ["x"]


def test_a_program_that_does_not_start_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"did not start.*SyntaxError"):
        open_sessions(Opening(programs=(Program(source="x = = 1\n"),)))


def test_the_same_runs_give_the_same_bytes(sessions: SessionCache, written: dict[str, Path], tmp_path: Path) -> None:
    bundle(sessions, tmp_path / "page.html")
    bundle(SessionCache(sessions.runs), tmp_path / "site")
    assert (tmp_path / "page.html").read_bytes() == written["file"].read_bytes()
    before, again = written["folder"].parent, tmp_path / "site"
    names = sorted(path.relative_to(before) for path in before.rglob("*"))
    assert names == sorted(path.relative_to(again) for path in again.rglob("*"))
    assert all((before / name).read_bytes() == (again / name).read_bytes() for name in names if name.suffix)


def test_every_inline_script_is_named_by_its_hash(written: dict[str, Path]) -> None:
    html = written["file"].read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    scripts = re.findall(r"<script(?! type=\"application/json\")[^>]*>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 2
    for text in (*scripts, *re.findall(r"<style>(.*?)</style>", html, re.DOTALL)):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy[1]
    assert "unsafe" not in policy[1]
    assert "\u2028" not in html


def test_a_limit_keeps_the_failures(sessions: SessionCache, tmp_path: Path, chromium: Any) -> None:
    told = bundle(SessionCache(sessions.runs[:1]), tmp_path / "page.html", limit=3)
    assert (told.samples, told.stepped) == (18, 3)
    html = (tmp_path / "page.html").read_text()
    names = json.loads(html.rpartition('id="data-runs">')[2].partition("</script>")[0])["names"]
    failed = [one["at"] for one in api.samples(sessions, "0", {"trace": "wrong"})["samples"]]
    assert names == ["run-0", *(f"sample-0-{at}" for at in failed[:3])]
    opened = Opened(chromium, tmp_path / "page.html")
    opened.open("#/run/0/sample/0").wait_for_selector(".refusal")
    assert "does not include the steps" in opened.page.locator(".refusal").inner_text()
    assert opened.ask("samples", "0", {})["total"] == 18
    opened.page.context.close()


def test_what_cannot_be_written_is_said(sessions: SessionCache, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="exists: write the bundle"):
        bundle(sessions, tmp_path / "full")
    with pytest.raises(UsageError, match="at least 0"):
        bundle(sessions, tmp_path / "x.html", limit=-1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]
