"""Programs that are not Python, in a real browser: colours, names of values, objects by click and key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import go, shows, tab, texts
from language_sessions import stage
from serving import Served, serving

import worldline.ui.web
from worldline.core.language import LANGUAGES, source_lines
from worldline.ui.session.marks.natives import as_json, legend, notes

pytestmark = pytest.mark.long(reason="a browser and a server of its own for the colours of six languages")
LIST, MIXED = 0, 1


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = stage(tmp_path_factory.mktemp("runs") / "foreign")
    with serving(folder) as server:
        yield server


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector("text=foreign")
    return page, complaints


def cell(name: str, side: str = "left") -> str:
    """Where a name's value stands."""
    return f"tr[data-name={name}] td:nth-child({2 if side == 'left' else 3})"


def focused(page: Any) -> tuple[str, str | None]:
    """The text of what has the focus, and the name in whose row it stands."""
    found = page.evaluate(
        "() => [document.activeElement.textContent, document.activeElement.closest('tr')?.dataset.name ?? null]"
    )
    return found[0], found[1]


def test_c_is_coloured(page: Any) -> None:
    go(page, LIST, row=5)
    assert texts(page, ".source .token-directive") == ["#include"]
    assert texts(page, ".source .token-comment") == ["/* one link", "of a list */", "// the second"]
    assert {"struct", "while", "return"} <= set(texts(page, ".source .token-keyword"))
    assert "total" in texts(page, ".source .token-defined")


def test_the_line_stays_in_sight_when_what_is_printed_takes_room(page: Any) -> None:
    wide = page.viewport_size
    page.set_viewport_size({"width": 1300, "height": 600})
    try:
        go(page, LIST, row=0)
        page.keyboard.press("End")
        page.wait_for_selector(".source .here >> text=return 0;")
        line, room = (page.locator(one).bounding_box() for one in (".source .here", ".source"))
        assert room["y"] <= line["y"]
        assert line["y"] + line["height"] <= room["y"] + room["height"] + 1
    finally:
        page.set_viewport_size(wide)


def test_javascript_is_coloured_over_lines(page: Any) -> None:
    go(page, MIXED, row=1)
    strings = texts(page, ".source .token-string")
    assert strings[:2] == ["`n is", "${"]
    assert {"class", "constructor", "const", "null"} - {"constructor"} <= set(texts(page, ".source .token-keyword"))
    assert texts(page, ".source .token-comment") == ["// What a page must name."]


def test_words_have_the_name_of_the_language_on_hover_and_focus(page: Any) -> None:
    go(page, MIXED, row=3)
    words = page.locator(f"{cell('gaps')} .native")
    assert [words.nth(at).get_attribute("title") for at in range(3)] == ["null", "a hole of the array", "undefined"]
    assert page.get_attribute(f"{cell('big')} .native", "aria-label") == "BigInt: 5n"
    words.nth(0).focus()
    page.keyboard.press("Tab")  # the keyboard has come: the name stands beside the word
    assert focused(page)[0] == "<hole>"
    shown = page.evaluate("() => getComputedStyle(document.activeElement, '::after').content")
    assert shown == '" = " "a hole of the array"' or "a hole of the array" in shown
    assert texts(page, ".natives") == [
        "None is null · <undefined> is undefined · <hole> is a hole of the array · BigInt(5) is 5n"
    ]


def test_the_legend_is_of_the_frames_that_are_open(page: Any) -> None:
    go(page, LIST, row=5)
    assert texts(page, ".natives") == [
        "None is NULL · Ptr is a pointer into a block of memory; `at` is how far into it"
    ]
    page.click(".frame-head >> nth=1")
    assert "<uninit> is memory that was never written" in texts(page, ".natives")[0]
    page.click(".frame-head >> nth=1")


def test_a_pointer_leads_to_the_other_names_of_its_memory(page: Any) -> None:
    go(page, LIST, row=5)
    page.click(f"{cell('p')} .object")
    assert focused(page) == ("Ptr#3", "xs")
    assert page.locator(".object.found").count() == 1
    page.keyboard.press("Enter")
    assert focused(page) == ("Ptr#3", "p")


def test_an_object_of_a_waiting_frame_opens_it(page: Any) -> None:
    go(page, LIST, row=8)  # list is the second link now, which main calls b, and a holds
    page.click(f"{cell('list', 'right')} .object")
    assert focused(page)[0] == "Node#1"
    assert focused(page)[1] in ("a", "b")
    place = page.evaluate("() => document.activeElement.closest('td').cellIndex")
    assert place == 2  # the same side
    page.click(".frame-head >> nth=1")


def test_a_reference_leads_to_where_its_value_writes_it_out(page: Any) -> None:
    go(page, MIXED, row=8)
    page.focus(f"{cell('box')} .object >> nth=1")
    page.keyboard.press("a")
    assert focused(page) == ("Box#1", "box")
    assert page.evaluate("() => document.activeElement.classList.contains('written')")
    assert page.evaluate("() => document.activeElement === document.querySelector('.object.found')")


def test_an_object_that_stands_nowhere_else_leads_to_the_step_that_wrote_it(page: Any) -> None:
    go(page, MIXED, row=9)
    page.click(f"{cell('box')} .object >> nth=0")
    shows(page, 8)
    assert focused(page) == ("Box#1", "box")
    page.keyboard.press("b")
    shows(page, 9)


def test_a_pointer_leads_to_the_array_that_it_points_into(page: Any) -> None:
    go(page, LIST, row=4)
    page.focus(f"{cell('xs')} .object")
    page.keyboard.press("a")
    page.wait_for_selector(".text.found")
    assert focused(page) == ("[3, 1, 2]", "xs")
    page.click(".frame-head >> nth=1")


def test_an_object_that_nobody_wrote_before_says_so(page: Any) -> None:
    go(page, MIXED, row=7)
    page.click(f"{cell('box')} .object >> nth=0")
    page.wait_for_selector(".said:text('object 1 is not written out anywhere else')")
    shows(page, 7)


def test_a_change_that_is_told_late_is_compared_with_its_own(page: Any) -> None:
    go(page, MIXED, row=8)
    assert page.locator(".steps .active mark").count() == 0


TEXTS = (
    "None", "[None, True, 'None', \"it's None\", b'x']", "{'a': <undefined>, 'b': BigInt(-5)}", "(inf, -inf, nan)",
    "NoneLike#1(None=1)", "Ptr#3([1, <uninit>], at=1)", "Color.None", "[#1[1, #1], Node#12(next=Node#12)]",
    "...<list 3>", "'a\\'b' None", "[]", "b'x'",
)  # fmt: skip


@pytest.mark.parametrize("language", ["js", "java", "c", "cpp", "rust", "go", "python"])
def test_the_page_reads_the_table_as_everybody_else(page: Any, language: str) -> None:
    go(page, LIST, row=5)
    script = """async ([texts, names]) => {
        const { marksOf, legendOf } = await import("./natives.js");
        const words = texts.map((text) => marksOf(text, names).filter((one) => one.name).map(
            ({ start, end, name, word }) => [start, word ? end : text.indexOf("#", start), name]));
        return [words, legendOf(texts, names)];
    }"""
    words, told = page.evaluate(script, [list(TEXTS), as_json(language)])
    assert words == [[[one.start, one.end, one.name] for one in notes(text, language)] for text in TEXTS]
    assert told == legend(TEXTS, language)
    for text in TEXTS[-2:]:
        assert page.evaluate(script, [[text], as_json(language)])[1] == legend([text], language)


def test_the_form_has_every_language(page: Any) -> None:
    text = (Path(worldline.ui.web.__file__).parent / "static/program.js").read_text("utf-8")
    found = re.search(r"const LANGUAGES = (\{[^}]*\})", text)
    assert found is not None
    assert json.loads(re.sub(r"(\w+):", r'"\1":', found[1])) == {
        name: language.title for name, language in LANGUAGES.items()
    }


@pytest.mark.parametrize("language", ["js", "c", "java", "python"])
def test_lines_end_where_the_language_ends_them(page: Any, language: str) -> None:
    source = "a\u2028b\rc\r\nd\n"
    script = "async (program) => (await import('./source.js')).linesOf(program).map(({ line }) => line)"
    shown = page.evaluate(script, {"source": source, "language": language})
    assert shown == source_lines(source, language)
