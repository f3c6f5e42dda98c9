"""Runs and models on an S3 server: segments while a run is made, the same bytes as on disk when it is through."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import cli
from worldline.core.errors import BusyError, DigestError, FingerprintError, FormatError, UsageError
from worldline.evaluation.run.directory import newest, read_config, verify
from worldline.evaluation.run.run import run
from worldline.evaluation.run.stored import local
from worldline.evaluation.suites.permutation import load
from worldline.model.checkpoint import SHIPPED, latest_checkpoint
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.storage import publishing, remote
from worldline.storage.remote import Folder, StorePath


def made(at: Folder, limit: int = 6) -> None:
    run(load(), Interpreter(), limit=limit, batch=2, out=at)


def objects(at: Folder) -> dict[str, bytes]:
    return {name: (at / name).read_bytes() for name in remote.names(at)}


def lines(data: bytes) -> list[dict[str, object]]:
    """Records without how long they took."""
    return [{**json.loads(line), "seconds": 0} for line in data.splitlines()]


def test_a_run_is_kept_there_and_read_from_there(shelf: StorePath, tmp_path: Path) -> None:
    made(shelf)
    made(tmp_path)
    here, there = objects(tmp_path), objects(shelf)
    assert here.keys() == there.keys() == {"config.json", "records.jsonl", "report.json", "manifest.json"}
    assert here["config.json"] == there["config.json"]
    assert lines(here["records.jsonl"]) == lines(there["records.jsonl"])
    copy = local(shelf)
    assert verify(copy) > 0
    assert objects(copy) == there
    assert local(tmp_path) == tmp_path


def test_a_run_that_was_killed_is_gone_on_with(shelf: StorePath) -> None:
    code = f"""
import sys
from worldline.storage import remote
from worldline.predict.interpreter import Interpreter
from worldline.evaluation.suites.permutation import load
from worldline.evaluation.run.run import run
seen = []
def each(verdict):
    seen.append(verdict)
    if len(seen) == 5:  # two batches of two are stored
        print(flush=True)
        sys.stdin.read()
run(load(), Interpreter(), limit=6, batch=2, out=remote.place({str(shelf)!r}), on_verdict=each)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"\n"
        with pytest.raises(BusyError, match=f"process {process.pid}"):
            made(shelf)
        process.kill()
    names = remote.names(shelf)
    assert "records-000000000000.jsonl" in names
    assert "manifest.json" not in names
    before = newest(local(shelf))
    assert len(before) == 4
    made(shelf)
    assert remote.names(shelf) == ["config.json", "manifest.json", "records.jsonl", "report.json"]
    after = newest(local(shelf))
    assert len(after) == 6
    assert {at: after[at] for at in before} == before
    made(shelf, limit=8)
    assert len(newest(local(shelf))) == 8
    assert verify(local(shelf)) > 0


def test_a_segment_that_is_gone_is_missed(shelf: StorePath) -> None:
    made(shelf)
    log = (shelf / "records.jsonl").read_bytes()
    middle = log.index(b"\n") + 1
    for offset, part in ((0, log[:middle]), (middle, log[middle:])):
        remote.write(shelf / f"records-{offset:012d}.jsonl", part)
    assert objects(local(shelf))["records.jsonl"] == log  # as if it was killed before it had removed them
    for name in ("records.jsonl", "manifest.json", "report.json"):
        remote.remove(shelf / name)
    assert len(newest(local(shelf))) == 6
    remote.remove(shelf / "records-000000000000.jsonl")
    with pytest.raises(FormatError, match="a segment is missing"):
        local(shelf)


def test_another_run_and_somebody_else_s_objects_are_refused(shelf: StorePath) -> None:
    made(shelf / "run", limit=1)
    with pytest.raises(FingerprintError, match="holds another run"):
        run(load(), Interpreter(), limit=1, out=shelf / "run", config={"options": {"seed": 1}})
    assert ".lock" not in remote.names(shelf / "run")
    remote.write(shelf / "other" / "diary", b"mine")
    with pytest.raises(UsageError, match="not a run: it holds diary"):
        made(shelf / "other")
    with pytest.raises(UsageError, match="is not a run"):
        local(shelf / "nothing")


def test_the_verbs_take_urls(shelf: StorePath, tmp_path: Path) -> None:
    url = str(shelf)
    asked = ["bench", "permutation", "--model", "interpreter", "--max-programs", "3", "--json", "-o"]
    for at in (url, str(tmp_path / "run")):
        found = CliRunner().invoke(cli, [*asked, at])
        assert found.exit_code == 0, found.output
    assert read_config(local(url)) == read_config(tmp_path / "run")
    for words in (
        ["compare", url, str(tmp_path / "run")],
        ["report", url, "-o", str(tmp_path / "page.html")],
        ["export", url, "--csv", "-o", str(tmp_path / "tables")],
        ["view", url, "--no-model", "--bundle", str(tmp_path / "bundle.html")],
        ["verify", url],
    ):
        found = CliRunner().invoke(cli, words)
        assert found.exit_code == 0, (words, found.output)
    refused = CliRunner().invoke(cli, ["report", url])
    assert isinstance(refused.exception, UsageError)
    assert "-o FILE" in str(refused.exception)


@pytest.mark.long(reason="sends the shipped model to a store and fetches it back")
def test_a_model_is_published_and_opened_from_there(
    shelf: StorePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED, folder)
    publishing.publish(folder, shelf)
    assert objects(shelf) == objects(folder)
    found = load_model(str(shelf), {"threads": "1"})
    assert found.info.name == shelf.name
    assert found.info.digest == load_model(str(folder), {"threads": "1"}).info.digest != ""
    copy = publishing.fetched(shelf)
    assert publishing.fetched(str(shelf)) == copy
    assert publishing.fetched(folder) == folder
    publishing.fetch(str(shelf), tmp_path / "run" / "step-00000007")
    assert latest_checkpoint(tmp_path / "run") == tmp_path / "run" / "step-00000007"
    assert objects(tmp_path / "run" / "step-00000007") == objects(folder)
    with pytest.raises(UsageError, match="already"):
        publishing.fetch(shelf, tmp_path / "run" / "step-00000007")
    with pytest.raises(UsageError, match="publish each one separately"):
        publishing.publish(tmp_path / "run", shelf / "run")
    weights = (shelf / "model.safetensors").read_bytes()
    remote.write(shelf / "model.safetensors", weights[:-1] + bytes([weights[-1] ^ 1]))
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(DigestError, match=r"model\.safetensors"):
        load_model(str(shelf))
    assert not copy.exists()
