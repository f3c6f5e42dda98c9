"""A run's samples as columns, for a page without a server that filters them itself (static/sift.js).

The index computes sort orders, buckets and flips, so that the page does not define them again. A sample takes a few
hundred bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worldline.core.errors import DigestError, FormatError
from worldline.core.program import Program
from worldline.ui.web import api
from worldline.ui.web.flips import match
from worldline.ui.web.index.index import RunIndex
from worldline.ui.web.index.read import MAX_REPORTED
from worldline.ui.web.index.samples import FIELDS, MAX_COUNT
from worldline.ui.web.overview import KINDS, RangeBuckets, WordBuckets
from worldline.ui.web.session_cache import LIVE, SessionCache

TEXTS = ("name", "cause")  # columns that are sorted as texts


def columns(sessions: SessionCache, run: str, others: list[str]) -> tuple[dict[str, Any], dict[int, str]]:
    """Collect what the page lists, searches and sums up of a run, and the verdicts of other runs.

    Returns:
        The columns, and the samples whose records cannot be read, with the reason.
    """
    rows = _rows(sessions, run)
    fields = {name: [row[name] for row in rows] for name in FIELDS}
    if run == LIVE:
        programs = [sessions.get(LIVE, at).session.branches[0].ask.program for at in fields["at"]]
        return {**_searched(fields, [(program.name, program) for program in programs]), "name": LIVE}, {}
    index = sessions.index(run)
    programs_by_name, unreadable = _programs(index, fields)
    table = {
        **_searched(fields, programs_by_name),
        "name": index.name,
        "orders": {name: _ranks(index, name) for name in TEXTS},
        "kinds": [_kind(index, kind) for kind in KINDS],
        "others": {other: _other(sessions, index, other) for other in others},
        "notes": [*index.notes, *_unreadable_note(unreadable)],
    }
    return table, unreadable


def _programs(index: RunIndex, fields: dict[str, list[Any]]) -> tuple[list[tuple[str, Program]], dict[int, str]]:
    """Return the name and program of each sample, and why some cannot be read; those get an empty program."""
    programs, unreadable = list[tuple[str, Program]](), dict[int, str]()
    for at, name in zip(fields["at"], fields["name"], strict=True):
        try:
            record = index.record(at)
            programs.append((record.name, record.ask.program))
        except (DigestError, FormatError) as error:
            unreadable[at] = str(error).replace(f"{index.path}/", "")
            programs.append((name, Program(source="")))
    return programs, unreadable


def _unreadable_note(unreadable: dict[int, str]) -> list[str]:
    if not unreadable:
        return []
    reasons = list(unreadable.values())[:MAX_REPORTED]
    if (more := len(unreadable) - MAX_REPORTED) > 0:
        reasons.append(f"and {more:,} more")
    return [f"{len(unreadable):,} cannot be opened: {'; '.join(reasons)}"]


def _rows(sessions: SessionCache, run: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    while True:
        part = api.samples(sessions, run, {"offset": len(rows), "count": MAX_COUNT})
        rows += part["samples"]
        if len(rows) >= part["total"] or not part["samples"]:
            return rows


def _searched(fields: dict[str, list[Any]], programs: list[tuple[str, Program]]) -> dict[str, Any]:
    """Return the searched texts in lower case. A source that several samples share is stored once."""
    sources: dict[str, int] = {}
    source = [sources.setdefault(program.source.lower(), len(sources)) for _, program in programs]
    with_cause = zip(programs, fields["cause"], strict=True)
    return {
        "fields": fields,
        "words": [f"{name}\n{program.call or ''}\n{cause}".lower() for (name, program), cause in with_cause],
        "source": source,
        "sources": list(sources),
        "orders": {name: _text_ranks(fields[name]) for name in TEXTS},
        "kinds": [],
        "others": {},
        "notes": [],
    }


def _text_ranks(texts: list[str]) -> list[int]:
    ranks = [0] * len(texts)
    for rank, row in enumerate(sorted(range(len(texts)), key=lambda row: texts[row])):
        ranks[row] = rank
    return ranks


def _ranks(index: RunIndex, name: str) -> list[int]:
    order = index.order(name)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    values: list[int] = ranks.tolist()
    return values


def _kind(index: RunIndex, kind: WordBuckets | RangeBuckets) -> dict[str, Any]:
    """Return the bucket of each row, and a description of each bucket."""
    codes = kind.codes(index)
    buckets = {int(code): kind.bucket(index, int(code)) for code in np.unique(codes[codes >= 0])}
    ranked = sorted(buckets, key=lambda code: buckets[code].rank)
    return {
        "name": kind.name,
        "own": list(kind.own),
        "sorted": isinstance(kind, RangeBuckets) or kind.is_sorted,
        "codes": codes.tolist(),
        "parts": {
            str(code): {"label": bucket.label, "filter": bucket.filters, "rank": ranked.index(code)}
            for code, bucket in buckets.items()
        },
    }


def _other(sessions: SessionCache, index: RunIndex, other: str) -> dict[str, Any]:
    """Return the verdicts of the same samples in another run. `has` tells whether it has them."""
    other_index = sessions.index(other)
    matched = match(index, other_index)
    rows = _rows(sessions, other)
    partners = [rows[row] if row >= 0 else None for row in matched.partner.tolist()]
    verdicts: dict[str, Any] = {
        name: [partner[name] if partner else None for partner in partners] for name in ("answer", "trace", "cause")
    }
    return {
        **verdicts,
        "has": [partner is not None for partner in partners],
        "only": list(matched.alone),
        "name": other_index.name,
    }
