"""While the shipped model still writes: it can be stepped through, paused, stopped, changed and left.

What it writes is not looked at: its weights change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dapclient import Adapter

pytestmark = pytest.mark.usefixtures("sandbox")
SOURCE = "def f(limit):\n    n = 0\n    while n < limit:\n        n += 1\n    return n\n"
LONG: dict[str, Any] = {"source": SOURCE, "call": "f(9000)", "limit": 1 << 15}  # more than anybody waits for


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    """An adapter that must end well, also in the middle of it."""
    with Adapter() as made:
        yield made


def progress(adapter: Adapter, name: str) -> list[dict[str, str]]:
    """The bodies of the progress events of a name so far."""
    return [one["body"] for one in adapter.seen if one.get("event") == name]


def test_steps_are_available_before_the_end(adapter: Adapter) -> None:
    adapter.launch(**LONG, stopOnEntry=True, filters=["first-action", "first-state"])
    assert adapter.stopped()[:2] == ("entry", "f")
    for _ in range(3):
        assert adapter.step("next")[0] in ("step", "exception")
    assert "limit" in adapter.scope("Actual")
    assert progress(adapter, "progressStart")
    assert not progress(adapter, "progressEnd"), "the model still writes"
    adapter.ask("disconnect")


def test_it_is_paused_and_the_model_stopped(adapter: Adapter) -> None:
    adapter.launch(**LONG)
    while adapter.event("progressUpdate")["message"].startswith(("the", "0 steps")):
        pass
    assert "running" in adapter.refused("next", threadId=1)
    adapter.ask("pause", threadId=1)
    reason, function, _ = adapter.stopped()
    assert (reason, function) == ("pause", "f")
    adapter.ask("pause", threadId=1)
    adapter.ask("cancel", progressId=progress(adapter, "progressStart")[0]["progressId"])
    adapter.event("progressEnd")
    assert adapter.step("continue")[0] == "end"
    stop = [one["body"] for one in adapter.seen if one.get("event") == "stopped"][-1]
    assert stop["description"] == "the model was stopped here"


@pytest.mark.long(reason="test_another_branch_stops_the_one_before holds it without an adapter")
def test_an_edit_stops_the_rollout_and_starts_another(adapter: Adapter) -> None:
    adapter.launch(**LONG, stopOnEntry=True)
    adapter.stopped()
    adapter.step("next")
    adapter.step("next")
    adapter.ask("setExpression", expression="n", value="8997")
    assert adapter.stopped()[:2] == ("goto", "f")
    assert adapter.scope("Predicted")["n"] == "8997"
    assert adapter.step("next")[0] == "step"
    ended = progress(adapter, "progressEnd")
    assert len(ended) >= 1, "the first branch has been stopped"
    assert len(progress(adapter, "progressStart")) == 2
    adapter.ask("terminate")
    adapter.event("terminated")


def test_a_client_may_vanish() -> None:
    gone = Adapter()
    gone.launch(**LONG, stopOnEntry=True)
    gone.stopped()
    gone.ask("disconnect")
    assert gone.gone()
    with Adapter() as other:
        other.launch(source="x = 1\n", model="interpreter", stopOnEntry=True)
        assert other.stopped()[0] == "entry"
