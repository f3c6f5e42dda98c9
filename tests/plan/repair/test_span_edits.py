"""Small changes of a source: each is Python and leaves all other text as it is; known bugs are one change away."""

from __future__ import annotations

import ast

import pytest

from worldline.core.errors import UsageError
from worldline.plan.repair.candidate import Defect, changed_lines, patch, patch_size
from worldline.plan.repair.edits.parsed import ParsedSource
from worldline.plan.repair.edits.proposer import EditProposer, find_edits, kind_shares

pytestmark = pytest.mark.unit

ODD = '''\
# a comment  with  blanks
def  mean ( xs,   k = 2 ):   # odd spacing stays
    """Ünïcode, “quoted”."""
    total = 0 ; ß = 'ä'
    for x   in xs:
        total += x   # keep
        if x >  k and not ß:
            continue
    return total/len( xs )
'''


def sources(source: str, **known: object) -> list[str]:
    return [each.source for each in EditProposer().propose(Defect(source=source, name="a.py", **known))]  # type: ignore[arg-type]


def test_every_candidate_is_python_and_differs_in_its_own_lines_only() -> None:
    old = ODD.splitlines()
    found = list(EditProposer().propose(Defect(source=ODD, name="a.py")))
    assert len(found) > 100
    assert len({each.source for each in found}) == len(found)
    for each in found:
        ast.parse(each.source)
        if each.kind in ("insert", "move", "drop statement", "copied statement", "guard"):
            continue
        new = each.source.splitlines()
        assert len(new) == len(old)
        changed = [i + 1 for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
        assert changed
        assert set(changed) <= set(each.lines), (each, changed)


def test_every_kind_of_change_has_a_share() -> None:
    code = ParsedSource(ODD)
    made = {edit.kind for edit in find_edits(code)}
    assert made <= kind_shares().keys()
    assert sum(kind_shares().values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("return a < b", "return a <= b"),
        ("return a + b", "return b + a"),
        ("return a + 1", "return a"),
        ("return f(a, b)", "return f(b, a)"),
        ("return f(a)", "return a"),
        ("return a[b]", "return a[b + 1]"),
        ("return a[1:]", "return a[:1]"),
        ("return max(a, b)", "return min(a, b)"),
        ("a ^= b", "a &= b"),
        ("return a", "return b"),
        ("return a.x if b.y else 0", "return a.y if b.y else 0"),
        ("return []", "return [a]"),
        ("return a if b else 0", "return a if not b else 0"),
        ("return a and b", "return a or b"),
        ("return a is b", "return a is not b"),
        ("return a * (b + 1)", "return a * (b)"),
        ("return 2 * a", "return 2 * (a + b)"),
        ("return 'ä' + a", "return a + 'ä'"),
        ("return a == 0", "return a <= 1"),
        ("return True", "return not a"),
    ],
)
def test_a_fix_is_one_change_away(wrong: str, right: str) -> None:
    frame = "def f(a, b):\n    {}\n"
    assert frame.format(right) in sources(frame.format(wrong))


def test_statements_are_inserted_dropped_and_moved() -> None:
    source = "def f(xs):\n    out = []\n    for x in xs:\n        y = x * x\n        return out\n"
    found = sources(source)
    assert source.replace("        return", "        out.append(y)\n        return") in found
    assert source.replace("        return", "    return") in found
    assert source.replace("y = x * x", "pass") in found


def test_lines_end_as_they_did() -> None:
    source = "def f(xs):\r\n    out = []\r\n    for x in xs:\r\n        out.append(x)\r\n    return out\r\n"
    for each in sources(source):
        assert "\n" not in each.replace("\r\n", "")


def test_only_reached_lines_are_changed_and_kinds_narrow_edits() -> None:
    source = "def f(a, b):\n    if a:\n        return a + 1\n    return b - 1\n"
    reached = frozenset({2, 4})
    found = list(EditProposer().propose(Defect(source=source, name="a.py", reached=reached)))
    assert found
    assert all(each.lines != range(3, 4) for each in found)
    every = len(sources(source))
    some = len(sources(source, kinds={"a": frozenset({"int"}), "b": frozenset({"int"})}))
    assert some < every


def test_invalid_python_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be parsed"):
        list(EditProposer().propose(Defect(source="def f(:\n", name="a.py")))


def test_a_patch_is_a_unified_diff_and_has_a_size() -> None:
    old, new = "a = 1\nb = 2\nc = 3", "a = 1\nb = 4\nc = 3"
    assert patch(old, new, "x.py") == (
        "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 4\n c = 3\n\\ No newline at end of file\n"
    )
    assert patch_size(old, new) == (1, 1)
    assert changed_lines(old, new) == range(2, 3)
    assert changed_lines(old, "a = 1\nz\nb = 2\nc = 3") == range(2, 3)
    assert not changed_lines(old, old)
