"""A completion server in a process of its own: it answers a prompt with the text that a file gives for it.

    python echo_server.py ANSWERS.json LOG.jsonl

It prints its port, serves until its standard input ends, and writes every prompt to the log. A prompt that is not in
the file is an error 400.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

ANSWERS: dict[str, str] = json.loads(Path(sys.argv[1]).read_text("utf-8"))
LOG, LOCK = Path(sys.argv[2]), Lock()


class Handler(BaseHTTPRequestHandler):
    """Answers completions."""

    def do_POST(self) -> None:
        """Look up the prompt."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with LOCK, LOG.open("a") as log:
            log.write(json.dumps(question["prompt"]) + "\n")
        text = ANSWERS.get(question["prompt"])
        choice = {"index": 0, "text": text, "finish_reason": "stop"}
        answer = {"id": "echo", "model": question["model"], "choices": [choice]}
        self._say(
            answer if text is not None else {"error": {"message": "another prompt"}}, 400 if text is None else 200
        )

    def do_GET(self) -> None:
        """Say which models there are."""
        self._say({"data": [{"id": "cwm"}]}, 200)

    def _say(self, answer: dict[str, Any], status: int) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    server.shutdown()
