"""The box, seen from the host: started, given one program at a time, watched, and put away.

One box is one bubblewrap and one zygote; `run` gives it a program and waits: for its set-up, and from its first line
on never longer than the program's wall clock and a grace. Nothing here decides what an end means; verdict.py does.
There is no second best: where no box can be had, `open_box` raises NoSandbox and says what is missing.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.errors import NoSandbox
from worldline.core.limits import Limits
from worldline.recording import box, cgroup, user
from worldline.recording.exchange import Exchange

START_SECONDS = 60.0
SETUP_SECONDS = 60.0  # from the request to the program's first line
NOTHING_RUNS = (
    "What runs nothing works: `imagine`, `show`, `report`, `compare`, `view RUN`, `encode` of a stored trace"
)
WITHOUT = f"`--trust` runs programs without a box, as yourself. {NOTHING_RUNS}."
GRACE_SECONDS = 0.5  # from the deadline's kill until the whole box is killed
GATHER_SECONDS = 60.0  # the same, where the zygote has to tell what was left
WATCH_SECONDS = 0.1  # how often the cgroup of a run that takes its time is looked at
_numbers = itertools.count()


@dataclass(frozen=True)
class SandboxRun:
    """What is known of one program's run. `hit` is the limit that ended it, `fault` what went wrong with the box."""

    wire: bytes | memoryview = b""
    stdout: bytes = b""
    stderr: bytes = b""
    status: int | None = None
    hit: str = ""
    disk_full: bool = False
    fault: str = ""
    seconds: float = 0.0  # of a processor, as far as the program's own process used it
    report: str = "begun"  # or, of a program that could not begin, the kind of its outcome and the detail
    left: bytes = b""  # what was gathered of the files that it left, of a guest that gathers


@dataclass
class _Patience:
    """How long the wire of a begun program may stay as it is."""

    seconds: float
    seen: bytes = b""
    until: float = math.inf

    def is_over(self, exchange: Exchange) -> bool:
        """Whether nothing was committed for so long."""
        if self.seconds == math.inf:
            return False
        now, committed = time.monotonic(), exchange.committed
        if committed != self.seen:
            self.seen, self.until = committed, now + self.seconds
        return now >= self.until


class Box:
    """A running box. It dies with the thread that made it, and is not for two threads at once."""

    def __init__(self, plan: box.BoxPlan, group: cgroup.Cgroup | None = None) -> None:
        self.plan, self.limits, self.group = plan, plan.limits, group
        self.user: user.BoxUser | None = None
        self.alive = True
        self._opener = os.getpid(), threading.current_thread()
        self.layers: dict[str, Any] = {}
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._words, tell = os.pipe()
        launch = str(Path(box.__file__).with_name("launch.py"))
        with theirs, open(tell, "wb") as words:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", launch, box.launch_config(plan, theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                pass_fds=[theirs.fileno()],
                cwd="/",
                start_new_session=True,  # Ctrl-C is for the host, which then puts its boxes away
            )
        try:
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def _await_ready(self) -> None:
        self._socket.settimeout(START_SECONDS)
        try:
            message = self._socket.recv(4096)
        except TimeoutError:
            raise NoSandbox(f"the box did not start within {START_SECONDS:g} seconds") from None
        except ConnectionError:
            message = b""
        if not message:
            raise NoSandbox(explain(self._last_words()))
        self.layers = json.loads(message)
        self._socket.settimeout(None)
        if self.plan.uid is not None:
            self._check_user(str(self.plan.uid))
        if self.group:
            self.group.bound(memory=self.limits.memory, processes=self.limits.processes)

    def _check_user(self, uid: str) -> None:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        user_ids = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1:]
        if set(user_ids) != {uid}:
            raise NoSandbox(f"the box runs as user {user_ids[0]}, not as {uid}")

    def _last_words(self) -> str:
        os.set_blocking(self._words, False)
        with contextlib.suppress(subprocess.TimeoutExpired, BlockingIOError):
            self._process.wait(1)
            return os.read(self._words, 4096).decode("utf-8", "replace").strip()
        return ""

    def run(
        self,
        spec: dict[str, Any],
        stdin: bytes,
        *,
        act: str = "run",
        parts: bytes = b"",
        left: int = 0,
        patience: float = math.inf,
    ) -> SandboxRun:
        """Run one program to its end, or to the end of its time. A box that breaks says so and is not `alive`.

        `prepare` is the other act there is; a program that was prepared is run with its `parts`. Of a guest that
        gathers, at most so many bytes of what is `left` are taken, and it has time for that. One whose wire stays as
        it is for longer than the `patience`, in seconds, has met the end of its time.
        """
        try:
            exchange = Exchange(spec, stdin, self.limits, parts, left)
        except OSError as error:
            return SandboxRun(report="", fault=f"the host cannot give the box its files: {error}")
        try:
            socket.send_fds(self._socket, [act.encode()], exchange.files)
            exchange.sent()
            hit, reply = self._watch(exchange, _Patience(patience))
            return self._result(exchange, hit, reply)
        except OSError as error:
            self.kill()
            return self._result(exchange, "", {"fault": f"the box broke: {error}"})
        except BaseException:  # an interrupted box would answer the next program with this one's end
            self.kill()
            raise
        finally:
            exchange.close()

    def _watch(self, exchange: Exchange, patience: _Patience) -> tuple[str, dict[str, Any]]:
        """Until the zygote says that the family is gone: drain, mind the clock and the cgroup, kill once."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        drains = {drain.read_end: drain for drain in exchange.outputs}
        for fd in drains:
            poll.register(fd, select.POLLIN)
        hit, begun, deadline = "", False, time.monotonic() + SETUP_SECONDS
        while True:
            left = deadline - time.monotonic()
            if left <= 0 and hit:
                self.kill()
                return hit, {}
            # The report wakes nobody, which would cost most programs more than the clock's precision is worth.
            look = min(left, WATCH_SECONDS) if begun else min(left, WATCH_SECONDS, self.limits.wall)
            ready = {fd for fd, _ in poll.poll(1000 * max(0.0, look))}
            if self._socket.fileno() in ready and (reply := self._reply()) is not None:
                return hit, reply
            for fd in ready:
                drains[fd].pump()
                if drains[fd].ended:
                    poll.unregister(fd)
            if not begun and not hit and exchange.begun:
                begun, deadline = True, time.monotonic() + self.limits.wall
                continue
            left = 0.0 if begun and patience.is_over(exchange) else left
            spent = self._spent(exchange, left, idle=not ready)
            if spent and not hit:
                hit, deadline = spent, self._stop(GATHER_SECONDS if exchange.gathers else GRACE_SECONDS)

    def _spent(self, exchange: Exchange, left: float, *, idle: bool) -> str:
        """Which limit the program has reached, if any."""
        if any(drain.over for drain in exchange.outputs):
            return "output"
        spent = self.group.spent() if self.group and idle else ""
        return spent or ("time" if left <= 0 else "")

    def _stop(self, grace: float) -> float:
        """Ask the zygote to kill the family; when to stop waiting for that."""
        self._socket.send(b"kill")
        return time.monotonic() + grace

    def _reply(self) -> dict[str, Any] | None:
        """The zygote's message; None if there is none after all, so that the clock is minded all the same."""
        try:
            message = self._socket.recv(1 << 16, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        if not message:
            raise ConnectionError("the zygote is gone")
        reply: dict[str, Any] = json.loads(message)
        return reply

    def _result(self, exchange: Exchange, hit: str, reply: dict[str, Any]) -> SandboxRun:
        wire, stdout, stderr = exchange.take()
        # In any case: what is counted now is not the next one's.
        spent = self.group.spent() if self.group else ""
        hit = hit or spent
        if any(drain.over for drain in exchange.outputs):
            hit = "output"
        if reply.get("worked"):  # killed by its rlimit, while this host slept
            hit = hit or "time"
        exchange.report.pump()
        report = exchange.report.data.decode("utf-8", "replace")
        return SandboxRun(
            wire,
            stdout,
            stderr,
            reply.get("status"),
            hit,
            bool(reply.get("full")),
            reply.get("fault", ""),
            reply.get("seconds", 0.0),
            report,
            exchange.take_left(),
        )

    @property
    def requested_plan(self) -> box.BoxPlan:
        """The plan that `open_box` was called with."""
        return replace(self.plan, uid=None, cgroups=())

    @property
    def is_of_main_thread(self) -> bool:
        """Whether the main thread of this process opened the sandbox and is asking."""
        return (
            self._opener
            == (os.getpid(), threading.current_thread())
            == (os.getpid(), threading.main_thread())
        )

    @property
    def is_usable(self) -> bool:
        """Whether the sandbox can take another program."""
        return self.alive and self._process.poll() is None

    def kill(self) -> None:
        """End the box and everyone in it. The pid namespace ends with bubblewrap; without one the zygote sees to it."""
        if self.alive and not self.plan.boxed:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._socket.shutdown(socket.SHUT_RDWR)
                self._process.wait(GRACE_SECONDS)
        self.alive = False
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Put the box away."""
        self.kill()
        self._socket.close()
        os.close(self._words)
        if self.group:
            self.group.remove()
            self.group = None
        if self.user:
            self.user.release()

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def explain(words: str) -> str:
    """What a failed start means, and what to do about it."""
    if "namespace" in words or "uid map" in words or "Operation not permitted" in words:
        return (
            "this system does not let bubblewrap make user namespaces (see kernel.unprivileged_userns_clone, "
            "user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns; in a container they need "
            f"`--security-opt seccomp=unconfined` or `--privileged`): {words}. {WITHOUT}"
        )
    return f"the box does not start: {words or 'it said nothing'}. {WITHOUT}"


def open_box(plan: box.BoxPlan, limits: Limits, *, use_cgroup: bool = True) -> Box:
    """The strongest box this host can give, or NoSandbox.

    Root becomes an unprivileged user first, another one for each box, so that the kernel bounds and counts what it
    bounds by user; where that user cannot make a box, root may, if a cgroup bounds the processes.
    """
    plan = replace(plan, limits=limits)
    if not sys.platform.startswith("linux"):
        raise NoSandbox(
            "programs are run on Linux only (namespaces, seccomp, memory files): take a container or a virtual "
            f"machine. {NOTHING_RUNS}."
        )
    if not plan.boxed:
        return _open_with_cgroup(plan, use_cgroup)
    if shutil.which("bwrap") is None:
        raise NoSandbox(f"the command bwrap is missing: install the package bubblewrap. {WITHOUT}")
    if os.geteuid() != 0:
        return _open_with_cgroup(plan, use_cgroup)
    whom = user.claim()
    try:
        opened = _open_with_cgroup(replace(plan, uid=whom.uid), use_cgroup)
        opened.user = whom
        return opened
    except NoSandbox as first:
        whom.release()
        try:
            opened = _open_with_cgroup(plan, use_cgroup)
        except NoSandbox:
            raise first from None
        if opened.group is None:
            opened.close()
            raise NoSandbox(
                f"as root, without a cgroup, nothing bounds processes, and otherwise: {first}"
            ) from None
        return opened


def _open_with_cgroup(plan: box.BoxPlan, use_cgroup: bool) -> Box:
    group = cgroup.make(f"worldline-{os.getpid()}-{next(_numbers)}") if use_cgroup else None
    try:
        return Box(replace(plan, cgroups=tuple(group.joins) if group else ()), group)
    except NoSandbox:
        if group is None:
            raise
        group.remove()
        return Box(plan)
