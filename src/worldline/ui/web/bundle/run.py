"""A run's samples as columns, for a page that sifts them itself (static/sift.js): the index without its trace texts.

What a filter, an order or a bucket means is the index's; here its answers are put beside each row, so that the page
needs no second opinion. Large: a few hundred bytes a sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worldline.core.errors import DigestError, FormatError
from worldline.core.program import Program
from worldline.ui.web import api
from worldline.ui.web.flips import match
from worldline.ui.web.index.index import RunIndex
from worldline.ui.web.index.read import TOLD
from worldline.ui.web.index.samples import FIELDS, MOST
from worldline.ui.web.overview import KINDS, RangeBuckets, WordBuckets
from worldline.ui.web.session_cache import LIVE, SessionCache

TEXTS = ("name", "cause")  # columns that are ordered as texts


def columns(sessions: SessionCache, run: str, others: list[str]) -> tuple[dict[str, Any], dict[int, str]]:
    """All that can be listed, found and summed of a run, beside how its samples came out in others.

    And the samples whose records cannot be read, with why: of them there is only what the index has.
    """
    rows = _rows(sessions, run)
    fields = {name: [row[name] for row in rows] for name in FIELDS}
    if run == LIVE:
        programs = [sessions.get(LIVE, at).session.branches[0].ask.program for at in fields["at"]]
        return {**_found(fields, [(one.name, one) for one in programs]), "name": LIVE}, {}
    index = sessions.index(run)
    named, lost = _named(index, fields)
    told = {
        **_found(fields, named),
        "name": index.name,
        "orders": {name: _ranks(index, name) for name in TEXTS},
        "kinds": [_kind(index, kind) for kind in KINDS],
        "others": {other: _other(sessions, index, other) for other in others},
        "notes": [*index.notes, *_lost(lost)],
    }
    return told, lost


def _named(index: RunIndex, fields: dict[str, list[Any]]) -> tuple[list[tuple[str, Program]], dict[int, str]]:
    """The name and the program of each sample; of one that cannot be read, an empty one, and why."""
    found, lost = list[tuple[str, Program]](), dict[int, str]()
    for at, name in zip(fields["at"], fields["name"], strict=True):
        try:
            record = index.record(at)
            found.append((record.name, record.ask.program))
        except (DigestError, FormatError) as error:
            lost[at] = str(error).replace(f"{index.path}/", "")
            found.append((name, Program(source="")))
    return found, lost


def _lost(lost: dict[int, str]) -> list[str]:
    """How many samples cannot be read, which, and why."""
    if not lost:
        return []
    more = [f"and {len(lost) - TOLD:,} more"] if len(lost) > TOLD else []
    return [f"{len(lost):,} cannot be opened: {'; '.join([*list(lost.values())[:TOLD], *more])}"]


def _rows(sessions: SessionCache, run: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    while True:
        part = api.samples(sessions, run, {"offset": len(rows), "count": MOST})
        rows += part["samples"]
        if len(rows) >= part["total"] or not part["samples"]:
            return rows


def _found(fields: dict[str, list[Any]], programs: list[tuple[str, Program]]) -> dict[str, Any]:
    """What is searched, in lower case; a source that many samples have is there once."""
    sources: dict[str, int] = {}
    source = [sources.setdefault(program.source.lower(), len(sources)) for _, program in programs]
    told = zip(programs, fields["cause"], strict=True)
    words = [f"{name}\n{program.call or ''}\n{cause}".lower() for (name, program), cause in told]
    ranks = {name: _order(fields[name]) for name in TEXTS}
    nothing: dict[str, Any] = {"kinds": [], "others": {}, "notes": []}
    return {
        "fields": fields, "words": words, "source": source, "sources": list(sources), "orders": ranks, **nothing,
    }  # fmt: skip


def _order(texts: list[str]) -> list[int]:
    """The place of each text among them all."""
    ranks = [0] * len(texts)
    for rank, row in enumerate(sorted(range(len(texts)), key=lambda row: texts[row])):
        ranks[row] = rank
    return ranks


def _ranks(index: RunIndex, name: str) -> list[int]:
    order = index.order(name)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    found: list[int] = ranks.tolist()
    return found


def _kind(index: RunIndex, kind: WordBuckets | RangeBuckets) -> dict[str, Any]:
    """The bucket of each row, and what each bucket is."""
    codes = kind.codes(index)
    parts = {int(code): kind.bucket(index, int(code)) for code in np.unique(codes[codes >= 0])}
    ranked = sorted(parts, key=lambda code: parts[code].rank)
    told = {
        str(code): {"label": part.label, "filter": part.filters, "rank": ranked.index(code)}
        for code, part in parts.items()
    }
    is_sorted = isinstance(kind, RangeBuckets) or kind.is_sorted
    return {
        "name": kind.name,
        "own": list(kind.own),
        "sorted": is_sorted,
        "codes": codes.tolist(),
        "parts": told,
    }


def _other(sessions: SessionCache, index: RunIndex, other: str) -> dict[str, Any]:
    """The same samples in another run; `has` is whether it has them."""
    there = sessions.index(other)
    found = match(index, there)
    rows = _rows(sessions, other)
    partners = [rows[at] if at >= 0 else None for at in found.partner.tolist()]
    told: dict[str, Any] = {
        name: [one[name] if one else None for one in partners] for name in ("answer", "trace", "cause")
    }
    return {
        **told,
        "has": [one is not None for one in partners],
        "only": list(found.alone),
        "name": there.name,
    }
