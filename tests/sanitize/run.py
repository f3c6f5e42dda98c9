"""`make sanitize`: the native modules built with ASan and UBSan, in a folder of their own, and their tests run on them.

    python tests/sanitize/run.py [--full] [PYTEST ARGUMENTS]

Everything lies under build/sanitize: the modules inside a package of links to src/worldline, and for each interpreter a
recorder where `recording.native` looks for one (its cache) and a command that starts that interpreter with the
sanitizers' runtime. A box starts an interpreter by its path and reads no environment, so that this command is how the
runtime gets into it: the product knows nothing of it. A fault aborts the process it is in; `test_loaded.py` shows that.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from worldline.recording import native

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "sanitize"
FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
OPTIONS = {
    # CPython keeps much until its end, so leaks are not looked for. A crash of a program stays a signal.
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:quarantine_size_mb=16:handle_segv=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1",
    "PYTHONMALLOC": "malloc",
}
TESTS = (
    "tests/sanitize", "tests/recording/test_wire.py", "tests/recording/test_wire_fuzz.py",
    "tests/recording/test_twins.py", "tests/recording/test_facts.py", "tests/recording/test_odd.py",
    "tests/recording/test_golden.py", "tests/recording/test_large.py", "tests/recording/test_conditional_jumps.py",
    "tests/model/test_engine.py", "tests/model/test_engine_weights.py",
)  # fmt: skip
FULL = {"WORLDLINE_WIRES": "100000", "WORLDLINE_FUZZ": "400"}
COMMAND = """\
#!/bin/bash
export LD_PRELOAD='{preload}' {options}
exec -a "$0" '{python}' "$@"
"""


def runtime() -> str:
    """The libraries to be loaded first."""
    names = ("libasan.so", "libubsan.so")
    asked = [["cc", f"-print-file-name={name}"] for name in names]
    found = [os.path.realpath(subprocess.check_output(command, text=True).strip()) for command in asked]
    if not all(map(os.path.isabs, found)):
        sys.exit(f"sanitize: the compiler has no {' or '.join(names)}")
    return ":".join(found)


def build_modules() -> None:
    """All modules, inside a package of links to the sources."""
    shutil.rmtree(BUILD, ignore_errors=True)
    package = BUILD / "package" / "worldline"
    package.mkdir(parents=True)
    for path in (ROOT / "src" / "worldline").iterdir():
        if path.suffix != ".so":
            (package / path.name).symlink_to(path)
    command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(BUILD / "package"),
               "--build-temp", str(BUILD / "objects")]  # fmt: skip
    subprocess.run(command, cwd=ROOT, env=os.environ | {"CFLAGS": FLAGS, "LDFLAGS": FLAGS}, check=True)
    missing = {"_recorder", "_wire", "_engine"} - {path.name.split(".")[0] for path in package.glob("*.so")}
    if missing:  # a build that fails is no error of setup.py's: the modules are optional
        sys.exit(f"sanitize: {', '.join(sorted(missing))} did not build")


def build_recorder(python: str, version: str, preload: str) -> None:
    """The recorder of one interpreter, and the command that starts it with the runtime."""
    asked, source = native._ask(python), native._sources()
    assert asked is not None
    assert source is not None
    target = BUILD / "cache" / "worldline" / f"recorder-{native._digest(source)}-{asked.abi}.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    command = ["cc", *FLAGS.split(), "-shared", "-fPIC", f"-I{asked.include}", str(source / "recorder.c"),
               "-o", str(target)]  # fmt: skip
    subprocess.run(command, check=True)
    options = " ".join(f"{name}={value}" for name, value in OPTIONS.items())
    start = BUILD / "bin" / f"python{version}"
    start.parent.mkdir(exist_ok=True)
    start.write_text(COMMAND.format(preload=preload, options=options, python=python))
    start.chmod(0o755)


def main() -> int:
    """Build, then test; the status is pytest's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help=f"at full length: {FULL}")
    options, rest = parser.parse_known_args()
    sys.path.insert(0, str(ROOT / "tests" / "recording"))
    from interpreters import FOUND

    preload = runtime()
    build_modules()
    for version, python in FOUND.items():
        build_recorder(os.path.realpath(python), version, preload)
    environment = os.environ | OPTIONS | {
        "LD_PRELOAD": preload, "PYTHONPATH": str(BUILD / "package"), "XDG_CACHE_HOME": str(BUILD / "cache"),
        "WORLDLINE_PYTHONS": str(BUILD / "bin"), "WORLDLINE_SANITIZED": str(BUILD),
    }  # fmt: skip
    environment |= FULL if options.full else {}
    command = [sys.executable, "-m", "pytest", "-q", "--capture=sys", "-p", "no:cacheprovider", *(rest or TESTS)]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
