"""The page of `worldline view` under 16 HTTP clients: programs to predict, streams, departures, nonsense, faults."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from faults import Faults, faults
from watching import Held, Memory, Row, Tally, Watch, rounds, wait_for

CLIENTS = 16
DEADLINE = 120.0
SIGNAL_SECONDS = 15.0
WARM_PROGRAMS = 64  # the page keeps this many typed programs, so its memory grows until there are as many
KINDS = {"look": 48, "program": 20, "stream": 6, "leave stream": 8, "stop": 8, "long": 4, "refused": 6}
LONG = "".join(f"def f{n}(x):\n    return x * {n} + {n % 7}\n" for n in range(1500))  # a prompt of minutes
FIRST = "def f(n):\n    return n + 1\n"
EXPECTED = {404, 409, 422, 429}  # a program that was dropped, a busy branch, no room


class PageClients:
    """Sends requests of drawn kinds to the page's server, and counts what became of them."""

    def __init__(self, host: str, token: str, tally: Tally, undone: Faults) -> None:
        self._host, self._token, self.tally, self._faults = host, token, tally, undone
        self._numbers, self._lock = iter(range(0)), threading.Lock()
        self._newest = 0

    def send_all(self, numbers: range) -> None:
        """Send the requests of a round with all clients."""
        self._numbers = iter(numbers)
        with ThreadPoolExecutor(CLIENTS) as pool:
            for future in [pool.submit(self.work) for _ in range(CLIENTS)]:
                future.result()

    def work(self) -> None:
        """Send requests until there are none left."""
        while True:
            with self._lock:
                if (number := next(self._numbers, None)) is None:
                    return
                self._faults.before(number)
            rng = Random(f"soak page/{number}")
            (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
            began, why = time.monotonic(), ""
            try:
                ended = self.send(kind, rng)
            except (OSError, http.client.HTTPException) as error:
                ended, why = "error", f"request {number} ({kind}): {type(error).__name__}: {error}"
            self.tally.count(ended, time.monotonic() - began, why)

    def ask(self, method: str, path: str, body: Any = None, *, token: str | None = None) -> tuple[int, Any]:
        """Send a request, and return the status and the JSON."""
        with closing(http.client.HTTPConnection(self._host, timeout=DEADLINE)) as connection:
            headers = {"X-Worldline-Token": self._token if token is None else token}
            if body is not None:
                headers["Content-Type"] = "application/json"
            data = body if isinstance(body, bytes) or body is None else json.dumps(body)
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def program(self, source: str, call: str) -> tuple[str, int]:
        """Type a program: how that ended, and its number."""
        status, answer = self.ask("POST", "/api/programs", {"source": source, "call": call})
        if status == 201:
            self._newest = max(self._newest, answer["at"])
            return "ok", answer["at"]
        return self._judged(status), -1

    def _judged(self, status: int) -> str:
        if status in EXPECTED:
            return "refused"
        if status >= 400:
            raise OSError(f"status {status}")
        return "ok"

    def send(self, kind: str, rng: Random) -> str:
        """Send a request and return how it ended."""
        at = max(0, self._newest - rng.randrange(40))
        sample = f"/api/runs/live/samples/{at}"
        if kind == "look":
            path = rng.choice(["/api/runs", sample, f"{sample}/chunks/0", f"{sample}/timeline", f"{sample}/run"])
            return self._judged(self.ask("GET", path)[0])
        if kind == "program":
            return self.program(f"def f(n):\n    return n + {rng.randrange(10**6)}\n", f"f({rng.randrange(99)})")[0]
        if kind == "stop":
            return self._judged(self.ask("DELETE", f"{sample}/branches/0")[0])
        if kind == "long":
            ended, at = self.program(LONG + f"# {rng.random()}\n", "f7(3)")
            if at < 0:
                return ended
            self.ask("DELETE", f"/api/runs/live/samples/{at}/branches/0")
            return "cancelled"
        if kind == "refused":
            return self._refused(rng)
        return self._stream(f"{sample}/branches/0/events", is_leaving=kind != "stream")

    def _refused(self, rng: Random) -> str:
        wrong: list[tuple[int, dict[str, Any]]] = [
            (400, {"method": "POST", "path": "/api/programs", "body": b"{"}),
            (403, {"method": "GET", "path": "/api/runs", "token": "a wrong token of this page"}),
            (404, {"method": "GET", "path": "/api/nothing"}),
            (422, {"method": "POST", "path": "/api/programs", "body": {"source": 1}}),
        ]
        expected, request = rng.choice(wrong)
        status, _ = self.ask(**request)
        if status != expected:
            raise OSError(f"status {status} instead of {expected}")
        return "refused"

    def _stream(self, path: str, *, is_leaving: bool) -> str:
        with closing(http.client.HTTPConnection(self._host, timeout=DEADLINE)) as connection:
            connection.request("GET", path, headers={"X-Worldline-Token": self._token})
            response = connection.getresponse()
            if response.status != 200:
                return self._judged(response.status)
            if is_leaving:
                response.readline()
                return "cancelled"
            if b"event: done" not in response.read():
                raise OSError("a stream has no end")
        return "ok"

    def status(self, at: int) -> str:
        """Return the status of the first branch of a program."""
        _, answer = self.ask("GET", f"/api/runs/live/samples/{at}")
        return str(answer["branches"][0]["status"])

    def predict(self, number: int) -> str:
        """Predict a program and wait for its end."""
        ended, at = self.program(f"def f(n):\n    return n - {number}\n", "f(1)")
        if at < 0 or not wait_for(lambda: self.status(at) != "running", DEADLINE):
            return ended
        return self.status(at)


def end_while_reading(process: subprocess.Popen[str], clients: PageClients, tally: Tally, slack: float) -> None:
    """Send SIGINT while a program with a prompt of minutes is predicted."""
    clients.program(LONG, "f7(3)")
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        tally.promise(False, "Ctrl-C was not heard")
    taken = time.monotonic() - began
    tally.promise(taken <= SIGNAL_SECONDS * slack, f"the process ended {taken:.1f} s after Ctrl-C")
    print(f"page: ended {taken:.1f} s after Ctrl-C, a program of {len(LONG):,} bytes in progress", flush=True)


def soak_page(folder: Path, count: int, slack: float) -> Row:
    """Send `count` requests to the server of a page and interrupt it."""
    tally, began = Tally(DEADLINE * slack), time.monotonic()
    (folder / "first.py").write_text(FIRST)
    command = [sys.executable, "-m", "worldline", "view", str(folder / "first.py"), "--call", "f(1)", "--port", "0"]
    command += ["--model", "default", "-M", "threads=1"]
    with faults(folder, count) as undone:
        log = (undone.disk.folder / "log").open("w")
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=undone.disk.folder, env=undone.environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        try:
            assert process.stdout is not None
            address = re.match(r"http://([\d.:]+)/#token=([\w-]+)", process.stdout.readline())
            assert address is not None
            clients = PageClients(address[1], address[2], tally, undone)
            for number in range(min(WARM_PROGRAMS, count // 10)):
                clients.send("long", Random(number)) if number % 6 == 0 else clients.predict(number)
            before, watch = Held.of(process.pid), Watch(process.pid)
            for numbers in rounds(count):
                clients.send_all(numbers)
                wait_for(lambda: clients.predict(-2) != "refused", DEADLINE)  # after all that wait
                watch.note(numbers.stop)
            tally.promise(wait_for(lambda: clients.predict(-1) == "done", DEADLINE), "no program is predicted any more")
            time.sleep(1)  # connections that were just closed
            after = Held.of(process.pid)
            end_while_reading(process, clients, tally, slack)
        finally:
            process.kill()
            process.communicate()
            log.close()
    seconds = time.monotonic() - began
    return Row("page", tally, Memory.of(watch.samples), before, after, seconds, undone.notes)
