"""What people see of large values: the change that is shown is the change that happened, and it is short."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.core.spelling import quote
from worldline.core.texts.excerpts import GAP, MIN_CHARS, change_excerpt, excerpt, room_of_each

pytestmark = pytest.mark.unit
WIDTH = 40
SQUARES = [i * i for i in range(6_000)]
GRID = [[0] * 40 for _ in range(40)]
PEOPLE = [{"id": i, "name": f"n{i}", "tags": ["x", "y"]} for i in range(100)]
WORDS = [f"a, {i}" for i in range(300)]
TEXT = "ab,c [' " * 50


def spelled(value: Any) -> str:
    """The canonical text of a value of this file: only strings are spelled otherwise than `repr` does."""
    return quote(value) if isinstance(value, str) else repr(value)


def changed(value: Any, code: str) -> Any:
    """The value after a statement about `x`."""
    names = {"x": copy.deepcopy(value)}
    exec(code, names)
    return names["x"]


def shown(value: Any, code: str, width: int = WIDTH) -> str:
    return change_excerpt("x", spelled(value), spelled(changed(value, code)), width)


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (SQUARES, "x.append(7)", "x+=[7] (len 6,001)"),
        (SQUARES, "x[5000] = -1", "x[5000]=-1 (len 6,000)"),
        (SQUARES, "del x[3]", "del x[3] (len 5,999)"),
        (SQUARES, "x.pop()", "del x[5999] (len 5,999)"),
        (SQUARES, "del x[3:7]", "del x[3:7] (len 5,996)"),
        (SQUARES, "x.insert(3, 7)", "x[3:3]=[7] (len 6,001)"),
        (SQUARES, "x[3], x[900] = x[900], x[3]", "x[3]=810000, x[900]=9 (len 6,000)"),
        (SQUARES, "x[10:20] = x[10:20][::-1]", "x[10:20]=[361, 324, …, 144, 121, 100] (len 6,000)"),
        (SQUARES, "x.reverse()", "x=[35988001, …, 9, 4, 1, 0] (len 6,000)"),
        (GRID, "x[20][30] = 7", "x[20][30]=7 (len 40)"),
        (GRID, "x[20][39] = 7", "x[20][39]=7 (len 40)"),
        (GRID, "x.append([5, 6])", "x+=[[5, 6]] (len 41)"),
        ({i: i for i in range(300)}, "x[300] = 'y'", "x[300]='y' (len 301)"),
        ({i: i for i in range(300)}, "x[7] = 'y'", "x[7]='y' (len 300)"),
        ({i: i for i in range(300)}, "del x[7]", "del x[7] (len 299)"),
        ({i: i for i in range(300)}, "x.update(a=1, b=2)", "x+={'a': 1, 'b': 2} (len 302)"),
        ({i: [i] * 9 for i in range(300)}, "x[7][3] = 1", "x[7][3]=1 (len 300)"),
        (PEOPLE, "x[50]['tags'].append('z')", "x[50]['tags']+=['z'] (len 100)"),
        (PEOPLE, "x[50]['name'] = 'Ada'", "x[50]['name']='Ada' (len 100)"),
        (WORDS, "x[200] = ']['", "x[200]='][' (len 300)"),
        (WORDS, "x.append(', ')", "x+=[', '] (len 301)"),
        (TEXT, "x += 'é\\n'", 'x+="é\\n" (len 402)'),
        (TEXT, "x = x[:100] + 'x' + x[101:]", 'x[100]="x" (len 400)'),
        (TEXT + "0123" + TEXT, "x = x[:401] + x[403:]", "del x[401:403] (len 802)"),
        ("ab\n" * 50, "x = x[:99] + '\\t' + x[100:]", "x[99]='\\t' (len 150)"),
        (b"ab\x01" * 50, "x += b'\\x02'", "x+=b'\\x02' (len 151)"),
        (set(range(300)), "x.add(1000)", "x+={1000} (len 301)"),
        (set(range(300)), "x.remove(7)", "x-={7} (len 299)"),
    ],
)
def test_a_change_of_a_long_value_is_shown_by_position(value: Any, code: str, text: str) -> None:
    assert shown(value, code) == text
    assert len(text) < WIDTH + 20


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("Point#2(x=1, items=[{}])", "Point#2(x=1, items=[{}, 7])", "x.items+=[7]"),
        ("Point#2(items=[{}], x=1)", "Point#2(items=[{}], x=2)", "x.x=2"),
        ("Counter#1({{'k': [{}]}})", "Counter#1({{'k': [{}, 7]}})", "x['k']+=[7]"),
        ("deque([{}], maxlen=200)", "deque([{}, 7], maxlen=200)", "x+=[7] (len 101)"),
        ("#1[[{}], #1]", "#1[[{}, 7], #1]", "x[0]+=[7] (len 2)"),
        ("(1, [{}])", "(1, [{}, 7])", "x[1]+=[7] (len 2)"),
    ],
)
def test_paths_of_other_values(before: str, after: str, text: str) -> None:
    numbers = ", ".join(map(str, range(100)))
    assert change_excerpt("x", before.format(numbers), after.format(numbers), WIDTH) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (SQUARES, "[0, 1, 4, 9, …, 35988001] (len 6,000)"),
        (GRID, "[[0, 0, 0, …, 0, 0, 0, 0], …] (len 40)"),
        ({i: i for i in range(300)}, "{0: 0, 1: 1, …, 299: 299} (len 300)"),
        (WORDS, "['a, 0', …, 'a, 299'] (len 300)"),
        ("x" * 99, "'xxxxxxxxxxxxxx…xxxxxxxxxxxxxx' (len 99)"),
        ((1,) * 100, "(1, 1, 1, 1, …, 1, 1, 1, 1, 1) (len 100)"),
        ([1, 2, 3], "[1, 2, 3]"),
    ],
)
def test_a_long_value_is_cut_in_the_middle(value: Any, text: str) -> None:
    assert excerpt(spelled(value), WIDTH) == text


def test_what_the_recorder_cut_and_what_is_new_stay() -> None:
    assert excerpt("...<list 200>", WIDTH) == "...<list 200>"
    whole = repr(SQUARES)
    assert change_excerpt("x", None, whole, WIDTH) == change_excerpt("x", repr({1: 2}), whole, WIDTH)
    assert change_excerpt("x", None, whole, WIDTH).startswith("x=[0, 1, ")
    assert change_excerpt("x", whole, whole + "1", len(whole) + 9) == f"x={whole}1"


_LEAVES = st.one_of(
    st.integers(-999, 999), st.text("ab,'\"[]{}: \\\n\x01é", max_size=6), st.booleans(), st.none(), st.floats(0, 1)
)
_KEYS = st.one_of(st.integers(0, 99), st.text("ab,': =", max_size=3))
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=8,
)
_LONG = st.one_of(
    st.lists(_VALUES, min_size=30, max_size=60), st.dictionaries(_KEYS, _VALUES, min_size=20, max_size=40)
)


def canonical(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(canonical, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{canonical(key)}: {canonical(item)}' for key, item in value.items())}}}"
    return spelled(value)


def containers(value: Any) -> list[Any]:
    """The lists and dicts of a value, itself first."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    inner = [container for part in parts for container in containers(part)]
    return [value, *inner] if isinstance(value, list | dict) else inner


def change_one(data: st.DataObject, value: Any) -> None:
    """Change one container in one place."""
    target, new = data.draw(st.sampled_from(containers(value))), data.draw(_VALUES)
    at = data.draw(st.integers(0, max(len(target) - 1, 0)))
    act = data.draw(st.sampled_from(["set", "add", "delete", "insert"]))
    if isinstance(target, dict):
        keys = list(target)
        if act == "delete" and keys:
            del target[keys[at]]
        else:
            target[keys[at] if act == "set" and keys else data.draw(_KEYS)] = new
    elif act == "set" and target:
        target[at] = new
    elif act == "delete" and target:
        del target[at]
    else:
        target.insert(len(target) if act == "add" else at, new)


def statements(text: str) -> str:
    """A shown change as Python: what is added to a dict is merged."""
    return re.sub(r"(\S*?)\+=\{", r"\1|={", text, count=1) if re.match(r"\S*\+=\{", text) else text


@given(_LONG, st.data())
@settings(deadline=None)
def test_the_change_that_is_shown_is_the_one_that_happened(value: Any, data: st.DataObject) -> None:
    """Executed as Python, it turns the value before into the value now, twice in a row."""
    for _ in range(2):
        before = copy.deepcopy(value)
        change_one(data, value)
        text = change_excerpt("x", canonical(before), canonical(value), 150)
        text = re.sub(r" \(len ([\d,]+)\)$", "", text)
        # Fallbacks, and lists of edits, which are no statement.
        if text.startswith("x=") or GAP in text or (", x[" in text or ", del" in text):
            continue
        names = {"x": before}
        exec(statements(text), names)
        assert canonical(names["x"]) == canonical(value), text


@given(_LONG, st.integers(MIN_CHARS, 120))
@settings(deadline=None)
def test_an_excerpt_has_the_length_and_both_ends(value: Any, width: int) -> None:
    text = canonical(value)
    cut = excerpt(text, width)
    if len(text) <= width:
        assert cut == text
        return
    assert cut.endswith(f" (len {len(value):,})")
    assert cut[0] == text[0]
    assert cut[: cut.rindex(" (")][-1] == text[-1]
    assert GAP in cut
    if width >= 60:
        assert len(cut) <= width + MIN_CHARS


@given(st.text("[](){}'\", :=#ab1\\xé\n", max_size=200), st.text("[](){}'\", :=#ab1\\x", max_size=200))
@settings(deadline=None)
def test_any_text_can_be_shown(before: str, text: str) -> None:
    """A model may have written anything."""
    common = "[1, 'a, " * 9
    for left, right in ((before, text), (common + before, common + text)):
        assert change_excerpt("x", left, right, 20)
        assert isinstance(excerpt(right, 20), str)


def test_short_texts_leave_their_room_to_long_ones() -> None:
    assert room_of_each([3, 100], 60) == 57
    assert room_of_each([100, 100], 60) == 30
    assert room_of_each([10, 20, 30], 60) == 60
    assert room_of_each([], 60) == 60
