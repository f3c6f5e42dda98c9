"""A served model that answers in prose: `bench` says what would work, and does not exit as if it had measured it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "worldline"]
PROSE = "Let me walk through it. The function is called with its argument, and then it returns the sum of both."
SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked += 1
        texts = json.loads(sys.argv[1])
        text = texts[self.server.asked % len(texts)]
        choice = {"index": 0, "finish_reason": "stop"}
        is_chat = self.path.endswith("/chat/completions")
        choice |= {"message": {"role": "assistant", "content": text}} if is_chat else {"text": text}
        body = json.dumps({"id": "1", "model": question["model"], "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.asked = 0
print(server.server_address[1], flush=True)
server.serve_forever()
"""
TRACE = "```\n(1 n=1\n2 m=2\n3\n)2\n.\n```"
ROW = {"source": "def f(n):\n    m = n + 1\n    return m\n", "call": "f(1)"}


@contextmanager
def served(*texts: str) -> Iterator[str]:
    """A server in a process of its own that gives these answers in turn."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, json.dumps(texts)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield f"server:http://127.0.0.1:{server.stdout.readline().strip()}#m"
    finally:
        server.kill()
        server.communicate()


def bench(folder: Path, model: str, *options: str, rows: int = 6) -> subprocess.CompletedProcess[str]:
    (folder / "own.jsonl").write_text("".join(json.dumps(ROW | {"id": str(n)}) + "\n" for n in range(rows)))
    command = [*COMMAND, "bench", "own.jsonl", "--model", model, "-M", "concurrency=1", *options]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, env={**os.environ, "COLUMNS": "300"}
    )


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(("way", "other"), [("chat", "fewshot-chat"), ("fewshot-chat", "chat"), ("text", "chat")])
def test_prose_is_named_with_a_way_of_asking_that_would_work(tmp_path: Path, way: str, other: str) -> None:
    with served(PROSE) as model:
        done = bench(tmp_path, model, "-M", f"way={way}", "-o", "run")
    assert done.returncode == 1
    assert done.stderr.startswith("error[unreadable]: 6 of 6 outputs hold no step of a trace: they are prose (6).")
    assert f"`-M way={other}`" in done.stderr
    first = done.stdout.splitlines()[1]
    assert first == "where      6 of 6 outputs hold no step of a trace: they are prose (6)."
    written = subprocess.run([*COMMAND, "report", "run"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert written.returncode == 0, written.stderr
    assert first in written.stdout
    assert "6 of 6 outputs hold no step of a trace" in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.usefixtures("sandbox")
def test_the_way_that_is_advised_reads_the_answer_of_such_a_model(tmp_path: Path) -> None:
    with served(f"{PROSE}\n[ANSWER]\nassert f(1) == 2\n[/ANSWER]") as model:
        done = bench(tmp_path, model, "-M", "way=fewshot-chat", "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["answer"]["right"] == 6


@pytest.mark.usefixtures("sandbox")
def test_a_model_that_writes_some_traces_is_measured(tmp_path: Path) -> None:
    with served(TRACE, PROSE) as model:
        done = bench(tmp_path, model, "-M", "way=chat", "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["answer"]["right"], printed["forms"]) == (3, {"prose": 3})
    assert "hold no step" not in printed["conclusion"]["where"]


def stored(folder: Path) -> int:
    """How many answers a run holds."""
    return len((folder / "records.jsonl").read_text().splitlines())


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("text", [PROSE, "```\n(1 n=1\nand then it returns\n```"], ids=["prose", "some steps"])
def test_a_run_stops_after_eight_answers_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    with served(text) as model:
        first = bench(tmp_path, model, "-o", "run", rows=30)
        again = bench(tmp_path, model, "-o", "run", rows=30)
        assert stored(tmp_path / "run") == 8
        anyway = bench(tmp_path, model, "-o", "run", "--keep-going", rows=30)
    for done in (first, again):
        assert done.returncode == 1
        assert done.stderr.startswith("error[unreadable]: Stopped: none of the first 8 answers can be read; they are ")
        assert f"`worldline check '{model.replace('#', '/v1#')}'` tries them all" in done.stderr
        assert "`--keep-going` measures it as it is" in done.stderr
    assert stored(tmp_path / "run") == 30
    assert "n = 30" in anyway.stdout
    assert "Stopped" not in anyway.stdout + anyway.stderr


@pytest.mark.usefixtures("sandbox")
def test_a_stopped_run_is_resumed_and_a_readable_answer_keeps_it_going(tmp_path: Path) -> None:
    with served(*[PROSE] * 8, TRACE) as model:  # the answers of a server start with its second
        done = bench(tmp_path, model, "-o", "run", "--json", rows=12)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["n"], printed["answer"]["malformed"], "stopped" in printed) == (12, 11, False)


@pytest.mark.usefixtures("sandbox")
def test_shards_samples_and_scratchpads_stop_alike(tmp_path: Path) -> None:
    with served(PROSE) as model:
        shard = bench(tmp_path, model, "--shard", "1/2", "-o", "shard", rows=30)
        vote = bench(tmp_path, model, "--samples", "2", "--json", rows=12)
        repeats = bench(tmp_path, model, "--repeats", "2", "-M", "temperature=1", "-o", "repeats", "--json", rows=12)
    assert [done.returncode for done in (shard, vote, repeats)] == [1, 1, 1]
    assert stored(tmp_path / "shard") == 8
    assert [json.loads(done.stdout)["n"] for done in (vote, repeats)] == [8, 8]
    assert json.loads(vote.stdout)["stopped"] is True
    assert not (tmp_path / "repeats" / "2").exists()
