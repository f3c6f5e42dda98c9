"""`worldline serve` under 32 clients of the package `openai`: short and long prompts, departures, nonsense, faults."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import openai
from faults import Faults, faults
from watching import Held, Memory, Row, Tally, Watch, rounds, wait_for

CLIENTS = 32
BATCH, QUEUE_SECONDS, CACHE_BYTES = 16, 20, 32 << 20
DEADLINE = 120.0  # of a request whose client waits for its end
MAX_PROMPT = 1 << 16
SIGNAL_SECONDS = 15.0  # from SIGTERM to the end of the process, requests in flight
KINDS = {
    "short": 58, "stream": 14, "leave stream": 8, "leave prompt": 5, "shared": 5, "several": 2, "chat": 2,
    "long": 1, "refused": 3, "nonsense": 2,
}  # fmt: skip
SOURCE = "".join(f"def f{n}(x):\n    return x * {n} + {n % 7}\n" for n in range(12))
MODEL: dict[str, Any] = {"model": "default", "temperature": 0}


class ServeClients:
    """Sends requests of drawn kinds to a server, and counts what became of them."""

    def __init__(self, url: str, tally: Tally, undone: Faults) -> None:
        self.url, self.tally, self._faults = url, tally, undone
        self.client = openai.OpenAI(base_url=url + "/v1", api_key="none", timeout=DEADLINE, max_retries=0)
        self.created: set[int] = set()
        self._numbers, self._lock = iter(range(0)), threading.Lock()

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
            rng = Random(f"soak/{number}")
            (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
            began = time.monotonic()
            try:
                ended, why = self.send(kind, rng), ""
            except (openai.OpenAIError, OSError, http.client.HTTPException) as error:
                ended, why = self._failed(error), f"request {number} ({kind}): {type(error).__name__}: {error}"[:300]
            self.tally.count(ended, time.monotonic() - began, why)

    def see_clock(self) -> None:
        """Note the server's time after each of three jumps of its clock."""
        for _ in range(3):
            self._faults.clock.jump()
            self.created.add(self.client.completions.create(prompt="x", max_tokens=1, **MODEL).created)

    def _failed(self, error: Exception) -> str:
        """A server without a place says when to try again; everything else is an error."""
        is_full = isinstance(error, openai.APIStatusError) and error.status_code == 503
        return "refused" if is_full and "retry-after" in error.response.headers else "error"  # type: ignore[attr-defined]

    def send(self, kind: str, rng: Random) -> str:
        """Send a request and return how it ended."""
        complete, word = self.client.completions.create, f"{rng.randrange(10**9)} "
        if kind == "short":
            self.created.add(complete(prompt=word, max_tokens=2, **MODEL).created)
        elif kind == "several":
            complete(prompt=[word, word + "!"], n=2, max_tokens=2, **MODEL)
        elif kind == "shared":
            complete(prompt=f"{SOURCE}\n>f{rng.randrange(12)}({rng.randrange(99)})\n", max_tokens=4, **MODEL)
        elif kind == "long":
            complete(prompt=word * 150, max_tokens=2, **MODEL)
        elif kind in ("stream", "leave stream"):
            return self._stream(word, is_leaving=kind != "stream")
        elif kind == "leave prompt":
            return self._leave_prompt((word * 10_000)[: rng.randrange(20_000, MAX_PROMPT)], rng.uniform(0.05, 0.5))
        elif kind in ("chat", "refused"):
            return self._refused(kind, rng)
        elif kind == "nonsense":
            return self._nonsense(rng)
        return "ok"

    def _stream(self, prompt: str, *, is_leaving: bool) -> str:
        tokens = 1 << 20 if is_leaving else 2
        with self.client.completions.create(prompt=prompt, max_tokens=tokens, stream=True, **MODEL) as pieces:
            for _ in pieces:
                if is_leaving:
                    return "cancelled"
        return "ok"

    def _leave_prompt(self, prompt: str, seconds: float) -> str:
        try:
            self.client.with_options(timeout=seconds).completions.create(prompt=prompt, max_tokens=2, **MODEL)
        except openai.APITimeoutError:
            return "cancelled"
        return "ok"

    def _refused(self, kind: str, rng: Random) -> str:
        """Send a request that must be refused, and nothing else: chat, an unknown model, a prompt that is too long."""
        complete = self.client.completions.create
        try:
            if kind == "chat":
                self.client.chat.completions.create(model="default", messages=[{"role": "user", "content": "hello"}])
            elif rng.random() < 0.3:
                complete(prompt="x" * (MAX_PROMPT + 1), **MODEL)
            elif rng.random() < 0.5:
                complete(model="another", prompt="x")
            else:
                complete(prompt="x", max_tokens=-1, **MODEL)
        except (openai.NotFoundError, openai.BadRequestError):
            return "refused"
        raise OSError("was accepted")

    def _nonsense(self, rng: Random) -> str:
        """Send bytes that are no request, or the first half of one, and leave."""
        host, port = self.url.removeprefix("http://").split(":")
        head = (
            b"POST /v1/completions HTTP/1.1\r\nHost: " + f"{host}:{port}".encode() + b"\r\nContent-Length: 90\r\n\r\n"
        )
        with socket.create_connection((host, int(port)), timeout=DEADLINE) as line:
            if rng.random() < 0.5:
                line.sendall(head + b'{"model": "default", ')
                return "cancelled"
            line.sendall(rng.randbytes(40).replace(b"\n", b"") + b"\r\n\r\n")
            with suppress(ConnectionError):
                line.recv(100)
        return "refused"


def metrics(url: str) -> dict[str, int]:
    """Return the texts of a server by state, and its counters."""
    with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=DEADLINE)) as connection:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    rows = (re.fullmatch(r'worldline_(\w+)(?:\{\w+="(\w+)"\})? (\d+)', line) for line in text.splitlines())
    return {" ".join(filter(None, row.group(1, 2))): int(row[3]) for row in rows if row}


def is_idle(url: str) -> bool:
    """Return whether no text is in progress."""
    now = metrics(url)
    return not any(now[f"texts {state}"] for state in ("reading", "writing", "waiting"))


def end_while_reading(process: subprocess.Popen[str], url: str, tally: Tally, slack: float) -> None:
    """Send SIGTERM while prompts as long as the context are read, and one text is written."""
    host = url.removeprefix("http://")
    prompts = [chr(ord("a") + n) * (MAX_PROMPT - 1) for n in range(4)]
    waiting = [http.client.HTTPConnection(host, timeout=DEADLINE) for _ in prompts]
    for connection, prompt in zip(waiting, prompts, strict=True):
        body = json.dumps({"model": "default", "prompt": prompt, "max_tokens": 2})
        connection.request("POST", "/v1/completions", body, {"Content-Type": "application/json"})
    tally.promise(wait_for(lambda: metrics(url)["texts reading"] > 0, DEADLINE), "no prompt was read at the end")
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        tally.promise(False, "SIGTERM was not heard")
        process.kill()
    taken = time.monotonic() - began
    tally.promise(taken <= SIGNAL_SECONDS * slack, f"the process ended {taken:.1f} s after SIGTERM")
    for connection in waiting:
        with closing(connection), suppress(OSError, http.client.HTTPException):
            status = connection.getresponse().status
            tally.promise(status == 503, f"a request in flight at SIGTERM was answered with {status}")
    print(f"serve: ended {taken:.1f} s after SIGTERM, four prompts of {MAX_PROMPT - 1:,} bytes in flight", flush=True)


def soak_serve(folder: Path, count: int, slack: float) -> Row:
    """Send `count` requests to a server and end it by a signal."""
    tally, began = Tally(DEADLINE * slack), time.monotonic()
    command = [sys.executable, "-m", "worldline", "serve", "--port", "0", "-M", "threads=1", "--batch", str(BATCH)]
    command += ["--queue-seconds", str(QUEUE_SECONDS), "--cache-bytes", str(CACHE_BYTES)]
    with faults(folder, count) as undone:
        log = (undone.disk.folder / "log").open("w")
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=undone.disk.folder, env=undone.environment
        )
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip().removeprefix("server:").partition("#")[0]
            before, watch = Held.of(process.pid), Watch(process.pid)
            clients = ServeClients(url, tally, undone)
            for numbers in rounds(count):
                clients.send_all(numbers)
                tally.promise(wait_for(lambda: is_idle(url), DEADLINE), "work goes on without a client")
                watch.note(numbers.stop)
            clients.see_clock()
            clients.client.close()
            time.sleep(1)  # connections that were just closed
            after, last = Held.of(process.pid), metrics(url)
            tally.promise(last["texts_ended_total broken"] == 0, "texts are broken")
            if not undone.clock.why_not and clients.created:
                jumped = max(clients.created) - min(clients.created)
                tally.promise(jumped >= 3600, f"the clock of the server jumped by {jumped} s only")
            end_while_reading(process, url, tally, slack)
        finally:
            process.kill()
            process.communicate()
            log.close()
    seconds = time.monotonic() - began
    return Row("`serve`", tally, Memory.of(watch.samples), before, after, seconds, undone.notes)
