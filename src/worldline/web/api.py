"""What the page is told, as JSON-ready values: the same for the server and for a bundle. It changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldline.errors import UsageError
from worldline.explore.branches.branch import Branch
from worldline.explore.chunk import CHUNK
from worldline.explore.chunk import chunk as chunk_of
from worldline.explore.scene import Scene
from worldline.explore.timeline import timeline as timeline_of
from worldline.explore.without_gc import unswept
from worldline.stats import wilson
from worldline.web import overview as overviews
from worldline.web.http.errors import Refusal
from worldline.web.index import samples as index_samples
from worldline.web.index.filter import Filters
from worldline.web.index.samples import LISTING
from worldline.web.runs import describe
from worldline.web.scene_cache import LIVE, Held, Shelf

KINDS = ("horizon", "depth", "type", "cause", "suite", "ending")


def runs(shelf: Shelf) -> list[dict[str, Any]]:
    """The runs that are open; typed programs are the last one, once there are any."""
    found = [{"id": str(n), **describe(index)} for n, index in enumerate(shelf.runs)]
    typed = shelf.typed()
    if typed:
        models = {held.scene.model for held in typed}
        told = {"id": LIVE, "name": "typed programs", "suite": LIVE, "model": ", ".join(sorted(models))}
        found.append({**told, "samples": len(typed), "live": True, "config": {}})
    return found


def overview(shelf: Shelf, run: str, query: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a run, of the samples that a query takes."""
    given = dict(query)
    other = given.pop("other", None)
    if run == LIVE:
        return _live_overview(shelf, given)
    return overviews.overview(shelf.index(run), _filters(given), shelf.index(other) if other else None)


def samples(shelf: Shelf, run: str, query: Mapping[str, Any]) -> dict[str, Any]:
    """A part of the list of samples."""
    given = dict(query)
    other = given.pop("other", None)
    how = {name: given.pop(name) for name in LISTING if name in given}
    if run == LIVE:
        return _live_samples(shelf, given, **how)
    there = shelf.index(other) if other else None
    return index_samples.samples(shelf.index(run), _filters(given), other=there, **how)


def sample(shelf: Shelf, run: str, at: int, other: str | None = None) -> dict[str, Any]:
    """One sample: its program and its branches."""
    with unswept():
        held = shelf.held(run, at)
        with held.lock:
            told = held.scene.describe()
    before, behind = shelf.neighbours(run, at)
    if other is not None and shelf.has_beside(run, at, other):
        beside = shelf.held(run, at, other).scene
        told |= {"other_model": beside.other_model, "sides": list(beside.sides)}
    return {**told, "at": at, "run": run, "previous": before, "next": behind}


def timeline(
    shelf: Shelf, run: str, at: int, *, bins: int = 1000, branch: int = 0, left: str = "truth", right: str = "found",
    other: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """All rows of a pair, in bins."""
    held = _held(shelf, run, at, branch, (left, right), other)
    with held.lock:
        return timeline_of(held.pair(branch, left, right), bins)


def chunk(
    shelf: Shelf, run: str, at: int, k: int, *, branch: int = 0, left: str = "truth", right: str = "found",
    other: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The rows of a pair, so many at a time."""
    held = _held(shelf, run, at, branch, (left, right), other)
    with held.lock:
        pair = held.pair(branch, left, right)
        if k and k * CHUNK >= len(pair.rows):
            raise Refusal(404, f"there is no chunk {k} of {len(pair.rows)} rows")
        return chunk_of(pair, k)


def branch_of(scene: Scene, number: int) -> Branch:
    """A branch of a scene; a Refusal where there is none."""
    try:
        return scene.branch(number)
    except UsageError as error:
        raise Refusal(404, str(error)) from None


def branch_json(held: Held, number: int) -> dict[str, Any]:
    """A branch as `sample` tells it."""
    with held.lock:
        return held.scene.describe_branch(number)


def _held(shelf: Shelf, run: str, at: int, branch: int, sides: tuple[str, str], other: str | None) -> Held:
    held = shelf.held(run, at)
    branch_of(held.scene, branch)
    if "other" in sides and other is not None and branch == 0:
        return shelf.held(run, at, other)
    return held


def _filters(given: Mapping[str, Any]) -> Filters:
    return Filters.of({name: str(value) for name, value in given.items()})


def _live_overview(shelf: Shelf, given: Mapping[str, Any]) -> dict[str, Any]:
    """Of typed programs: how many, and how many are right; they are too few to be summed up by kind."""
    found = _live_samples(shelf, given, count=index_samples.MOST)["samples"]
    shares = {}
    for name in ("answer", "trace"):
        judged = [one[name] for one in found if one[name] is not None]
        low, high = wilson(sum(judged), len(judged))
        shares[name] = {"some": sum(judged), "n": len(judged), "low": low, "high": high}
    return {"n": len(found), **shares, "by": {kind: [] for kind in KINDS}, "flips": None}


def _live_samples(
    shelf: Shelf,
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
    found = [_live_sample(held) for held in shelf.typed() if word in _words(held)]
    known = [one for one in found if one.get(sort) is not None]
    known.sort(key=lambda one: (one[sort], one["at"]), reverse=order == "desc")
    listed = known + [one for one in found if one.get(sort) is None]
    return {"total": len(found), "samples": listed[offset : offset + count]}


def _words(held: Held) -> str:
    program = held.scene.branches[0].ask.program
    return f"{program.name}\n{program.call or ''}\n{program.source}".lower()


def _live_sample(held: Held) -> dict[str, Any]:
    scene = held.scene
    told = branch_json(held, 0)
    cause = told["cause"] or {"name": "", "operation": "", "type": ""}
    root = scene.branches[0]
    is_done = root.status == "done" and root.truth is not None
    return {
        "at": held.key[1], "name": scene.name, "suite": LIVE, "call": root.ask.program.call or "",
        "cause": cause["name"], "operation": cause["operation"], "type": cause["type"],
        "steps": told["rows"], "agreed": told["rows"] if told["first"] is None else told["first"], "depth": None,
        "bytes": told["cost"]["found_bytes"], "answer": told["answer"]["right"] if is_done else None,
        "trace": cause["name"] == "right" if is_done else None, "status": told["status"], "seconds": root.found.seconds,
        "other": None,
    }  # fmt: skip
