"""Calls that people wrote are found where they stand, and come before drawn ones."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from worldline.data.mine.calls import find_calls
from worldline.data.mine.extract import extract_functions
from worldline.data.mine.usage import Usages, find_usages
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.recording.recorder import SandboxWorker, prepare

SOLVED = '''\
def widest(words, limit=9):
    """The longest word.

    >>> few = ["a", "bcd"]
    >>> widest(few)
    'bcd'
    """
    best = ""
    for word in words:
        if len(best) < len(word) <= limit:
            best = word
    return best


class Solution:
    def pair(self, nums, target):
        seen = {}
        for i, n in enumerate(nums):
            if target - n in seen:
                return [seen[target - n], i]
            seen[n] = i
        return []


if __name__ == "__main__":
    print(widest(("x", "yz"), limit=1))
    assert Solution().pair([3, 3], 6) == [0, 1]
'''
TESTS = """\
import pytest
from solved import widest, Solution

@pytest.mark.parametrize("words, expected", [(["q"], "q"), ([], "")])
def test_widest(words, expected):
    assert widest(words) == expected

def test_pair():
    solution = Solution()
    for nums, target in [([2, 7, 11], 9)]:
        self.assertEqual(solution.pair(nums, target), [0, 1])
    assert widest(unknown) == ""
"""


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    (tmp_path / "solved.py").write_text(SOLVED)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_solved.py").write_text(TESTS)
    return tmp_path / "solved.py"


def test_calls_come_from_doctests_main_and_tests(solved: Path) -> None:
    known = Usages([solved.parent / "tests" / "test_solved.py"])
    calls = {function.origin.partition(":")[2]: known.calls(solved, function) for function in extract_functions(solved)}
    assert calls == {
        "widest": ["widest(('x', 'yz'), limit=1)", "widest(['a', 'bcd'])", "widest(['q'])", "widest([])"],
        "Solution": ["Solution().pair([3, 3], 6)", "Solution().pair([2, 7, 11], 9)"],
        "Solution.pair": ["pair([3, 3], 6)", "pair([2, 7, 11], 9)"],
    }


def test_what_a_puzzle_is_given_is_read() -> None:
    text = "# Example 1:\n# Input: nums = [2, 7], target = 9\n# Input: s\ndef f(nums, target):\n    return 0\n"
    assert [(function.name, function.arguments) for function in find_usages(text)] == [("", "([2, 7], 9)")]


def test_arguments_that_are_not_literal_are_left_out() -> None:
    usages = find_usages("x = 1\nf(x)\nx = g()\nf(x)\nf(open('a'))\nprint(f(2, key='b'))\nf(*[1])\n")
    assert [(function.name, function.arguments) for function in usages] == [
        ("f", "(1)"),
        ("g", "()"),
        ("f", "(2, key='b')"),
    ]


def test_written_calls_are_kept_before_drawn_ones(solved: Path) -> None:
    worker = SandboxWorker(prepare(limits=DOCUMENT_LIMITS, python=None, core="auto", trust=True))
    (widest,) = [function for function in extract_functions(solved) if function.origin.endswith(":widest")]
    try:
        mined = find_calls(worker, widest, random.Random(1), ["widest(['a', 'bcd'])", "widest(5)"])
    finally:
        worker.close()
    assert mined[0].call == "widest(['a', 'bcd'])"
    assert [function.shown for function in mined] == [True, *[False] * (len(mined) - 1)]
    assert len(mined) > 2


def test_a_function_stands_where_it_stood_some_with_neighbours(tmp_path: Path) -> None:
    names = [f"act_{n}" for n in range(20)]
    (tmp_path / "many.py").write_text(
        "".join(f"def {name}(n):\n    m = n + {number}\n    return m\n\n\n" for number, name in enumerate(names))
    )
    functions = list(extract_functions(tmp_path / "many.py"))
    assert [function.node.name for function in functions] == names
    beside = [function for function in functions if function.alone]
    assert 2 <= len(beside) <= 15
    places = set()
    for function in beside:
        defined = [node.name for node in ast.parse(function.source).body if isinstance(node, ast.FunctionDef)]
        assert defined == sorted(defined, key=names.index)
        assert function.node.name in defined
        places.add(defined.index(function.node.name) == len(defined) - 1)
        assert function.core.count("def ") == 1
    assert places == {True, False}


def test_what_puzzle_sites_import_is_imported(tmp_path: Path) -> None:
    text = "def f(n):\n    c = Counter(str(n))\n    for i in xrange(n):\n        c[i] += math.gcd(i, n)\n    return c\n"
    (tmp_path / "bare.py").write_text(text)
    (functions,) = extract_functions(tmp_path / "bare.py")
    assert "from collections import Counter\nimport math\n" in functions.core
    assert "in range(n)" in functions.core
