"""Many programs recorded and, if asked, stored as they come: what `worldline.record_many` is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import InterpreterInfo, Trace
from worldline.data.manifest import fingerprint
from worldline.limits import Limits
from worldline.recording import recorder
from worldline.recording.interpreter import find
from worldline.remote import Folder, place


def record_many(
    programs: Iterable[Program],
    *,
    out: str | Folder | None = None,
    recipe: Any = None,
    limits: Limits = recorder.DEFAULT_LIMITS,
    python: str | None = None,
    core: str = "auto",
    trust: bool = False,
    workers: int = 1,
    twice: bool = False,
    control: Control | None = None,
) -> Iterator[Trace]:
    """The traces of many programs, in their order, boxes reused.

    With `out`, each is also stored in parquet shards of that directory, whole when the iterator ends or is closed; a
    program that is stored there already is neither recorded nor yielded: a run that was cut off goes on where it was.
    `recipe` becomes part of the directory's fingerprint. `twice` notes `nondeterministic` where a second run differs.
    A `control` decides the hidden inputs of each; a directory holds one trace a program, whatever decided it.
    """
    options: dict[str, Any] = {"limits": limits, "python": python, "core": core, "trust": trust}
    options |= {"workers": workers, "twice": twice, "control": control}
    if out is None:
        return recorder.record_many(programs, **options)
    found = find(python)
    who = InterpreterInfo(found.name, found.version, "")
    mark = fingerprint(limits=limits, interpreter=who, recipe=recipe)
    return _stored(programs, place(out), mark, options)


def _stored(
    programs: Iterable[Program], out: Folder, mark: dict[str, Any], options: dict[str, Any]
) -> Iterator[Trace]:
    from worldline.data.shards import ShardWriter  # pyarrow comes with it

    with ShardWriter(out, fingerprint=mark) as writer:
        fresh = (program for program in programs if not writer.holds(program))
        for trace in recorder.record_many(fresh, **options):
            writer.add(trace)
            yield trace
