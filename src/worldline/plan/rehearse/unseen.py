"""What a rehearsal could not see, in sentences, each with its evidence in the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldline.plan.rehearse.effect import LEFT, ScriptEffect
from worldline.recording.rehearsal.run import RehearsedRun

_NETWORK = (
    "the sandbox has no network: what would come back, and what the script would do with it, is unknown"
)
_NOT_LISTENED = (
    "the script is not Python: only changed files, and the commands that a shell starts, are observed"
)
_STARTED = "of programs that it starts, only changed files are observed, not what they read or send"
_NATIVE = "it calls a native library (ctypes): of that, only changed files are observed"
_LEFT = "some files were changed by a program that it started, or by C code: no line is known"
_OUTSIDE = "files outside the folder are not in the sandbox: reading them fails as if they did not exist"
_ENVIRONMENT = (
    "your environment is not in the sandbox: pass variables that the script needs with --env NAME=VALUE"
)
_OWN_NAME = "it uses the path of the folder, which is not in the sandbox: the copy has another path"
_STDIN = "it reads stdin, which is empty: pass text with --stdin"
_ALWAYS = "checks whether files exist, and reads of sizes and times; branches that this run did not take"


def unseen(run: RehearsedRun, effects: Sequence[ScriptEffect], left_out: Sequence[str]) -> Iterator[str]:
    """The sentences that hold for a run."""
    yield from _ended(run)
    if not run.listened:
        yield _NOT_LISTENED
    kinds = {effect.kind for effect in effects}
    for holds, sentence in (
        ("send" in kinds, _NETWORK),
        ("start" in kinds, _STARTED),
        ("native" in kinds, _NATIVE),
        (any(effect.seen == LEFT for effect in effects), _LEFT),
        (any(effect.kind == "read" and effect.place == "outside" for effect in effects), _OUTSIDE),
        (any(effect.place.startswith("outside,") for effect in effects), _OWN_NAME),
        ("environment" in kinds, _ENVIRONMENT),
        ("EOFError" in run.outcome.detail, _STDIN),
        (bool(left_out), f"not copied: {', '.join(left_out[:8])}{' and more' if len(left_out) > 8 else ''}"),
        (run.more, "it asked for more than is kept: the list is not whole"),
        (run.left is None, "what it left could not be gathered: there is no diff"),
        (
            run.left is not None and run.left.unseen > 0,
            "it left more files than are looked at: the diff is not whole",
        ),
    ):
        if holds:
            yield sentence
    yield _ALWAYS


def _ended(run: RehearsedRun) -> Iterator[str]:
    kind, detail = run.outcome.kind, run.outcome.detail
    if kind == "limit":
        yield f"it was stopped ({detail}): everything behind that is not seen"
    elif kind == "raised" and "ImportError" not in detail and "ModuleNotFoundError" not in detail:
        where = f" in line {run.line}" if run.line else ""
        yield f"an exception ended it{where}: what stands behind is not seen; outside the box it might not be raised"
    elif kind == "raised":
        yield "a module is missing here, which ended it: everything behind that is not seen"
    elif kind not in ("returned", "exited"):
        yield f"it ended {kind} {detail}".rstrip() + ": what it would have done further is not seen"
