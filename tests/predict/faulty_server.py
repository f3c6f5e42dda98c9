"""A server that misbehaves on purpose, in a process of its own: the first part of a path names the fault.

Run as a script it prints its port and serves until its standard input ends. `GET /log` tells what was asked of it.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections.abc import Awaitable, Callable
from typing import Any

STEPS = "(1 n=1\n2\n)1\n.\n"
Handler = Callable[[asyncio.StreamWriter, dict[str, Any], int], Awaitable[None]]
LOG: list[dict[str, Any]] = []


def answer(text: str = STEPS, *, model: str = "m", number: str = "answer-1", **more: Any) -> dict[str, Any]:
    """A good answer, of a completion and of a chat at once."""
    choice = {"index": 0, "text": text, "message": {"content": text}, "finish_reason": "stop", **more}
    return {"id": number, "model": model, "choices": [choice]}


def http(body: bytes, *, status: str = "200 OK", kind: str = "application/json", extra: str = "") -> bytes:
    """A whole response."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


def says(found: dict[str, Any]) -> bytes:
    """A good response with this object."""
    return http(json.dumps(found).encode())


async def good(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Echoes what was asked, so that answers can be told apart."""
    prompt = question.get("prompt") or question["messages"][-1]["content"]
    writer.write(says(answer(f"(1 n={len(prompt)}\n2\n)1\n.\n", number=f"answer-{count}")))


async def late(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """The earlier asked, the later answered."""
    await asyncio.sleep(max(0.0, 0.4 - 0.1 * count))
    await good(writer, question, count)


async def slow(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """One byte a second."""
    for byte in says(answer()):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(1)


async def hang(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Headers, and nothing after them."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
    await writer.drain()
    await asyncio.sleep(600)


async def huge(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """A gigabyte, or as much of it as is taken."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
    for _ in range(1024):
        writer.write(b" " * (1 << 20))
        await writer.drain()


async def cut(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Half an answer, and the connection closed."""
    data = says(answer())
    writer.write(data[: len(data) // 2])


async def busy(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Refuses twice, then answers; another answer each time."""
    if count <= 2:
        extra = "Retry-After: 0.2\r\n" if count == 1 else ""
        writer.write(http(b'{"error": {"message": "busy"}}', status="429 Too Many Requests", extra=extra))
    else:
        await good(writer, question, count)


async def echo(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Repeats the key in its refusal."""
    key = LOG[-1]["headers"].get("authorization", "").removeprefix("Bearer ")
    writer.write(http(json.dumps({"error": f"bad key {key}"}).encode(), status="401 Unauthorized"))


async def leak(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Answers with the key in the text."""
    key = LOG[-1]["headers"].get("authorization", "").removeprefix("Bearer ")
    writer.write(says(answer(f"key {key}\n", number=key)))


async def mixed(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Answers some programs and breaks on others."""
    broken = "broken" in str(question.get("prompt"))
    await (cut if broken else good)(writer, question, count)


def fixed(data: bytes) -> Handler:
    """A fault that is always the same bytes."""

    async def write(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
        writer.write(data)

    return write


def stream() -> bytes:
    """A stream whose chunks come twice."""
    chunks = [f"data: {json.dumps(answer(text))}\n\n" for text in ("(1 n=1\n", "2\n", ")1\n.\n")]
    return http("".join(chunk * 2 for chunk in chunks).encode(), kind="text/event-stream")


def status(line: str, extra: str = "") -> Handler:
    """A refusal with a status."""
    return fixed(http(b'{"error": {"message": "no\\nway"}}', status=line, extra=extra))


HANDLERS: dict[str, Handler] = {
    "good": good, "late": late, "slow": slow, "hang": hang, "huge": huge, "cut": cut, "busy": busy, "echo": echo,
    "leak": leak, "mixed": mixed,
    "429": status("429 Too Many Requests", "Retry-After: 3600\r\n"),
    "500": status("500 Internal Server Error"),
    "502": status("502 Bad Gateway"),
    "503": status("503 Service Unavailable", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
    "400": status("400 Bad Request"),
    "context": fixed(
        http(
            b'{"error": {"message": "This model\'s maximum context length is 4096 tokens, you requested 9000"}}',
            status="400 Bad Request",
        )
    ),
    "html": fixed(http(b"<html>hello</html>", kind="text/html")),
    "notjson": fixed(http(b'{"choices": [')),
    "deep": fixed(http(b"[" * 1_000_000)),
    "list": fixed(http(b"[]")),
    "nochoices": fixed(says({"id": "x", "model": "m"})),
    "notext": fixed(says({"id": "x", "model": "m", "choices": [{"finish_reason": "stop"}]})),
    "nofinish": fixed(says({"id": "x", "model": "m", "choices": [{"text": STEPS}]})),
    "filtered": fixed(says(answer(finish_reason="content_filter"))),
    "othermodel": fixed(says(answer(model="another"))),
    "nologprobs": fixed(says(answer(logprobs=None))),
    "oddlogprobs": fixed(says(answer(logprobs={"token_logprobs": [None, "x", 1.5]}))),
    "stream": fixed(stream()),
    "redirect": fixed(http(b"", status="307 Temporary Redirect", extra="Location: http://user:pw@127.0.0.2:9/x?k=1\r\n")),
    "gzip": fixed(http(b"\x1f\x8b", extra="Content-Encoding: gzip\r\n")),
    "garbage": fixed(b"\x00\x01\x02 not HTTP\r\n\r\n"),
    "empty": fixed(says(answer(""))),
    "length": fixed(says(answer("(1 n=1\n2", finish_reason="length"))),
}  # fmt: skip


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request a connection."""
    try:
        head = (await reader.readexactly(1)).decode("latin-1")
        if head == "\x16":  # TLS where none is spoken
            writer.write(http(b"", status="400 Bad Request"))
            return
        head += (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *rest = head.split("\r\n")
        headers = {name.lower(): text.strip() for name, _, text in (line.partition(":") for line in rest)}
        path = first.split()[1]
        if path == "/log":
            writer.write(says({"log": LOG}))
        else:
            question = json.loads(await reader.readexactly(int(headers["content-length"])))
            LOG.append({"path": path, "headers": headers, "question": question})
            count = sum(entry["path"] == path for entry in LOG)
            await HANDLERS[path.split("/")[1]](writer, question, count)
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main(certificate: str | None) -> None:
    """Serves plainly, and behind TLS where a certificate is given."""
    plain = await asyncio.start_server(serve, "127.0.0.1", 0)
    ports = [plain.sockets[0].getsockname()[1]]
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        secret = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
        ports.append(secret.sockets[0].getsockname()[1])
    print(*ports, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
