"""A run's page: every figure and failure there, readable without script or network, nothing that steers a reader."""

from __future__ import annotations

import json
import re
import shutil
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from page_layout import dump_dom
from small_run import EVIL, SUM, Changed, suite

from worldline.cli.runs import report as verb
from worldline.codec.cost_curve import curve
from worldline.core.errors import FormatError, NoSandbox, UsageError
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.data.vocabularies import llama3_path
from worldline.diagnose.trials import InterventionTrial, Trials
from worldline.evaluation.run.directory import INTERVENTIONS_FILE, newest, open_run
from worldline.evaluation.run.run import run
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction
from worldline.recording.recorder import record
from worldline.ui.report.charts import Budgets, Chart, Counts, Flips, Rates, SizeSpread, svg
from worldline.ui.report.data import JudgedSample, choose, gather, read_trials
from worldline.ui.report.debug_page import MAX_VALUE_CHARS
from worldline.ui.report.failures import shorten_cell
from worldline.ui.report.page import charts, render
from worldline.ui.session.side_by_side import CellPiece, fitted_cells, value_piece

FIGURES = (
    "by-length", "by-group", "by-type", "causes", "operations", "operation-rates", "types", "value-lengths",
    "bytes", "costs-by-steps", "costs-by-value",
)  # fmt: skip
VOID = {"meta", "br", "wbr", "link", "img", "input"}
LOOSE = {"td", "th"}  # elements whose end may be left out


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> None:
    """A machine without a box refuses, as it should; then there is no run to show."""
    try:
        record(Program(source="pass"))
    except NoSandbox as error:
        pytest.skip(f"no box on this machine: {error}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which a sum, the middle of a longer one (not its answer) and a string go wrong."""
    path = tmp_path_factory.mktemp("runs") / "small"
    run(suite(), Changed((b"=10", b"=11"), (b")10", b")11"), (b"ABCABC", b"ABCABD")), out=path)
    return path


class Dom(HTMLParser):
    """What a page has: elements in order, their attributes, the text; that every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.style = ""
        self.stack: list[str] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID | LOOSE:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if tag not in LOOSE:
            assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1] == "style":
            self.style += data
        else:
            self.text += data


def is_alone(dom: Dom, text: str) -> None:
    """Assert that a page runs nothing, fetches nothing and shows no character that steers."""
    assert not dom.tags.keys() & {"script", "iframe", "object", "embed", "link", "img", "base", "form"}
    assert not [name for _, name, _ in dom.attributes if name.startswith("on") or name in ("src", "style")]
    assert all(value.startswith("#") for _, name, value in dom.attributes if name == "href")
    assert "url(" not in dom.style
    assert "@import" not in dom.style
    assert "http:" not in text
    assert "https:" not in text
    policy = next(value for tag, name, value in dom.attributes if tag == "meta" and "default-src" in value)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    strange = [char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs") and char != "\n"]
    assert strange == []


def test_the_page_has_every_figure_and_failure(made: Path) -> None:
    text, found = render(made)
    dom = Dom(text)
    assert [each for each in dom.ids if each.startswith("figure-")] == [f"figure-{name}" for name in FIGURES]
    assert [each for each in dom.ids if each.startswith("failure-")] == ["failure-1", "failure-2", "failure-4"]
    assert dom.tags["svg"] == len(FIGURES)
    is_alone(dom, text)
    share = Share(3, 5)
    low, high = (f"{100 * bound:.1f}" for bound in share.interval)
    assert f"60.0 % ({low} - {high}) of answers right" in dom.text
    assert len(found.failed) == 3
    links = {value[1:] for _, name, value in dom.attributes if name == "href"}
    assert links <= set(dom.ids)


def test_a_failure_shows_both_traces_where_they_part_with_cause_and_evidence(made: Path) -> None:
    text, _ = render(made)
    one = text[text.index('id="failure-1"') : text.index("</pre>", text.index('id="failure-1"'))]
    assert '<span class="piece value differs">s=1<mark>0</mark></span>' in one
    assert '<span class="piece value differs">s=1<mark>1</mark></span>' in one
    assert one.count('<tr class="first">') == 1
    assert "<dt>cause</dt><dd>wrong value" in one
    assert "<dt>evidence</dt><dd>s is 10, predicted 11, computed by `s += i`" in one
    assert "<dt>actual end</dt><dd>return 10</dd>" in one
    assert "<dt>predicted end</dt><dd>return 11</dd>" in one
    assert "rows are not shown" in one  # the trace is longer than its window
    other = text[text.index('id="failure-4"') :]
    assert "character 5" in other


def test_sums_are_those_of_the_run(made: Path) -> None:
    found = gather(made, limit=10)
    stored = json.loads((made / "report.json").read_text())
    assert found.sums.as_json() == stored
    assert found.is_complete
    assert set(found.sums.by_length) == {"1/abc", "2/abc", "2", "5", "9"}
    assert sum(part.answer.n for part in found.by_steps.by_length.values()) == 5
    assert found.counted("operation") == {"arithmetic": 2, "upper": 1}
    assert found.counted("type") == {"int": 2, "str": 1}


def test_hostile_text_is_shown_and_does_nothing(tmp_path: Path) -> None:
    evil = EVIL.encode() + b"\xff\xfe"
    predictor = Changed((b"=10", b"='" + evil + b"'"), (b"!", evil), name=EVIL)
    run(suite(evil=True), predictor, out=tmp_path / "evil")
    row = {"model": EVIL, "by": EVIL, "seed": 0, "failed": [1], "causes": [EVIL], "chosen": [0], "passing": 1}
    tried = [{"intervention": EVIL, "sample": 1, "outcome": EVIL, "why": EVIL}]
    row |= {"unjudged": 0, "effects": [{"intervention": EVIL}], "tried": tried, "at": [0, 1, 2, 3, 4]}
    (tmp_path / "evil" / INTERVENTIONS_FILE).write_text(json.dumps(row))
    text, found = render(tmp_path / "evil")
    assert len(found.failed) == 4
    dom = Dom(text)
    is_alone(dom, text)
    assert "<script>alert(1)</script>" in dom.text
    assert "\\x1b[31m\\u202e</td>" in dom.text
    assert dom.tags["svg"] == len(list(charts(found)))
    assert dom.tags["details"] == 2 * 4


def test_a_right_run_says_so(tmp_path: Path) -> None:
    run(suite(), Interpreter(), out=tmp_path / "right")
    text, found = render(tmp_path / "right")
    dom = Dom(text)
    assert found.failed == ()
    assert "Nothing failed." in dom.text
    assert "failures" not in dom.ids
    assert dom.tags["details"] == 0
    assert dom.tags["svg"] == 6


def test_a_run_that_is_not_through_is_shown_as_such(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "begun")
    for name in ("report.json", "manifest.json"):
        (tmp_path / "begun" / name).unlink()
    lines = (tmp_path / "begun" / "records.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "begun" / "records.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    text, found = render(tmp_path / "begun")
    assert found.sums.n == 2
    assert "not complete" in Dom(text).text
    (tmp_path / "begun" / "records.jsonl").write_bytes(b"")
    text, found = render(tmp_path / "begun")
    assert found.sums.n == 0
    Dom(text)


def test_the_newest_record_counts_and_faults_are_in_no_rate(made: Path, tmp_path: Path) -> None:
    rows = list(newest(made).values())
    fault = Prediction(text=b"", status="fault", note="gone")
    with open_run(tmp_path / "again", {"suite": "generated", "model": "m"}) as log:
        assert log is not None
        log.add(replace(rows[1], found=fault, judged={}))
        log.add(rows[1])
        log.add(rows[2])
        log.add(replace(rows[2], found=fault, judged={}))
    found = gather(tmp_path / "again", limit=5)
    assert (found.sums.n, found.sums.faults, len(found.failed)) == (1, 1, 1)


@pytest.mark.long(reason="a run of thousands of samples")
def test_a_large_run_stays_light_and_says_what_it_leaves_out(made: Path, tmp_path: Path) -> None:
    rows = list(newest(made).values())
    long = Program(source=SUM + "#" * 50_000, call="f(5)")
    with open_run(tmp_path / "large", {"suite": "generated", "model": "m"}) as log:
        assert log is not None
        for at in range(90):
            row = rows[1 if at % 3 else 4]
            log.add(replace(row, at=at, ask=replace(row.ask, program=long) if at % 3 else row.ask))
    text, found = render(tmp_path / "large", limit=20)
    assert len(found.failed) == 90
    assert len(found.listed) == 20
    assert "20 of 90 failures are shown" in Dom(text).text
    assert len(text) < 20 * 12_000 + 60_000
    none, _ = render(tmp_path / "large", limit=0)
    assert "0 of 90 failures are shown" in Dom(none).text


def seen(at: int, cause: str) -> JudgedSample:
    """A failure of a cause."""
    task = Task(program=Program(source=""))
    verdict = Verdict(task, "wrong", "wrong", "int", 1, 0, 1, 0.0, cause)
    return JudgedSample(at=at, verdict=verdict, sizes=(1, 1))


def test_failures_are_chosen_evenly_over_causes() -> None:
    failed = [seen(at, "common") for at in range(90)] + [seen(90 + at, "rare") for at in range(3)]
    failed += [seen(100 + at, "other") for at in range(20)]
    assert choose(failed, 11) == (0, 1, 2, 3, 100, 101, 102, 103, 90, 91, 92)
    assert len(choose(failed, 1_000)) == 113
    assert choose(failed, 0) == choose([], 5) == ()


def test_long_values_are_cut_to_where_they_differ() -> None:
    values = ("'" + "a" * 900 + difference + "d" * 900 + "'" for difference in ("Xbc", "Ybc"))
    one, other = (value_piece("s", None, value, MAX_VALUE_CHARS, differs=True) for value in values)
    wanted, got = fitted_cells((one,), (other,), MAX_VALUE_CHARS)
    (left,), (right,) = wanted or (), got or ()
    assert left.text.startswith("s=…a")
    assert "Xbc" in left.text
    assert "Ybc" in right.text
    assert len(left.text) < MAX_VALUE_CHARS + 10
    many = tuple(CellPiece(f"v{i}={i}", "value", i == 30) for i in range(40))
    cell = shorten_cell(many) or ()
    assert cell[0].text == "v30=30"
    assert cell[-1].text == "… 30 more"
    assert shorten_cell(None) is None


def interventions() -> Trials:
    """Two interventions on a failed sample and a passing one."""
    tried = (
        InterventionTrial(intervention="repair", sample=1, before=False, after=True),
        InterventionTrial(intervention="repair", sample=0, before=True, after=True),
        InterventionTrial(
            intervention="guard",
            sample=1,
            before=False,
            status="unfit",
            why="the prediction never leaves the control flow",
        ),
        InterventionTrial(intervention="guard", sample=0, before=True, after=False),
    )
    return Trials(
        model="m", by="answer", seed=0, failed=(1,), causes=("wrong value",), chosen=(0,), passing=3, unjudged=0,
        interventions=("repair", "guard"), tried=tried,
    )  # fmt: skip


def test_interventions_are_read_back_and_shown(made: Path, tmp_path: Path) -> None:
    assert read_trials(made) is None
    assert "interventions" not in Dom(render(made)[0]).ids
    shutil.copytree(made, tmp_path / "intervened")
    (tmp_path / "intervened" / INTERVENTIONS_FILE).write_text(json.dumps(interventions().as_json()))
    assert read_trials(tmp_path / "intervened") == interventions()
    text, _ = render(tmp_path / "intervened")
    dom = Dom(text)
    assert {"interventions", "figure-interventions"} <= set(dom.ids)
    one = text[text.index('id="failure-1"') : text.index('id="failure-4"')]
    assert "<dt>intervention repair</dt><dd><span class=flip>fixed</span>: the true state given at the first div" in one
    assert (
        "<dt>intervention guard</dt><dd><span>does not apply</span>: the prediction never leaves the control flow</dd>"
        in one
    )
    assert "100.0 % (20.7 - 100.0) of 1" in dom.text


def test_interventions_of_older_runs_are_read(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "intervened")
    text = json.dumps(interventions().as_json()).replace('"intervention":', '"cure":')
    assert '"cure": "repair"' in text
    (tmp_path / "intervened" / INTERVENTIONS_FILE).write_text(text)
    assert read_trials(tmp_path / "intervened") == interventions()


def test_samples_that_were_asked_again_are_found_by_their_place(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "intervened")
    row = interventions().as_json() | {"at": [0, 4]}
    (tmp_path / "intervened" / INTERVENTIONS_FILE).write_text(json.dumps(row))
    found = gather(tmp_path / "intervened", limit=5)
    assert found.tried(1) == ()
    assert [one.outcome for one in found.tried(4)] == ["recovered", "unfit"]


@pytest.mark.parametrize("text", ["[]", "{", '{"model": 1}', '{"model": "m", "chosen": ["x"]}'])
def test_interventions_that_are_none_are_refused(made: Path, tmp_path: Path, text: str) -> None:
    shutil.copytree(made, tmp_path / "intervened")
    (tmp_path / "intervened" / INTERVENTIONS_FILE).write_text(text)
    with pytest.raises(FormatError):
        render(tmp_path / "intervened")


def test_tokens_are_counted_in_metas_notation(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    if llama3_path() is None:
        pytest.skip("the package llama-models is not installed")
    run(suite(), Changed((b'"10"', b'"11"'), codec="cwm"), out=tmp_path / "cwm")
    text, found = render(tmp_path / "cwm")
    assert found.codecs == ("cwm",)
    assert all(one.tokens is not None and 0 < one.tokens[0] < one.sizes[0] for one in found.seen)
    assert "figure-tokens" in Dom(text).ids
    assert len(found.failed) == 2


@pytest.mark.long(reason="draws every figure twice")
def test_figures_are_the_same_files_each_time(made: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the figures extra is not installed: pip install 'worldline[figures]'")
    from worldline.ui.report.figures import write

    found = gather(made, limit=5)
    drawn = [*charts(found), Flips("interventions", "interventions", (("a $x", 3, 1), (EVIL, 0, 0)))]
    drawn.append(Budgets("budgets", "budgets", "tokens", "steps", curve((i, i**4) for i in range(1, 40))))
    drawn.append(Rates("odd", "odd", ("answer",), (("$\\frac{", (Share(0, 0),)), (EVIL, (Share(1, 2),)))))
    first = {path.name: path.read_bytes() for path in write(tmp_path / "one", drawn)}
    again = {path.name: path.read_bytes() for path in write(tmp_path / "two", drawn)}
    assert first == again
    assert set(first) == {f"{chart.name}.{kind}" for chart in drawn for kind in ("pdf", "svg")}
    assert all(data.startswith(b"%PDF-") for name, data in first.items() if name.endswith("pdf"))
    for name in first:
        if name.endswith("svg"):
            ElementTree.fromstring(first[name])


def test_figures_without_matplotlib_say_what_is_missing(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = CliRunner().invoke(verb, [str(made), "--figures", "nowhere"])
    assert isinstance(found.exception, UsageError)
    assert "worldline[figures]" in str(found.exception)


def test_the_verb_writes_the_page(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "copy")
    found = CliRunner().invoke(verb, [str(tmp_path / "copy"), "--max-failures", "1"])
    assert found.exit_code == 0, found.output
    assert "5 samples, 1 of 3 failures" in found.output
    Dom((tmp_path / "copy" / "report.html").read_text("utf-8"))
    elsewhere = tmp_path / "page.html"
    assert CliRunner().invoke(verb, [str(made), "-o", str(elsewhere)]).exit_code == 0
    assert elsewhere.read_text("utf-8") == render(made)[0]
    assert isinstance(CliRunner().invoke(verb, [str(tmp_path)]).exception, UsageError)


@pytest.mark.parametrize(
    "chart",
    [
        Rates("a", "a", ("answer", "trace"), ()),
        Rates("a", "a", ("answer",), (("1-8", (Share(0, 0),)), ("9-16", (Share(3, 3),))), is_scale=True),
        Rates("a", "a", ("answer",), tuple((f"row {i}", (Share(i, 99),)) for i in range(99))),
        Counts("a", "a", ()),
        Counts("a", "a", ((EVIL * 20, 1),)),
        SizeSpread("a", "a", "bytes", (("truth", (0, 1, 1 << 40)), ("prediction", ()))),
        SizeSpread("a", "a", "bytes", (("truth", ()), ("prediction", ()))),
        Rates("a", "a", ("wrong",), (("1", (Share(9, 9),)), ("2-3", (Share(0, 9),))), is_scale=True, top=0.02),
        Budgets("a", "a", "tokens", "steps", curve((i, i**4) for i in range(1, 40))),
        Budgets("a", "a", "tokens", "steps", curve([(1 << 30, 1 << 40)])),
        Budgets("a", "a", "tokens", "steps", ()),
        Flips("a", "a", (("x", 0, 0), ("y", 3, 90))),
        Flips("a", "a", ()),
    ],
)
def test_figures_are_drawn_inside_their_frame(chart: Chart) -> None:
    root = ElementTree.fromstring(svg(chart))
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    for element in root.iter():
        for name, most in (("x", width), ("x1", width), ("x2", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(element.attrib.get(name, 0)) <= most, element.attrib
        right = float(element.attrib.get("x", 0)) + float(element.attrib.get("width", 0))
        assert right <= width


def test_a_browser_shows_the_page_as_it_was_written(tmp_path: Path) -> None:
    evil = EVIL.encode()
    run(suite(evil=True), Changed((b"=10", b"='" + evil + b"'"), (b"!", evil), name=EVIL), out=tmp_path / "run")
    text, found = render(tmp_path / "run")
    (tmp_path / "page.html").write_text(text, "utf-8")
    shown = dump_dom(tmp_path / "page.html")
    tags = Counter(re.findall(r"<([a-z]+)[\s>]", shown))
    assert tags["script"] == tags["img"] == 0
    assert tags["svg"] == len(list(charts(found)))
    assert shown.count('<details class="failure"') == len(found.failed) == 4
