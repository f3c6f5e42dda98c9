"""The traces of two versions of a program: the first difference in behaviour is found where it was planted."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import worldline
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.core.repository.source_change import ChangedFile, LinePairs, SourceChange
from worldline.core.trace import Outcome, Trace
from worldline.diagnose.revisions.affected import affected_tests, digest_test
from worldline.diagnose.revisions.alike import alike
from worldline.diagnose.revisions.compare import compare_traces, noise_of
from worldline.diagnose.revisions.difference import RevisionDiff
from worldline.diagnose.revisions.source_map import SourceMap

pytestmark = pytest.mark.usefixtures("sandbox")

SHOP = """\
class Basket:
    def __init__(self, limit=3):
        self.items = []
        self.limit = limit

    def add(self, name, price):
        if len(self.items) >= self.limit:
            raise ValueError(name)
        self.items.append((name, price))
        return len(self.items)

    def total(self):
        total = 0
        for _, price in self.items:
            total += price
        return total


def prices(start, step):
    while start < 20:
        yield start
        start += step


def discount(total, percent=10):
    if total > 20:
        return total - total * percent // 100
    return total


def test():
    basket = Basket()
    for name, price in zip("abc", prices(4, 7)):
        basket.add(name, price)
    full = False
    try:
        basket.add("d", 1)
    except ValueError:
        full = True
    print("total", basket.total())
    return discount(basket.total()), full, [p * 2 for p in prices(1, 6)]
"""


def traced(source: str) -> Trace:
    return worldline.record(worldline.Program(source=source, name="shop.py", call="test()"))


@pytest.fixture(scope="module")
def shop() -> Trace:
    return traced(SHOP)


def change_of(before: str, after: str) -> SourceChange:
    return SourceChange(
        since="0" * 40, files=(ChangedFile(path="shop.py", old_path="shop.py", before=before, after=after),)
    )


def compared(before: Trace, source: str) -> RevisionDiff:
    return compare_traces(before, traced(source), SourceMap.of(change_of(before.program.source, source)))


def edited(*edits: tuple[str, str], source: str = SHOP) -> str:
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


def line_of(text: str, source: str) -> int:
    return next(n for n, line in enumerate(source.splitlines(), 1) if text in line)


def test_a_trace_does_not_diverge_from_itself(shop: Trace) -> None:
    assert shop.outcome == Outcome("returned", "(30, True, [2, 14, 26, 38])")
    diff = compare_traces(shop, shop)
    assert diff.first is None
    assert (diff.count, diff.calls, diff.differing) == (0, (), frozenset())
    assert diff.rows() == [(i, i) for i in range(len(shop))]


MUTATIONS = [
    (match.start(), match[0], {"+=": "-=", ">=": ">", ">": ">=", "<": "<="}.get(match[0]) or str(int(match[0]) + 1))
    for match in re.finditer(r"(?<![\w\[(])(\d+)|\+=|>=|[<>]", SHOP)
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("at", "old", "new"), MUTATIONS)
def test_a_planted_bug_is_found_at_its_line(shop: Trace, at: int, old: str, new: str) -> None:
    source = SHOP[:at] + new + SHOP[at + len(old) :]
    line = SHOP[:at].count("\n") + 1
    diff = compared(shop, source)
    after = traced(source)
    if after.outcome == shop.outcome and len(after) == len(shop):
        assert diff.count == 0 or diff.first is not None
        return
    assert diff.first is not None
    assert diff.first.is_in_changed_lines
    places = {
        diff.first.place.line,
        *(int(n) for n in re.findall(r"^line (\d+)$", f"{diff.first.was}\n{diff.first.now}", re.M)),
    }
    is_default = diff.first.kind == "argument" and "def " in SHOP.splitlines()[line - 1]
    assert line in places or is_default
    assert diff.reached[1] is not None
    assert diff.reached[1].line == line
    assert diff.steps_after_change is not None


def test_the_result_of_a_changed_return_is_the_divergence(shop: Trace) -> None:
    diff = compared(shop, edited(("percent // 100", "percent // 50")))
    assert diff.first is not None
    assert (diff.first.kind, diff.first.was, diff.first.now) == ("result", "30", "27")
    assert [call.call for call in diff.calls] == ["discount(total=33, percent=10)", "test()"]
    assert diff.calls[0].was == ("return", "30")


def test_a_value_is_named_on_both_sides(shop: Trace) -> None:
    source = edited(("        total = 0", "        total = 5"))
    diff = compared(shop, source)
    assert diff.first is not None
    assert diff.first.kind == "value"
    assert [(name.name, name.before, name.after) for name in diff.first.names] == [("total", "0", "5")]
    assert diff.first.place.function == "Basket.total"


def test_another_argument_belongs_to_the_line_that_calls(shop: Trace) -> None:
    source = edited(("basket.add(name, price)", "basket.add(name, price + 1)"))
    diff = compared(shop, source)
    assert diff.first is not None
    assert (diff.first.kind, diff.first.callee) == ("argument", "shop.py:Basket.add")
    assert diff.first.place.line == line_of("price + 1", source)
    assert [(name.name, name.before, name.after) for name in diff.first.names] == [("price", "4", "5")]


def test_an_added_check_is_reported_as_the_line_it_takes(shop: Trace) -> None:
    source = edited(("    if total > 20:", "    if total == 33:\n        return -1\n    if total > 20:"))
    diff = compared(shop, source)
    assert diff.first is not None
    assert diff.first.kind == "line"
    assert diff.first.after is not None
    assert diff.first.after.line == line_of("total == 33", source)
    assert diff.first.now == f"line {line_of('return -1', source)}"
    assert diff.first.was == f"line {line_of('if total > 20', SHOP)}"


def test_a_missing_exception_is_an_exception(shop: Trace) -> None:
    source = edited(("        if len(self.items) >= self.limit:\n            raise ValueError(name)\n", ""))
    diff = compared(shop, source)
    assert diff.first is not None
    assert diff.first.is_in_changed_lines
    assert any(call.was[0] == "raise" and call.now == ("return", "4") for call in diff.calls)


# ---- what is no difference in behaviour


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param([("    full = False\n", "    count = 0\n    full = False\n")], id="added statement"),
        pytest.param([("        total = 0\n", "        total = 1 - 1\n")], id="rewritten statement"),
        pytest.param([("def prices", "def unused():\n    return 1\n\n\ndef prices")], id="added function"),
        pytest.param([("self.items = []\n", "self.items = []\n        self.log = None\n")], id="new field"),
        pytest.param([("def add(self, name, price):", "def add(self, name, price, note=None):")], id="new parameter"),
        pytest.param(
            [("    print(", "    if full:\n        print("), (", basket.total())\n", ", basket.total())\n")],
            id="wrapped block",
        ),
        pytest.param([("total - total * percent // 100", "reduced(total, percent)"), (
            "def discount", "def reduced(total, percent):\n    return total - total * percent // 100\n\n\ndef discount"
        )], id="extracted function"),
    ],
)  # fmt: skip
def test_a_refactoring_does_not_diverge(shop: Trace, edits: list[tuple[str, str]]) -> None:
    diff = compared(shop, edited(*edits))
    assert diff.first is None, diff.first
    assert diff.calls == ()


def test_a_renamed_variable_does_not_diverge(shop: Trace) -> None:
    source = SHOP.replace("full", "is_full").replace("start", "first")
    assert compared(shop, source).first is None


def test_a_moved_function_does_not_diverge(shop: Trace) -> None:
    start, end = SHOP.index("def discount"), SHOP.index("def test")
    source = SHOP[start:end] + SHOP[:start] + SHOP[end:]
    diff = compared(shop, source)
    assert diff.first is None
    assert diff.reached == (None, None)


def test_a_function_moved_to_another_file_is_still_the_same() -> None:
    helper = SHOP[SHOP.index("def discount") : SHOP.index("def test")]
    rest = SHOP.replace(helper, "")
    before = SourceChange(
        since="0",
        files=(
            ChangedFile(path="shop.py", old_path="shop.py", before=SHOP, after="from rates import discount\n" + rest),
            ChangedFile(path="rates.py", old_path="", before="", after=helper),
        ),
    )
    sources = SourceMap.of(before)
    line = line_of("def discount", SHOP)
    assert sources.key("shop.py", "discount", is_before=True) == ("rates.py", "discount")
    assert sources.after("shop.py", line) == ("rates.py", 1)
    assert not sources.is_touched(("rates.py", "discount"))


def test_a_recording_that_was_cut_is_no_divergence(shop: Trace) -> None:
    program = worldline.Program(source=SHOP, name="shop.py", call="test()")
    cut = worldline.record(program, limits=worldline.Limits(steps=40))
    assert cut.outcome.kind == "limit"
    for pair in ((cut, shop), (shop, cut)):
        diff = compare_traces(*pair)
        assert (diff.first, diff.is_cut) == (None, True)


def test_what_differs_in_any_two_executions_is_noise() -> None:
    source = """\
def now(value):
    return value


def test():
    at = now({})
    return at
"""
    first, second, later = (traced(source.format(n)) for n in (1, 2, 3))
    assert compare_traces(first, later).first is not None
    noise = noise_of(first, second)
    assert ("shop.py", "now", "value") in noise
    assert compare_traces(first, later, noise=noise).first is None


# ---- values


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Point#1(x=1)", "Point#7(x=1)", True),
        ("Point#1(x=1)", "Point#1(x=2)", False),
        ("Point#1(x=1)", "Point#1(x=1, y=2)", True),
        ("Point#1(x=1)", "Line#1(x=1)", False),
        ("[Point#1(), Point#1]", "[Point#3(), Point#3]", True),
        ("'<Point object at 0x7f1234567890>'", "'<Point object at 0x7fabcdef0123>'", True),
        ("'/tmp/pytest-of-a/pytest-1/x'", "'/tmp/pytest-of-a/pytest-2/x'", True),
        ("'0x12'", "'0x13'", False),
        ("<function f>", "<function g>", True),
        ("<class A>", "<class B>", False),
        ("{1: 2, 3: 4}", "{3: 4, 1: 2}", True),
        ("{1: 2}", "{1: 3}", False),
        ("{A#1(), A#2()}", "{A#5(), A#3()}", True),
        ("...<list 500>", "...<list 501>", False),
        ("...<Point 3>", "...<Point 4>", True),
        ("1", "True", False),
        ("1", "1.0", False),
    ],
)  # fmt: skip
def test_values_that_mean_the_same(first: str, second: str, same: bool) -> None:
    assert alike(first, second) is same
    assert alike(second, first) is same


LINES = st.lists(st.sampled_from(["a", "b", "    a", "", "c"]), max_size=12).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(LINES, LINES)
def test_paired_lines_have_the_same_text(before: str, after: str) -> None:
    pairs = LinePairs.of(before, after)
    left, right = before.splitlines(), after.splitlines()
    assert sorted(pairs.forward) == [*dict.fromkeys(sorted(pairs.forward))]
    assert list(pairs.forward.values()) == sorted(set(pairs.forward.values()))
    for i, j in pairs.forward.items():
        assert left[i - 1].strip() == right[j - 1].strip()
        assert (i in pairs.changed_before) == (left[i - 1] != right[j - 1]) == (j in pairs.changed_after)
    assert set(range(1, len(left) + 1)) - set(pairs.forward) <= pairs.changed_before
    assert set(range(1, len(right) + 1)) - set(pairs.forward.values()) <= pairs.changed_after
    assert LinePairs.of(before, before).changed_before == frozenset()


# ---- affected tests


def recorded(trace: Trace, name: str, outcome: str = "passed") -> RecordedTest:
    return RecordedTest(instance=Instance(name="shop"), id=f"test_shop.py::{name}", outcome=outcome, trace=trace)


def test_a_test_is_affected_by_the_functions_that_it_executes(shop: Trace) -> None:
    source = edited(("percent // 100", "percent // 50"))
    change = change_of(SHOP, source)
    sources = SourceMap.of(change)
    after = traced(source)
    unrelated = worldline.record(worldline.Program(source=SHOP, name="shop.py", call="list(prices(1, 5))"))
    tests = affected_tests(
        iter([recorded(shop, "a"), recorded(unrelated, "b"), recorded(unrelated, "c")]),
        iter([recorded(after, "a"), recorded(unrelated, "b"), recorded(unrelated, "c", "failed")]),
        change,
        sources,
    )
    assert [(test.id[-1], test.reason, test.outcomes) for test in tests] == [
        ("c", "outcome", ("passed", "failed")),
        ("a", "function", ("passed", "passed")),
    ]
    assert tests[1].touched == ("shop.py:discount",)
    assert tests[0].is_broken
    assert not tests[0].is_fixed


def test_a_changed_constant_affects_the_tests_of_its_file(shop: Trace) -> None:
    before, after = "RATE = 10\n" + SHOP, "RATE = 20\n" + SHOP
    sources = SourceMap.of(change_of(before, after))
    digest = digest_test(recorded(shop, "a"), sources, is_before=True)
    assert digest.is_near
    assert digest.touched == ()


def test_tests_of_a_changed_test_file_are_affected(shop: Trace) -> None:
    change = replace(change_of(SHOP, SHOP), files=(ChangedFile(path="test_shop.py", old_path="", is_test=True),))
    tests = affected_tests([recorded(shop, "a")], [recorded(shop, "a")], change, SourceMap())
    assert [test.reason for test in tests] == ["test"]
