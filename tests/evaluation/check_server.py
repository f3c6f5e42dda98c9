"""A model server for `check`, in a process of its own: the first part of a path names how it behaves.

Run as a script it takes the true texts of the tiny programs (`{call: text}` as JSON) and optionally a certificate. It
prints its port and serves until it is killed. `GET /log` lists the requests.
"""

from __future__ import annotations

import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-right"
PROSE = "Let me walk through it. The function is called with its argument, and then it returns a value."
CHAT, COMPLETIONS, MODELS = "/chat/completions", "/completions", "/models"
LISTED = {"several": ["first", "second"], "unknown": ["mistral", "qwen"], "nolist": None}
LOG: list[dict[str, Any]] = []
NEVER = threading.Event()


class Refused(Exception):
    """The request is answered with a status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def compact_text(question: dict[str, Any], truths: dict[str, str]) -> str:
    """The true trace if the question is in the compact notation, prose otherwise."""
    messages = question.get("messages")
    text = question["prompt"] if messages is None else messages[-1]["content"]
    call = next((call for call in truths if f">{call}\n" in text), None)
    if call is None:
        return PROSE
    return truths[call] if messages is None else f"The trace is:\n```\n{truths[call]}```\n"


def check_access(manner: str, endpoint: str, question: dict[str, Any], key: str) -> None:
    """Refuse what a server of this manner refuses."""
    is_asked = endpoint != MODELS
    if manner == "key" and key != f"Bearer {KEY}":
        raise Refused(401, "missing or wrong key")
    if manner == "forbidden":
        raise Refused(403, "your plan has no access")
    if manner == "loading":
        raise Refused(503, "Loading model")
    if manner == "unknown" and is_asked:
        raise Refused(404, f"The model `{question['model']}` does not exist.")
    if manner == "context" and len(json.dumps(question)) > 150:
        raise Refused(400, "This model's maximum context length is 64 tokens, however you requested 900 tokens")
    if manner == "nologprobs" and "logprobs" in question:
        raise Refused(400, "logprobs is not supported")
    if (endpoint == CHAT and manner in ("nologprobs", "text")) or (endpoint == COMPLETIONS and manner == "chat"):
        raise Refused(404, "Not Found")


def reply(manner: str, endpoint: str, question: dict[str, Any], truths: dict[str, str]) -> dict[str, Any]:
    """The answer to a request that is not refused."""
    if endpoint == MODELS:
        names = LISTED.get(manner, ["m"])
        if names is None:
            raise Refused(404, "Not Found")
        return {"object": "list", "data": [{"id": name} for name in names]}
    text = PROSE if manner in ("prose", "nolist") else compact_text(question, truths)
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
    choice |= {"message": {"role": "assistant", "content": text}} if endpoint == CHAT else {"text": text}
    return {"id": "1", "model": question["model"], "choices": [choice]}


class Handler(BaseHTTPRequestHandler):
    """Answers by the first part of the path; `/MANNER/v1/ENDPOINT`."""

    truths: dict[str, str]

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _answer(self, question: dict[str, Any]) -> None:
        if self.path == "/log":
            self._send(200, {"log": LOG})
            return
        LOG.append({"path": self.path, "question": question})
        _, manner, *rest = self.path.split("/", 3)
        if manner == "hang" or (manner == "slow" and len(json.dumps(question)) > 150):
            NEVER.wait()
        if manner == "html":
            self._send(200, "<html>hello</html>")
            return
        try:
            if len(rest) < 2 or rest[0] != "v1" or f"/{rest[1]}" not in (CHAT, COMPLETIONS, MODELS):
                raise Refused(404, "Not Found")
            endpoint = f"/{rest[1]}"
            check_access(manner, endpoint, question, self.headers.get("authorization", ""))
            self._send(200, reply(manner, endpoint, question, self.truths))
        except Refused as error:
            self._send(error.status, {"error": {"message": str(error)}})

    def _send(self, status: int, body: dict[str, Any] | str) -> None:
        kind, data = ("text/html", body) if isinstance(body, str) else ("application/json", json.dumps(body))
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *arguments: object) -> None:
        pass


def main(truths: str, certificate: str = "") -> None:
    """Serve on a free port, behind TLS if there is a certificate."""
    Handler.truths = json.loads(truths)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
