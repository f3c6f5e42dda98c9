"""What a script would touch, in the host's terms: effects with lines, a diff, what was not seen; in the real box."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.plan.rehearse.effect import LEFT
from worldline.plan.rehearse.rehearse import Rehearsal, Staging, rehearse_executed

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.txt").write_text("one\ntwo\n")
    (tmp_path / "work" / "raw.bin").write_bytes(bytes(range(256)))
    return tmp_path / "work"


def rehearsed(folder: Path, source: str, *, at: str = "s.py", **more: object) -> Rehearsal:
    path = folder / at
    path.write_text(source)
    return rehearse_executed(path, Staging(folder=folder, **more), limits=Limits(wall=60))  # type: ignore[arg-type]


def effects(found: Rehearsal) -> set[tuple[str, str, int]]:
    return {(effect.kind, effect.target, effect.line) for effect in found.effects}


def test_a_text_file_that_changes_is_a_unified_diff(folder: Path) -> None:
    found = rehearsed(folder, "text = open('notes.txt').read()\nopen('notes.txt', 'w').write(text.upper())\n")
    (change,) = found.changes
    assert (change.path, change.how, change.before, change.after) == ("notes.txt", "changed", 8, 8)
    assert change.diff == (
        "--- a/notes.txt", "+++ b/notes.txt", "@@ -1,2 +1,2 @@", "-one", "-two", "+ONE", "+TWO",
    )  # fmt: skip
    assert effects(found) == {("read", "notes.txt", 1), ("write", "notes.txt", 2)}
    assert (folder / "notes.txt").read_text() == "one\ntwo\n"


def test_binary_files_and_modes_are_told_by_size_and_number(folder: Path) -> None:
    found = rehearsed(
        folder, "import os\nopen('raw.bin', 'ab').write(b'\\0')\nos.chmod('notes.txt', 0o600)\nos.remove('s.py')\n"
    )
    told = {change.path: (change.how, change.before, change.after, change.why) for change in found.changes}
    assert told["raw.bin"] == ("changed", 256, 257, "binary")
    assert told["notes.txt"] == ("mode", 8, 8, "0644 -> 0600")
    assert told["s.py"][0] == "deleted"


def test_what_a_child_does_is_seen_by_what_it_leaves_and_has_no_line(folder: Path) -> None:
    found = rehearsed(folder, "import subprocess\nsubprocess.run(['sh', '-c', 'rm raw.bin; echo x > made'])\n")
    left = {(effect.kind, effect.target, effect.line) for effect in found.effects if effect.seen == LEFT}
    assert left == {("delete", "raw.bin", 0), ("write", "made", 0)}
    assert any("their lines are unknown" in sentence for sentence in found.unseen)


def test_home_temporary_and_outside_are_told_apart(folder: Path) -> None:
    source = "\n".join([
        "import os, tempfile",
        "open(os.path.expanduser('~/.profile'), 'a').write('x')",
        "tempfile.mkstemp()",
        "try: open('/etc/shadow')",
        "except OSError: pass",
        f"try: open({str(folder / 'notes.txt')!r})",
        "except OSError: pass",
    ])  # fmt: skip
    found = rehearsed(folder, source)
    places = {effect.target: effect.place for effect in found.effects}
    assert places["~/.profile"] == "home"
    assert places["/etc/shadow"] == "outside"
    assert places[str(folder / "notes.txt")] == "outside, by its own name"
    assert "temporary" in places.values()


def test_a_page_is_asked_for_once_however_many_events_that_takes(folder: Path) -> None:
    source = "import urllib.request\nurllib.request.urlopen('http://example.com/a')\n"
    found = rehearsed(folder, source)
    assert [(e.target, e.line) for e in found.effects if e.kind == "send"] == [("http://example.com/a", 2)]
    assert found.outcome is not None
    assert found.outcome.kind == "raised"
    assert any("no network" in sentence for sentence in found.unseen)
    assert any("after the exception" in sentence for sentence in found.unseen)


def test_a_script_from_elsewhere_runs_in_the_folder_with_its_own_modules(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "names.py").write_text("NAME = 'notes.txt'\n")
    script = tmp_path / "tools" / "clean.py"
    script.write_text("import os, names\nos.remove(names.NAME)\n")
    found = rehearse_executed(script, Staging(folder=folder), limits=Limits(wall=60))
    assert ("delete", "notes.txt", 2) in effects(found)
    assert [change.path for change in found.changes] == ["notes.txt"]
    assert (folder / "notes.txt").exists()


def test_a_script_in_a_folder_below_runs_where_the_user_stands(folder: Path) -> None:
    (folder / "scripts").mkdir()
    found = rehearsed(folder, "open('notes.txt').read()\n", at="scripts/s.py")
    assert effects(found) == {("read", "notes.txt", 1)}


def test_a_file_that_is_not_there_is_said_to_be_missing(folder: Path) -> None:
    found = rehearsed(folder, "open('absent.txt')\n")
    assert [(effect.target, effect.missing) for effect in found.effects] == [("absent.txt", True)]


def test_a_script_that_is_left_out_is_refused_in_one_sentence(folder: Path) -> None:
    with pytest.raises(UsageError, match="the script itself"):
        rehearsed(folder, "pass", leave_out=("*.py",))


def test_a_shell_script_is_told_command_by_command(folder: Path) -> None:
    script = folder / "go.sh"
    script.write_text("name=raw.bin\n# a comment\nfor each in $name; do\n  rm $each\ndone\necho new > made.txt\n")
    found = rehearse_executed(script, Staging(folder=folder), limits=Limits(wall=60))
    assert found.outcome is not None
    assert (found.outcome.kind, found.outcome.detail) == ("exited", "0"), found.stderr
    assert effects(found) == {("start", "rm raw.bin", 4), ("delete", "raw.bin", 0), ("write", "made.txt", 0)}
    assert found.stderr == ""
    assert (folder / "raw.bin").exists()


def test_a_script_of_javascript_is_run_and_told_by_what_it_leaves(folder: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("no node on this machine")
    script = folder / "go.js"
    script.write_text("const fs = require('fs');\nfs.unlinkSync('raw.bin');\nconsole.log(process.argv[2]);\n")
    found = rehearse_executed(script, Staging(folder=folder, argv=("word",)), limits=Limits(wall=60))
    assert (found.output, effects(found)) == ("word\n", {("delete", "raw.bin", 0)})


def test_what_is_written_and_read_through_a_link_is_told_of_what_it_leads_to(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "link").symlink_to("../notes.txt")
    source = "\n".join([
        "import os",
        "open('sub/link', 'a').write('three\\n')",
        "os.symlink('/etc/passwd', 'pw')",
        "try: open('pw')",
        "except OSError: pass",
    ])  # fmt: skip
    found = rehearsed(folder, source)
    told = {(effect.kind, effect.target, effect.detail, effect.line) for effect in found.effects}
    assert told == {
        ("write", "sub/link", "link to ../notes.txt", 2), ("write", "notes.txt", "through the link sub/link", 2),
        ("write", "pw", "a link", 3), ("read", "pw", "link to /etc/passwd", 4),
        ("read", "/etc/passwd", "through the link pw", 4),
    }  # fmt: skip
    assert not any("their lines are unknown" in sentence for sentence in found.unseen)


def test_a_connection_in_the_box_is_an_attempt(folder: Path) -> None:
    source = "\n".join([
        "import socket",
        "try: socket.socket().connect(('192.0.2.1', 80))",
        "except OSError: pass",
        "try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.2', 53))",
        "except OSError: pass",
    ])  # fmt: skip
    told = {(effect.target, effect.detail) for effect in rehearsed(folder, source).effects}
    assert told == {("192.0.2.1:80", "tried to connect"), ("192.0.2.2:53", "tried to send")}


def test_a_tree_that_is_removed_from_another_folder_is_told_where_it_lies(folder: Path) -> None:
    (folder / "proj" / "build" / "sub").mkdir(parents=True)
    (folder / "proj" / "build" / "sub" / "a.o").write_text("")
    found = rehearsed(folder, "import os, shutil\nos.chdir('proj')\nshutil.rmtree('build')\n")
    assert effects(found) == {
        ("read", "proj/build/", 3), ("read", "proj/build/sub/", 3), ("delete", "proj/build/sub/a.o", 3),
        ("delete", "proj/build/sub", 3), ("delete", "proj/build", 3),
    }  # fmt: skip


def test_a_link_in_the_middle_of_a_path_is_followed(folder: Path) -> None:
    (folder / "proj").mkdir()
    (folder / "proj" / "data.txt").write_text("x")
    (folder / "p2").symlink_to("proj")
    (folder / "p3").symlink_to("p2")
    (folder / "away").symlink_to("../elsewhere")
    lines = (
        "import os",
        "open('p3/data.txt').read()",
        "open('p2/new.txt', 'w').write('1')",
        "os.rename('p2/new.txt', 'p3/newer.txt')",
        "os.listdir('p2')",
        "open('away/f', 'w')",
    )
    found = rehearsed(folder, "\n".join(lines) + "\n")
    told = {(each.kind, each.target, each.detail, each.place, each.missing) for each in found.effects}
    assert told == {
        ("read", "proj/data.txt", "through the link p3", "folder", False),
        ("write", "proj/new.txt", "through the link p2", "folder", False),
        ("rename", "proj/new.txt", "proj/newer.txt", "folder", False),
        ("read", "p2/", "link to proj", "folder", False),
        ("read", "proj/", "through the link p2", "folder", False),
        ("write", "../elsewhere/f", "through the link away", "outside", False),
    }
