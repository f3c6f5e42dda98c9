"""Writes the page and its data as files that need no server: `worldline view RUN --bundle OUT`.

An OUT that ends in .html is one file; any other is a folder whose steps are loaded when needed. The page is the same
as the server's and reads the same `api`, but is read-only. The same runs give the same bytes. A large run includes the
steps of some samples only, failures first.
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
from worldline.ui.session.heap.view import RUN_CHUNK
from worldline.ui.session.quiz.quiz import Quiz
from worldline.ui.web import api
from worldline.ui.web.bundle.page import END, START
from worldline.ui.web.bundle.page import page as page_of
from worldline.ui.web.bundle.run import columns
from worldline.ui.web.index.index import build
from worldline.ui.web.quizzes import Quizzes
from worldline.ui.web.service import Opening, new_session, recorded_session, root_prediction
from worldline.ui.web.session_cache import LIVE, SessionCache

DEFAULT_SAMPLES = 500  # of a run that include their steps
MAX_VIEW_ROWS = 20_000  # of the view of one run
MAX_STEP_BYTES = 400 << 20  # of all steps: a browser opens no more
Put = Callable[[str, bytes], None]


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """What was written: the number of samples, those that include their steps, and the bytes.

    `damage` is what could not be read of the runs. The page shows it too.
    """

    path: Path
    samples: int
    stepped: int
    damage: tuple[str, ...]
    bytes: int

    @property
    def page(self) -> Path:
        """The file to open."""
        return self.path if self.path.suffix == ".html" else self.path / "index.html"


def open_sessions(opening: Opening) -> SessionCache:
    """Open runs; record programs, and with a model predict them completely."""
    sessions = SessionCache([build(path) for path in opening.runs], tokenizer=opening.tokenizer)
    opened = list(opening.sessions)
    if opening.records:
        opened += [recorded_session(opening, program) for program in opening.programs]
    for program in opening.programs if opening.models and opening.quiz is None else ():
        name, load = next(iter(opening.models.items()))
        predictor = load()
        session = new_session(opening, program, name, predictor)
        deque(root_prediction(opening, session, predictor), maxlen=0)
        opened.append(session)
    for session in opened:
        sessions.add(session)
    return sessions


def open_quizzes(opening: Opening) -> Quizzes:
    """Record and predict programs completely, and choose questions about them; none without `opening.quiz`."""
    quizzes = Quizzes()
    for program in opening.programs if opening.quiz is not None else ():
        if not opening.models:
            quizzes.add(Quiz(recorded_session(opening, program), opening.quiz))
            continue
        name, load = next(iter(opening.models.items()))
        predictor = load()
        session = new_session(opening, program, name, predictor)
        deque(root_prediction(opening, session, predictor), maxlen=0)
        quizzes.add(Quiz(session, opening.quiz, model=name))
    return quizzes


def bundle(
    sessions: SessionCache, out: Path, *, limit: int = DEFAULT_SAMPLES, quizzes: Quizzes | None = None
) -> Bundle:
    """Write everything that is open to `out`.

    Raises:
        UsageError: `out` exists, or `limit` is negative.
    """
    if limit < 0:
        raise UsageError(f"--max-samples is at least 0, not {limit}")
    quizzes = quizzes or Quizzes()
    if out.suffix == ".html":
        return _one_file(sessions, out, limit, quizzes)
    return _folder(sessions, out, limit, quizzes)


def _one_file(sessions: SessionCache, out: Path, limit: int, quizzes: Quizzes) -> Bundle:
    files.make_directory(out.parent)
    draft = files.Draft(out)

    def put(name: str, data: bytes) -> None:
        draft.write(b'<script type="application/json" id="data-%s">' % name.encode())
        draft.write(_escape(data) + b"</script>\n")

    try:
        draft.write(page_of(START))
        summary = _data(sessions, put, limit, quizzes)
        draft.write(page_of(END))
        draft.commit()
    except BaseException:
        draft.discard()
        raise
    return Bundle(path=out, bytes=draft.size, **summary)


def _folder(sessions: SessionCache, out: Path, limit: int, quizzes: Quizzes) -> Bundle:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} exists: write the bundle to a new folder, or to a file that ends in .html")
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

    summary = _data(sessions, put, limit, quizzes)
    block = b'<script type="application/json" id="data-runs">' + _escape(runs) + b"</script>\n"
    index = page_of(START) + block + page_of(END)
    files.sync_directory(out / "data")
    files.write(out / "index.html", index)  # last: a folder without it is not a complete bundle
    return Bundle(path=out, bytes=size + len(index), **summary)


def _escape(data: bytes) -> bytes:
    """Escape JSON so that it cannot end its HTML element."""
    return data.replace(b"<", b"\\u003c")


def _data(sessions: SessionCache, put: Put, limit: int, quizzes: Quizzes) -> dict[str, Any]:
    """Write all data, the list of names last, and return the counts and the damage for `Bundle`."""
    names, damage, stepped, size = list[str](), list[str](), 0, 0
    runs = api.runs(sessions)
    ids = [run["id"] for run in runs]

    def add(name: str, value: Any) -> int:
        data = json_bytes(value)
        names.append(name)
        put(name, data)
        return len(data)

    for run, description in zip(ids, runs, strict=True):
        others = [other for other in ids if LIVE not in (run, other) and other != run]
        table, unreadable = columns(sessions, run, others)
        add(f"run-{run}", table)
        description["notes"] = table["notes"]
        damage += _damage(sessions, run, table)
        for at in _with_steps(table["fields"], limit):
            if at in unreadable:
                continue
            if size > MAX_STEP_BYTES:
                break
            for name, value in _sample(sessions, run, at, list(table["others"])):
                size += add(name, value)
            stepped += 1
    for number in range(len(quizzes)):
        add(f"quiz-{number}", quizzes.bundled(number))
    samples = sum(run["samples"] for run in runs)
    page = {"runs": runs, "models": [], "live": False, "records": False, "quizzes": len(quizzes)}
    put("runs", json_bytes({**page, "names": names, "stepped": stepped}))
    return {"samples": samples, "stepped": stepped, "damage": tuple(damage)}


def _damage(sessions: SessionCache, run: str, table: dict[str, Any]) -> list[str]:
    """Return the notes of a run that report damage of its log, or records that cannot be opened."""
    if run == LIVE:
        return []
    index = sessions.index(run)
    return [f"{index.path}: {note}" for note in table["notes"] if note in index.damage or note not in index.notes]


def _with_steps(fields: dict[str, list[Any]], limit: int) -> list[int]:
    """Return the samples that include their steps: failures first."""
    failed = [at for at, trace in zip(fields["at"], fields["trace"], strict=True) if not trace]
    right = [at for at, trace in zip(fields["at"], fields["trace"], strict=True) if trace]
    return sorted((failed + right)[:limit])


def _sample(sessions: SessionCache, run: str, at: int, others: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield a sample with its rows, and again compared with each other run that has it."""
    session = api.sample(sessions, run, at)
    pairs = dict[str, Any]()
    for branch in session["branches"]:
        if branch["status"] == "done":
            pairs |= _pair(sessions, run, at, branch["id"], "truth", "found", None)
    yield f"sample-{run}-{at}", {"scene": session, "pairs": pairs}
    if run == LIVE:
        yield f"view-{run}-{at}", _run_view(sessions, run, at)
    for other in others:
        try:
            compared = api.sample(sessions, run, at, other)
        except (DigestError, FormatError):  # reported with the run that it is in
            continue
        if "other" in compared["sides"]:
            more = dict[str, Any]()
            for left in ("truth", "found"):
                more |= _pair(sessions, run, at, 0, left, "other", other)
            yield f"sample-{run}-{at}-{other}", {"scene": compared, "pairs": more}


def _run_view(sessions: SessionCache, run: str, at: int) -> dict[str, Any] | None:
    """Return the actual run of a sample to look at alone; None if it is not known."""
    try:
        overview = api.run_overview(sessions, run, at)
    except Refusal:
        return None
    rows = min(overview["rows"], MAX_VIEW_ROWS)
    chunks = [api.run_chunk(sessions, run, at, k) for k in range(-(-rows // RUN_CHUNK))]
    return {"overview": {**overview, "rows": rows}, "chunks": chunks}


def _pair(
    sessions: SessionCache, run: str, at: int, branch: int, left: str, right: str, other: str | None
) -> dict[str, Any]:
    """Return two runs row by row, under the name that the page requests; empty if one is missing."""
    query: dict[str, Any] = {"branch": branch, "left": left, "right": right, "other": other}
    try:
        line = api.timeline(sessions, run, at, **query)
    except (UsageError, Refusal):  # there is no true trace: the branch says why
        return {}
    chunks = [api.chunk(sessions, run, at, k, **query) for k in range(max(1, -(-line["rows"] // CHUNK)))]
    whys = api.whys(sessions, run, at, **query)
    return {f"{branch}/{left}/{right}": {"timeline": line, "chunks": chunks, "whys": whys}}
