"""Large values of other languages are recorded as changes: whole when read, and as large as what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.texts.spliced import SPLICE_COST, SplicedTexts, common_ends
from worldline.core.trace import Trace
from worldline.data import shards
from worldline.recording.languages import toolchain
from worldline.recording.recorder import record
from worldline.recording.wire import LARGE

pytestmark = pytest.mark.usefixtures("sandbox")
HERE = Path(__file__).with_name("large")
NAMES = {"c": "values.c", "cpp": "values.cpp", "rust": "values.rs", "js": "values.js", "ts": "values.ts"} | {
    "java": "Main.java"
}
LIMITS = Limits(wall=120)
ROUNDS = 300


def recorded(language: str, rounds: int = ROUNDS, source: str = "values", limits: Limits = LIMITS) -> Trace:
    if isinstance(missing := toolchain.find(language), str):
        pytest.skip(missing)
    name = NAMES[language]
    suffix = {".ts": ".js"}.get(Path(name).suffix, Path(name).suffix)
    text = (HERE / f"{source}{suffix}").read_text()
    trace = record(Program(source=text, name=name, argv=(str(rounds),)), limits=limits)
    assert trace.outcome.kind in ("returned", "exited"), (trace.outcome, trace.stderr)
    return trace


def texts_of(trace: Trace, function: str, name: str) -> list[str]:
    """The values written for a name in all frames of a function; of equal ones in a row only the first."""
    frames = {frame.serial for frame in trace.frames if frame.name.split("(")[0].split("::")[-1].endswith(function)}
    deltas = (step.delta[name] for step in trace.steps if step.frame in frames and name in step.delta)
    return [text for text, _ in groupby(text for text in deltas if text is not None and "<uninit>" not in text)]


def array_states() -> Iterator[tuple[str, str]]:
    """What values.c does: the names that change, and their new texts."""
    xs, s = [0] * 100, ""
    for i in range(ROUNDS):
        if i % 3 == 0:
            xs[i * 37 % 100] = -i
        s += ("", "é", "xyz")[i % 3]
        yield "xs", str(xs)
        yield "s", repr(s)
        if i % 50 == 49:
            xs.insert(1, xs[0])
            xs.pop()
            yield "xs", str(xs)


def container_states(language: str) -> Iterator[tuple[str, str]]:
    """What the other programs do."""
    xs, m, s = [0] * 100, {}, ""
    for i in range(ROUNDS):
        match i % 6:
            case 0:
                xs.append(i)
            case 1:
                xs.insert(0, i)
            case 2:
                xs[i * 37 % len(xs)] = -i
            case 3:
                del xs[len(xs) // 2]
            case 4:
                s += "xyz" if i % 4 else "é"
            case 5:
                m[i * 31 % 97] = f"é{i}"
        keys = m if language in ("js", "ts") else sorted(m)
        yield "xs", f"ArrayList#1({xs})" if language == "java" else str(xs)
        text = "{" + ", ".join(f"{key}: {m[key]!r}" for key in keys) + "}"
        yield "m", {"js": f"Map#1({text})", "ts": f"Map#1({text})", "java": f"TreeMap#2({text})"}.get(language, text)
        yield "s", repr(s)


def expected(language: str, name: str) -> list[str]:
    states = array_states() if language == "c" else container_states(language)
    texts = [{"xs": str([0] * 100), "s": "''", "m": "{}"}[name], *(text for key, text in states if key == name)]
    if language != "c" and name != "s":  # with the name of its class
        del texts[0]
        whole = {"java": ("ArrayList#1({})", "TreeMap#2({})"), "js": ("{}", "Map#1({})"), "ts": ("{}", "Map#1({})")}
        first = [0] * 100 if name == "xs" else "{}"
        texts.insert(0, whole.get(language, ("{}", "{}"))[name == "m"].format(first))
    return [text for text, _ in groupby(texts)]


@pytest.mark.parametrize("language", NAMES)
def test_values_are_whole_when_read(language: str) -> None:
    trace = recorded(language)
    for name in ("xs", "s") if language == "c" else ("xs", "s", "m"):
        assert texts_of(trace, "work", name) == expected(language, name), name


@pytest.mark.parametrize("language", NAMES)
def test_a_value_is_a_splice_wherever_its_chain_allows_it(language: str) -> None:
    """As the recorder of Python writes them: the longest beginning, then the longest end."""
    columns = (trace := recorded(language)).columns
    texts, counts = columns.texts, Counter[bool]()
    assert isinstance(texts, SplicedTexts)
    before: dict[
        tuple[int, str], tuple[int, int]
    ] = {}  # by frame and name: the large value told last, the cost of its chain
    for step in range(len(trace)):
        for at in range(columns.change_at[step], columns.change_at[step + 1]):
            key, number = (columns.frame[step], texts[columns.change_name[at]]), columns.change_value[at]
            base, cost = before.pop(key, (None, 0))
            if key[1] not in ("xs", "m", "s") or len((text := texts[number]).encode()) < LARGE:
                continue
            place = texts.splice_of(number)
            if base is not None:
                prefix, suffix = common_ends(texts[base], text)
                cost += len(text) - prefix - suffix + SPLICE_COST
                assert (place >= 0) == (cost <= len(text))
            if place >= 0:
                assert (texts.base[place], texts.prefix[place], texts.suffix[place]) == (base, prefix, suffix)
            before[key] = number, cost if place >= 0 else 0
            counts[place >= 0] += 1
    assert counts[True] > 4 * counts[False] > 40


@pytest.mark.parametrize("language", [name for name in NAMES if name != "rust"])
def test_a_global_is_a_change_of_what_another_frame_was_told(language: str) -> None:
    table, states = [0] * 100, []
    for i in range(ROUNDS):
        table[i * 37 % 100] = i
        states.append(str(table))
        table[0] = -i
        states.append(str(table))
    trace = recorded(language)
    assert texts_of(trace, "store", "table") == [text for text, _ in groupby([str([0] * 100), *states])][1:]


@pytest.mark.parametrize("language", NAMES)
def test_appends_cost_what_was_appended(language: str) -> None:
    """Written whole, the values of 2,000 appends are 9 MB and more."""
    trace = recorded(language, 2000, "appends", Limits(wall=120, trace_bytes=1 << 20))
    assert len(trace) > 4000
    assert texts_of(trace, "work", "xs")[-1].endswith(
        str(list(range(2000))) + {"c": ", at=0)", "java": ")"}.get(language, "")
    )


@pytest.mark.parametrize("language", NAMES)
def test_large_values_are_cut_as_before(language: str) -> None:
    """A value that is cut is small: the next one that is not is written whole."""
    texts = texts_of(recorded(language, 120, "appends", Limits(wall=120, value_bytes=400)), "work", "xs")
    assert str(list(range(80))) in texts[80]
    assert texts[-1].startswith("...<")
    assert texts[-1].endswith("120>" if language != "c" else "0>")


def crossing_states() -> Iterator[tuple[list[int], dict[int, str]]]:
    """What the programs do whose values grow beyond a limit and shrink again: after each change."""
    xs: list[int] = []
    m: dict[int, str] = {}
    for i in range(ROUNDS):
        size, up = len(xs), i // 70 % 2 == 0
        if up:
            xs.append(size * 1000)
            yield xs, m
            m[size * 7 % 101] = str(i)
            yield xs, m
        elif size:
            xs.pop()
            yield xs, m
            m.pop(size * 7 % 101, None)
            yield xs, m
        if i % 7 == 3 and xs:
            xs[0] += 1
            yield xs, m
        if i % 50 == 49:
            xs.insert(0, 5)
            yield xs, m
        if i % 90 == 89:
            xs.clear()
            yield xs, m
        if i % 100 == 99:
            m.clear()
            yield xs, m


FORMS = {"js": ("{}", "Map#1({})", "list", "Map"), "java": ("ArrayList#1({})", "TreeMap#2({})", "ArrayList", "TreeMap")}


@pytest.mark.parametrize("most", [65_536, 400])
@pytest.mark.parametrize("language", [name for name in NAMES if name != "c"])
def test_values_that_grow_and_shrink_are_whole_or_cut(language: str, most: int) -> None:
    list_form, dict_form, list_name, dict_name = FORMS.get(language.replace("ts", "js"), ("{}", "{}", "list", "dict"))
    lists, dicts = [list_form.format("[]")], [dict_form.format("{}")]
    for xs, m in crossing_states():
        keys = list(m) if language in ("js", "ts") else sorted(m)
        whole = dict_form.format("{" + ", ".join(f"{key}: {m[key]!r}" for key in keys) + "}")
        dicts.append(whole if len(whole) <= most else f"...<{dict_name} {len(m)}>")
        whole = list_form.format(xs)
        lists.append(whole if len(whole) <= most else f"...<{list_name} {len(xs)}>")
    trace = recorded(language, ROUNDS, "crossing", Limits(wall=120, value_bytes=most))
    assert texts_of(trace, "work", "xs") == [text for text, _ in groupby(lists)]
    assert texts_of(trace, "work", "m") == [text for text, _ in groupby(dicts)]
    for texts in (lists, dicts):
        cut = {text for text in texts if text.startswith("...<")}
        assert len(cut) == 0 if most > LARGE * 2 else len(cut) > 10


@pytest.mark.parametrize("language", ["js", "ts", "java"])
def test_a_name_that_goes_from_one_container_to_another_and_back_has_the_right_values(language: str) -> None:
    is_java = language == "java"
    a, b = [str(0)] * 100, [str(1)] * 100
    forms = {"a": "ArrayList#1([{}])" if is_java else "[{}]", "b": "ArrayList#2([{}])" if is_java else "[{}]"}
    texts: dict[str, list[str]] = {"a": [], "b": [], "x": []}

    def look(x: str) -> None:
        shown = {"a": forms["a"].format(", ".join(a)), "b": forms["b"].format(", ".join(b))}
        for name, text in (shown | {"x": shown.get(x, repr(x))}).items():
            texts[name].append(text)

    x = "a"
    look(x)
    for i in range(ROUNDS):
        x = {0: "b", 2: "a"}.get(i % 4, x)
        look(x)
        (a if x == "a" else b)[i * 37 % 100] = str(i)
        look(x)
        b[i * 7 % 100] = str(-1 - i)
        look(x)
        if i % 20 == 19:
            look("x" * (300 + i))
            x = "a"
            look(x)
        if i % 30 == 29:
            b.append(("None" if is_java else "<undefined>") if i % 60 == 29 else "'é'")
            look(x)
        if i == 49:
            a.append("[1]" if is_java else "<hole>")
            look(x)
    trace = recorded(language, ROUNDS, "swaps")
    for name, expected_texts in texts.items():
        assert texts_of(trace, "work", name) == [text for text, _ in groupby(expected_texts)], name


@pytest.mark.parametrize("language", ["cpp", "js", "java"])
def test_stored_traces_keep_their_splices(language: str, tmp_path: Path) -> None:
    before = recorded(language)
    with shards.ShardWriter(str(tmp_path), fingerprint={}) as writer:
        writer.add(before)
    assert shards.verify(str(tmp_path)) == []
    [after] = shards.read(str(tmp_path))
    assert list(after.steps) == list(before.steps)
    assert isinstance(before.columns.texts, SplicedTexts)
    assert isinstance(after.columns.texts, SplicedTexts)
    assert len(after.columns.texts.spliced) == len(before.columns.texts.spliced)
