"""How the page looks, sounds and listens, in a real browser: keys, themes, a phone, a screen reader, hostile text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import NARROW, go, shows, tab, texts
from serving import Served
from staged import Staged

from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.ui.report import debug_page
from worldline.ui.report.page import render
from worldline.ui.session import look

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture(scope="module")
def tabs(chromium: Any, shown: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(shown.url)
    page.wait_for_selector("text=one")
    return page, complaints


def test_the_help_names_every_key(page: Any) -> None:
    go(page, row=3)
    page.keyboard.press("?")
    assert set(texts(page, "dialog kbd")) >= set("?t→←oOuUfdDgwWbxvelmr")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    shows(page, 3)
    page.click("[aria-label='Show the keys']")
    page.click("[aria-label='Close the help']")
    page.wait_for_selector("dialog", state="detached")


def test_typing_is_not_steering(page: Any) -> None:
    go(page, row=3)
    page.focus("#jump")
    page.keyboard.type("fodx?")
    assert page.locator("dialog").count() == 0
    page.keyboard.press("Escape")  # and now keys are keys again
    page.keyboard.press("ArrowRight")
    shows(page, 4)


def test_the_theme(page: Any) -> None:
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.click("[aria-label='Use the dark theme']")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    page.wait_for_selector("[aria-label='Use the light theme']")
    assert page.evaluate(ground) == dark
    page.keyboard.press("t")
    assert page.evaluate(ground) == light


CONTRAST = """() => {
  const probe = document.body.appendChild(document.createElement('p'));
  const rgb = name => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3).map(Number);
  };
  const linear = v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = name => rgb(name).reduce((sum, v, i) => sum + linear(v / 255) * [.2126, .7152, .0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const inks = ['ink', 'soft', 'accent', 'right', 'wrong', 'consequential'];
  const pairs = ['ground', 'panel', 'raised', 'accent-ground'].flatMap(ground => inks.map(ink => [ink, ground]));
  pairs.push(...inks.map(ink => [ink, 'wrong-ground']), ['on-accent', 'accent'], ['series', 'ground']);
  const tokens = ['token-keyword', 'token-string', 'token-number', 'token-directive'];
  const grounds = ['panel', 'raised', 'accent-ground', 'wrong-ground'];
  pairs.push(...grounds.flatMap(ground => tokens.map(ink => [ink, ground])));
  pairs.push(...['ink', 'soft', 'accent'].map(ink => [ink, 'changed-ground']));
  const found = pairs.map(([a, b]) => [a, b, ratio(a, b)]);
  probe.remove();
  return found;
}"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_is_readable(chromium: Any, shown: Served, dark: bool) -> None:
    page, complaints = tab(chromium, dark=dark)
    page.goto(shown.url)
    page.wait_for_selector(".brand")
    assert [pair for pair in page.evaluate(CONTRAST) if pair[2] < 4.5] == []
    assert complaints.heard == []
    page.context.close()


@pytest.mark.long(reason="opens a report and a debugged run in both themes")
def test_one_product(chromium: Any, erring: tuple[Path, Path], tmp_path: Path) -> None:
    """A report and a debugged run have the page's colours, fonts and signs, in both themes."""
    program = Program(source="def f(n):\n    s = n + 1  # so\n    return s\n", call="f(1)")
    pages = {
        "report": render(erring[0])[0],
        "debug": debug_page.page(debug(program, Staged("one", {"f": ((b"s=2", b"s=3"),)}), interventions=False)),
    }
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text)
    for dark in (False, True):
        page, complaints = tab(chromium, dark=dark)
        for name in pages:
            page.goto((tmp_path / f"{name}.html").as_uri())
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            assert ground == ("rgb(20, 23, 27)" if dark else "rgb(247, 246, 243)")
            assert page.locator(".token-keyword").count()
            assert page.locator("tr.first .sign.wrong").first.inner_text() == look.SIGNS["wrong"]
            assert page.locator("tr.first mark").count()
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert complaints.heard == []
        page.context.close()


def test_signs_and_colours_have_one_owner(page: Any) -> None:
    assert page.evaluate("import('./now.js').then(({ SIGNS }) => SIGNS)") == look.SIGNS
    package = Path(look.__file__).parents[2]
    sheets = [*package.glob("web/static/*.css"), *package.glob("report/*.css")]
    own = {path.name: re.findall(r"#[0-9a-fA-F]{6}\b|\brgb\(", path.read_text("utf-8")) for path in sheets}
    assert {name: found for name, found in own.items() if found} == {}


def test_a_phone(chromium: Any, shown: Served) -> None:
    page, complaints = tab(chromium, size=NARROW)
    page.goto(shown.url)
    page.wait_for_selector("text=one")
    for sample in (0, 2):
        go(page, sample, row=2)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert page.is_visible("[data-move=forward]")
    assert complaints.heard == []
    page.context.close()


UNNAMED = """() => {
  const named = e => e.innerText?.trim() || e.ariaLabel || e.getAttribute('aria-labelledby') || e.labels?.length;
  const all = document.querySelectorAll('button, input, select, textarea, section, [role=grid], [role=listbox]');
  return [...all].filter(e => !named(e)).map(e => e.outerHTML);
}"""


def test_what_a_screen_reader_hears(page: Any) -> None:
    go(page, row=8)
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "() => document.getElementById('live').textContent === 'step 9: return, line 3; action right, state wrong'"
    )
    for selector in (
        "header",
        "main",
        "nav[aria-label]",
        "[role=status][aria-live=polite]",
        "[role=grid][aria-label]",
        "[role=tree]",
    ):
        assert page.locator(selector).count(), selector
    assert page.evaluate(UNNAMED) == []
    page.focus("[data-move=forward]")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_hostile_text_is_text(page: Any) -> None:
    go(page, 2, row=2)
    source = page.inner_text(".source")
    assert r"<img src=x onerror=alert(1)> \u202eevil\u202c \u200b\x0c" in source
    assert "…<1," in source  # the line of 3,000 characters is cut
    assert "<script>alert(1)</script>" in page.inner_text("tr[data-name=s]")
    assert page.locator("main img, main script, main b").count() == 0
    assert "\u202e" not in page.content()


# ---- the pure parts


SPELT = r"""async () => {
  const { difference } = await import('./difference.js');
  const words = ['', '[1, 2]', '[1, 2, 3]', "'hello'", "'hallo'", "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", '-12', '12',
    '\u{1f600}x', 'x'.repeat(5000)];
  const wrong = [];
  const marks = sides => sides.flat().filter(([, differs]) => differs).map(([text]) => text).join('|');
  for (const a of words) for (const b of words) {
    const [left, right] = difference(a, b);
    const spelt = pieces => pieces.map(([text]) => text).join('');
    const marked = [...left, ...right].some(([, differs]) => differs);
    if (spelt(left) !== a || spelt(right) !== b || marked !== (a !== b)) wrong.push([a, b]);
  }
  const whole = marks(difference('[False, 12]', '[True, 13]'));
  return whole === 'False|2|True|3' ? wrong : [whole];
}"""


def test_differences_spell_both_texts(page: Any) -> None:
    assert page.evaluate(SPELT) == []
