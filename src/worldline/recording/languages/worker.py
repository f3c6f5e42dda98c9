"""Record programs of one language: prepare each in one sandbox, unless cached, and execute it in another.

The sandbox that prepares has its own limits, so that the result depends on the program alone.
Everything specific to a language is in its guest, inside the sandbox.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import InterpreterInfo, Outcome, Trace
from worldline.recording.control import as_language_spec, noted
from worldline.recording.idle_sandboxes import close_idle_sandboxes_with, discard_sandbox, release_sandbox, take_sandbox
from worldline.recording.languages import artefact, tools
from worldline.recording.languages.call import tree_of
from worldline.recording.languages.libraries import is_used_by, rules_of
from worldline.recording.languages.toolchain import KINDS, find
from worldline.recording.sandbox import Sandbox, SandboxRun, open_sandbox
from worldline.recording.sandbox_plan import SandboxPlan
from worldline.recording.traced import traced, unrun
from worldline.recording.verdict import readable, unbegun

if TYPE_CHECKING:
    from worldline.core.hidden import Control

PREPARING = Limits(wall=60, memory=2 << 30, processes=128, disk=512 << 20, trace_bytes=artefact.MAX_PART_BYTES)
BUILDING_TOOLS = replace(PREPARING, wall=600)  # since Go 1.20, its library is compiled with them
PREPARED = "prepared"  # the report if all parts are complete
# Tools build in a second, those of a Go without a compiled library in a minute: a notice says why the command waits.
SECONDS_BEFORE_NOTICE = 5.0
_making = threading.Lock()


@contextmanager
def _slow_build_announced(toolchain: InterpreterInfo) -> Iterator[None]:
    """Say on standard error that tools are built, if that takes long."""
    text = (
        f"worldline: compiling the recorder for {toolchain.name} {toolchain.version}, once; this can take two minutes"
    )
    timer = threading.Timer(SECONDS_BEFORE_NOTICE, print, [text], {"file": sys.stderr})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class LanguageWorker:
    """The two sandboxes of one language, opened when first needed and replaced when they break."""

    def __init__(self, language: str, plan: SandboxPlan, limits: Limits) -> None:
        self.limits = limits
        toolchain = find(language)
        self.missing = toolchain if isinstance(toolchain, str) else ""
        self.toolchain = None if isinstance(toolchain, str) else toolchain
        kind = KINDS[language]
        libraries = tuple(library for library in plan.libraries if is_used_by(library, language))
        guest = f"{kind.guest}.guest"
        self.plan = replace(plan, guest=guest, toolchain=self.toolchain, native=None, libraries=libraries)
        rules = rules_of(language)
        decide = rules is not None and rules.decides_compilation
        self._library_digests = [library.digest for library in libraries] if decide else []
        self.who = InterpreterInfo(kind.name, self.toolchain.version if self.toolchain else "", kind.core)
        self._sandboxes: dict[str, Sandbox] = {}

    def record(self, program: Program, stdin: bytes, control: Control | None = None) -> Trace:
        """Record one program. If the sandbox breaks or the program does not start, try once more in a new one."""
        trace = self._record(program, stdin, control)
        if trace.outcome.kind == "host-fault" and not len(trace):
            for sandbox in self._sandboxes.values():
                discard_sandbox(sandbox)
            trace = self._record(program, stdin, control)
        return trace

    def flow(self, program: Program) -> bytes | None:
        """Return the control flow of a program as its guest wrote it, or None if it is not known."""
        prepared = (self._untooled(program) or self._prepared(program, self._spec(program))) if self.toolchain else None
        parts = artefact.read(prepared) if isinstance(prepared, bytes) else None
        return parts.get("flow") if parts else None

    def _record(self, program: Program, stdin: bytes, control: Control | None) -> Trace:
        if self.toolchain is None:
            return unrun(program, self.who, self.limits, Outcome("unsupported", self.missing))
        lacking = self._untooled(program)
        if lacking is not None:
            return lacking
        is_controlled = control is not None
        spec = self._spec(program) | {"control": as_language_spec(control), "controlled": is_controlled}
        parts = self._prepared(program, spec) if self.toolchain.kind.prepares else self._known(spec)
        if isinstance(parts, Trace):
            return parts
        spec["limits"] = asdict(self.limits)
        run = self._sandbox("run", self.limits).run(spec, stdin, parts=parts)
        trace = _judged(traced(program, run, self.who, self.limits, sandboxed=self.plan.sandboxed))
        return trace if control is None else noted(trace, control, run.wire)

    def _spec(self, program: Program) -> dict[str, Any]:
        assert self.toolchain is not None
        return {
            "name": program.name,
            "source": program.source,
            "files": dict(program.files),
            "argv": list(program.argv),
            "flags": list(program.flags),
            "vm_flags": list(program.vm_flags),
            "call": None if program.call is None else tree_of(program.call),
            "language": program.language,
            "toolchain": self.toolchain.as_config(),
            "limits": asdict(PREPARING),
            "tools": self.plan.tools_inside,
            "libraries": self.plan.libraries_inside,
            "library_digests": self._library_digests,
            "controlled": False,
        }

    def _untooled(self, program: Program) -> Trace | None:
        """Build the tools of the guest if it has any. Return the trace of a program that cannot have them."""
        assert self.toolchain is not None
        if self.plan.tools or not self.toolchain.kind.has_tools:
            return None
        with _making:  # one of several workers builds them
            digest = tools.key(self.toolchain)
            folder = tools.find(digest)
            if folder is None:
                plan = replace(self.plan, preparing=True, libraries=())
                with _slow_build_announced(self.who), open_sandbox(plan, BUILDING_TOOLS) as sandbox:
                    run = sandbox.run(
                        self._spec(program) | {"source": "", "files": {}, "flags": [], "libraries": []},
                        b"",
                        act="tools",
                    )
                contents = artefact.read(bytes(run.wire[artefact.HEADER :])) if run.report == PREPARED else None
                if contents is None:
                    return self._unprepared(program, run)
                folder = tools.keep(digest, contents)
                close_idle_sandboxes_with(str(folder))
        self.plan = replace(self.plan, tools=str(folder))
        return None

    def _known(self, spec: dict[str, Any]) -> bytes:
        """Return the cached parts of a program that does not have to be prepared."""
        assert self.toolchain is not None
        return artefact.load(artefact.key(self.toolchain, spec)) or b""

    def _prepared(self, program: Program, spec: dict[str, Any]) -> bytes | Trace:
        """Return the parts of a program as one file, or the trace of a program that cannot be prepared."""
        assert self.toolchain is not None
        digest = artefact.key(self.toolchain, spec)
        cached = artefact.load(digest)
        if cached is not None:
            return cached
        run = self._sandbox("prepare", PREPARING).run(spec, b"", act="prepare")
        data = bytes(run.wire[artefact.HEADER :])
        if run.report == PREPARED and artefact.read(data) is not None:
            artefact.keep(digest, data)
            return data
        return self._unprepared(program, run)

    def _unprepared(self, program: Program, run: SandboxRun) -> Trace:
        outcome = Outcome("limit", "time") if run.hit == "time" else unbegun(run)
        stderr = readable(run.stderr, PREPARING.output)
        return unrun(program, self.who, self.limits, outcome, stderr=stderr)

    def _sandbox(self, act: str, limits: Limits) -> Sandbox:
        sandbox = self._sandboxes.get(act)
        if sandbox is None or not sandbox.alive:
            if sandbox is not None:
                sandbox.close()
            sandbox = self._sandboxes[act] = take_sandbox(replace(self.plan, preparing=act == "prepare"), limits)
        return sandbox

    def close(self) -> None:
        """Release the sandboxes."""
        while self._sandboxes:
            release_sandbox(self._sandboxes.popitem()[1])


def _judged(trace: Trace) -> Trace:
    """Return the trace, with the message of a virtual machine that did not start because of the program's flags."""
    flags, lines = trace.program.vm_flags, (trace.stderr.strip() or trace.output.strip()).splitlines()
    if not flags or not lines or len(trace) or trace.outcome.kind != "host-fault":
        return trace
    message = "; ".join(line.strip() for line in lines[:2])
    return replace(trace, outcome=Outcome("unsupported", f"flag: {' '.join(flags)}: not started: {message}"))
