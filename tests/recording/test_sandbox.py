"""The box with a stand-in guest: what a program finds inside, how it ends, and what the host learns of it."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import NoSandbox, UsageError
from worldline.core.limits import Limits
from worldline.recording import cgroup
from worldline.recording import sandbox as sandbox_module
from worldline.recording.interpreter import find
from worldline.recording.sandbox import Sandbox, SandboxRun, open_sandbox
from worldline.recording.sandbox_plan import SandboxPlan

LIMITS = Limits(wall=30, memory=128 << 20, processes=8, disk=8 << 20, output=10_000, trace_bytes=1 << 20)
GUEST = """
import os, struct, sys
def run(spec, wire, report):
    os.write(report, b"begun")
    os.close(report)
    sys.argv = [spec["name"], *spec["argv"]]
    exec(compile(spec["source"], spec["name"], "exec"), {"__name__": "__main__", "wire": wire, "spec": spec})
    sys.stdout.flush()
    os._exit(0)
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> SandboxPlan:
    folder = tmp_path_factory.mktemp("guest")
    folder.chmod(0o755)  # whom root becomes must be able to read it
    (folder / "python.py").write_text(GUEST)
    return SandboxPlan(python=find(None), guest_folder=str(folder))


@pytest.fixture(scope="module")
def sandbox(plan: SandboxPlan) -> Iterator[Sandbox]:
    with open_sandbox(plan, LIMITS) as made:
        yield made


@pytest.fixture(scope="module")
def lean(plan: SandboxPlan) -> Iterator[Sandbox]:
    with open_sandbox(plan, LIMITS, use_cgroup=False) as made:
        yield made


def run(sandbox: Sandbox, source: str, stdin: bytes = b"", **more: Any) -> SandboxRun:
    spec = {
        "name": "program.py", "source": source, "call": None, "argv": [], "files": {},
        "limits": sandbox.limits.__dict__, **more,
    }  # fmt: skip
    return sandbox.run(spec, stdin)


def told(sandbox: Sandbox, source: str, stdin: bytes = b"", **more: Any) -> Any:
    found = run(sandbox, f"import json, os, sys\n{source}", stdin, **more)
    assert found.status == 0, found
    return json.loads(found.stdout)


def test_a_program_has_its_own_small_world(sandbox: Sandbox) -> None:
    source = "print(json.dumps([os.getpid(), os.getuid(), os.getcwd(), os.listdir('.'), os.listdir('/dev/shm')]))"
    assert told(sandbox, source) == [2, 1000, "/box/work", ["program.py"], []]


def test_nothing_of_the_hosts_environment_is_inside(sandbox: Sandbox) -> None:
    names = set(told(sandbox, "print(json.dumps(dict(os.environ)))"))
    assert names == {"HOME", "LANG", "LC_ALL", "PATH", "PYTHONHASHSEED", "TMPDIR", "TZ"}


def test_hashes_and_addresses_are_the_same_in_every_box(plan: SandboxPlan, sandbox: Sandbox) -> None:
    source = "print(json.dumps([hash('worldline'), id(json), open('/proc/self/personality').read()]))"
    with open_sandbox(plan, LIMITS) as other:
        assert told(sandbox, source) == told(other, source)


def test_root_does_not_run_the_box_as_root(sandbox: Sandbox) -> None:
    status = Path(f"/proc/{sandbox._process.pid}/status").read_text()
    assert "Uid:\t0" not in status


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_keys_are_not_named_inside(sandbox: Sandbox) -> None:
    number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]  # add_key, to the user's own keyring
    libc = ctypes.CDLL(None)
    owner = os.fork()
    if owner == 0:
        os.setresuid(*[sandbox.plan.uid or 0] * 3)
        libc.syscall(ctypes.c_long(number), b"user", b"a-name", b"secret", ctypes.c_size_t(6), ctypes.c_long(-4))
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(owner, os.WUNTRACED)
    try:
        assert run(sandbox, "print(open('/proc/keys').read())").stdout == b"\n"
    finally:
        os.kill(owner, signal.SIGKILL)
        os.waitpid(owner, 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_one_box_uses_up_another_does_not_lack(plan: SandboxPlan) -> None:
    """The kernel counts pipe buffers by user: one user of two boxes would find them gone."""
    name = f"wl{os.getpid()}pipes"
    size = "fcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 20)"
    enlarge = f"import ctypes, fcntl, os, time\ndef enlarge(): return {size}\n"
    greedy = f"{enlarge}try:\n    while True: enlarge()\nexcept OSError as e: assert e.errno == 1\n"
    tell = f"ctypes.CDLL(None).prctl(15, {name!r}.encode(), 0, 0, 0)\ntime.sleep(600)\n"
    with open_sandbox(plan, replace(LIMITS, wall=600)) as one, open_sandbox(plan, LIMITS) as other:
        hoarder = threading.Thread(target=run, args=(one, greedy + tell))
        hoarder.start()
        while name not in _names() and hoarder.is_alive():
            pass
        assert hoarder.is_alive()
        try:
            found = run(other, f"{enlarge}print(enlarge())")
        finally:
            one.kill()
            hoarder.join()
    assert (found.stdout, found.fault) == (b"1048576\n", "")


def test_the_program_and_its_files_stand_in_its_directory(sandbox: Sandbox) -> None:
    files = {"pkg/part.py": "x = 'é'\n", "../../etc/out": "no", "/abs": "no", "odd\ud800.txt": "\udcff"}
    source = "import pkg.part\nprint(json.dumps([pkg.part.x, sorted(os.listdir('.')), open('program.py').read()]))"
    prelude = "import sys; sys.path.insert(0, '')\n"
    value, names, text = told(sandbox, prelude + source, files=files)
    assert (value, names) == ("é", ["pkg", "program.py"])
    assert text.endswith(source)


def test_stdin_is_given_and_ends(sandbox: Sandbox) -> None:
    assert told(sandbox, "print(json.dumps([input(), sys.stdin.read()]))", b"one\ntwo\nthree") == ["one", "two\nthree"]


def test_a_large_program_fits(sandbox: Sandbox) -> None:
    assert told(sandbox, "print(json.dumps(len(spec['source'])))\n" + "#" * 3_000_000) > 3_000_000


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("import os; os._exit(7)", 7 << 8),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", signal.SIGKILL),
        ("import os; os.abort()", signal.SIGABRT),
        ("import ctypes; ctypes.string_at(0)", signal.SIGSEGV),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", signal.SIGTERM),
    ],
)
def test_the_wait_status_is_the_programs_own(sandbox: Sandbox, source: str, status: int) -> None:
    found = run(sandbox, source)
    assert (found.status, found.hit, found.fault) == (status, "", "")
    assert not os.path.exists("core")


def test_what_goes_wrong_before_the_program_is_the_hosts_fault(sandbox: Sandbox) -> None:
    found = run(sandbox, "x = ", name="program.py")
    assert "SyntaxError" in found.fault or "SyntaxError" in found.stderr.decode()
    assert run(sandbox, "print(1)").stdout == b"1\n"


@pytest.mark.parametrize("which", ["box", "lean"])
def test_the_deadline_ends_the_whole_family(which: str, plan: SandboxPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    # The sandbox outlives the processes, however busy the machine is.
    monkeypatch.setattr(sandbox_module, "GRACE_SECONDS", 60.0)
    name = f"wl{os.getpid()}{which}"
    source = f"""
import ctypes, os, signal, time
ctypes.CDLL(None).prctl(15, {name!r}.encode(), 0, 0, 0)
signal.pthread_sigmask(signal.SIG_SETMASK, range(1, 64))
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        break
while True:
    time.sleep(1)
"""
    with open_sandbox(plan, replace(LIMITS, wall=2), use_cgroup=which == "box") as short:
        found = run(short, source)
        assert (found.hit, found.status, short.alive) == ("time", signal.SIGKILL, True)
        assert name not in _names()
        assert run(short, "print(1)").stdout == b"1\n"


def _names() -> set[str]:
    names = set()
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        # A process may end at any moment.
        with suppress(OSError):
            names.add(Path("/proc", pid, "comm").read_text().strip())
    return names


def test_a_program_that_ends_leaves_nobody(sandbox: Sandbox) -> None:
    child = "    os.setsid()\n    os.write(1, b'child')\n    open('x', 'w')\n    time.sleep(600)\n"
    source = f"import os, time\nif os.fork() == 0:\n{child}while not os.path.exists('x'):\n    time.sleep(0.01)"
    assert (run(sandbox, source).stdout, run(sandbox, "print(1)").stdout) == (b"child", b"1\n")


@pytest.mark.parametrize("fd", [1, 2])
def test_output_is_kept_up_to_its_cap(sandbox: Sandbox, fd: int) -> None:
    found = run(sandbox, f"import os\nwhile True:\n    os.write({fd}, b'x' * 1000)")
    assert (found.hit, len(found.stdout), len(found.stderr)) == ("output", *((10_000, 0) if fd == 1 else (0, 10_000)))


def test_output_of_exactly_the_cap_is_no_breach(sandbox: Sandbox) -> None:
    found = run(sandbox, "import os\nos.write(1, b'x' * 10_000)")
    assert (found.hit, found.status, len(found.stdout)) == ("", 0, 10_000)


def test_a_full_disk_is_seen(sandbox: Sandbox) -> None:
    fill = "f = open('x', 'wb', 0)\ntry:\n    while True: f.write(b'x' * 65536)\nexcept OSError as e: print(e.errno)"
    found = run(sandbox, fill)
    assert (found.stdout, found.disk_full) == (b"28\n", True)
    assert not run(sandbox, "print(1)").disk_full


def test_memory_is_bounded(sandbox: Sandbox, lean: Sandbox) -> None:
    source = "x = []\nwhile True: x.append(b'x' * (1 << 22))"
    if sandbox.group is not None:
        assert run(sandbox, source).hit == "memory"
    assert b"MemoryError" in run(lean, source).stderr + run(lean, source).fault.encode()


def test_the_memory_of_a_family_is_bounded(sandbox: Sandbox) -> None:
    if sandbox.group is None:
        pytest.skip("no cgroup can be had here")
    child = "    if os.fork() == 0:\n        x = b'x' * (60 << 20)\n        break\n"
    source = f"import os, time\nfor _ in range(6):\n{child}time.sleep(60)"
    assert run(sandbox, source).hit == "memory"


def test_processes_are_bounded(sandbox: Sandbox, lean: Sandbox) -> None:
    loop = "    for n in range(50):\n        if os.fork() == 0: time.sleep(60)\n"
    source = f"import os, time\ntry:\n{loop}except OSError: print(n)"
    assert int(run(lean, source).stdout) == LIMITS.processes - 1
    found = run(sandbox, source)
    assert int(found.stdout) == LIMITS.processes - 1
    assert found.hit == ("processes" if sandbox.group else "")


def test_what_one_program_spent_is_not_the_next_ones(sandbox: Sandbox) -> None:
    child = "    if os.fork() == 0: x = bytearray(1 << 30); time.sleep(60)\n"
    greedy = f"import os, time\nfor _ in range(6):\n{child}time.sleep(60)"
    for _ in range(3):
        if sandbox.group:
            assert run(sandbox, greedy).hit == "memory"
        assert run(sandbox, "print(1)").hit == ""


def test_a_wire_cannot_be_shrunk_under_the_host(sandbox: Sandbox) -> None:
    attempt = "    try: os.ftruncate(wire, size)\n    except OSError as e: print(e.errno)"
    source = f"import os\nfor size in (0, 2 << 20):\n{attempt}"
    assert run(sandbox, source).stdout == b"1\n1\n"


@pytest.mark.parametrize("claim", [0, 63, 100, 1 << 21, 2**64 - 1])
def test_a_header_that_lies_is_read_no_further_than_the_file(sandbox: Sandbox, claim: int) -> None:
    source = f"import os, struct\nos.pwrite(wire, b'WLW1' + bytes(4) + struct.pack('<Q', {claim}), 0)"
    size = LIMITS.trace_bytes + (64 << 10)
    found = run(sandbox, source)
    assert (found.status, len(found.wire)) == (0, min(max(claim, 64), size))


def test_a_box_that_is_killed_says_so(plan: SandboxPlan) -> None:
    with open_sandbox(plan, LIMITS) as doomed:
        doomed._process.send_signal(signal.SIGKILL)
        doomed._process.wait()
        found = [run(doomed, "import time; time.sleep(0.1)") for _ in range(5) if doomed.alive]
        assert found[-1].fault  # the zygote may outlive bubblewrap by a moment, and no longer
        assert not doomed.alive


def test_a_closed_box_leaves_no_cgroup_behind(plan: SandboxPlan) -> None:
    with open_sandbox(plan, LIMITS) as made:
        folders = list(made.group.folders.values()) if made.group else []
        assert all(folder.is_dir() for folder in folders)
    assert not any(folder.exists() for folder in folders)


def test_without_bubblewrap_there_is_no_box(plan: SandboxPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NoSandbox, match="package bubblewrap"):
        open_sandbox(plan, LIMITS)


def test_without_user_namespaces_there_is_no_box(
    plan: SandboxPlan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoSandbox, match="user namespaces"):
        open_sandbox(plan, LIMITS)


def test_root_that_must_stay_root_needs_a_cgroup(plan: SandboxPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can refuse to be root")

    def fails_unprivileged(plan: SandboxPlan, group: Any = None) -> Sandbox:
        if plan.uid is not None:
            raise NoSandbox("no")
        return Sandbox(plan, group)

    monkeypatch.setattr(sandbox_module, "Sandbox", fails_unprivileged)
    with pytest.raises(NoSandbox, match="nothing limits the number of processes"):
        open_sandbox(plan, LIMITS, use_cgroup=False)


def test_trusted_programs_run_without_a_box_but_not_without_an_end(plan: SandboxPlan) -> None:
    name = f"wl{os.getpid()}bare"
    source = f"""
import ctypes, os, time
ctypes.CDLL(None).prctl(15, {name!r}.encode(), 0, 0, 0)
print(os.getcwd(), flush=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
time.sleep(600)
"""
    with open_sandbox(replace(plan, sandboxed=False), replace(LIMITS, wall=2)) as bare:
        found = run(bare, source)
        assert found.hit == "time"
        assert name not in _names()
        assert run(bare, "print(1)").stdout == b"1\n"  # by then the first one's directory has been put away
        assert not os.path.exists(found.stdout.decode().strip())


def test_a_virtual_environments_interpreter_is_boxed(plan: SandboxPlan, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    library = next((tmp_path / "venv" / "lib").glob("python3*/site-packages"))
    (library / "only_here.py").write_text("x = 5\n")
    python = find(str(tmp_path / "venv" / "bin" / "python"))
    with open_sandbox(replace(plan, python=python), LIMITS) as made:
        assert told(made, "import only_here, bisect\nprint(json.dumps(only_here.x))") == 5


def test_an_interpreter_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no interpreter"):
        find(str(tmp_path / "python"))
    with pytest.raises(UsageError, match="not a Python interpreter"):
        find("/bin/true")


def test_version_2_cgroups_are_found_bounded_and_counted(tmp_path: Path) -> None:
    own = tmp_path / "user.slice" / "app"
    own.mkdir(parents=True)
    table, mounts = "0::/user.slice/app\n", f"30 20 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    assert [place.parent for place in cgroup.parents(table, mounts)] == [own, own.parent, tmp_path]
    made = cgroup.Cgroup(2, {"memory": own, "pids": own})
    (own / "pids.current").write_text("3\n")
    made.bound(memory=1 << 20, processes=8)
    assert (own / "pids.max").read_text() == "11"
    assert int((own / "memory.max").read_text()) == (1 << 20) + cgroup.BASE_MEMORY
    (own / "pids.events").write_text("max 0\n")
    (own / "memory.events").write_text("low 0\nmax 5\noom 1\noom_kill 0\n")
    assert made.spent() == ""
    (own / "memory.events").write_text("low 0\nmax 5\noom 1\noom_kill 2\n")
    assert [made.spent(), made.spent()] == ["memory", ""]


def test_where_no_cgroup_can_be_had_there_is_none(tmp_path: Path) -> None:
    assert cgroup.make("worldline-1-0", table="0::/\n", mounts="") is None
    mounts = f"30 20 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    assert cgroup.make("worldline-1-0", table="0::/\n", mounts=mounts) is None
    assert list(tmp_path.iterdir()) == []


READ = "re.sub('(alloc|mem|orphan) [0-9]+', '', open(f'/proc/net/{n}').read())"  # of the whole host, these three
COUNTED = f"[{READ} for n in ('dev', 'sockstat', 'unix', 'snmp', 'netstat')]"
TALK = f"""
import re, socket
before = {COUNTED}
with socket.create_server(('127.0.0.1', 40_000)) as server, socket.create_connection(server.getsockname()) as near:
    far = server.accept()[0]
    far.close()  # first to close: the port waits in TIME_WAIT
    assert near.recv(1) == b''
waiting = any(line.split()[3] == '06' for line in open('/proc/net/tcp').readlines()[1:])
with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as datagrams:
    datagrams.bind(('::1', 0))
    datagrams.sendto(b'to itself', datagrams.getsockname())
    assert datagrams.recv(99) == b'to itself'
socket.socket(socket.AF_UNIX).bind('\\0abstract')
print(json.dumps([waiting, before != {COUNTED}, before]))
"""
STRICT = f"""
import re, socket
counted = {COUNTED}
socket.socket().bind(('127.0.0.1', 40_000))  # SO_REUSEADDR is off: TIME_WAIT would make it busy
socket.socket(socket.AF_UNIX).bind('\\0abstract')
print(json.dumps(counted))
"""


def test_each_program_has_a_network_of_its_own(sandbox: Sandbox) -> None:
    waiting, counted, before = told(sandbox, TALK)
    assert (waiting, counted) == (True, True)
    assert told(sandbox, STRICT) == before == told(sandbox, STRICT)


def test_the_first_process_heeds_nothing_and_shows_nothing(sandbox: Sandbox) -> None:
    source = """
import contextlib, signal, time
refused = []
for act in (lambda: open('/proc/1/mem'), lambda: os.readlink('/proc/1/fd/3'), lambda: open('/proc/1/maps').read()):
    try:
        act()
    except PermissionError as error:
        refused.append(error.errno)
for number in signal.valid_signals():
    with contextlib.suppress(PermissionError):  # where landlock stands before it
        os.kill(1, number)
if not os.fork():  # an orphan, whom the first process reaps
    if orphan := os.fork():
        os._exit(orphan)
    os._exit(0)
orphan = os.waitstatus_to_exitcode(os.wait()[1])
while os.path.exists(f'/proc/{orphan}'):
    time.sleep(0.01)
print(json.dumps(refused))
"""
    assert told(sandbox, source) == [13, 13, 13]
    assert told(sandbox, "print(json.dumps(os.getpid()))") == 2  # the zygote shares its memory, and not its signals
