"""What the page is told, as JSON-ready values: the same for the server and for a bundle. It changes nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow.compute as pc  # type: ignore[import-untyped]

from worldline.core.errors import UsageError
from worldline.core.stats import wilson
from worldline.ui.http.errors import Refusal
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.chunk import CHUNK
from worldline.ui.session.chunk import chunk as chunk_of
from worldline.ui.session.clip import cut
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import written_rows
from worldline.ui.session.stops import stop_index
from worldline.ui.session.timeline import timeline as timeline_of
from worldline.ui.session.without_gc import without_gc
from worldline.ui.web import overview as overviews
from worldline.ui.web.index import samples as index_samples
from worldline.ui.web.index.filter import Filters
from worldline.ui.web.index.index import RunIndex
from worldline.ui.web.index.row import clean
from worldline.ui.web.index.samples import LISTING
from worldline.ui.web.session_cache import LIVE, CachedSession, SessionCache

SETTINGS = 1 << 16  # bytes of settings that are shown
DEEPEST = 20  # levels of them
WORD = 60  # characters of one setting in the list of runs
SHORT = 8  # digits of a digest there
_DIGEST = re.compile(r"[0-9a-f]{32,}")
_EVERY = ("format", "suite", "model", "limits", "python", "weights", "scheme", "how")
_NESTED = ("options", "extras")
KINDS = ("horizon", "depth", "type", "cause", "suite", "ending")


def runs(sessions: SessionCache) -> list[dict[str, Any]]:
    """The runs that are open; typed programs are the last one, once there are any."""
    found = [{"id": str(n), **describe_run(index)} for n, index in enumerate(sessions.runs)]
    typed = sessions.typed()
    if typed:
        models = {cached.session.model for cached in typed}
        told = {"id": LIVE, "name": "typed programs", "suite": LIVE, "model": ", ".join(sorted(models))}
        found.append(
            {**told, "samples": len(typed), "live": True, "config": {}, "settings": [], "written": None}
        )
    return found


def describe_run(index: RunIndex) -> dict[str, Any]:
    """One run of `/api/runs`, but for its id. `samples` were asked; `judged` of them have a verdict."""
    judged = len(index) - index.table["answer"].null_count
    faults = pc.sum(pc.equal(index.table["cause"].cast("string"), "tool fault")).as_py() or 0
    return {
        "name": index.name,
        "suite": index.suite,
        "model": index.model,
        "samples": len(index),
        "judged": judged,
        "faults": faults,
        **index.left_out,
        "live": False,
        "operations": index.operations,
        "notes": list(index.notes),
        **{name: _rate(index, name, judged) for name in ("answer", "trace")},
        "written": index.written or None,
        "settings": list(_chosen(index.config)),
        "config": _settings(index.config),
    }


def _rate(index: RunIndex, name: str, judged: int) -> dict[str, Any]:
    """How many of the judged samples are right, with an interval."""
    right = pc.sum(index.table[name]).as_py() or 0
    low, high = wilson(right, judged)
    return {"some": right, "n": judged, "low": low, "high": high}


def _chosen(config: Mapping[str, Any]) -> Iterator[list[str]]:
    """What somebody chose for a run, as names and words: neither what every run has nor what one cannot read."""
    for name, value in config.items():
        if name == "limits" and isinstance(value, dict) and value.get("steps"):
            yield ["steps", clean(str(value["steps"]))[:WORD]]
        if name in _EVERY or value is None or value is False or value in ("", {}, []):
            continue
        if isinstance(value, dict):
            yield from _chosen(value) if name in _NESTED else ()
        else:
            yield [clean(str(name)), cut(_said(value), WORD)]


def _said(value: Any) -> str:
    """A setting in words: of a digest its first digits, of several words each."""
    if isinstance(value, str):
        return clean(value[:SHORT] if _DIGEST.fullmatch(value) else value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(map(_said, value))
    return clean(json.dumps(value))


def _settings(config: Any) -> Any:
    """The settings, where they are of a size that one can look at."""
    found = _plain(config, DEEPEST)
    size = len(json.dumps(found))
    return found if size <= SETTINGS else {"note": f"{size:,} bytes of settings are not shown"}


def _plain(value: Any, levels: int) -> Any:
    """A value as JSON has it: no lone surrogate, no number that is none, nothing too deep."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {clean(key): _plain(one, levels - 1) for key, one in value.items()} if levels else "..."
    if isinstance(value, list):
        return [_plain(one, levels - 1) for one in value] if levels else "..."
    return value


def overview(sessions: SessionCache, run: str, query: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a run, of the samples that a query takes."""
    given = dict(query)
    other = given.pop("other", None)
    if run == LIVE:
        return _live_overview(sessions, given)
    return overviews.overview(sessions.index(run), _filters(given), sessions.index(other) if other else None)


def samples(sessions: SessionCache, run: str, query: Mapping[str, Any]) -> dict[str, Any]:
    """A part of the list of samples."""
    given = dict(query)
    other = given.pop("other", None)
    how = {name: given.pop(name) for name in LISTING if name in given}
    if run == LIVE:
        return _live_samples(sessions, given, **how)
    there = sessions.index(other) if other else None
    return index_samples.samples(sessions.index(run), _filters(given), other=there, **how)


def sample(sessions: SessionCache, run: str, at: int, other: str | None = None) -> dict[str, Any]:
    """One sample: its program and its branches."""
    with without_gc():
        cached = sessions.get(run, at)
        with cached.lock:
            told = cached.session.describe()
    before, behind = sessions.neighbours(run, at)
    if other is not None and sessions.has_beside(run, at, other):
        beside = sessions.get(run, at, other).session
        told |= {"other_model": beside.other_model, "sides": list(beside.run_names)}
    return {**told, "at": at, "run": run, "previous": before, "next": behind}


def timeline(
    sessions: SessionCache, run: str, at: int, *, bins: int = 1000, branch: int = 0, left: str = "truth",
    right: str = "found", other: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """All rows of a pair, in bins."""
    cached = _cached(sessions, run, at, branch, (left, right), other)
    with cached.lock:
        run_diff = cached.run_diff(branch, left, right)
        here = cached.session.branch(branch)
        line = timeline_of(run_diff, bins, written_rows(run_diff, here))
        return {**line, **stop_index(run_diff, here, line["per"])}


def chunk(
    sessions: SessionCache, run: str, at: int, k: int, *, branch: int = 0, left: str = "truth", right: str = "found",
    other: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The rows of a pair, so many at a time."""
    cached = _cached(sessions, run, at, branch, (left, right), other)
    with cached.lock:
        run_diff = cached.run_diff(branch, left, right)
        if k and k * CHUNK >= len(run_diff.rows):
            raise Refusal(404, f"there is no chunk {k} of {len(run_diff.rows)} rows")
        return chunk_of(run_diff, k, written_rows(run_diff, cached.session.branch(branch)))


def branch_of(session: Session, number: int) -> Branch:
    """A branch of a scene; a Refusal where there is none."""
    try:
        return session.branch(number)
    except UsageError as error:
        raise Refusal(404, str(error)) from None


def branch_json(cached: CachedSession, number: int) -> dict[str, Any]:
    """A branch as `sample` tells it."""
    with cached.lock:
        return cached.session.describe_branch(number)


def _cached(
    sessions: SessionCache, run: str, at: int, branch: int, sides: tuple[str, str], other: str | None
) -> CachedSession:
    cached = sessions.get(run, at)
    branch_of(cached.session, branch)
    if "other" in sides and other is not None and branch == 0:
        return sessions.get(run, at, other)
    return cached


def _filters(given: Mapping[str, Any]) -> Filters:
    return Filters.of({name: str(value) for name, value in given.items()})


def _live_overview(sessions: SessionCache, given: Mapping[str, Any]) -> dict[str, Any]:
    """Of typed programs: how many, and how many are right; they are too few to be summed up by kind."""
    found = _live_samples(sessions, given, count=index_samples.MOST)["samples"]
    shares = {}
    for name in ("answer", "trace"):
        judged = [one[name] for one in found if one[name] is not None]
        low, high = wilson(sum(judged), len(judged))
        shares[name] = {"some": sum(judged), "n": len(judged), "low": low, "high": high}
    return {"n": len(found), **shares, "by": {kind: [] for kind in KINDS}, "flips": None}


def _live_samples(
    sessions: SessionCache,
    given: Mapping[str, Any],
    *,
    sort: str = "at",
    order: str = "asc",
    offset: int = 0,
    count: int = index_samples.COUNT,
) -> dict[str, Any]:
    """Typed programs as a list; only words are looked for in it."""
    strange = [name for name in given if name != "q"]
    if strange:
        raise UsageError(f"typed programs are not filtered by {strange[0]}")
    word = str(given.get("q", "")).lower()
    found = [_live_sample(cached) for cached in sessions.typed() if word in _words(cached)]
    known = [one for one in found if one.get(sort) is not None]
    known.sort(key=lambda one: (one[sort], one["at"]), reverse=order == "desc")
    listed = known + [one for one in found if one.get(sort) is None]
    return {"total": len(found), "samples": listed[offset : offset + count]}


def _words(cached: CachedSession) -> str:
    program = cached.session.branches[0].ask.program
    return f"{program.name}\n{program.call or ''}\n{program.source}".lower()


def _live_sample(cached: CachedSession) -> dict[str, Any]:
    session = cached.session
    told = branch_json(cached, 0)
    cause = told["cause"] or {"name": "", "operation": "", "type": ""}
    root = session.branches[0]
    is_done = root.status == "done" and root.truth is not None
    return {
        "at": cached.key[1], "name": session.name, "suite": LIVE, "call": root.ask.program.call or "",
        "cause": cause["name"], "operation": cause["operation"], "type": cause["type"],
        "steps": told["rows"], "agreed": told["rows"] if told["first"] is None else told["first"], "depth": None,
        "bytes": told["cost"]["found_bytes"], "answer": told["answer"]["right"] if is_done else None,
        "trace": cause["name"] == "right" if is_done else None, "status": told["status"], "seconds": root.found.seconds,
        "other": None,
    }  # fmt: skip
