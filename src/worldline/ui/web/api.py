"""The read-only answers of the API as JSON-ready values, for the server and for a bundle."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.stats import wilson
from worldline.diagnose.cause import Cause
from worldline.storage.arrow import pc
from worldline.ui.http.errors import Refusal
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.chunk import CHUNK
from worldline.ui.session.chunk import chunk as chunk_of
from worldline.ui.session.clip import cut
from worldline.ui.session.heap.view import RUN_CHUNK, RunScenes
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import written_rows
from worldline.ui.session.stops import stop_index
from worldline.ui.session.timeline import timeline as timeline_of
from worldline.ui.session.why import chain_json, stored_chains, why_row
from worldline.ui.session.without_gc import without_gc
from worldline.ui.web import overview as overviews
from worldline.ui.web.index import samples as index_samples
from worldline.ui.web.index.filter import Filters
from worldline.ui.web.index.index import RunIndex
from worldline.ui.web.index.row import clean
from worldline.ui.web.index.samples import LISTING
from worldline.ui.web.session_cache import LIVE, CachedSession, SessionCache

MAX_SETTINGS_BYTES = 1 << 16
MAX_SETTINGS_DEPTH = 20
MAX_SETTING_CHARS = 60  # of one setting in the list of runs
DIGEST_CHARS = 8  # of a digest in the list of runs
_DIGEST = re.compile(r"[0-9a-f]{32,}")
_COMMON_SETTINGS = ("format", "suite", "model", "limits", "python", "weights", "scheme", "how")
_NESTED_SETTINGS = ("options", "extras")
KINDS = ("horizon", "depth", "type", "cause", "suite", "ending")


def runs(sessions: SessionCache) -> list[dict[str, Any]]:
    """List the open runs. Typed programs, if there are any, are the last run."""
    listed = [{"id": str(n), **describe_run(index)} for n, index in enumerate(sessions.runs)]
    if typed := sessions.typed():
        live = {
            "id": LIVE,
            "name": "typed programs",
            "suite": LIVE,
            "model": ", ".join(sorted({cached.session.model for cached in typed})),
            "samples": len(typed),
            "live": True,
            "config": {},
            "settings": [],
            "written": None,
        }
        listed.append(live)
    return listed


def describe_run(index: RunIndex) -> dict[str, Any]:
    """Return a run's entry of `/api/runs`, without its id.

    `samples` counts the predicted samples, `judged` those with a verdict.
    """
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
    """Return how many of the judged samples are right, with an interval."""
    return _share(pc.sum(index.table[name]).as_py() or 0, judged)


def _share(right: int, n: int) -> dict[str, Any]:
    low, high = wilson(right, n)
    return {"some": right, "n": n, "low": low, "high": high}


def _chosen(config: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the settings that were chosen for a run, without those that every run has."""
    for name, value in config.items():
        if name == "limits" and isinstance(value, dict) and value.get("steps"):
            yield ["steps", clean(str(value["steps"]))[:MAX_SETTING_CHARS]]
        if name in _COMMON_SETTINGS or value is None or value is False or value in ("", {}, []):
            continue
        if isinstance(value, dict):
            yield from _chosen(value) if name in _NESTED_SETTINGS else ()
        else:
            yield [clean(str(name)), cut(_setting_text(value), MAX_SETTING_CHARS)]


def _setting_text(value: Any) -> str:
    if isinstance(value, str):
        return clean(value[:DIGEST_CHARS] if _DIGEST.fullmatch(value) else value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(map(_setting_text, value))
    return clean(json.dumps(value))


def _settings(config: Any) -> Any:
    """Return the settings, or a note if they are too large to show."""
    settings = _plain(config, MAX_SETTINGS_DEPTH)
    size = len(json.dumps(settings))
    return settings if size <= MAX_SETTINGS_BYTES else {"note": f"{size:,} bytes of settings are not shown"}


def _plain(value: Any, levels: int) -> Any:
    """Return a value that is valid JSON: no lone surrogates, no NaN, limited depth."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {clean(key): _plain(item, levels - 1) for key, item in value.items()} if levels else "..."
    if isinstance(value, list):
        return [_plain(item, levels - 1) for item in value] if levels else "..."
    return value


def overview(sessions: SessionCache, run: str, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of the samples of a run that a query selects."""
    filters = dict(query)
    other = filters.pop("other", None)
    if run == LIVE:
        return _live_overview(sessions, filters)
    return overviews.overview(sessions.index(run), _filters(filters), sessions.index(other) if other else None)


def samples(sessions: SessionCache, run: str, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return one page of the list of samples that a query selects."""
    filters = dict(query)
    other = filters.pop("other", None)
    listing = {name: filters.pop(name) for name in LISTING if name in filters}
    if run == LIVE:
        return _live_samples(sessions, filters, **listing)
    other_index = sessions.index(other) if other else None
    return index_samples.samples(sessions.index(run), _filters(filters), other=other_index, **listing)


def sample(sessions: SessionCache, run: str, at: int, other: str | None = None) -> dict[str, Any]:
    """Return one sample: its program and its branches."""
    with without_gc():
        cached = sessions.get(run, at)
        with cached.lock:
            answer = cached.session.describe()
    previous, following = sessions.neighbours(run, at)
    if other is not None and sessions.has_same_program(run, at, other):
        compared = sessions.get(run, at, other).session
        answer |= {"other_model": compared.other_model, "sides": list(compared.run_names)}
    return {**answer, "at": at, "run": run, "previous": previous, "next": following}


def timeline(
    sessions: SessionCache,
    run: str,
    at: int,
    *,
    bins: int = 1000,
    branch: int = 0,
    left: str = "truth",
    right: str = "found",
    other: str | None = None,
) -> dict[str, Any]:
    """Return all rows of two runs, summed up in bins."""
    cached = _cached(sessions, run, at, branch, (left, right), other)
    with cached.lock:
        run_diff = cached.run_diff(branch, left, right)
        current = cached.session.branch(branch)
        line = timeline_of(run_diff, bins, written_rows(run_diff, current))
        return {**line, **stop_index(run_diff, current, line["per"])}


def chunk(
    sessions: SessionCache,
    run: str,
    at: int,
    k: int,
    *,
    branch: int = 0,
    left: str = "truth",
    right: str = "found",
    other: str | None = None,
) -> dict[str, Any]:
    """Return the k-th `CHUNK` rows of two runs."""
    cached = _cached(sessions, run, at, branch, (left, right), other)
    with cached.lock:
        run_diff = cached.run_diff(branch, left, right)
        if k and k * CHUNK >= len(run_diff.rows):
            raise Refusal(404, f"there is no chunk {k} of {len(run_diff.rows)} rows")
        return chunk_of(run_diff, k, written_rows(run_diff, cached.session.branch(branch)))


def run_overview(sessions: SessionCache, run: str, at: int, *, branch: int = 0) -> dict[str, Any]:
    """Return the actual run of a sample: its shape, every change, and what it printed."""
    cached = sessions.get(run, at)
    with cached.lock, without_gc():
        return _run_view(cached, branch).overview()


def run_chunk(sessions: SessionCache, run: str, at: int, k: int, *, branch: int = 0) -> dict[str, Any]:
    """Return the k-th rows of the actual run of a sample, with frames and objects."""
    cached = sessions.get(run, at)
    with cached.lock, without_gc():
        view = _run_view(cached, branch)
        if k and k * RUN_CHUNK >= len(view):
            raise Refusal(404, f"there is no chunk {k} of {len(view)} rows")
        return view.chunk(k)


def _run_view(cached: CachedSession, branch: int) -> RunScenes:
    branch_of(cached.session, branch)
    try:
        return cached.session.run_view(branch)
    except UsageError as error:
        raise Refusal(409, str(error), slug="not-recorded") from None


def why(
    sessions: SessionCache,
    run: str,
    at: int,
    *,
    row: int = 0,
    name: str | None = None,
    left_frame: int | None = None,
    right_frame: int | None = None,
    branch: int = 0,
    left: str = "truth",
    right: str = "found",
    other: str | None = None,
) -> dict[str, Any]:
    """Return the chain of operations behind a value of a row; without a name, behind what the row hands on."""
    cached = _cached(sessions, run, at, branch, (left, right), other)
    with cached.lock:
        run_diff = cached.run_diff(branch, left, right)
        frames = left_frame, right_frame
        cause = _cause(cached.session, branch, left, right)
        return chain_json(why_row(run_diff, row, name, frames=frames, cause=cause), run_diff)


def whys(
    sessions: SessionCache, run: str, at: int, *, branch: int, left: str, right: str, other: str | None
) -> dict[str, Any]:
    """Return the chains of the wrong values of two runs, for a bundle."""
    cached = _cached(sessions, run, at, branch, (left, right), other)
    with cached.lock:
        return stored_chains(cached.run_diff(branch, left, right), _cause(cached.session, branch, left, right))


def _cause(session: Session, branch: int, left: str, right: str) -> Cause | None:
    """The cause of the first divergence, which is that between these runs."""
    return session.branch(branch).cause if (left, right) == ("truth", "found") else None


def branch_of(session: Session, number: int) -> Branch:
    """Return a branch of a session.

    Raises:
        Refusal: There is no such branch.
    """
    try:
        return session.branch(number)
    except UsageError as error:
        raise Refusal(404, str(error)) from None


def branch_json(cached: CachedSession, number: int) -> dict[str, Any]:
    """Return a branch as `sample` describes it."""
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


def _filters(values: Mapping[str, Any]) -> Filters:
    return Filters.of({name: str(value) for name, value in values.items()})


def _live_overview(sessions: SessionCache, filters: Mapping[str, Any]) -> dict[str, Any]:
    """Count typed programs. They are too few to be grouped."""
    rows = _live_samples(sessions, filters, count=index_samples.MAX_COUNT)["samples"]
    shares = {}
    for name in ("answer", "trace"):
        judged = [row[name] for row in rows if row[name] is not None]
        shares[name] = _share(sum(judged), len(judged))
    return {"n": len(rows), **shares, "by": {kind: [] for kind in KINDS}, "flips": None}


def _live_samples(
    sessions: SessionCache,
    filters: Mapping[str, Any],
    *,
    sort: str = "at",
    order: str = "asc",
    offset: int = 0,
    count: int = index_samples.DEFAULT_COUNT,
) -> dict[str, Any]:
    """List typed programs. The only filter is `q`."""
    if unknown := [name for name in filters if name != "q"]:
        raise UsageError(f"typed programs cannot be filtered by {unknown[0]}")
    word = str(filters.get("q", "")).lower()
    rows = [_live_sample(cached) for cached in sessions.typed() if word in _searched_text(cached)]
    known = [row for row in rows if row.get(sort) is not None]
    known.sort(key=lambda row: (row[sort], row["at"]), reverse=order == "desc")
    listed = known + [row for row in rows if row.get(sort) is None]
    return {"total": len(rows), "samples": listed[offset : offset + count]}


def _searched_text(cached: CachedSession) -> str:
    program = cached.session.branches[0].ask.program
    return f"{program.name}\n{program.call or ''}\n{program.source}".lower()


def _live_sample(cached: CachedSession) -> dict[str, Any]:
    session = cached.session
    branch = branch_json(cached, 0)
    cause = branch["cause"] or {"name": "", "operation": "", "type": ""}
    root = session.branches[0]
    is_done = root.status == "done" and root.truth is not None
    return {
        "at": cached.key[1],
        "name": session.name,
        "suite": LIVE,
        "call": root.ask.program.call or "",
        "cause": cause["name"],
        "operation": cause["operation"],
        "type": cause["type"],
        "steps": branch["rows"],
        "agreed": branch["rows"] if branch["first"] is None else branch["first"],
        "depth": None,
        "bytes": None if branch["cost"] is None else branch["cost"]["found_bytes"],
        "answer": branch["answer"]["right"] if is_done else None,
        "trace": cause["name"] == "right" if is_done else None,
        "status": branch["status"],
        "seconds": root.found.seconds,
        "other": None,
    }
