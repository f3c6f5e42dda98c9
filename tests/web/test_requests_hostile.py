"""hostile.md 76, 77 and 80 over real sockets to a real server: each request has its status, and the server lives on.

What takes a server of its own (79, deadlines, thousands of connections) is in test_server.py.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from serving import Served, make_run, serving
from wire import POLICY, Reply, get, replies, request, talk

Made = Callable[[Served], bytes]
PROGRAMS = "/api/programs"
BRANCHES = "/api/runs/0/samples/0/branches"
JSON = "Content-Type: application/json"
FORM = "Content-Type: application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Iterator[Served]:
    """A server of one run, in whose folder lies a link out of it; in the end it has nothing to complain of."""
    run = make_run(tmp_path_factory.mktemp("runs") / "small", count=6)
    (run / "passwd").symlink_to("/etc/passwd")
    with serving(run, models=["interpreter"]) as found:
        yield found
        assert found.complaints() == ""


def ask(target: str = "/api/runs", **how: object) -> Made:
    """A request that is made once the port is known; PORT in it stands for that."""

    def made(served: Served) -> bytes:
        told = {key: _filled(value, served) for key, value in how.items()}
        return request(served, _filled(target, served), **told)  # type: ignore[arg-type]

    return made


def _filled(value: object, served: Served) -> object:
    if isinstance(value, str):
        return value.replace("PORT", str(served.port)).replace("TOKEN", served.token)
    return [_filled(each, served) for each in value] if isinstance(value, list) else value


def raw(text: str | bytes) -> Made:
    """Bytes as they are; PORT and TOKEN stand for the server's."""
    data = text.encode("latin-1") if isinstance(text, str) else text

    def made(served: Served) -> bytes:
        return data.replace(b"PORT", str(served.port).encode()).replace(b"TOKEN", served.token.encode())

    return made


def body(data: bytes | str, target: str = PROGRAMS, *headers: str) -> Made:
    """A POST with a body, as JSON unless headers are given."""
    sent = data.encode() if isinstance(data, str) else data
    return ask(target, method="POST", headers=list(headers or [JSON]), body=sent)


AWAY = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
POST = f"POST {PROGRAMS} HTTP/1.1\r\n"
HEAD = "Host: 127.0.0.1:PORT\r\nX-Worldline-Token: TOKEN\r\n"
NO_TOKEN = "Host: 127.0.0.1:PORT\r\n"

HOSTS: dict[str, tuple[Made, *tuple[int, ...]]] = {
    "host evil": (ask(host="evil.test"), 403),
    "host evil with our port": (ask(host="evil.test:PORT"), 403),
    "host without port": (ask(host="127.0.0.1"), 403),
    "host of another port": (ask(host="127.0.0.1:1"), 403),
    "host that begins like ours": (ask(host="localhost.evil.test:PORT"), 403),
    "host that ends like ours": (ask(host="evil-localhost:PORT"), 403),
    "host with a port of letters": (ask(host="127.0.0.1:PORT.evil.test"), 403),
    "host with a user": (ask(host="evil@127.0.0.1:PORT"), 403),
    "host as a short address": (ask(host="127.1:PORT"), 403),
    "host as one number": (ask(host="2130706433:PORT"), 403),
    "host as octal": (ask(host="0177.0.0.1:PORT"), 403),
    "host mapped to IPv6": (ask(host="[::ffff:127.0.0.1]:PORT"), 403),
    "host unspecified": (ask(host="0.0.0.0:PORT"), 403),
    "host with a dot behind": (ask(host="localhost.:PORT"), 403),
    "host with a list": (ask(host="127.0.0.1:PORT, evil.test"), 403),
    "host empty": (raw("GET /api/runs HTTP/1.1\r\nHost:\r\nX-Worldline-Token: TOKEN\r\n\r\n"), 403),
    "host missing": (ask(host=""), 400),
    "host missing in HTTP/1.0": (raw("GET / HTTP/1.0\r\n\r\n"), 403),
    "host twice": (ask(headers=["Host: evil.test"]), 400),
    "host of ours twice": (ask(headers=["Host: 127.0.0.1:PORT"]), 400),
    "host forwarded": (ask(headers=["X-Forwarded-Host: evil.test", "Forwarded: host=evil.test"]), 200),
    "host IPv6 loopback": (ask(host="[::1]:PORT"), 200),
    "host in capitals": (ask(host="LocalHost:PORT"), 200),
}

ORIGINS: dict[str, tuple[Made, *tuple[int, ...]]] = {
    "origin evil": (ask(headers=["Origin: http://evil.test"]), 403),
    "origin null": (ask(headers=["Origin: null"]), 403),
    "origin empty": (ask(headers=["Origin: "]), 403),
    "origin of another port": (ask(headers=["Origin: http://127.0.0.1:1"]), 403),
    "origin by https": (ask(headers=["Origin: https://127.0.0.1:PORT"]), 403),
    "origin with a path": (ask(headers=["Origin: http://127.0.0.1:PORT/"]), 403),
    "origin of ours and another": (
        ask(headers=["Origin: http://127.0.0.1:PORT", "Origin: http://evil.test"]),
        403,
    ),
    "origin of a file evil to a file": (ask("/", token="", headers=["Origin: http://evil.test"]), 403),
    "origin of ours": (ask(headers=["Origin: http://127.0.0.1:PORT"]), 200),
    "site cross": (ask(headers=["Sec-Fetch-Site: cross-site"]), 403),
    "site same": (ask(headers=["Sec-Fetch-Site: same-site"]), 403),
    "site unheard of": (ask(headers=["Sec-Fetch-Site: friend"]), 403),
    "site our own": (ask(headers=["Sec-Fetch-Site: same-origin"]), 200),
    "a link from elsewhere to the page": (
        ask("/", token="", headers=[*AWAY, "Sec-Fetch-Dest: document"]),
        200,
    ),
    "a link from elsewhere to data": (
        ask(headers=[*AWAY, "Sec-Fetch-Dest: document"]),
        403,
    ),
    "a frame elsewhere": (
        ask("/", token="", headers=[*AWAY, "Sec-Fetch-Dest: iframe"]),
        403,
    ),
    "a script elsewhere": (
        ask("/app.js", token="", headers=["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]),
        403,
    ),
    "websocket from elsewhere": (
        ask(headers=["Origin: http://evil.test", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]),
        403,
    ),
    "websocket from our own page": (
        raw(
            "GET /api/runs HTTP/1.1\r\n" + HEAD + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ),
        403,
    ),
    "upgrade to HTTP/2": (ask(headers=["Upgrade: h2c", "HTTP2-Settings: AAMAAABk"]), 403),
    "preflight": (
        ask(
            BRANCHES, method="OPTIONS", token="",
            headers=["Origin: http://evil.test", "Access-Control-Request-Method: POST"],
        ),
        403,
    ),
}  # fmt: skip

TOKENS: dict[str, tuple[Made, *tuple[int, ...]]] = {
    "token missing": (ask(token=""), 403),
    "token empty": (ask(token="", headers=["X-Worldline-Token:"]), 403),
    "token wrong": (ask(token="test-token-of-this-serveX"), 403),
    "token cut": (ask(token="test-token-of-this-serve"), 403),
    "token longer": (ask(token="TOKENx"), 403),
    "token in other letters": (ask(token="TEST-TOKEN-OF-THIS-SERVER"), 403),
    "token twice": (ask(headers=["X-Worldline-Token: TOKEN"]), 403),
    "token of high bytes": (ask(token="\xff\xfe\xfd"), 403),
    "token in the query": (ask("/api/runs?token=TOKEN", token=""), 403),
    "token in a cookie": (ask(token="", headers=["Cookie: X-Worldline-Token=TOKEN"]), 403),
    "token in the referer": (ask(token="", headers=["Referer: http://127.0.0.1:PORT/#token=TOKEN"]), 403),
    "token as a bearer": (ask(token="", headers=["Authorization: Bearer TOKEN"]), 403),
    "token missing at what is not there": (ask("/api/nothing", token=""), 403),
    "token missing at the description": (ask("/api/openapi.json", token=""), 403),
    "token missing in a form of another site": (
        ask(BRANCHES, method="POST", token="", body=b"a=b", headers=[FORM]),
        403,
    ),
}  # fmt: skip

PATHS: dict[str, tuple[Made, *tuple[int, ...]]] = {
    "path up": (ask("/../../../../etc/passwd"), 404),
    "path up, encoded": (ask("/%2e%2e/%2e%2e/etc/passwd"), 404),
    "path up, encoded twice": (ask("/%252e%252e/etc/passwd"), 404),
    "path up, overlong": (ask("/%c0%ae%c0%ae/etc/passwd"), 404),
    "path up by backslash": (ask("/..\\..\\etc\\passwd"), 404),
    "path up by encoded slash": (ask("/..%2f..%2fetc%2fpasswd"), 404),
    "path up inside a run": (ask("/api/runs/0/../../../etc/passwd"), 404),
    "path absolute": (ask("//etc/passwd"), 404),
    "path of the kernel": (ask("/proc/self/environ"), 404),
    "path of the source": (ask("/static/../server.py"), 404),
    "path of a link in the run": (ask("/api/runs/0/passwd"), 404),
    "path of a file of the run": (ask("/api/runs/0/records.jsonl"), 404),
    "path with NUL": (ask("/app.js%00"), 404),
    "path with a raw NUL": (raw("GET /app.js\0 HTTP/1.1\r\n" + HEAD + "\r\n"), 400),
    "path with a raw space": (raw("GET /a b HTTP/1.1\r\n" + HEAD + "\r\n"), 400),
    "path of high bytes": (raw("GET /\xff\xfe HTTP/1.1\r\n" + HEAD + "\r\n"), 400),
    "path with a bad escape": (ask("/%zz%"), 404),
    "path with a newline": (ask("/api/runs%0a"), 404),
    "path with a header in it": (ask("/%0d%0aSet-Cookie:%20a=b"), 404),
    "path in capitals": (ask("/APP.JS"), 404),
    "path with a dot": (ask("/./app.js"), 404),
    "path with a slash behind": (ask("/app.js/"), 404),
    "path with a slash twice": (ask("//app.js"), 404),
    "path of 8 kB": (ask("/" + "a" * 8192), 414),
    "path of 100 kB": (ask("/" + "a" * 100_000), 400, 414),
    "path that is no path": (ask("app.js"), 400),
    "path of a star": (ask("*", method="OPTIONS"), 400),
    "path absolute by name": (ask("http://evil.test/api/runs"), 400),
    "path absolute of ours": (ask("http://127.0.0.1:PORT/api/runs"), 400),
    "path of a file system": (ask("file:///etc/passwd"), 400),
    "run by an encoded number": (ask("/api/runs/%30/samples"), 404),
    "run with a zero before": (ask("/api/runs/00/samples"), 404),
    "run below zero": (ask("/api/runs/-1/samples"), 404),
    "run that is not there": (ask("/api/runs/1/samples"), 404),
    "run as a float": (ask("/api/runs/0.0/samples"), 404),
    "run in other digits": (ask("/api/runs/%D9%A0/samples"), 404),
    "run with a parameter": (ask("/api/runs/0;a=b/samples"), 404),
    "run without a name": (ask("/api/runs//samples"), 404),
    "sample of twenty digits": (ask("/api/runs/0/samples/99999999999999999999"), 404),
    "sample that is not there": (ask("/api/runs/0/samples/999999999"), 404),
    "sample as a name": (ask("/api/runs/0/samples/__class__"), 404),
    "chunk that is not there": (ask("/api/runs/0/samples/0/chunks/999999999"), 404),
    "branch that is not there": (ask("/api/runs/0/samples/0/branches/7/events"), 404),
    "typed program that is not there": (ask("/api/runs/live/samples/0"), 404),
    "branch of another's that is stopped": (ask(BRANCHES + "/7", method="DELETE"), 404),
}

QUERIES: dict[str, tuple[Made, *tuple[int, ...]]] = {
    "query of a bad escape": (ask("/api/runs/0/samples?q=%zz"), 400),
    "query of no UTF-8": (ask("/api/runs/0/samples?q=%ff%fe"), 400),
    "query without a sign": (ask("/api/runs/0/samples?q"), 400),
    "query of many fields": (ask("/api/runs/0/samples?" + "&".join(f"q{n}=1" for n in range(40))), 400),
    "query unknown": (ask("/api/runs/0/samples?path=/etc/passwd"), 422),
    "query twice": (ask("/api/runs/0/samples?q=a&q=b"), 422),
    "query sort by an attribute": (ask("/api/runs/0/samples?sort=__class__"), 422),
    "query count below zero": (ask("/api/runs/0/samples?count=-1"), 422),
    "query count too large": (ask("/api/runs/0/samples?count=501"), 422),
    "query count as a float": (ask("/api/runs/0/samples?count=1e2"), 422),
    "query count in other digits": (ask("/api/runs/0/samples?count=%D9%A3"), 422),
    "query offset of thirty digits": (ask("/api/runs/0/samples?offset=" + "9" * 30), 422),
    "query bins too many": (ask("/api/runs/0/samples/0/timeline?bins=100000000"), 422),
    "query side unknown": (ask("/api/runs/0/samples/0/chunks/0?left=../truth"), 422),
    "query side that is not there": (ask("/api/runs/0/samples/0/chunks/0?right=other"), 422),
    "query other that is not there": (ask("/api/runs/0/samples/0?other=7"), 404),
    "query other as a path": (ask("/api/runs/0/overview?other=../0"), 422),
    "query flip without other": (ask("/api/runs/0/overview?flip=gained"), 422),
    "query with NUL": (ask("/api/runs/0/samples?q=%00"), 200),
    "query that is a bad pattern": (ask("/api/runs/0/samples?q=(a%2B)%2B%24%5B"), 200),
    "query of 9 kB": (ask("/api/runs/0/samples?q=" + "a" * 9000), 414),
    "query with markup": (ask("/api/runs/0/samples?q=%3Cscript%3Ealert(1)%3C/script%3E"), 200),
}

METHODS: dict[str, tuple[Made, *tuple[int, ...]]] = {
    **{
        f"method {method} on data": (ask(method=method), 405)
        for method in ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "POST", "PROPFIND", "get")
    },
    **{f"method {method} on a file": (ask("/app.js", method=method), 405) for method in ("PUT", "POST", "TRACE")},
    "method HEAD on a file": (ask("/app.js", method="HEAD"), 200),
    "method of 1,000 letters": (ask(method="A" * 1000), 405),
    "method that is none": (raw("G\x01T / HTTP/1.1\r\n" + HEAD + "\r\n"), 400),
    "method CONNECT": (ask("127.0.0.1:22", method="CONNECT"), 400),
    "method overridden": (ask(headers=["X-HTTP-Method-Override: DELETE"]), 200),
    "method GET on what is only stopped": (ask(BRANCHES + "/0"), 405),
}

WIRE: dict[str, tuple[Made, *tuple[int, ...]]] = {
    "no HTTP": (raw("hello\r\n\r\n"), 400),
    "TLS": (raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n"), 400),
    "HTTP/2 by knowledge": (raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400),
    "HTTP/0.9": (raw("GET /\r\n\r\n"), 400),
    "version that is none": (raw("GET / HTTP/9.9\r\n" + HEAD + "\r\n"), 400),
    "header name with a space": (raw("GET / HTTP/1.1\r\n" + HEAD + "A b: c\r\n\r\n"), 400),
    "space before the colon": (raw("GET / HTTP/1.1\r\nHost : 127.0.0.1:PORT\r\n\r\n"), 400),
    "header with NUL": (raw("GET / HTTP/1.1\r\n" + HEAD + "A: b\0c\r\n\r\n"), 400),
    "header without a colon": (raw("GET / HTTP/1.1\r\n" + HEAD + "hello\r\n\r\n"), 400),
    "folded host": (raw("GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n evil.test\r\n\r\n"), 403),
    "headers of 20 kB at once": (ask(headers=["A: " + "b" * 20_000]), 400, 431),
    "a header of 1 MB": (ask(headers=["A: " + "b" * (1 << 20)]), 400),
    "100 headers": (ask(headers=[f"A{n}: b" for n in range(100)]), 431),
    "two lengths": (raw(POST + HEAD + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), 400),
    "a length and chunks": (
        raw(
            POST + HEAD + f"{JSON}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
            "0\r\n\r\nGET /api/runs HTTP/1.1\r\nHost: evil.test\r\n\r\n"
        ),
        400,
    ),
    "a length with a sign": (raw(POST + HEAD + "Content-Length: +2\r\n\r\n{}"), 400),
    "a length below zero": (raw(POST + HEAD + "Content-Length: -2\r\n\r\n{}"), 400),
    "a length in hex": (raw(POST + HEAD + "Content-Length: 0x2\r\n\r\n{}"), 400),
    "a length of 30 digits": (raw(POST + HEAD + f"Content-Length: {'9' * 30}\r\n\r\n"), 400),
    "a length of a terabyte": (ask(PROGRAMS, method="POST", headers=[JSON, "Content-Length: 1000000000000"]), 413),
    "a terabyte, politely": (
        ask(PROGRAMS, method="POST", headers=[JSON, "Content-Length: 1000000000000", "Expect: 100-continue"]),
        413,
    ),
    "transfer by identity": (raw(POST + HEAD + "Transfer-Encoding: identity\r\n\r\n"), 400),
    "transfer twice": (
        raw(POST + HEAD + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
        400,
    ),
    "transfer by a look-alike": (raw(POST + HEAD + "Transfer-Encoding: xchunked\r\n\r\n"), 400),
    "a chunk that is none": (
        raw(POST + HEAD + f"{JSON}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"),
        400,
    ),
    "a chunk of a number too large": (
        raw(POST + HEAD + f"{JSON}\r\nTransfer-Encoding: chunked\r\n\r\n{'f' * 30}\r\n"),
        400,
    ),
    "a body on a GET": (ask(body=b"{}", headers=[JSON]), 400),
    "a body on a DELETE": (ask(BRANCHES + "/0", method="DELETE", body=b"{}", headers=[JSON]), 400),
    "a range of a file": (ask("/app.js", headers=["Range: bytes=0-1,5-"]), 200),
    "conditions on a file": (ask("/app.js", headers=["If-None-Match: *", "If-Modified-Since: x", "If-Match: y"]), 200),
    "a range of data": (ask(headers=["Range: bytes=99999999999999999999-"]), 200),
    "a strange Accept": (ask(headers=["Accept: text/html;q=\xff", "Accept-Encoding: br;q=nan"]), 200),
}  # fmt: skip

GOOD = {"source": "x = 1\n"}
BODIES: dict[str, tuple[Made, *tuple[int, ...]]] = {
    "body missing": (ask(PROGRAMS, method="POST", headers=[JSON]), 400),
    "body cut": (body('{"source": "x'), 400),
    "body with more behind": (body(json.dumps(GOOD) + "{}"), 400),
    "body of no UTF-8": (body(b'{"source": "\xff"}'), 400),
    "body in UTF-16": (body(json.dumps(GOOD).encode("utf-16")), 400),
    "body with a mark before": (body(b"\xef\xbb\xbf" + json.dumps(GOOD).encode()), 400),
    "body with NaN": (body('{"source": NaN}'), 400),
    "body with -Infinity": (body('{"source": -Infinity}'), 400),
    "body with 1e999": (body('{"source": 1e999}'), 400),
    "body with 100,000 digits": (body('{"source": ' + "9" * 100_000 + "}"), 400),
    "body with half a pair": (body('{"source": "\\ud800"}'), 400),
    "body with a name twice": (body('{"source": "x = 1", "source": "x = 2"}'), 400),
    "body of 100,000 brackets": (body("[" * 100_000), 400),
    "body of 20,000 objects in objects": (body('{"a":' * 20_000), 400),
    "body 17 deep": (body("[" * 17 + "]" * 17), 400),
    "body 16 deep": (body("[" * 16 + "]" * 16), 422),
    "body of brackets in a text": (body(json.dumps({"source": '[{"' * 5000, "no": 1})), 422),
    "body of control signs": (body('{"source": "a\x01"}'), 400),
    "body that is a number": (body("1"), 422),
    "body that is null": (body("null"), 422),
    "body that is an array": (body("[]"), 422),
    "body without what it needs": (body("{}"), 422),
    "body with a prototype": (body('{"source": "x = 1", "__proto__": {"a": 1}}'), 422),
    "body with a number for a text": (body('{"source": 1}'), 422),
    "body with a program too long": (body(json.dumps({"source": "x" * 100_001})), 422),
    "body with a model that is a path": (body(json.dumps({**GOOD, "model": "../../etc/passwd"})), 422),
    "body with a model elsewhere": (body(json.dumps({**GOOD, "model": "server:http://169.254.169.254/#m"})), 422),
    "body of 300 kB": (body(json.dumps({"source": "x" * 300_000})), 413),
    "body of 300 kB in chunks": (
        raw(
            POST + HEAD + f"{JSON}\r\nTransfer-Encoding: chunked\r\n\r\n"
            + f"{300_000:x}\r\n" + "[" * 300_000 + "\r\n0\r\n\r\n"
        ),
        413,
    ),
    "body of no type": (ask(PROGRAMS, method="POST", body=b"{}"), 415),
    "body as text": (body("{}", PROGRAMS, "Content-Type: text/plain"), 415),
    "body as a form": (body("a=b", PROGRAMS, FORM), 415),
    "body of many parts": (body("--x--", PROGRAMS, "Content-Type: multipart/form-data; boundary=x"), 415),
    "body of almost the type": (body("{}", PROGRAMS, "Content-Type: application/jsonp"), 415),
    "body of two types": (body("{}", PROGRAMS, JSON, "Content-Type: text/plain"), 415),
    "body of another charset": (body("{}", PROGRAMS, "Content-Type: application/json; charset=utf-7"), 415),
    "body pressed": (body("{}", PROGRAMS, JSON, "Content-Encoding: gzip"), 415),
    "intervention of no kind": (body('{"intervention": {"kind": "exec"}}', BRANCHES), 422),
    "intervention that is a list": (body('{"intervention": []}', BRANCHES), 422),
    "intervention at true": (body('{"intervention": {"kind": "line", "step": true, "line": 1}}', BRANCHES), 422),
    "intervention at -1": (body('{"intervention": {"kind": "line", "step": -1, "line": 1}}', BRANCHES), 422),
    "intervention at a fraction": (body('{"intervention": {"kind": "line", "step": 0.5, "line": 1}}', BRANCHES), 422),
    "intervention far behind the end": (
        body('{"intervention": {"kind": "line", "step": 999999, "line": 1}}', BRANCHES),
        422,
    ),
    "intervention with more": (body('{"intervention": {"kind": "budget", "limit": 9, "step": 1}}', BRANCHES), 422),
    "intervention of a rewrite unknown": (body('{"intervention": {"kind": "rewrite", "how": "evil"}}', BRANCHES), 422),
    "intervention on a branch that is not there": (
        body('{"parent": 9, "intervention": {"kind": "budget", "limit": 9}}', BRANCHES),
        404,
    ),
    "intervention on a sample that is not there": (
        body('{"intervention": {"kind": "budget", "limit": 9}}', "/api/runs/0/samples/77/branches"),
        404,
    ),
}  # fmt: skip

CASES = {**HOSTS, **ORIGINS, **TOKENS, **PATHS, **QUERIES, **METHODS, **WIRE, **BODIES}


@pytest.mark.sampled(37)
@pytest.mark.parametrize("name", CASES)
def test_each_has_its_status_and_the_server_lives_on(served: Served, name: str) -> None:
    make, *statuses = CASES[name]  # two where it depends on how the bytes arrive
    reply = talk(served, make(served))
    assert reply.status in statuses, reply
    assert {key: reply.headers.get(key) for key in POLICY} == POLICY
    if reply.status != 200:
        _is_a_refusal(reply, head=make(served).startswith(b"HEAD"))
    assert get(served, "/api/runs").status == 200


def _is_a_refusal(reply: Reply, *, head: bool) -> None:
    """One JSON shape, nothing cached, nothing of the request but as text in it, nothing of this machine."""
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"
    assert "set-cookie" not in reply.headers
    assert b"root:" not in reply.body
    if not head:
        assert set(reply.json) == {"error"}
        assert set(reply.json["error"]) == {"slug", "message"}
    if reply.status == 405:
        assert reply.headers["allow"]


def test_there_are_many() -> None:
    assert len(CASES) >= 60


def test_a_request_behind_another_is_judged_by_itself(served: Served) -> None:
    first = request(served).replace(b"Connection: close\r\n", b"")
    with socket.create_connection((served.host, served.port), timeout=120) as line:
        line.sendall(first + request(served, host="evil.test"))
        assert [reply.status for reply in replies(line)] == [200, 403]


def test_data_is_not_stored_by_anybody_and_has_its_type(served: Served) -> None:
    reply = get(served, "/api/runs")
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["content-type"] == "application/json"


@pytest.mark.long(reason="asks for each file of the page; a browser loads it in make test")
def test_every_file_of_the_page_is_there_without_a_token(served: Served) -> None:
    static = Path(__file__).parents[2] / "src/worldline/ui/web/static"
    for path in static.iterdir():
        reply = talk(served, request(served, f"/{path.name}", token=""))
        assert (reply.status, reply.body) == (200, path.read_bytes())
