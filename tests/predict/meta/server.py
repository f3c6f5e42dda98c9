"""An OpenAI-compatible server in a process of its own that answers each prompt with the text it was given for it.

Argument: a JSON file of {prompt: answer}. A prompt of token ids is looked up by its characters, a conversation by its
last message. `decoding` in the model's name says how the answer goes out: `ids`, `tagged`, `spaced` or `stripped`.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SPECIAL = re.compile(r"(<\|(\w+)\|>)")
NUMBERS = {
    "begin_of_text": 128000, "end_of_text": 128001, "frame_sep": 128100, "action_sep": 128101, "return_sep": 128102,
    "call_sep": 128103, "line_sep": 128104, "exception_sep": 128105, "arg_sep": 128106, "trace_context_start": 128107,
}  # fmt: skip
NAMES = {number: f"<|{name}|>" for name, number in NUMBERS.items()}


def decoded(ids: list[int]) -> str:
    """Ids as text: special tokens by name, all others by character."""
    return "".join(NAMES.get(number) or chr(number) for number in ids)


def encoded(text: str) -> list[int]:
    """The way back."""
    ids = list[int]()
    for piece in re.split(r"(<\|\w+\|>)", text):
        name = piece[2:-2]
        ids += [NUMBERS[name]] if piece.startswith("<|") and name in NUMBERS else map(ord, piece)
    return ids


def spaced(text: str) -> str:
    """As a tokenizer decodes with spaces_between_special_tokens=True."""
    return " ".join(piece for piece in re.split(r"(<\|\w+\|>)", text) if piece)


def stripped(text: str) -> str:
    """As a tokenizer decodes with skip_special_tokens=True."""
    return SPECIAL.sub("", text)


DECODINGS = {"ids": str, "tagged": str, "spaced": spaced, "stripped": stripped}


class Handler(BaseHTTPRequestHandler):
    """One answer a question."""

    answers: dict[str, str]

    def do_POST(self) -> None:
        """A completion, of a prompt or a conversation."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(self.answer(asked)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What was prepared, decoded as the model's name says."""
        how = asked["model"].rpartition("-")[2]
        if "messages" in asked:
            said = f"Here it is.\n\n```\n{self.answers[asked['messages'][-1]['content']]}\n```\nDone."
            choice: dict[str, Any] = {"message": {"content": DECODINGS[how](said)}}
        else:
            prompt = asked["prompt"]
            said = self.answers[prompt if isinstance(prompt, str) else decoded(prompt)]
            choice = {"text": DECODINGS[how](said)}
            if how == "ids":
                choice["token_ids"] = encoded(said)
        return {"model": asked["model"], "id": "1", "choices": [{**choice, "finish_reason": "stop"}]}

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


if __name__ == "__main__":
    Handler.answers = json.loads(Path(sys.argv[1]).read_text())
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
