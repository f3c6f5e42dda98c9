"""The command lines of JVMs: the one that executes a program, and the flags that all share."""

from __future__ import annotations

import glob
import os
import struct
from typing import Any

from ..refused import Refused

FIRST, LAST = 17, 23  # what has the JDK's own copy of ASM, which the pass is written with
# The parts of javac that the compiler's side uses.
JAVAC = tuple(f"jdk.compiler/com.sun.tools.javac.{name}" for name in ("api", "code", "tree", "util"))
QUIET = (
    "-Xshare:auto",
    "-XX:-UsePerfData",
    "-XX:TieredStopAtLevel=1",
    "-Xlog:disable",
    "-Xlog:all=off",
    # The JDK's archive of classes where it wants to lie; the sandbox has no random addresses anyway.
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:ArchiveRelocationMode=0",
)

# Under a control, `Set.of` and its kin have one order, which compiled code would not learn.
_SETTLED = (
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=exclude,java.util.ImmutableCollections*::*",
    "-XX:CompileCommand=dontinline,java.util.ImmutableCollections*::*",
)


def check_version(toolchain: dict[str, Any]) -> None:
    """Refuse a JDK that the pass does not support."""
    first = str(toolchain["version"]).split(".")[0].split("-")[0].split("+")[0]
    if not first.isdigit() or not FIRST <= int(first) <= LAST:
        raise Refused("toolchain", f"JDK {toolchain['version']}; the recorder needs one of {FIRST} to {LAST}")


def _memory_flags(memory: int) -> list[str]:
    """Return a heap size that leaves room for the rest of the JVM within the limit."""
    heap = max(memory * 5 // 8, 16 << 20)
    return [
        f"-Xmx{heap}",
        "-Xss4m",
        "-XX:ReservedCodeCacheSize=48m",
        "-XX:CompressedClassSpaceSize=64m",
        "-XX:ErrorFile=/dev/null",
        "-XX:+DisableAttachMechanism",
    ]


def command(
    spec: dict[str, Any], parts: dict[str, str], wire: int, report: int, control: int | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the environment of the JVM that executes a program; `control` has its hidden inputs."""
    limits = spec["limits"]
    with open(parts["main"]) as file:
        main = file.read()
    called = spec["call"] is not None
    settings = (
        wire,
        report,
        limits["steps"],
        limits["value_bytes"],
        limits["value_depth"],
        int(called),
        parts["methods"],
    )
    arguments = [
        # Until JDK 17 no other collector takes the objects of that archive: 15 of 80 ms.
        spec["toolchain"]["executables"]["java"],
        *QUIET,
        "-XX:+UseG1GC",
        *_memory_flags(int(limits["memory"])),
        f"-Xbootclasspath/a:{spec['tools']}/recorder.jar",
        "-Dfile.encoding=UTF-8",
        f"-Djava.io.tmpdir={os.environ.get('TMPDIR', '/tmp')}",
        *spec["vm_flags"],
        f"-Dworldline.run={','.join(map(str, settings))}",
        *([] if control is None else [*_SETTLED, f"-Dworldline.control={control}"]),
        "-cp",
        ":".join([parts["program.jar"], *class_path(spec["libraries"])]),
    ]
    if called:
        with open(parts["classes"]) as file:
            arguments += ["worldline.recorder.Call", _encoded(spec["call"]), main, *file.read().split("\n")]
    else:
        arguments += [main, *spec["argv"]]
    return arguments, dict(os.environ)


def class_path(libraries: list[str]) -> list[str]:
    """Return the class path of libraries: jars, and folders with the jars in them."""
    entries: list[str] = []
    for path in libraries:
        entries.append(path)
        entries += sorted(glob.glob(os.path.join(glob.escape(path), "*.jar")))
    return entries


def _encoded(call: dict[str, Any]) -> str:
    """Encode a call in hexadecimal for Call.java: a letter per value, then its content."""
    out = [_text(call["function"]), struct.pack(">i", len(call["arguments"]))]
    out += [_tree(tree) for tree in call["arguments"]]
    return b"".join(out).hex()


def _text(text: str) -> bytes:
    data = text.encode("utf-16-be", "surrogatepass")
    return struct.pack(">i", len(data)) + data


def _tree(tree: list[Any]) -> bytes:
    kind = tree[0]
    if kind == "none":
        return b"n"
    if kind in ("list", "tuple", "set"):
        letter = {"list": b"l", "tuple": b"t", "set": b"s"}[kind]
        return letter + struct.pack(">i", len(tree[1])) + b"".join(map(_tree, tree[1]))
    if kind == "dict":
        pairs = b"".join(_tree(key) + _tree(value) for key, value in tree[1])
        return b"d" + struct.pack(">i", len(tree[1])) + pairs
    letters = {"bool": b"b", "int": b"i", "float": b"f", "str": b"u", "bytes": b"x"}
    if kind not in letters:
        raise Refused("call", f"no value of Java is a {kind}")
    return letters[kind] + _text(str(tree[1]))
