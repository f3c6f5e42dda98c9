"""`worldline view RUN --bundle OUT`: the page and its data as files that need no server and no network.

OUT that ends in .html is one file; any other is a folder, whose steps are fetched as they are wanted. The page is the
server's own; what it is told is `api`'s. Nothing can be asked of a model from a file, and the page says so. The same
runs give the same bytes. Of a large run only some samples have their steps in it: the failures first.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import DigestError, FormatError, UsageError
from worldline.storage import files
from worldline.ui.http.errors import Refusal
from worldline.ui.http.json_body import json_bytes
from worldline.ui.session.chunk import CHUNK
from worldline.ui.session.rollout import predict_root
from worldline.ui.session.session import Session
from worldline.ui.web import api
from worldline.ui.web.bundle.page import END, START
from worldline.ui.web.bundle.page import page as page_of
from worldline.ui.web.bundle.run import columns
from worldline.ui.web.index.index import build
from worldline.ui.web.service import Opening
from worldline.ui.web.session_cache import LIVE, SessionCache

LIMIT = 500  # samples of a run whose steps are in a bundle by default
HEAVIEST = 400 << 20  # bytes of steps in all: what a browser still opens
Put = Callable[[str, bytes], None]


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """What was written: how many samples there are, how many of them with their steps, in how many bytes.

    `damage` is what could not be read of the runs: it is told in the page too.
    """

    path: Path
    samples: int
    stepped: int
    damage: tuple[str, ...]
    bytes: int


def open_sessions(opening: Opening) -> SessionCache:
    """What is opened; programs are recorded and imagined to their ends, which takes its time."""
    if opening.programs and not opening.models:
        raise UsageError("a program is shown as a model imagines it: name one")
    sessions = SessionCache([build(path) for path in opening.runs], tokenizer=opening.tokenizer)
    opened = list(opening.sessions)
    for program in opening.programs:
        name, load = next(iter(opening.models.items()))
        predictor = load()
        session = Session.new(
            program,
            model=name,
            codec=predictor.info.notation,
            tokenizer=opening.tokenizer,
            control=opening.control,
        )
        deque(predict_root(session, predictor, limits=opening.limits), maxlen=0)
        opened.append(session)
    for session in opened:
        sessions.add(session)
    return sessions


def bundle(sessions: SessionCache, out: Path, *, limit: int = LIMIT) -> Bundle:
    """Write what is open into OUT; UsageError where that cannot be."""
    if limit < 0:
        raise UsageError(f"--max-samples is at least 0, not {limit}")
    if out.suffix == ".html":
        return _one_file(sessions, out, limit)
    return _folder(sessions, out, limit)


def _one_file(sessions: SessionCache, out: Path, limit: int) -> Bundle:
    files.make_directory(out.parent)
    draft = files.Draft(out)

    def put(name: str, data: bytes) -> None:
        draft.write(b'<script type="application/json" id="data-%s">' % name.encode())
        draft.write(_harmless(data) + b"</script>\n")

    try:
        draft.write(page_of(START))
        told = _data(sessions, put, limit)
        draft.write(page_of(END))
        draft.commit()
    except BaseException:
        draft.discard()
        raise
    return Bundle(path=out, bytes=draft.size, **told)


def _folder(sessions: SessionCache, out: Path, limit: int) -> Bundle:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(
            f"{out} is there already: a bundle is a folder of its own, or a file that ends in .html"
        )
    files.make_directory(out / "data")
    size, runs = 0, b""

    def put(name: str, data: bytes) -> None:
        nonlocal size, runs
        if name == "runs":
            runs = data
            return
        text = f"worldlineBundle.put({json.dumps(name)},{json.dumps(data.decode())});\n".encode()
        files.write(out / "data" / f"{name}.js", text, fsync=False)
        size += len(text)

    told = _data(sessions, put, limit)
    block = b'<script type="application/json" id="data-runs">' + _harmless(runs) + b"</script>\n"
    index = page_of(START) + block + page_of(END)
    files.sync_directory(out / "data")
    files.write(out / "index.html", index)  # last: a folder without it is not taken for a bundle
    return Bundle(path=out, bytes=size + len(index), **told)


def _harmless(data: bytes) -> bytes:
    """ASCII JSON that no parser of HTML takes for a tag or a comment."""
    return data.replace(b"<", b"\\u003c")


def _data(sessions: SessionCache, put: Put, limit: int) -> dict[str, Any]:
    """Every piece of data, the list of them last; how many samples there are, and with steps, and what is damaged."""
    names, damage, stepped, weight = list[str](), list[str](), 0, 0
    told = api.runs(sessions)
    ids = [run["id"] for run in told]

    def keep(name: str, value: Any) -> int:
        data = json_bytes(value)
        names.append(name)
        put(name, data)
        return len(data)

    for run, described in zip(ids, told, strict=True):
        others = [other for other in ids if LIVE not in (run, other) and other != run]
        table, lost = columns(sessions, run, others)
        keep(f"run-{run}", table)
        described["notes"] = table["notes"]
        damage += _damage(sessions, run, table)
        for at in _chosen(table["fields"], limit):
            if at in lost:
                continue
            if weight > HEAVIEST:
                break
            for name, value in _sample(sessions, run, at, list(table["others"])):
                weight += keep(name, value)
            stepped += 1
    samples = sum(run["samples"] for run in told)
    put("runs", json_bytes({"runs": told, "models": [], "live": False, "names": names, "stepped": stepped}))
    return {"samples": samples, "stepped": stepped, "damage": tuple(damage)}


def _damage(sessions: SessionCache, run: str, table: dict[str, Any]) -> list[str]:
    """What a run's notes say that is damage: of its log, and of records that cannot be opened."""
    if run == LIVE:
        return []
    index = sessions.index(run)
    return [
        f"{index.path}: {note}" for note in table["notes"] if note in index.damage or note not in index.notes
    ]


def _chosen(fields: dict[str, list[Any]], limit: int) -> list[int]:
    """The samples that have their steps in it: those that failed, then those that are right."""
    failed = [at for at, trace in zip(fields["at"], fields["trace"], strict=True) if not trace]
    right = [at for at, trace in zip(fields["at"], fields["trace"], strict=True) if trace]
    return sorted((failed + right)[:limit])


def _sample(sessions: SessionCache, run: str, at: int, others: list[str]) -> Iterator[tuple[str, Any]]:
    """A sample with the rows of its pairs; once more for each other run that has it."""
    session = api.sample(sessions, run, at)
    pairs = dict[str, Any]()
    for branch in session["branches"]:
        if branch["status"] == "done":
            pairs |= _pair(sessions, run, at, branch["id"], "truth", "found", None)
    yield f"sample-{run}-{at}", {"scene": session, "pairs": pairs}
    for other in others:
        try:
            beside = api.sample(sessions, run, at, other)
        except (DigestError, FormatError):  # told of with the run that it is in
            continue
        if "other" in beside["sides"]:
            more = dict[str, Any]()
            for left in ("truth", "found"):
                more |= _pair(sessions, run, at, 0, left, "other", other)
            yield f"sample-{run}-{at}-{other}", {"scene": beside, "pairs": more}


def _pair(
    sessions: SessionCache, run: str, at: int, branch: int, left: str, right: str, other: str | None
) -> dict[str, Any]:
    """Two sides row by row, by the name that the page asks for; none where one of them is absent."""
    asked: dict[str, Any] = {"branch": branch, "left": left, "right": right, "other": other}
    try:
        line = api.timeline(sessions, run, at, **asked)
    except (UsageError, Refusal):  # there is no truth: the page is told why by the branch
        return {}
    chunks = [api.chunk(sessions, run, at, k, **asked) for k in range(max(1, -(-line["rows"] // CHUNK)))]
    return {f"{branch}/{left}/{right}": {"timeline": line, "chunks": chunks}}
