"""The compiler's process: asked over pipes, once or again and again; it compiles and instruments, and runs no program."""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ..refused import Refused
from . import launch

_HERE = Path(__file__).parent
_ASM = "java.base/jdk.internal.org.objectweb.asm"
_EXPORTS = [f"--add-exports={_ASM}=ALL-UNNAMED", f"--add-exports={_ASM}.tree=ALL-UNNAMED"]
_HEAP = ("-Xmx768m", "-Xss16m")


def start(config: dict[str, Any]) -> None:
    """Nothing yet."""


def compile_program(spec: dict[str, Any]) -> dict[str, bytes]:
    """The parts of a program."""
    executables = spec["toolchain"]["executables"]
    with tempfile.TemporaryDirectory() as folder:
        _build(executables["javac"], folder)
        command = [
            executables["java"],
            *launch.QUIET,
            *_HEAP,
            *_EXPORTS,
            "-cp",
            folder,
            "worldline.compiler.Main",
        ]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stdout is not None
            made = _ask(process.stdin, process.stdout, b"r", _sources("recorder"))
            made |= _ask(
                process.stdin, process.stdout, b"p" if spec["call"] is None else b"c", _program(spec)
            )
            process.stdin.close()
    return _named(made)


def _named(made: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{name}.jar" if name in ("recorder", "program") else name: data for name, data in made.items()}


def _build(javac: str, folder: str) -> None:
    sources = [str(path) for path in sorted((_HERE / "compiler").glob("*.java"))]
    command = [javac, "-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn", *_EXPORTS, "-d", folder, *sources]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise OSError(done.stderr.decode("utf-8", "replace")[:2000])


def _sources(folder: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((_HERE / folder).glob("*.java"))}


def _program(spec: dict[str, Any]) -> dict[str, str]:
    others = {
        name: text for name, text in spec["files"].items() if name.endswith(".java") and name != spec["name"]
    }
    return {spec["name"]: spec["source"], **others}


def _packed(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return struct.pack(">i", len(data)) + data


def _ask(to: BinaryIO, back: BinaryIO, kind: bytes, sources: Mapping[str, str]) -> dict[str, bytes]:
    pairs = b"".join(_packed(name) + _packed(text) for name, text in sources.items())
    to.write(kind + struct.pack(">i", len(sources)) + pairs)
    to.flush()
    letter = back.read(1)
    made = dict(_parts(back))
    if letter == b"s":
        raise Refused("source", made["why"].decode(), made["message"].decode())
    return made


def _parts(back: BinaryIO) -> Iterator[tuple[str, bytes]]:
    for _ in range(_number(back)):
        name = back.read(_number(back)).decode()
        yield name, back.read(_number(back))


def _number(back: BinaryIO) -> int:
    data = back.read(4)
    if len(data) < 4:
        raise OSError("the compiler ended")
    return int(struct.unpack(">i", data)[0])
