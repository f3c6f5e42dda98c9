"""A server that misbehaves on purpose, in a process of its own: the first part of a path names the fault.

Run as a script it prints its port and serves until its standard input ends. `GET /log` tells what was asked of it.
"""

from __future__ import annotations

import asyncio
import gzip
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


async def gzip_bomb(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """A small answer that unpacks to 256 MiB."""
    writer.write(http(gzip.compress(b" " * (1 << 28)), extra="Content-Encoding: gzip\r\n"))


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


def _asked(question: dict[str, Any]) -> int:
    """How often this very question has been asked."""
    here = LOG[-1]["path"]
    return sum(entry["question"] == question and entry["path"] == here for entry in LOG)


async def flaky(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Refuses every question twice, then answers it."""
    if _asked(question) <= 2:
        writer.write(http(b"{}", status="503 Service Unavailable"))
    else:
        await good(writer, question, count)


async def stall(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Never answers a question that is asked for the first time."""
    await (hang if _asked(question) == 1 else good)(writer, question, count)


def event(text: str, **more: Any) -> bytes:
    """One event of a stream, of a completion and of a chat at once."""
    choice = {"index": 0, "text": text, "delta": {"content": text}, "finish_reason": None, **more}
    found = {"id": "streamed-1", "model": "m", "choices": [choice]}
    return f"data: {json.dumps(found)}\n\n".encode()


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n"


async def streaming(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """A stream whose events are cut anywhere, with a remark and an event without a choice among them."""
    assert question["stream"] is True
    logprobs = {"token_logprobs": [-0.5]}
    data = b": a remark\n\n" + event("(1 n=1\n", logprobs=logprobs) + event("2\n", logprobs=logprobs)
    data += event(")1\n.\n", logprobs=logprobs) + event("", finish_reason="stop")
    data += b'data: {"id": "streamed-1", "choices": [], "usage": {}}\r\n\r\ndata: [DONE]\n\n'
    writer.write(STREAM)
    for at in range(0, len(data), 7):
        writer.write(data[at : at + 7])
        await writer.drain()


async def begun(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """A stream that goes silent in its second line."""
    writer.write(STREAM + event("(1 n=1\n") + event("2"))
    await writer.drain()
    await asyncio.sleep(600)


async def torn(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """A stream that breaks off: it says neither that it is done nor why."""
    writer.write(STREAM + event("(1 n=1\n") + event("2\n"))


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


def raw(head: str, body: bytes = b"") -> Handler:
    """A response as it is written, whatever it claims."""
    return fixed(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)


def redirect(location: str) -> Handler:
    """A redirect to somewhere that is no place."""
    return raw(f"HTTP/1.1 307 Temporary Redirect\nContent-Length: 0\nLocation: {location}")


def number(text: str) -> Handler:
    """A good answer with a number as it is spelled, wherever numbers stand."""
    old, new = {"token_logprobs": ["HERE"] * 2}, {"content": [{"logprob": "HERE", "id": 1}] * 2}
    found = answer(logprobs=new if text.startswith("-") else old) | {"created": "HERE", "usage": {"n": "HERE"}}
    return fixed(http(json.dumps(found).replace('"HERE"', text).encode()))


async def endless_head(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Headers, and more headers."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for line in range(1 << 20):
        writer.write(b"X-%d: %s\r\n" % (line, b"x" * 1000))
        await writer.drain()


async def endless_chunks(writer: asyncio.StreamWriter, question: dict[str, Any], count: int) -> None:
    """Chunks without end."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(1 << 12):
        writer.write(b"%x\r\n%s\r\n" % (1 << 20, b" " * (1 << 20)))
        await writer.drain()


def status(line: str, extra: str = "") -> Handler:
    """A refusal with a status."""
    return fixed(http(b'{"error": {"message": "no\\nway"}}', status=line, extra=extra))


HANDLERS: dict[str, Handler] = {
    "good": good, "late": late, "slow": slow, "hang": hang, "huge": huge, "cut": cut, "busy": busy, "echo": echo,
    "leak": leak, "mixed": mixed, "flaky": flaky, "stall": stall, "streaming": streaming, "begun": begun,
    "torn": torn, "oddstream": fixed(STREAM + b"data: [1\n\n"), "failstream": fixed(
        STREAM + event("(1") + b'data: {"error": {"message": "out of memory"}}\n\n'
    ),
    "429": status("429 Too Many Requests", "Retry-After: 3600\r\n"),
    "500": status("500 Internal Server Error"),
    "502": status("502 Bad Gateway"),
    "503": status("503 Service Unavailable", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
    "400": status("400 Bad Request"),
    "404": status("404 Not Found"),
    "unknown": fixed(http(b'{"message": "The model `m` does not exist."}', status="404 Not Found")),
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
    "endless-head": endless_head, "endless-chunks": endless_chunks,
}  # fmt: skip

DEEP = "[" * 900 + "]" * 900
LONG = "9" * 5_000
OK = "HTTP/1.1 200 OK\nContent-Type: application/json"
BODY = json.dumps(answer()).encode()
REDIRECTS = {
    "bracket": "http://[", "brackets": "http://[]", "zone": "http://[::1%25]/", "port": "http://h:99999999/",
    "no-port": "http://h:x/", "scheme": "javascript:alert(1)", "file": "file:///etc/passwd", "empty": "",
    "nothing": "//", "colon": "://", "long": "http://" + "h" * 5_000, "wide": "http://\xff\xfe/",
    "idna": "http://xn--/", "dots": "http://.../", "secret": "http://user:pw@h/?key=1", "space": "http://a b/",
    "relative": "../../x", "percent": "http://%zz/", "at": "http://@", "nfkc": "http://\xbd/", "tab": "ht\ttp://h/",
}  # fmt: skip
NUMBERS = {
    "nan": "NaN", "inf": "Infinity", "minus-inf": "-Infinity", "overflow": "1e999", "minus-overflow": "-1e999",
    "large": "-1e308", "large-positive": "1e308", "long": LONG, "minus-long": f"-{LONG}",
    "very-long": "9" * 10_000_000, "hundreds": "-" + "9" * 400, "positive": "0.5", "bool": "false", "text": '"-1"',
    "null": "null", "list": DEEP, "object": '{"a": 1}', "half": '"\\ud800"',
}  # fmt: skip
TEXTS: dict[str, Any] = {
    "number": 1, "true": True, "list": ["x"], "parts": [{"text": "a"}, {"text": 1}, 1, None], "object": {"text": "x"},
    "half": "\ud800", "nul": "\0", "escape": "\x1b[2J", "beyond": r"(1 n='\Uffffffff'", "digits": "9" * 10_000_000,
}  # fmt: skip
KEYS: dict[str, Any] = {
    "id": [], "id-long": 10**400, "id-deep": json.loads(DEEP), "model": 5, "model-list": ["m"], "choices": "x",
    "choices-object": {"0": {}}, "choices-null": [None], "choices-list": [[]], "error": {"message": 5},
}  # fmt: skip
LIES: dict[str, Handler] = {
    **{f"redirect-{name}": redirect(location) for name, location in REDIRECTS.items()},
    "redirect-nowhere": raw("HTTP/1.1 302 Found\nContent-Length: 0"),
    "redirect-300": raw("HTTP/1.1 300 Multiple Choices\nLocation: http://[\nContent-Length: 0"),
    "redirect-twice": raw("HTTP/1.1 302 Found\nLocation: http://a/\nLocation: http://[\nContent-Length: 0"),
    **{f"number-{name}": number(text) for name, text in NUMBERS.items()},
    **{f"text-{name}": fixed(says(answer(text))) for name, text in TEXTS.items()},
    **{f"key-{name}": fixed(says(answer() | {name.partition("-")[0]: value})) for name, value in KEYS.items()},
    **{f"finish-{name}": fixed(says(answer(finish_reason=value))) for name, value in KEYS.items()},
    **{f"ids-{name}": fixed(says(answer(token_ids=value))) for name, value in
       {"text": "12", "float": [1.5], "bool": [True], "minus": [-1], "long": [10**400], "deep": json.loads(DEEP),
        "beyond": [(1 << 32) - 1]}.items()},
    **{f"logprobs-{name}": fixed(says(answer(logprobs=value))) for name, value in
       {"list": [], "text": "x", "content": {"content": 5}, "pieces": {"content": [5, None, []]},
        "older": {"token_logprobs": {}}, "none": {"token_logprobs": []}}.items()},
    "http-0.9": fixed(BODY),
    "http-9": raw(f"HTTP/9.9 200 OK\nContent-Length: {len(BODY)}", BODY),
    "status-none": raw("HTTP/1.1 OK\nContent-Length: 0"),
    "status-99": raw("HTTP/1.1 99 Odd\nContent-Length: 0"),
    "status-999": raw("HTTP/1.1 999 Odd\nContent-Length: 0"),
    "status-101": raw("HTTP/1.1 101 Switching Protocols\nUpgrade: h2c"),
    "status-100": raw("HTTP/1.1 100 Continue"),
    "status-204": raw("HTTP/1.1 204 No Content"),
    "status-206": raw(f"HTTP/1.1 206 Partial Content\nContent-Length: {len(BODY)}", BODY),
    "status-304": raw("HTTP/1.1 304 Not Modified\nLocation: http://["),
    "length-less": raw(f"{OK}\nContent-Length: 5", BODY),
    "length-more": raw(f"{OK}\nContent-Length: {len(BODY) + 5}", BODY),
    "length-minus": raw(f"{OK}\nContent-Length: -5", BODY),
    "length-words": raw(f"{OK}\nContent-Length: many", BODY),
    "length-two": raw(f"{OK}\nContent-Length: 5\nContent-Length: 6", BODY),
    "length-huge": raw(f"{OK}\nContent-Length: {LONG}", BODY),
    "length-and-chunks": raw(f"{OK}\nContent-Length: 5\nTransfer-Encoding: chunked", b"5\r\n{}   \r\n0\r\n\r\n"),
    "chunk-odd": raw(f"{OK}\nTransfer-Encoding: chunked", b"zz\r\n{}\r\n0\r\n\r\n"),
    "chunk-huge": raw(f"{OK}\nTransfer-Encoding: chunked", b"f" * 30 + b"\r\n{}"),
    "chunk-less": raw(f"{OK}\nTransfer-Encoding: chunked", b"2\r\n{}{}\r\n0\r\n\r\n"),
    "chunk-no-end": raw(f"{OK}\nTransfer-Encoding: chunked", b"%x\r\n%s\r\n" % (len(BODY), BODY)),
    "transfer-odd": raw(f"{OK}\nTransfer-Encoding: gzip", BODY),
    "head-bomb": raw(OK + "".join(f"\nX-{n}: {'x' * 1000}" for n in range(2_000)), BODY),
    "head-nul": raw(f"{OK}\nX: a\0b", BODY),
    "head-no-name": raw(f"{OK}\n: x", BODY),
    "head-space": raw(f"{OK}\nX : y", BODY),
    "head-wide": raw(f"{OK}\nX\xff: y", BODY),
    "gzip-bomb": gzip_bomb,
    "gzip-twice": fixed(http(b"x", extra="Content-Encoding: gzip, gzip\r\n")),
    "encoding-odd": fixed(http(BODY, extra="Content-Encoding: \xff\r\n")),
    "charset": fixed(http(json.dumps(answer()).encode("utf-16"), kind="application/json; charset=utf-16")),
    "charset-odd": fixed(http(BODY, kind="application/json; charset=no-such")),
    "utf-8-invalid": fixed(http(b'{"choices": [{"text": "\xff\xfe", "finish_reason": "stop"}]}')),
    "mark": fixed(http(b"\xef\xbb\xbf" + BODY)),
    "twice": fixed(http(BODY[:-1] + b', "choices": 5}')),
    "two": fixed(http(BODY + BODY)),
    "nothing": fixed(b""),
    "type-odd": fixed(http(BODY, kind="\xff")),
    **{f"later-{name}": raw(f"HTTP/1.1 503 Busy\nRetry-After: {text}\nContent-Length: 0") for name, text in
       {"nan": "nan", "inf": "inf", "minus": "-5", "long": LONG, "date": "Fri, 99 Xxx 99999 99:99:99 +9999999999",
        "wide": "\xb2"}.items()},
    **{f"said-{name}": fixed(http(body, status="400 Bad Request")) for name, body in
       {"deep": b"[" * 100_000, "long": LONG.encode(), "invalid": b"\xff" * 1000, "list": b'{"error": [1]}',
        "escape": b'{"error": "\\u001b[2J\\ud800"}'}.items()},
}  # fmt: skip
HANDLERS |= LIES


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
            size = int(headers.get("content-length", 0))
            question = json.loads(await reader.readexactly(size)) if size else None  # None: the list of models
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
