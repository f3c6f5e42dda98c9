"""A part of a list shows its elements, whatever list it is a part of: Java/148 of HumanEval-X returns an array's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from java_runs import HAS_JDK, JavaRecorder, check, recorder

pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_JDK, reason="no JDK")]

SOURCE = """import java.util.*;
class Own extends AbstractList<Integer> {
    public Integer get(int i) { return i; }
    public int size() { return 9; }
}
class Main {
    public static void main(String[] args) {
        List<Integer> whole = Arrays.asList(5, 6, 7, 8);
        List<Integer> part = whole.subList(1, 4);
        List<Integer> inner = part.subList(1, 3);
        part.set(1, 70);
        List<String> linked = new LinkedList<>(List.of("a", "b", "c")).subList(0, 2);
        linked.remove(0);
        List<Integer> fixed = List.of(1, 2, 3).subList(1, 3);
        List<Integer> own = new Own().subList(3, 5);
        List<Integer> none = whole.subList(4, 4);
    }
}
"""


@pytest.fixture(scope="module")
def java() -> Iterator[JavaRecorder]:
    with recorder() as found:
        yield found


def test_a_part_of_a_list_shows_its_elements(java: JavaRecorder) -> None:
    trace = java.record(SOURCE)
    check(trace, java.flow(trace))
    told = {
        step.line: step.delta for step in trace.steps if step.event == "line" and trace.frames[step.frame].depth == 0
    }
    whole, part, inner = "Arrays.ArrayList#1([5, 6, 7, 8])", "SubList#2([6, 7, 8])", "SubList#3([7, 8])"
    assert (told[8]["whole"], told[9]["part"], told[10]["inner"]) == (whole, part, inner)
    assert told[11] == {
        "whole": whole.replace("7", "70"),
        "part": "SubList#2([6, 70, 8])",
        "inner": "SubList#3([70, 8])",
    }
    assert (told[12], told[13]) == ({"linked": "SubList#4(['a', 'b'])"}, {"linked": "SubList#4(['b'])"})
    assert told[14] == {"fixed": "SubList#5([2, 3])"}


def test_of_a_part_of_an_own_list_only_the_size_is_known(java: JavaRecorder) -> None:
    values = {name: value for step in java.record(SOURCE).steps for name, value in step.delta.items()}
    assert values["own"].endswith("([<Object>, <Object>])")
    assert values["none"].endswith("([])")
