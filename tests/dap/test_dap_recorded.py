"""A recorded test in an editor: it starts at the failure, steps back, and shows the file of each frame."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dapclient import Adapter

pytestmark = pytest.mark.usefixtures("sandbox")
FOLDER = Path(__file__).parents[1] / "repository" / "failing"
TEST = f"{FOLDER}::tests/test_till.py::test_gross"
PRICES = str(FOLDER / "src" / "till" / "prices.py")


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    """An adapter that must end well."""
    with Adapter() as made:
        yield made


def test_a_failing_test_is_stepped_through_backwards(adapter: Adapter) -> None:
    adapter.launch(pytest=TEST, venv=sys.prefix, path=PRICES, lines=[8])
    assert adapter.stopped() == ("exception", "test_gross", 14)
    info = adapter.ask("exceptionInfo", threadId=1)
    assert info["exceptionId"] == "AssertionError"
    assert "written by: src/till/prices.py:8 in gross" in info["description"]

    assert adapter.step("reverseContinue") == ("breakpoint", "gross", 8)
    frames = adapter.ask("stackTrace", threadId=1)["stackFrames"]
    assert [frame["source"]["name"] for frame in frames] == ["prices.py", "prices.py", "test_till.py"]
    assert frames[0]["source"]["path"] == PRICES
    assert adapter.scope("Locals") == {"net": "10", "rate": "0.2", "tax": "2.0"}
    assert adapter.scope("Locals", 1) == {"nets": "[10]", "amount": "0", "net": "10"}

    assert adapter.step("stepIn") == ("step", "gross", 9)
    assert adapter.scope("Locals")["total"] == "13.0"
    assert adapter.step("stepBack") == ("step", "gross", 8)
    assert adapter.step("stepBack") == ("step", "gross", 7)
    assert len(adapter.ask("loadedSources")["sources"]) == 2


def test_a_recorded_test_cannot_be_changed(adapter: Adapter) -> None:
    adapter.launch(pytest=TEST, venv=sys.prefix, stopOnEntry=True)
    assert adapter.stopped() == ("entry", "test_gross", 13)
    adapter.step("stepIn")
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]["id"]
    why = adapter.refused("setExpression", expression="x", value="1", frameId=frame)
    assert why == "a recorded test cannot be changed"


def test_a_test_and_a_program_are_not_launched_together(adapter: Adapter) -> None:
    adapter.ask("initialize", adapterID="worldline")
    assert "leave out `program`" in adapter.refused("launch", pytest=TEST, program="x.py")
