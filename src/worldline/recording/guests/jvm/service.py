"""The process of the compiler: it compiles and instruments programs, executes none, and serves many.

A server in the sandbox that prepares answers every program (`start`). Without a server, each program
starts its own. A program hands the server one end of a socket, so its answer is never mixed with that
of the next program. If the client disappears, the JVM of the server is ended.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import subprocess
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from .. import confine
from ..refused import Refused
from . import launch

_ASM = "java.base/jdk.internal.org.objectweb.asm"
_FLAGS = (
    *launch.QUIET,
    "-XX:+UseSerialGC",
    "-Xmx512m",
    "-Xss16m",
    "-XX:ReservedCodeCacheSize=64m",
    f"--add-exports={_ASM}=ALL-UNNAMED",
    f"--add-exports={_ASM}.tree=ALL-UNNAMED",
    *(f"--add-exports={name}=ALL-UNNAMED" for name in launch.JAVAC),
    "-cp",
    "compiler.jar",
    "worldline.compiler.Main",
)
_ARCHIVE = "compiler.jsa"
_AWAY = "the compiler went away"

#: The end of the server's socket that those who prepare a program keep.
FILES: list[int] = []

_Read = Callable[[int], bytes]


def start(config: dict[str, Any]) -> None:
    """Start a server beside the zygote, in sandboxes that prepare. It has no connection to the host."""
    if not config["sandboxed"] or not config.get("preparing") or not config["tools"]:
        return
    mine, others = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        _become_server(config, mine, others)
    mine.close()
    FILES.append(others.detach())


def _become_server(config: dict[str, Any], mine: socket.socket, others: socket.socket) -> NoReturn:
    try:
        os.setsid()
        others.close()
        sock = socket.socket(fileno=os.dup2(mine.detach(), 3))
        os.closerange(4, 4096)
        null = os.open("/dev/null", os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        confine.Confinement(config["machine"], counted=bool(config["cgroup"])).apply(())
        _serve(sock, config["toolchain"]["executables"]["java"], config["tools"])
    finally:
        os._exit(0)


def _serve(sock: socket.socket, java: str, tools: str) -> None:
    compiler: _Compiler | None = _Compiler(java, tools)
    while True:
        _, fds, _, _ = socket.recv_fds(sock, 16, 1)
        if not fds:
            return
        with socket.socket(fileno=fds[0]) as client:
            try:
                compiler = compiler or _Compiler(java, tools)
                question = _all(client)
                client.sendall(compiler.answer(question, client))
            except OSError:
                if compiler is not None:
                    compiler.end()
                compiler = None


def _all(client: socket.socket) -> bytes:
    """Return the question, up to where the client closes its end."""
    received = bytearray()
    while data := client.recv(1 << 20):
        received += data
    return bytes(received)


def flags(tools: str) -> list[str]:
    """Return the flags of the compiler's JVM, which runs in the folder of the tools."""
    archived = os.path.exists(os.path.join(tools, _ARCHIVE))
    return [*([f"-XX:SharedArchiveFile={_ARCHIVE}"] if archived else []), *_FLAGS]


class _Compiler:
    """One JVM."""

    def __init__(self, java: str, tools: str) -> None:
        self.process = subprocess.Popen(
            [java, *flags(tools)], cwd=tools, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def answer(self, question: bytes, client: socket.socket | None) -> bytes:
        """Return the answer to a question; OSError if the JVM or the client is gone."""
        pipe = self.process.stdin
        assert pipe is not None
        for at in range(0, len(question), 1 << 16):
            pipe.write(question[at : at + (1 << 16)])
        received = bytearray()
        _walk_answer(lambda count: self._read(count, client, received))
        return bytes(received)

    def _read(self, count: int, client: socket.socket | None, received: bytearray) -> bytes:
        pipe = self.process.stdout
        assert pipe is not None
        poll, start = select.poll(), len(received)
        poll.register(pipe, select.POLLIN)
        if client is not None:
            poll.register(client, 0)  # told when it is closed, not when it has said all
        while len(received) - start < count:
            ready = {fd for fd, _ in poll.poll()}
            data = os.read(pipe.fileno(), count - (len(received) - start)) if pipe.fileno() in ready else b""
            if not data:
                raise OSError(_AWAY)
            received += data
        return bytes(received[start:])

    def end(self) -> None:
        """End the JVM."""
        self.process.kill()
        self.process.wait()


def compile_program(spec: dict[str, Any]) -> dict[str, bytes]:
    """Return the parts of a program, from the server or, without one, from a new JVM."""
    kind = b"p" if spec["call"] is None else b"c"
    kind = kind.upper() if spec["controlled"] else kind
    question = _question(kind, _program(spec), spec["flags"], spec["libraries"])
    try:
        answer = _ask_server(question)
    except OSError:
        own = _Compiler(spec["toolchain"]["executables"]["java"], spec["tools"])
        answer = own.answer(question, None)
        own.end()
    at = 0

    def read(count: int) -> bytes:
        nonlocal at
        at += count
        return answer[at - count : at]

    return _checked(*_walk_answer(read))


def archive(java: str, tools: str, sample: str) -> None:
    """Create an archive of the classes that compiling needs, if the JVM supports it."""
    command = [java, f"-XX:ArchiveClassesAtExit={_ARCHIVE}", *_FLAGS]
    question = _question(b"p", {"Sample.java": sample}, [], [])
    subprocess.run(command, cwd=tools, input=question, stdout=subprocess.DEVNULL, check=False)


def _ask_server(question: bytes) -> bytes:
    if not FILES:
        raise OSError(_AWAY)
    mine, others = socket.socketpair()
    with mine, socket.socket(fileno=os.dup(FILES[0])) as server:
        socket.send_fds(server, [b"ask"], [others.fileno()])
        others.close()
        mine.sendall(question)
        mine.shutdown(socket.SHUT_WR)
        answer = _all(mine)
    if not answer:
        raise OSError(_AWAY)
    return answer


def _checked(letter: bytes, parts: dict[str, bytes]) -> dict[str, bytes]:
    if letter == b"s":
        raise Refused("source", parts["why"].decode(), parts["message"].decode())
    return parts


def _program(spec: dict[str, Any]) -> dict[str, str]:
    others = {name: text for name, text in spec["files"].items() if name.endswith(".java") and name != spec["name"]}
    return {spec["name"]: spec["source"], **others}


def _question(kind: bytes, sources: Mapping[str, str], flags: list[str], libraries: list[str]) -> bytes:
    pairs = b"".join(_packed(name) + _packed(text) for name, text in sources.items())
    lists = [
        struct.pack(">i", len(texts)) + b"".join(map(_packed, texts)) for texts in (flags, launch.class_path(libraries))
    ]
    return kind + struct.pack(">i", len(sources)) + pairs + b"".join(lists)


def _packed(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return struct.pack(">i", len(data)) + data


def _walk_answer(read: _Read) -> tuple[bytes, dict[str, bytes]]:
    """Read a letter, and parts by name."""
    letter = read(1)
    parts = {}
    for _ in range(_number(read)):
        name = read(_number(read)).decode()
        parts[name] = read(_number(read))
    return letter, parts


def _number(read: _Read) -> int:
    data = read(4)
    if len(data) < 4:
        raise OSError(_AWAY)
    return int(struct.unpack(">i", data)[0])
