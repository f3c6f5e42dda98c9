"""What the guest has in Java, compiled by the user's own JDK: the compiler's side and the recorder, each a jar.

Made once for a JDK, in a box that no program is in; beside the compiler's jar an archive of its classes as a JVM holds
them, and javac's, so that the next one starts in half the time.
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
    "jdk.internal.org.objectweb.asm",
    "jdk.internal.org.objectweb.asm.tree",
    "jdk.internal.misc",
    "jdk.internal.access",
)
_DATE = 946684800  # as languages/tools.py gives every file


def build(executables: dict[str, str]) -> dict[str, bytes]:
    """The jars, and the archive where the JVM can make one."""
    with tempfile.TemporaryDirectory() as folder:
        _compile(executables["javac"], folder)
        for package in _PACKAGES:
            _write_jar(Path(folder), package)
        service.archive(executables["java"], folder, (_HERE / "Sample.java").read_text())
        return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


def _compile(javac: str, folder: str) -> None:
    flags = [f"-J{flag}" for flag in (*launch.QUIET, "-XX:+UseSerialGC")]
    exports = [word for name in _INNER for word in ("--add-exports", f"java.base/{name}=ALL-UNNAMED")]
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
    """Stored, not compressed, and without a date: the same classes give the same bytes."""
    jar = folder / f"{package}.jar"
    with zipfile.ZipFile(jar, "w") as file:
        for path in sorted((folder / "worldline" / package).iterdir()):
            file.writestr(zipfile.ZipInfo(str(path.relative_to(folder))), path.read_bytes())
    os.utime(jar, (_DATE, _DATE))
