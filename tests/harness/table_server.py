"""An OpenAI-compatible server whose model knows its answers by heart, in a process of its own.

Run as a script with a JSON file (from a prompt, or a conversation's last message, to a text) it prints its address and
serves until its standard input ends. A token is a character; stop texts and `max_tokens` are heeded as real servers do.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "heart"


def written(text: str, question: dict[str, Any]) -> tuple[str, str]:
    """What a model that wants to write this text gets to write, and why it stops."""
    given = question.get("stop") or []
    stops = [given] if isinstance(given, str) else given
    found = min((at for at in (text.find(stop) for stop in stops) if at >= 0), default=len(text))
    most = question["max_tokens"]
    return (text[:most], "length") if found > most else (text[:found], "stop")


class Handler(BaseHTTPRequestHandler):
    """Answers completions and chats out of the table."""

    table: dict[str, str]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = question.get("prompt") or question["messages"][-1]["content"]
        prompt = asked if isinstance(asked, str) else asked[0]
        text, finish = written(self.table.get(prompt, ""), question)
        choice = {"index": 0, "finish_reason": finish, "text": text}
        choice["message"] = {"role": "assistant", "content": text}
        counts = {"prompt_tokens": len(prompt), "completion_tokens": len(text), "total_tokens": len(text)}
        self._say(
            {
                "id": "one",
                "object": "text_completion",
                "created": 0,
                "model": MODEL,
                "choices": [choice],
                "usage": counts,
            }
        )

    def _say(self, found: dict[str, Any]) -> None:
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


def main() -> None:
    """Serves on a free port of this machine."""
    Handler.table = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
