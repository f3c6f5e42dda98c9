"""Which code a gate holds for: known functions, new functions of known files, new files, and nothing else."""

from __future__ import annotations

from random import Random

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.code_features import CodeFeatures, code_features
from worldline.plan.evidence import MIN_OWN, calibrate
from worldline.plan.gate import CONFIDENCE, MIN_ENTRIES, Gate
from worldline.plan.ledger import LedgerEntry

SURE = 0.95
SHOP = """
def total(prices, n):
    s = 0
    for p in prices:
        s += p * n
    return s

def first(names):
    return names[0]
"""
CARTS = """
class Cart:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

def state(items):
    cart = Cart(items)
    if cart:
        return "full"
    return "empty"

def grid(row, n):
    return [row] * n
"""


def entry(code: CodeFeatures, score: float = -0.01, *, is_right: bool = True) -> LedgerEntry:
    return LedgerEntry(
        digest="", question="return", why="", imagined="1", true="1" if is_right else "2", score=score, code=code
    )


def shop(call: str) -> CodeFeatures:
    return code_features(Program(source=SHOP, name="shop.py", call=call))


def new(number: int, file: str = "", constructs: frozenset[str] | None = frozenset()) -> CodeFeatures:
    return CodeFeatures(function=f"f{number}", file=file or f"{number}.py", constructs=constructs)


def test_a_call_of_a_known_function_has_a_gate() -> None:
    ledger = [entry(shop(f"total([1], {n})")) for n in range(40)]
    gate = calibrate(ledger, shop("total([7], 9)")).gate
    assert gate is not None
    assert gate.probability(-0.01) >= SURE
    assert gate.described == "40 recorded executions of this file, 40 of them of this function"


def test_another_function_of_the_file_has_none() -> None:
    ledger = [entry(shop(f"total([1], {n})")) for n in range(40)]
    found = calibrate(ledger, shop("first(['a'])"))
    assert found.gate is None
    assert found.why == ("the journal has 0 executions of this function (5 needed) and 40 of its file (30 needed)")
    few = [entry(shop("first(['b'])"))] * (MIN_OWN - 1)
    assert calibrate([*ledger, *few], shop("first(['a'])")).gate is None
    enough = [entry(shop("first(['b'])"))] * MIN_OWN
    assert calibrate([*ledger, *enough], shop("first(['a'])")).gate is not None


@pytest.mark.parametrize("call", ["state([])", "grid([0, 0], 3)"])
def test_another_file_has_none_after_one_module(call: str) -> None:
    ledger = [entry(shop(f"total([1], {n})")) for n in range(300)]
    carts = code_features(Program(source=CARTS, name="carts.py", call=call))
    found = calibrate(ledger, carts)
    assert found.gate is None
    assert found.why == "the journal has no execution of this file, and 1 other file (30 needed)"


def test_a_new_file_must_be_built_from_recorded_constructs() -> None:
    carts = code_features(Program(source=CARTS, name="carts.py", call="grid([0], 3)"))
    assert carts.constructs is not None
    plain = [entry(new(n, constructs=carts.constructs - {"* with a list"})) for n in range(60)]
    found = calibrate(plain, carts)
    assert (found.gate, found.why) == (None, "the journal has too little code with `* with a list` to be sure of this")
    known = [entry(new(n, constructs=carts.constructs)) for n in range(100, 103)]
    gate = calibrate([*plain, *known], carts).gate
    assert gate is not None
    assert gate.described == "recorded executions of 63 files"
    unknown = CodeFeatures(function="x", file="x.rs", constructs=None)
    assert "only Python is compared" in calibrate(plain, unknown).why


def test_a_wrong_prediction_closes_the_gate_for_its_function_only() -> None:
    ledger = [entry(shop(f"total([1], {n})"), -0.02) for n in range(60)]
    ledger += [entry(shop(f"first([{n}])"), -0.02) for n in range(60)]
    ledger += [entry(shop("first('')"), -0.02, is_right=False)]
    wrong, right = calibrate(ledger, shop("first('a')")).gate, calibrate(ledger, shop("total([], 1)")).gate
    assert wrong is not None
    assert right is not None
    assert (wrong.probability(-0.02), right.probability(-0.02) >= SURE) == (0.0, True)
    assert wrong.probability(-0.01) >= SURE


def test_new_functions_of_a_file_count_once() -> None:
    ledger = [entry(new(n % 44, "big.py")) for n in range(44 * 8)]
    gate = calibrate(ledger, new(99, "big.py")).gate
    assert gate is not None
    assert gate.pools[-1].n == 44
    assert gate.probability(-0.01) < SURE
    one_more = [*ledger, entry(new(44, "big.py"))]
    opened = calibrate(one_more, new(99, "big.py")).gate
    assert opened is not None
    assert opened.probability(-0.01) >= SURE


def test_a_name_is_enough_to_know_a_file_again() -> None:
    before = code_features(Program(source=SHOP, name="shop.py", call="total([1], 2)"))
    edited = code_features(Program(source=SHOP + "\nX = 1\n", name="shop.py", call="total([1], 3)"))
    assert (before.function, before.file) == (edited.function, edited.file)
    renamed = code_features(Program(source=SHOP.replace("prices", "rows"), call="total([1], 2)"))
    assert renamed.function == before.function
    assert renamed.file != before.file


@pytest.mark.sampled(1)
def test_groups_that_are_right_together_keep_the_bound() -> None:
    """Of 200 ledgers of files that are wholly right or wholly wrong, at most one in five opens for new files."""
    rng, share, opened = Random("groups"), 0.93, 0
    for _ in range(200):
        groups = [(number, rng.random() < share) for number in range(60)]
        points = [(rng.random(), is_right, number) for number, is_right in groups for _ in range(8)]
        opened += Gate.of_groups(points).probability(0.999) >= SURE
    assert opened / 200 <= 1 - CONFIDENCE


def test_too_few_groups_are_refused() -> None:
    points = [(-0.1, True, n % (MIN_ENTRIES - 1)) for n in range(400)]
    with pytest.raises(UsageError, match=f"^{MIN_ENTRIES - 1} recorded"):
        Gate.of_groups(points)
