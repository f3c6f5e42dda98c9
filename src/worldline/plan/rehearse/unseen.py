"""What a rehearsal could not see, in sentences, each with its evidence in the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldline.plan.rehearse.effect import LEFT, ScriptEffect
from worldline.recording.rehearsal.run import RehearsedRun

_NETWORK = (
    "there is no network in the box: what would come back, and what the script would do with it, is not seen"
)
_NOT_LISTENED = (
    "it is not Python: only what it leaves in files, and the commands that a shell starts, are seen of it"
)
_STARTED = "of the programs that it starts only what they leave in files is seen, not what they read or send"
_NATIVE = "it calls a library directly (ctypes): what happens there is seen by the files that it leaves alone"
_LEFT = "some files changed without an event: a program that it started, or C code, did it; no line is known"
_OUTSIDE = "files outside the folder are not in the box: reading them fails there as if they were not there"
_ENVIRONMENT = (
    "your environment is not in the box: --env NAME=VALUE gives it a variable that a branch may depend on"
)
_OWN_NAME = "it names the folder by its own path, which is not in the box: the copy lies elsewhere"
_STDIN = "it reads stdin, which is empty: --stdin gives it something"
_ALWAYS = "asking whether files exist, or for sizes and times, is not told; nor what this run's branches did not reach"


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
