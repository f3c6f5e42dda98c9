"""A script run over a copy of a folder, in the real box: what it asked for, with lines, and what it left."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from worldline.core.errors import NoSandbox, UsageError
from worldline.core.limits import Limits
from worldline.recording.recorder import without_sandbox
from worldline.recording.rehearsal.folder import copied
from worldline.recording.rehearsal.run import RehearsedRun, RehearsedScript, read_left, run_over

pytestmark = pytest.mark.usefixtures("sandbox")
LIMITS = Limits(wall=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    (tmp_path / "raw.bin").write_bytes(bytes(range(256)))
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "old.o").write_text("o")
    (tmp_path / "out").symlink_to("build")
    (tmp_path / "helper.py").write_text("VALUE = 3\n")
    return tmp_path


def rehearsed(folder: Path, source: str, *, limits: Limits = LIMITS, **more: object) -> RehearsedRun:
    return run_over(RehearsedScript(name="script.py", source=source, **more), copied(folder), limits=limits)  # type: ignore[arg-type]


def told(run: RehearsedRun) -> list[tuple[str, str, int]]:
    return [(event.kind, event.target.removeprefix("/box/work/"), event.line) for event in run.events]


def test_what_is_asked_is_told_with_its_line_and_the_folder_is_untouched(folder: Path) -> None:
    before = {path: path.lstat() for path in folder.rglob("*")}
    source = "\n".join([
        "import os, shutil, helper",
        "from pathlib import Path",
        "text = open('notes.txt').read()",
        "Path('new.txt').write_text(text * 2)",
        "os.remove('raw.bin')",
        "os.rename('helper.py', 'moved.py')",
        "shutil.rmtree('build')",
        "os.chmod('notes.txt', 0o600)",
    ])  # fmt: skip
    run = rehearsed(folder, source)
    assert (run.outcome.kind, run.outcome.detail) == ("returned", ""), run.stderr
    seen = told(run)
    assert ("read", "helper.py", 1) in seen
    assert ("read", "notes.txt", 3) in seen
    assert ("write", "new.txt", 4) in seen
    assert ("delete", "raw.bin", 5) in seen
    assert ("rename", "helper.py", 6) in seen
    assert ("delete", "build/old.o", 7) in seen
    assert ("delete", "build", 7) in seen
    assert ("change", "notes.txt", 8) in seen
    assert run.left is not None
    left = {entry.path: entry for entry in run.left.entries}
    assert run.left.contents["work/new.txt"] == b"one\ntwo\n" * 2
    assert "work/notes.txt" not in run.left.contents
    assert left["work/notes.txt"].mode == 0o600
    assert left["work/out"].kind == "link"
    assert left["work/out"].link == "build"
    assert "work/raw.bin" not in left
    assert "work/build" not in left
    assert {path: path.lstat() for path in folder.rglob("*")} == before


def test_starting_sending_listening_and_the_environment_are_told(folder: Path) -> None:
    source = "\n".join([
        "import os, socket, subprocess, urllib.request",
        "def attempt(act):",
        "    try: act()",
        "    except Exception as error: print(type(error).__name__)",
        "subprocess.run(['touch', 'made'])",
        "os.system('rm notes.txt')",
        "attempt(lambda: urllib.request.urlopen('http://example.com/x', data=b'abc'))",
        "attempt(lambda: socket.create_connection(('10.1.2.3', 25), timeout=5))",
        "s = socket.socket(); s.bind(('127.0.0.1', 0))",
        "os.environ.get('SECRET'); os.getenv('TOKEN'); 'KEY' in os.environ",
        "if os.fork() == 0:",
        "    open('child.txt', 'w').close()",
        "    os._exit(0)",
        "os.wait()",
    ])  # fmt: skip
    run = rehearsed(folder, source)
    assert run.outcome.kind == "returned", run.stderr
    seen = told(run)
    for expected in (
        ("start", "touch made", 5), ("start", "rm notes.txt", 6), ("send", "http://example.com/x", 7),
        ("send", "example.com:80", 7), ("send", "10.1.2.3:25", 8), ("listen", "127.0.0.1:0", 9),
        ("environment", "SECRET", 10), ("environment", "TOKEN", 10), ("environment", "KEY", 10),
        ("start", "a copy of itself", 11), ("write", "child.txt", 12),
    ):  # fmt: skip
        assert expected in seen
    assert run.left is not None
    names = {entry.path for entry in run.left.entries}
    assert {"work/made", "work/child.txt"} <= names
    assert "work/notes.txt" not in names
    assert run.output.splitlines() == ["URLError", "OSError"]


def test_a_script_that_does_nothing_outside_is_told_to_do_nothing(folder: Path) -> None:
    run = rehearsed(folder, "import json, re, collections, tempfile, logging\nprint(json.dumps([1]))\n")
    assert (told(run), run.output) == ([], "[1]\n")


def test_a_temporary_file_is_one_file_and_no_write_to_its_folder(folder: Path) -> None:
    run = rehearsed(folder, "import tempfile\nwith tempfile.NamedTemporaryFile() as f: f.write(b'x')\n")
    assert "/box/tmp" not in {event.target for event in run.events}
    nameless = rehearsed(folder, "import tempfile\nwith tempfile.TemporaryFile(dir='.') as f: f.write(b'x')\n")
    assert [event.detail for event in nameless.events if event.target == "/box/work/"] == ["a nameless file"]


def test_what_was_left_is_told_of_a_script_that_had_to_be_stopped(folder: Path) -> None:
    run = rehearsed(folder, "open('a', 'w').write('x')\nwhile True: pass\n", limits=Limits(wall=1))
    assert (run.outcome.kind, run.outcome.detail) == ("limit", "time")
    assert told(run) == [("write", "a", 1)]
    assert run.left is not None
    assert run.left.contents["work/a"] == b"x"


def test_a_script_that_closes_every_file_is_heard_all_the_same(folder: Path) -> None:
    run = rehearsed(folder, "import os\nos.closerange(3, 4096)\nos.remove('notes.txt')\n")
    assert ("delete", "notes.txt", 3) in told(run)


def test_links_pipes_and_locked_folders_are_gathered_without_being_followed(folder: Path) -> None:
    source = "\n".join([
        "import os",
        "os.symlink('/etc/passwd', 'passwd'); os.symlink('.', 'loop'); os.mkfifo('pipe')",
        "os.mkdir('shut'); open('shut/in', 'w').write('x'); os.chmod('shut/in', 0); os.chmod('shut', 0)",
        "deep = 'd'",
        "for _ in range(300): os.mkdir(deep); os.chdir(deep)",
        "f = open('/box/work/hole', 'w'); f.truncate(1 << 26)",
    ])  # fmt: skip
    run = rehearsed(folder, source)
    assert run.outcome.kind == "returned", run.stderr
    assert run.left is not None
    left = {entry.path: entry for entry in run.left.entries}
    assert (left["work/passwd"].kind, left["work/passwd"].link) == ("link", "/etc/passwd")
    assert left["work/pipe"].kind == "other"
    assert (left["work/shut"].mode, left["work/shut/in"].size) == (0, 1)
    assert (left["work/hole"].size, left["work/hole"].kept) == (1 << 26, 0)


def test_what_crosses_is_not_believed() -> None:
    assert read_left(b"") is None
    assert read_left(b"\xff" * 40) is None
    assert read_left((9).to_bytes(8, "little") + b'{"a": []}') is None
    row = b'{"entries": [["a", "file", 1, 1, "", "", 9, 0]], "unseen": 0}'
    assert read_left(len(row).to_bytes(8, "little") + row) is None


def test_a_wire_that_the_script_has_spoiled_ends_nothing(folder: Path) -> None:
    source = "\n".join([
        "import gc, mmap",
        "for found in gc.get_objects():",
        "    if isinstance(found, mmap.mmap): found[64:] = b'\\xff' * (len(found) - 64)",
    ])  # fmt: skip
    run = rehearsed(folder, source)
    assert run.left is not None


def test_without_a_box_nothing_is_run(folder: Path) -> None:
    with without_sandbox(), pytest.raises(NoSandbox):
        rehearsed(folder, "open('here', 'w')")


def test_a_folder_that_is_too_large_is_refused_with_its_largest_part(tmp_path: Path) -> None:
    (tmp_path / "big").mkdir()
    for number in range(3):
        with open(tmp_path / "big" / f"{number}", "wb") as file:
            file.truncate(30 << 20)
    with pytest.raises(UsageError, match=r"at most 67,108,864 .*--exclude big"):
        copied(tmp_path)
    assert copied(tmp_path, ["big"]).left_out == ["big"]


def test_pipes_are_left_out_and_said_so(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert copied(tmp_path).left_out == ["pipe"]


def test_the_copys_own_modes_times_and_links_are_the_folders(folder: Path) -> None:
    os.utime(folder / "notes.txt", ns=(10**18, 10**18))
    os.chmod(folder / "raw.bin", 0o700)
    run = rehearsed(
        folder,
        "import os; print(os.stat('notes.txt').st_mtime_ns, oct(os.stat('raw.bin').st_mode), os.readlink('out'))",
    )
    assert run.output == f"{10**18} 0o100700 build\n"


def test_the_script_can_be_told_its_arguments_stdin_and_environment(folder: Path) -> None:
    run = rehearsed(
        folder,
        "import os, sys; print(sys.argv, input(), os.environ['A'], os.path.expanduser('~'))",
        argv=("x", "--y"), stdin="line\n", environment=(("A", "b"),),
    )  # fmt: skip
    assert run.output == "['script.py', 'x', '--y'] line b /box/home\n"
    assert told(run)[0] == ("read", "<stdin>", 1)


def test_the_script_finds_no_file_of_ours_open(folder: Path) -> None:
    run = rehearsed(folder, "import os\nprint(sorted(map(int, os.listdir('/proc/self/fd'))))\n")
    assert run.output in ("[0, 1, 2, 3]\n", "[0, 1, 2]\n")  # the third is the folder that is listed


def test_what_a_script_swaps_for_its_own_use_does_not_deafen_the_listener(folder: Path) -> None:
    source = "\n".join([
        "import json, os, posixpath, struct",
        "json.dumps = os.getcwd = os.readlink = struct.pack_into = lambda *args, **more: ''",
        "posixpath.isdir = posixpath.join = posixpath.normpath = lambda *args: 'x'",
        "os.remove('notes.txt')",
    ])  # fmt: skip
    assert ("delete", "notes.txt", 4) in told(rehearsed(folder, source))


def test_the_listener_never_raises_into_the_script(folder: Path) -> None:
    source = "\n".join([
        "import os",
        "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')",
        "try: open('x', 'w')",
        "except FileNotFoundError as error: print('as it should', error.args[0])",
        "def deep(n):",
        "    open('/dev/null').close(); deep(n + 1)",
        "try: deep(0)",
        "except RecursionError: print('deep')",
    ])  # fmt: skip
    assert rehearsed(folder, source).output.splitlines() == ["as it should 2", "deep"]


def test_who_outlives_the_script_is_dead_before_anything_is_gathered(folder: Path) -> None:
    source = "\n".join([
        "import os, sys",
        "if os.fork() == 0:",
        "    os.setsid()",
        "    n = 0",
        "    while True:",
        "        n += 1",
        "        open('ticks', 'w').write(str(n))",
        "import time",
        "while not os.path.exists('ticks'): time.sleep(0.01)",
    ])  # fmt: skip
    run = rehearsed(folder, source)
    assert run.outcome.kind == "returned"
    assert run.left is not None
    assert "work/ticks" in {entry.path for entry in run.left.entries}


def test_many_threads_and_many_files_are_all_heard(folder: Path) -> None:
    source = "\n".join([
        "import threading",
        "def work(n):",
        "    for i in range(200): open(f'f{n}-{i}', 'w').close()",
        "threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]",
        "for t in threads: t.start()",
        "for t in threads: t.join()",
    ])  # fmt: skip
    run = rehearsed(folder, source)
    assert len({target for kind, target, _ in told(run) if kind == "write"}) == 1600
    assert not run.more
