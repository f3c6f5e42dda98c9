"""A client that sends anything: broken frames, broken JSON, wrong arguments, everything out of turn. The adapter lives,
answers each request once, in words where it cannot, and never has a fault of its own."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dapclient import Adapter, Process, check

pytestmark = pytest.mark.usefixtures("sandbox")
PROGRAM = str(Path(__file__).parents[2] / "examples" / "count.py")
LAUNCH: dict[str, Any] = {"program": PROGRAM, "call": "count('berry', 'r')", "model": "interpreter"}
SOURCE = {"path": PROGRAM}
PLAIN: list[tuple[str, dict[str, Any]]] = [
    ("initialize", {"adapterID": "x"}), ("launch", LAUNCH), ("attach", {}), ("configurationDone", {}), ("threads", {}),
    ("setBreakpoints", {"source": SOURCE, "breakpoints": [{"line": 7, "condition": "n > 0"}, {"line": 5}]}),
    ("setBreakpoints", {"source": SOURCE, "breakpoints": [{"line": 6, "hitCondition": "2", "logMessage": "{n} {c}"}]}),
    ("setExceptionBreakpoints", {"filters": ["raised", "wrong"], "filterOptions": [{"filterId": "divergence"}]}),
    ("breakpointLocations", {"source": SOURCE, "line": 1, "endLine": 9}), ("loadedSources", {}),
    ("source", {"source": SOURCE, "sourceReference": 0}), ("stackTrace", {"threadId": 1, "startFrame": 0, "levels": 9}),
    ("scopes", {"frameId": 1 << 20}), ("variables", {"variablesReference": 1, "start": 0, "count": 5}),
    ("evaluate", {"expression": "n + len(word)", "context": "hover"}), ("completions", {"text": "wo", "column": 3}),
    ("evaluate", {"expression": ":branches", "context": "repl"}), ("", {}), ("nonsense", {}),
    ("evaluate", {"expression": ":step 4", "context": "repl"}), ("setFunctionBreakpoints", {"breakpoints": []}),
    ("next", {"threadId": 1}), ("stepIn", {"threadId": 1, "granularity": "instruction"}), ("stepOut", {"threadId": 1}),
    ("stepBack", {"threadId": 1}), ("continue", {"threadId": 1}), ("reverseContinue", {"threadId": 1}),
    ("pause", {"threadId": 1}), ("restartFrame", {"frameId": 1 << 20}), ("exceptionInfo", {"threadId": 1}),
    ("gotoTargets", {"source": SOURCE, "line": 8}), ("cancel", {"progressId": "branch-0-1"}), ("modules", {}),
    ("disassemble", {"memoryReference": "0"}),
]  # fmt: skip
SLOW: list[tuple[str, dict[str, Any]]] = [  # each runs a program
    ("goto", {"threadId": 1, "targetId": 8}), ("restart", {"arguments": LAUNCH}), ("terminate", {}),
    ("setVariable", {"variablesReference": 1, "name": "n", "value": "3"}),
    ("setExpression", {"expression": "n", "value": "n + 1"}),
    ("evaluate", {"expression": ":rewrite flatten", "context": "repl"}),
]  # fmt: skip
ODD: list[Any] = [
    None, True, -1, 0, 1, 2**31, -(2**63), 10**400, 0.5, "", "x", "\x00", "\ud800", "9" * 5000, [], [[]], {}, {"a": {}},
    [None], "/etc/passwd", "../" * 50, "file://[", "n\n", "(" * 300, "é" * 10, [1] * 500, {"line": "7"}, [{"line": -5}],
    [{}],
]  # fmt: skip


def mutated(random: Random, value: Any, depth: int = 0) -> Any:
    """The same with something else in it."""
    if depth and random.random() < 0.25:
        return random.choice(ODD)
    if isinstance(value, dict):
        kept = {key: mutated(random, each, depth + 1) for key, each in value.items() if random.random() > 0.1}
        return kept | (
            {random.choice(["line", "x", "__proto__", ""]): random.choice(ODD)} if random.random() < 0.1 else {}
        )
    if isinstance(value, list):
        return [mutated(random, each, depth + 1) for each in value if random.random() > 0.1]
    return value


def framed(body: bytes) -> bytes:
    """A body in its frame."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def noise(random: Random) -> bytes:
    """Bytes that are no message, and behind which the next one is found."""
    body = random.choice(
        [b"{", b"[]", b"\xff\xfe\x00", b"[" * 20_000, b'{"seq":NaN}', b"null", b"", b'{"type":"event"}']
    )
    ill = [
        framed(body), b"\r\n\r\n", b"Content-Length: 99999999999999\r\n\r\n", b"Content-Length: -1\r\n\r\n",
        b"Content-Length: x\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        random.randbytes(40).replace(b"C", b"c") + b"\r\n\r\n",
    ]  # fmt: skip
    return random.choice(ill)


def request(random: Random, seq: int, known: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """A request, fine or not; `known` are numbers that mean something just now, for arguments that want one."""
    command, arguments = random.choice(SLOW if random.random() < 0.01 else PLAIN)
    message = {"seq": seq, "type": "request", "command": command, "arguments": arguments | known(arguments)}
    if random.random() < 0.5:
        message["arguments"] = mutated(random, message["arguments"])
    if random.random() < 0.05:
        message[random.choice(["command", "arguments", "type"])] = random.choice(ODD)
    return message


class Numbers:
    """The frames and references of the newest stop, as far as a client can know them."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter, self._frame, self._reference = adapter, 0, 0

    def look(self) -> str:
        """Ask for them, as editors do at a stop; why there are none."""
        found = self._answer("stackTrace", threadId=1)
        if found["success"] and found["body"]["stackFrames"]:
            self._frame = found["body"]["stackFrames"][0]["id"]
            scopes = self._answer("scopes", frameId=self._frame)
            if scopes["success"]:
                self._reference = scopes["body"]["scopes"][0]["variablesReference"]
        return str(found.get("message", ""))

    def revive(self) -> None:
        """Begin anew what is over, and wait until it stands."""
        if self.look() == "the program has ended":
            self._answer("restart", arguments=LAUNCH | {"stopOnEntry": True})
            while self.look() == "the program is running":
                time.sleep(0.02)

    def _answer(self, command: str, **arguments: Any) -> dict[str, Any]:
        self._adapter.wanted.add(number := self._adapter.send(command, **arguments))
        return self._adapter.answer(number)

    def of(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Those that some arguments want."""
        mine = {"frameId": self._frame, "variablesReference": self._reference}
        return {key: mine[key] for key in mine.keys() & arguments.keys()}


@pytest.mark.long(reason="fuzzing: 3,000 random requests to the adapter")
@pytest.mark.parametrize(("seed", "count"), [(1, 1000), (2, 800), (3, 1200)])
def test_nothing_a_client_sends_ends_it(seed: int, count: int) -> None:
    random = Random(seed)
    with Adapter(Process(), checked=False) as adapter:
        numbers = Numbers(adapter)
        if seed != 2:  # which begins with the flood
            adapter.launch(**LAUNCH, stopOnEntry=True)
            adapter.stopped()
        for i in range(count):
            if i % 10 == 0:
                numbers.look() if i % 100 else numbers.revive()
            adapter.seq += 1
            message = request(random, adapter.seq, numbers.of)
            if message["type"] not in ("response", "event"):
                adapter.wanted.add(adapter.seq)
            adapter.raw(framed(json.dumps(message).encode()))
            if random.random() < 0.1:
                adapter.raw(noise(random))
        adapter.wanted.add(last := adapter.send("threads"))
        for number in adapter.wanted:
            adapter.answer(number)
        assert adapter.answer(last)["success"]
        adapter.ask("disconnect")
        assert adapter.gone()
    answers = Counter(one["request_seq"] for one in adapter.seen if one["type"] == "response")
    assert {answers[number] for number in adapter.wanted} == {1}
    for message in adapter.seen:
        check(message)
        assert "a fault of worldline's" not in json.dumps(message), message
    done = {one["command"] for one in adapter.seen if one["type"] == "response" and one["success"]}
    assert seed == 2 or len(done) >= 15, "too little of it was reached"
