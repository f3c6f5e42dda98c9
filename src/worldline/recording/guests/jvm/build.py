"""Compile the Java code of the guest with the JDK of the user: the compiler and the recorder, each a jar.

This happens once per JDK, in a sandbox without a program. An archive of the loaded classes, beside the
jar of the compiler, halves the start time of the next JVM.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

from . import launch, service

_HERE = Path(__file__).parent
_PACKAGES = ("compiler", "recorder")
_INNER = (
    "java.base/jdk.internal.org.objectweb.asm",
    "java.base/jdk.internal.org.objectweb.asm.tree",
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.access",
)
_DATE = 946684800  # as languages/tools.py gives every file


def build(executables: dict[str, str]) -> dict[str, bytes]:
    """Build the jars, and the archive if the JVM supports it."""
    with tempfile.TemporaryDirectory() as folder:
        _compile(executables["javac"], folder)
        for package in _PACKAGES:
            _write_jar(Path(folder), package)
        service.archive(executables["java"], folder, (_HERE / "Sample.java").read_text())
        return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


def _compile(javac: str, folder: str) -> None:
    flags = [f"-J{flag}" for flag in (*launch.QUIET, "-XX:+UseSerialGC")]
    exports = [word for name in (*_INNER, *launch.JAVAC) for word in ("--add-exports", f"{name}=ALL-UNNAMED")]
    sources = [str(path) for package in _PACKAGES for path in sorted((_HERE / package).glob("*.java"))]
    # Strings are put together without the machinery of lambdas, which the recorder would start in every program.
    options = [
        "-proc:none",
        "-nowarn",
        "-XDstringConcat=inline",
        "-XDignore.symbol.file",
        "-encoding",
        "UTF-8",
        "-d",
        folder,
    ]
    subprocess.run([javac, *flags, *options, *exports, *sources], check=True)


def _write_jar(folder: Path, package: str) -> None:
    """Write a jar uncompressed and without dates: the same classes give the same bytes."""
    jar = folder / f"{package}.jar"
    with zipfile.ZipFile(jar, "w") as file:
        for path in sorted((folder / "worldline" / package).iterdir()):
            file.writestr(zipfile.ZipInfo(str(path.relative_to(folder))), path.read_bytes())
    os.utime(jar, (_DATE, _DATE))
