"""Run programs in a sandbox, seen from the host: start it, give it one program at a time, watch it.

One `Sandbox` is one bubblewrap (or gVisor) and one zygote. `run` gives it a program and waits: first for the setup,
then from its first line never longer than the wall clock limit and a grace period. verdict.py
decides the outcome. There is no fallback: without a sandbox, `open_sandbox` raises `NoSandbox` and says
what is missing.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import marshal
import math
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.errors import NoSandbox
from worldline.core.limits import Limits
from worldline.recording import cgroup, sandbox_plan, user
from worldline.recording.exchange import Exchange
from worldline.recording.providers import PROVIDERS, surroundings
from worldline.recording.providers.bubblewrap import STAGE
from worldline.recording.providers.provider import Provider, SandboxLaunch

START_SECONDS = 60.0
SETUP_SECONDS = 60.0  # from the request to the program's first line
NOTHING_RUNS = (
    "These commands execute nothing and still work: `imagine`, `show`, `report`, `compare`, `view RUN`, "
    "`encode` of a stored trace"
)
WITHOUT = (
    "`worldline doctor` shows what works here. `--trust` executes programs without a sandbox, as yourself. "
    f"{NOTHING_RUNS}."
)
GRACE_SECONDS = 0.5  # from the kill at the deadline until the whole sandbox is killed
GATHER_SECONDS = 60.0  # the same, if the zygote gathers the files that were left
WATCH_SECONDS = 0.1  # the interval between checks of the cgroup
_numbers = itertools.count()


@dataclass(frozen=True)
class SandboxRun:
    """The raw result of one run. `hit` is the limit that ended it, `fault` what failed in the sandbox."""

    wire: bytes | memoryview = b""
    stdout: bytes = b""
    stderr: bytes = b""
    status: int | None = None
    hit: str = ""
    disk_full: bool = False
    fault: str = ""
    seconds: float = 0.0  # the processor time of the main process of the program
    report: str = "begun"  # or the kind and detail of the outcome of a program that could not start
    left: bytes = b""  # the gathered files that it left, from a guest that gathers


@dataclass
class _Patience:
    """How long the wire of a started program may stay unchanged."""

    seconds: float
    seen: bytes = b""
    until: float = math.inf

    def is_over(self, exchange: Exchange) -> bool:
        """Tell whether nothing was committed for too long."""
        if self.seconds == math.inf:
            return False
        now, committed = time.monotonic(), exchange.committed
        if committed != self.seen:
            self.seen, self.until = committed, now + self.seconds
        return now >= self.until


class Sandbox:
    """A running sandbox. It dies with the thread that opened it, and only one thread may use it at a time."""

    def __init__(self, plan: sandbox_plan.SandboxPlan, group: cgroup.Cgroup | None = None) -> None:
        self.plan, self.limits, self.group = plan, plan.limits, group
        self.user: user.SandboxUser | None = None
        self.alive = True
        self._hit = ""  # the limit that the program has reached
        self._opener = os.getpid(), threading.current_thread()
        self.layers: dict[str, Any] = {}
        self.provider: Provider | None = PROVIDERS[plan.provider] if plan.sandboxed else None
        self._folder = tempfile.mkdtemp(prefix="worldline-") if self.provider and self.provider.single_use else ""
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._words, tell = os.pipe()
        launch = str(Path(sandbox_plan.__file__).with_name("launch.py"))
        with theirs, open(tell, "wb") as words:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", launch, self._launch_config(theirs.fileno())],
                stdin=theirs.fileno() if self.provider and self.provider.socket == 0 else subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                pass_fds=[theirs.fileno()],
                cwd="/",
                start_new_session=True,  # Ctrl-C is for the host, which then closes its sandboxes
            )
        try:
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def _launch_config(self, fd: int) -> str:
        """Return the configuration of launch.py, which the same interpreter reads. `fd` is the zygote's socket."""
        plan, provider = self.plan, self.provider
        fd = fd if provider is None or provider.socket is None else provider.socket
        zygote = sandbox_plan.zygote_command(plan, fd)
        launch = SandboxLaunch(zygote) if provider is None else provider.launch(plan, zygote, self._folder)
        config: dict[str, Any] = {
            "cgroups": plan.cgroups,
            "uid": plan.uid,
            "stage": launch.staged,
            "at": STAGE,
            "command": launch.command,
            "anew": plan.sandboxed,
            "environment": {} if plan.sandboxed else plan.environment,
        }
        return marshal.dumps(config).hex()

    def _await_ready(self) -> None:
        self._socket.settimeout(START_SECONDS)
        try:
            message = self._socket.recv(4096)
        except TimeoutError:
            raise NoSandbox(f"the sandbox did not start within {START_SECONDS:g} seconds") from None
        except ConnectionError:
            message = b""
        if not message:
            raise NoSandbox(explain(self._last_words(), self.plan.provider))
        self.layers = json.loads(message)
        self._socket.settimeout(None)
        if self.plan.uid is not None:
            self._check_user(str(self.plan.uid))
        if self.group:
            own = self.provider
            self.group.bound(
                memory=self.limits.memory,
                processes=self.limits.processes + (own.processes if own else 0),
                has_own_kernel=bool(own and own.single_use),
            )

    def _check_user(self, uid: str) -> None:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        user_ids = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1:]
        if set(user_ids) != {uid}:
            raise NoSandbox(f"the sandbox runs as user {user_ids[0]}, not as {uid}")

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
        """Execute one program to its end, or until its time is up. A sandbox that breaks is no longer `alive`.

        Args:
            spec: The program and its settings, for the guest.
            stdin: The bytes of standard input.
            act: What the guest does: `run`, `prepare` or `tools`.
            parts: The parts of a prepared program.
            left: Gather at most this many bytes of the files that the program leaves.
            patience: The seconds that the wire may stay unchanged before the run counts as too slow.

        Returns:
            The raw result. Failures of the sandbox are in its `fault`.
        """
        try:
            exchange = Exchange(spec, stdin, self.limits, parts, left)
        except OSError as error:
            return SandboxRun(report="", fault=f"the host cannot give the sandbox its files: {error}")
        try:
            socket.send_fds(self._socket, [act.encode()], exchange.files)
            exchange.sent()
            setup = self.limits.wall if act == "tools" else SETUP_SECONDS
            hit, reply = self._watch(exchange, _Patience(patience), setup)
            return self._result(exchange, hit, reply)
        except OSError as error:
            self.kill()
            return self._result(exchange, self._hit, {"fault": f"the sandbox broke: {error}"})
        except BaseException:  # an interrupted sandbox would report this end for the next program
            self.kill()
            raise
        finally:
            exchange.close()
            if self.provider and self.provider.single_use:
                self.kill()

    def _watch(self, exchange: Exchange, patience: _Patience, setup: float) -> tuple[str, dict[str, Any]]:
        """Drain the pipes and check the clock and the cgroup, until the zygote reports that all processes ended."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        drains = {drain.read_end: drain for drain in exchange.outputs}
        for fd in drains:
            poll.register(fd, select.POLLIN)
        self._hit = hit = ""
        begun, deadline = False, time.monotonic() + setup
        while True:
            left = deadline - time.monotonic()
            if left <= 0 and hit:
                self.kill()
                return hit, {}
            # The report is polled: waking up for it would cost most programs more than it gains.
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
                self._hit = hit = spent
                deadline = self._stop(GATHER_SECONDS if exchange.gathers else GRACE_SECONDS)

    def _spent(self, exchange: Exchange, left: float, *, idle: bool) -> str:
        """Return the limit that the program has reached, or an empty string."""
        if any(drain.over for drain in exchange.outputs):
            return "output"
        spent = self.group.spent() if self.group and idle else ""
        return spent or ("time" if left <= 0 else "")

    def _stop(self, grace: float) -> float:
        """Ask the zygote to kill all processes. Return when to stop waiting for it."""
        self._socket.send(b"kill")
        return time.monotonic() + grace

    def _reply(self) -> dict[str, Any] | None:
        """Return the message of the zygote, or None if there is none yet."""
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
        # Always read the counters, so that they are not charged to the next program.
        spent = self.group.spent() if self.group else ""
        hit = hit or spent
        if any(drain.over for drain in exchange.outputs):
            hit = "output"
        if reply.get("worked"):  # its rlimit killed it while this host was suspended
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
    def requested_plan(self) -> sandbox_plan.SandboxPlan:
        """The plan that `open_sandbox` was called with."""
        return replace(self.plan, uid=None, cgroups=())

    @property
    def is_of_main_thread(self) -> bool:
        """Whether the main thread of this process opened the sandbox and is asking."""
        return self._opener == (os.getpid(), threading.current_thread()) == (os.getpid(), threading.main_thread())

    @property
    def is_usable(self) -> bool:
        """Whether the sandbox can take another program."""
        return self.alive and self._process.poll() is None

    def kill(self) -> None:
        """Kill the sandbox and every process in it.

        The pid namespace ends with bubblewrap. Without a namespace, the zygote kills the processes.
        """
        if self.alive and not self.plan.sandboxed:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._socket.shutdown(socket.SHUT_RDWR)
                self._process.wait(GRACE_SECONDS)
        self.alive = False
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Kill the sandbox and release its files, its cgroup and its user."""
        self.kill()
        self._socket.close()
        os.close(self._words)
        if self.group:
            self.group.remove()
            self.group = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self.user:
            self.user.release()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def explain(words: str, provider: str = "bwrap") -> str:
    """Explain why a sandbox did not start, and what to do about it."""
    why = PROVIDERS[provider].explain(words) or f"the sandbox does not start: {words or 'it reported no reason'}"
    hint = surroundings.opened(surroundings.container())
    return f"{why}.{' T' + hint[1:] + '.' if hint else ''} {WITHOUT}"


def open_sandbox(plan: sandbox_plan.SandboxPlan, limits: Limits, *, use_cgroup: bool = True) -> Sandbox:
    """Open the strongest sandbox that this host supports.

    Root first becomes an unprivileged user, a different one for each sandbox, so that the kernel counts
    its resources separately. If that user cannot open a sandbox, root may, but only with a cgroup.

    Args:
        plan: The settings of the sandbox.
        limits: What a program may use.
        use_cgroup: Use a cgroup if the host allows one.

    Raises:
        NoSandbox: This machine cannot start one. The message says what is missing.
    """
    plan = replace(plan, limits=limits)
    if not sys.platform.startswith("linux"):
        raise NoSandbox(
            f"programs are executed on Linux only (namespaces, seccomp, memory files), and this is "
            f"{surroundings.system()}: use a container or a virtual machine. {NOTHING_RUNS}."
        )
    if not plan.sandboxed:
        return _open_with_cgroup(plan, use_cgroup)
    provider = PROVIDERS[plan.provider]
    if shutil.which(provider.executable) is None:
        what = f"the command {provider.executable} is missing: install the package {provider.package}"
        raise NoSandbox(f"{what}. {WITHOUT}")
    if os.geteuid() != 0 or not provider.changes_user:
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
                f"as root without a cgroup nothing limits the number of processes; as another user: {first}"
            ) from None
        return opened


def _open_with_cgroup(plan: sandbox_plan.SandboxPlan, use_cgroup: bool) -> Sandbox:
    group = cgroup.make(f"worldline-{os.getpid()}-{next(_numbers)}") if use_cgroup else None
    try:
        return Sandbox(replace(plan, cgroups=tuple(group.joins) if group else ()), group)
    except NoSandbox:
        if group is None:
            raise
        group.remove()
        return Sandbox(plan)
