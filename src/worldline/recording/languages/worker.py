"""Record programs of one language: prepare each in one sandbox, unless cached, and execute it in another.

The sandbox that prepares has its own limits, so that the result depends on the program alone.
Everything specific to a language is in its guest, inside the sandbox.
"""

from __future__ import annotations

import threading
from dataclasses import asdict, replace
from typing import Any

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import InterpreterInfo, Outcome, Trace
from worldline.recording.idle_sandboxes import close_idle_sandboxes_with, discard_sandbox, release_sandbox, take_sandbox
from worldline.recording.languages import artefact, tools
from worldline.recording.languages.call import tree_of
from worldline.recording.languages.toolchain import KINDS, find
from worldline.recording.sandbox import Sandbox, SandboxRun, open_sandbox
from worldline.recording.sandbox_plan import SandboxPlan
from worldline.recording.traced import traced, unrun
from worldline.recording.verdict import readable, unbegun

PREPARING = Limits(wall=60, memory=2 << 30, processes=128, disk=512 << 20, trace_bytes=artefact.MAX_PART_BYTES)
PREPARED = "prepared"  # the report if all parts are complete
_making = threading.Lock()


class LanguageWorker:
    """The two sandboxes of one language, opened when first needed and replaced when they break."""

    def __init__(self, language: str, plan: SandboxPlan, limits: Limits) -> None:
        self.limits = limits
        toolchain = find(language)
        self.missing = toolchain if isinstance(toolchain, str) else ""
        self.toolchain = None if isinstance(toolchain, str) else toolchain
        kind = KINDS[language]
        self.plan = replace(plan, guest=f"{kind.guest}.guest", toolchain=self.toolchain, native=None)
        self.who = InterpreterInfo(kind.name, self.toolchain.version if self.toolchain else "", kind.core)
        self._sandboxes: dict[str, Sandbox] = {}

    def record(self, program: Program, stdin: bytes) -> Trace:
        """Record one program. If the sandbox breaks or the program does not start, try once more in a new one."""
        trace = self._record(program, stdin)
        if trace.outcome.kind == "host-fault" and not len(trace):
            for sandbox in self._sandboxes.values():
                discard_sandbox(sandbox)
            trace = self._record(program, stdin)
        return trace

    def flow(self, program: Program) -> bytes | None:
        """Return the control flow of a program as its guest wrote it, or None if it is not known."""
        prepared = (self._untooled(program) or self._prepared(program, self._spec(program))) if self.toolchain else None
        parts = artefact.read(prepared) if isinstance(prepared, bytes) else None
        return parts.get("flow") if parts else None

    def _record(self, program: Program, stdin: bytes) -> Trace:
        if self.toolchain is None:
            return unrun(program, self.who, self.limits, Outcome("unsupported", self.missing))
        lacking = self._untooled(program)
        if lacking is not None:
            return lacking
        spec = self._spec(program)
        parts = self._prepared(program, spec) if self.toolchain.kind.prepares else self._known(spec)
        if isinstance(parts, Trace):
            return parts
        spec["limits"] = asdict(self.limits)
        run = self._sandbox("run", self.limits).run(spec, stdin, parts=parts)
        return traced(program, run, self.who, self.limits, sandboxed=self.plan.sandboxed)

    def _spec(self, program: Program) -> dict[str, Any]:
        assert self.toolchain is not None
        return {
            "name": program.name,
            "source": program.source,
            "files": dict(program.files),
            "argv": list(program.argv),
            "call": None if program.call is None else tree_of(program.call),
            "language": program.language,
            "toolchain": self.toolchain.as_config(),
            "limits": asdict(PREPARING),
            "tools": self.plan.tools_inside,
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
                with open_sandbox(replace(self.plan, preparing=True), PREPARING) as sandbox:
                    run = sandbox.run(self._spec(program) | {"source": "", "files": {}}, b"", act="tools")
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
