"""A run on disk survives SIGKILL at any moment: nothing is lost, nothing that is stored is asked for again.

It has 2,000 samples, or ten times what WORLDLINE_FAULTS says (`make hostile`: 10,000).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from plain_predictor import PlainPredictor
from tiers import examples

from worldline.cli import main
from worldline.codec.compact.prompt import Compact
from worldline.core.errors import BusyError, DigestError, FingerprintError, FormatError, UsageError
from worldline.core.program import Program
from worldline.evaluation.run.directory import RECORDS, newest, read_config, read_records, verify, write_beside
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.storage import files
from worldline.storage.files import Lock

SAMPLES = 10 * examples(20, 200, "WORLDLINE_FAULTS")
BATCH = 64
KILLS = examples(3, 6)
PROGRAM = Program(source="def f(n):\n    return n + 1\n", call="f(1)")
TRUE, WRONG = b"(1\n2\n)2\n.\n", b"(1\n2\n)3\n.\n"


def suite(count: int) -> Suite:
    """As many tasks as prompts, all of one program: it is recorded once a process."""
    tasks = (Task(program=PROGRAM, options=Compact(reveal=100 + n), name=f"sample {n}") for n in range(count))
    return Suite(name="many", tasks=tasks)


def number(ask: PredictionRequest) -> int:
    """Which task an ask is of."""
    return ask.options.reveal - 100


class Noted(PlainPredictor):
    """Notes every ask in a file before it answers; wrong about one in fifty."""

    name = "noted"

    def __init__(self, asked: Path) -> None:
        self._file = asked.open("ab", buffering=0)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        self._file.write(b"".join(b"%d\n" % number(ask) for ask in asks))
        for ask in asks:
            yield Prediction(text=WRONG if number(ask) % 50 == 7 else TRUE, status="ended")


def asked(path: Path) -> list[int]:
    """The asks that were noted, in order."""
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def stored(folder: Path) -> bytes:
    """The whole lines of a run's log."""
    path = folder / RECORDS
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1]


def places(lines: bytes) -> set[int]:
    """The tasks that have a record."""
    return {json.loads(line)["at"] for line in lines.splitlines()}


def child(folder: Path, notes: Path, count: int) -> subprocess.Popen[bytes]:
    """Another process that makes the run, or goes on with it."""
    words = [sys.executable, __file__, str(folder), str(notes), str(count)]
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(words, env={**os.environ, **environment})


def grown(folder: Path, size: int, process: subprocess.Popen[bytes]) -> None:
    """Waits until the log has so many bytes, or the process has ended."""
    path, deadline = folder / RECORDS, time.monotonic() + 300
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.stat().st_size >= size:
            return
        time.sleep(0.002)


@pytest.mark.fuzz
def test_thousands_of_samples_survive_sigkill(tmp_path: Path) -> None:
    folder, rng, killed = tmp_path / "run", Random(4), 0
    whole = SAMPLES * len(stored_line(tmp_path))
    for session in range(KILLS + 1):
        before, notes = stored(folder), tmp_path / f"asked-{session}"
        process = child(folder, notes, SAMPLES)
        try:
            if session < KILLS:
                grown(folder, len(before) + rng.randrange(whole // KILLS), process)
                time.sleep(rng.random() * 0.02)
                process.send_signal(signal.SIGKILL)
            killed += process.wait(300) == -signal.SIGKILL
        finally:
            process.kill()
            process.wait()
        assert stored(folder).startswith(before), "a record that was stored is lost"
        assert not places(before).intersection(asked(notes)), "a record that was stored was asked for again"
    assert killed >= KILLS - 1
    assert process.returncode == 0
    every = [record.at for record in read_records(folder)]
    assert sorted(every) == list(range(SAMPLES)), "each task has exactly one record"
    times = Counter(n for session in range(KILLS + 1) for n in asked(tmp_path / f"asked-{session}"))
    assert set(times) == set(range(SAMPLES))
    assert sum(times.values()) <= SAMPLES + killed * BATCH, "only what was in flight is asked for again"
    report = json.loads((folder / "report.json").read_text())
    assert (report["n"], report["answer"]["right"], report["faults"]) == (SAMPLES, SAMPLES * 49 // 50, 0)
    assert verify(folder) > 0


def stored_line(tmp_path: Path) -> bytes:
    """About what a record takes."""
    run(suite(1), Noted(tmp_path / "one"), out=tmp_path / "one-run")
    return stored(tmp_path / "one-run")


def test_a_complete_run_predicts_nothing_again(tmp_path: Path) -> None:
    notes, folder = tmp_path / "asked", tmp_path / "run"
    first = run(suite(40), Noted(notes), out=folder, batch=8)
    lines = stored(folder)
    again = run(suite(40), Noted(notes), out=folder, batch=8)
    assert asked(notes) == list(range(40))
    assert again.as_json() == first.as_json()
    assert stored(folder) == lines
    assert first.as_json() == run(suite(40), Noted(tmp_path / "other")).as_json()


def test_a_larger_limit_predicts_the_rest(tmp_path: Path) -> None:
    notes, folder = tmp_path / "asked", tmp_path / "run"
    assert run(suite(40), Noted(notes), limit=10, out=folder).n == 10
    assert run(suite(40), Noted(notes), limit=25, out=folder).n == 25
    assert asked(notes) == list(range(25))
    assert verify(folder) > 0


def test_a_smaller_limit_keeps_what_is_stored(tmp_path: Path) -> None:
    notes, folder = tmp_path / "asked", tmp_path / "run"
    first = run(suite(40), Noted(notes), limit=25, out=folder)
    assert run(suite(40), Noted(notes), limit=5, out=folder).as_json() == first.as_json()
    assert asked(notes) == list(range(25))
    assert json.loads((folder / "report.json").read_bytes())["n"] == 25


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_torn_line_is_predicted_again(tmp_path: Path, cut: int) -> None:
    notes, folder = tmp_path / "asked", tmp_path / "run"
    run(suite(5), Noted(notes), out=folder)
    (folder / "manifest.json").unlink()  # as a run that was killed leaves it
    os.truncate(folder / RECORDS, (folder / RECORDS).stat().st_size - cut)
    assert len(list(read_records(folder))) == 4
    assert run(suite(5), Noted(notes), out=folder).n == 5
    assert asked(notes) == [0, 1, 2, 3, 4, 4]
    assert verify(folder) > 0


def test_a_fault_is_predicted_again_and_never_wrong(tmp_path: Path) -> None:
    class Faulty(Noted):
        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            for ask, found in zip(asks, super().predict(asks), strict=True):
                is_fault = number(ask) % 3 == 0
                yield Prediction(text=b"", status="fault", note="no route") if is_fault else found

    notes, folder = tmp_path / "asked", tmp_path / "run"
    first = run(suite(9), Faulty(notes), out=folder)
    assert (first.n, first.faults, first.all.answer.wrong) == (6, 3, 1)
    assert [record.found.note for record in newest(folder).values() if record.is_fault] == ["no route"] * 3
    second = run(suite(9), Noted(notes), out=folder)
    assert (second.n, second.faults, second.all.answer.right) == (9, 0, 8)
    assert asked(notes)[9:] == [0, 3, 6]
    assert len(list(read_records(folder))) == 12


def test_tasks_without_an_answer_are_not_executed_again(tmp_path: Path) -> None:
    silent = Task(program=Program(source="x = 1\n"), name="silent")
    other = Task(program=PROGRAM, name="other", answer="5")
    several = Suite(name="three", tasks=[silent, other, Task(program=PROGRAM, name="fine")])
    found = [run(several, Noted(tmp_path / "asked"), out=tmp_path / "run") for _ in range(2)]
    assert found[0].as_json() == found[1].as_json()
    assert (found[1].n, found[1].skipped, found[1].disagrees) == (1, 1, 1)
    assert [record.kind for record in newest(tmp_path / "run").values()] == ["skipped", "disagrees", "asked"]


def test_any_bytes_are_kept_as_they_are(tmp_path: Path) -> None:
    texts = [b"\xff\x00(1\n", "(1 é\ud800\n".encode("utf-8", "surrogatepass"), b""]

    class Noise(PlainPredictor):
        name = "noise"

        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            return (Prediction(text=texts[number(ask)], status="ended", logprob=-1.5) for ask in asks)

    run(suite(3), Noise(), out=tmp_path / "run")
    records = list(newest(tmp_path / "run").values())
    assert [record.found.text for record in records] == texts
    assert {record.found.logprob for record in records} == {-1.5}
    assert [record.ask for record in records] == [
        PredictionRequest(program=PROGRAM, options=Compact(reveal=100 + n), limit=2 * len(TRUE) + 512) for n in range(3)
    ]
    assert {record.truth for record in records} == {TRUE}
    assert {record.sample().truth.text for record in records} == {TRUE}


def test_another_run_s_directory_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(suite(2), Noted(tmp_path / "asked"), out=folder, config={"options": {"seed": 1}})
    with pytest.raises(FingerprintError, match=r"options was .'seed': 1., now .'seed': 2."):
        run(suite(2), Noted(tmp_path / "asked"), out=folder, config={"options": {"seed": 2}})
    other = Suite(name="many", tasks=[Task(program=Program(source="print(1)\n"), name="sample 0")])
    with pytest.raises(FingerprintError, match="is not the program"):
        run(other, Noted(tmp_path / "asked"), out=folder, config={"options": {"seed": 1}})
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "diary").write_text("mine")
    with pytest.raises(UsageError, match="holds diary"):
        run(suite(2), Noted(tmp_path / "asked"), out=tmp_path / "file")


def test_what_decides_only_how_fast_may_change(tmp_path: Path) -> None:
    folder, notes = tmp_path / "run", tmp_path / "asked"
    run(suite(2), Noted(notes), out=folder, config={"extras": {"concurrency": "1"}})
    assert run(suite(3), Noted(notes), out=folder, config={"extras": {"concurrency": "8"}}).n == 3
    assert asked(notes) == [0, 1, 2]
    with pytest.raises(FingerprintError, match="temperature"):
        run(suite(3), Noted(notes), out=folder, config={"extras": {"temperature": "1"}})


def test_what_a_predictor_says_of_itself_is_kept_but_not_compared(tmp_path: Path) -> None:
    class Served(Noted):
        config: dict[str, object] = {"template": "one shot"}  # noqa: RUF012

    run(suite(1), Served(tmp_path / "asked"), out=tmp_path / "run")
    assert read_config(tmp_path / "run")["how"] == {"template": "one shot"}
    assert run(suite(2), Noted(tmp_path / "asked"), out=tmp_path / "run").n == 2


def test_every_record_is_reported(tmp_path: Path) -> None:
    heard: list[Record] = []
    run(suite(3), Noted(tmp_path / "asked"), on_record=heard.append, out=tmp_path / "run")
    assert heard == list(newest(tmp_path / "run").values())


def test_failures_have_causes_in_the_report(tmp_path: Path) -> None:
    found = run(suite(100), Noted(tmp_path / "asked")).as_json()
    assert found["causes"] == {"wrong value": {"n": 2, "answer": 2, "trace": 2}}


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    lock = Lock(tmp_path / "run")
    try:
        with pytest.raises(BusyError):
            run(suite(2), Noted(tmp_path / "asked"), out=tmp_path / "run")
    finally:
        lock.release()


def test_a_byte_that_changed_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(suite(3), Noted(tmp_path / "asked"), out=folder)
    data = (folder / RECORDS).read_bytes()
    (folder / RECORDS).write_bytes(data.replace(b'"right"', b'"wrong"', 1))
    with pytest.raises(DigestError):
        verify(folder)
    with pytest.raises(DigestError):
        run(suite(3), Noted(tmp_path / "asked"), out=folder)
    (folder / RECORDS).write_bytes(data[: data.find(b"\n") + 1])
    with pytest.raises(DigestError):
        run(suite(3), Noted(tmp_path / "asked"), out=folder)
    (folder / RECORDS).write_bytes(b"[]\n" + data)
    with pytest.raises(FormatError):
        list(read_records(folder))


LISTED = {"size": 6, "sha256": hashlib.sha256(b"secret").hexdigest()}
MANIFESTS: dict[str, Any] = {
    "format 2": {"format": 2}, "format true": {"format": True}, "no format": {"format": None},
    "no files": {"files": None},
    "a list": {"files": [RECORDS]}, "files left out": {"files": {}}, "up": {"files": {"../../secret": LISTED}},
    "beside": {"files": {"../secret": LISTED}}, "absolute": {"files": {"/etc/passwd": LISTED}},
    "nul": {"files": {"a\0": LISTED}},
    "inside": {"files": {"more/secret": LISTED}}, "itself": {"files": {".": LISTED}}, "empty": {"files": {"": LISTED}},
    "no size": {"files": {RECORDS: {"sha256": "0" * 64}}}, "no digest": {"files": {RECORDS: {"size": 6}}},
    "size -1": {"files": {RECORDS: LISTED | {"size": -1}}}, "size 1.5": {"files": {RECORDS: LISTED | {"size": 1.5}}},
    "size text": {"files": {RECORDS: LISTED | {"size": "6"}}},
    "short digest": {"files": {RECORDS: LISTED | {"sha256": "0"}}},
    "entry null": {"files": {RECORDS: None}}, "entry list": {"files": {RECORDS: []}},
    "null": None, "list": [], "number": 1, "text": "x", "deep": "[" * 100_000,
}  # fmt: skip


@pytest.fixture(scope="module")
def through(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is through."""
    folder = tmp_path_factory.mktemp("through")
    run(suite(2), Noted(folder / "asked"), out=folder / "run")
    return folder / "run"


def spoiled(through: Path, tmp_path: Path, name: str) -> Path:
    """A run whose manifest is another one."""
    folder, change = tmp_path / "runs" / "run", MANIFESTS[name]
    shutil.copytree(through, folder)
    for place in (tmp_path, tmp_path / "runs"):
        (place / "secret").write_text("secret")
    path = folder / "manifest.json"
    if isinstance(change, dict):
        manifest = json.loads(path.read_text())
        if isinstance(change.get("files"), dict) and change["files"]:
            change = {"files": manifest["files"] | change["files"]}
        path.write_text(json.dumps({key: value for key, value in (manifest | change).items() if value is not None}))
    else:
        path.write_text(change if name == "deep" else json.dumps(change))
    return folder


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_that_no_run_has_is_refused_and_nothing_it_names_is_opened(
    through: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, opened = spoiled(through, tmp_path, name), list[str]()
    real = files.open_regular

    def noting(path: Path) -> Any:
        opened.append(path.name)
        return real(path)

    monkeypatch.setattr(files, "open_regular", noting)
    with pytest.raises(FormatError, match=r"manifest\.json"):
        verify(folder)
    assert main(["verify", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("finding: ")
    assert "manifest.json" in printed
    assert set(opened) == {"manifest.json"}
    log = (folder / RECORDS).read_bytes()
    with pytest.raises(FormatError, match=r"manifest\.json"):
        run(suite(2), Noted(tmp_path / "asked"), out=folder)
    assert (folder / RECORDS).read_bytes() == log
    assert sorted(os.listdir(folder)) == ["config.json", "manifest.json", RECORDS, "report.json"]


def test_a_run_s_files_that_are_links_are_findings(
    through: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(through, folder)
    for name in (RECORDS, "report.json"):
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
    assert main(["verify", str(folder)]) == 1
    told = capsys.readouterr().out
    assert told.count("finding: ") == told.count("is not a plain file") == 2
    (folder / "manifest.json").rename(tmp_path / "manifest.json")
    (folder / "manifest.json").symlink_to(tmp_path / "manifest.json")
    assert main(["verify", str(folder)]) == 1
    assert "manifest.json is not a plain file" in capsys.readouterr().out


def test_pages_and_trials_beside_a_run_are_verified(
    through: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(through, folder)
    assert main(["report", str(folder)]) == 0
    write_beside(folder, "interventions.json", b"{}")
    run(suite(2), Noted(tmp_path / "asked"), out=folder)  # a resumed run keeps them in its manifest
    assert main(["verify", str(folder)]) == 0
    page = folder / "report.html"
    page.write_bytes(page.read_bytes().replace(b"</html>", b"</htmk>"))
    (folder / "interventions.json").unlink()
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert printed.count("finding: ") == 2
    assert "report.html" in printed
    assert "interventions.json" in printed


def test_a_page_of_a_run_in_progress_is_listed_by_its_writer(through: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(through, folder)
    write_beside(folder, "report.html", b"old")
    with Lock(folder):
        write_beside(folder, "report.html", b"new")
    run(suite(2), Noted(tmp_path / "asked"), out=folder)
    assert verify(folder) > 0
    assert (folder / "report.html").read_bytes() == b"new"


def test_a_run_of_another_format_is_named_even_where_its_bytes_are_right(
    through: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(through, folder)
    config = (folder / "config.json").read_bytes().replace(b'"format": 1', b'"format": 2')
    (folder / "config.json").write_bytes(config)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["config.json"]["sha256"] = hashlib.sha256(config).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(["verify", str(folder)]) == 3
    assert "format 2; this release reads format 1" in capsys.readouterr().err


def test_a_folder_that_is_refused_keeps_all_that_was_in_it(tmp_path: Path) -> None:
    foreign: tuple[dict[str, str], ...] = (
        {".notes.tmp": "mine", "diary": "mine"},
        {".notes.tmp": "mine", ".lock": "mine"},
        {".config.json.1-2.tmp": "mine", "diary": "mine"},
        {"config.json": "{}", ".config.json.1-2.tmp": "mine", ".lock": "mine"},
    )
    for number, several in enumerate(foreign):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in several.items():
            (folder / name).write_text(text)
        with pytest.raises((UsageError, FormatError)):
            run(suite(2), Noted(tmp_path / "asked"), out=folder)
        assert {path.name: path.read_text() for path in folder.iterdir()} == several


def test_another_run_s_leftovers_are_not_swept(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(suite(2), Noted(tmp_path / "asked"), out=folder, config={"options": {"seed": 1}})
    for name in (".report.json.1-2.tmp", ".notes.tmp", ".report.html.1-2.tmp"):
        (folder / name).write_text("x")
    with pytest.raises(FingerprintError):
        run(suite(2), Noted(tmp_path / "asked"), out=folder, config={"options": {"seed": 2}})
    assert (folder / ".report.json.1-2.tmp").exists()
    run(suite(2), Noted(tmp_path / "asked"), out=folder, config={"options": {"seed": 1}})
    assert not (folder / ".report.json.1-2.tmp").exists()
    assert (folder / ".notes.tmp").exists()
    assert (folder / ".report.html.1-2.tmp").exists()


if __name__ == "__main__":
    run(suite(int(sys.argv[3])), Noted(Path(sys.argv[2])), out=Path(sys.argv[1]), batch=BATCH)
