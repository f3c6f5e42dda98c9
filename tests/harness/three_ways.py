"""One suite asked of one server three times: by `worldline bench`, by inspect_ai and by lm-eval, each a real one.

What comes of each has one shape: by the sample's id, the text that came back, whether answer and trace are right, and
why not. lm-eval keeps numbers alone, so that it does not say why.

`by_commands.py` does the same as a user types it, which takes longer: lm-eval's command reads thousands of its own
tasks first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.evaluation.harness import samples as harness_samples
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.suites import load
from worldline.predict.models import load_model

Found = dict[str, tuple[str, bool, bool, str | None]]
FOLDER = Path(harness_samples.__file__).with_name("lm_eval_tasks")


@dataclass(frozen=True)
class Asked:
    """What is asked, of whom."""

    url: str
    model: str
    suite: str = "generated"
    count: int = 6
    way: str = "text"
    max_tokens: int = 8192
    options: tuple[tuple[str, Any], ...] = ()


@contextmanager
def served(script: Path, *arguments: str) -> Iterator[str]:
    """A server in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, str(script), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def by_bench(asked: Asked, at: Path) -> Found:
    """What `worldline bench` asks and judges."""
    extras = {"way": asked.way, "max_tokens": str(asked.max_tokens), "concurrency": "1"}
    model = load_model(f"server:{asked.url}#{asked.model}", extras)
    kept: list[Record] = []
    run(load(asked.suite, **dict(asked.options)), model, limit=asked.count, on_record=kept.append)
    return {
        f"{each.at} {each.name}": (
            each.found.text.decode(), each.judged["answer"] == "right", each.judged["trace"] == "right",
            each.judged["cause"],
        )
        for each in kept if each.kind == "asked"
    }  # fmt: skip


def by_inspect(asked: Asked, at: Path) -> Found:
    """The same by inspect_ai, which finds the task by its entry point."""
    from inspect_ai import eval as evaluate

    os.environ |= {"HERE_BASE_URL": f"{asked.url}/v1", "HERE_API_KEY": "none"}
    provider = "openai-api" if asked.way == "chat" else "openai-api-completions"
    told = {"way": asked.way, "count": asked.count, "max_tokens": asked.max_tokens, **dict(asked.options)}
    (log,) = evaluate(
        f"worldline/{asked.suite}", model=f"{provider}/here/{asked.model}", max_connections=1, display="none",
        task_args=told, log_dir=str(at / "logs"),
    )  # fmt: skip
    assert log.status == "success", log.error
    return inspect_samples(json.loads(sample.model_dump_json()) for sample in log.samples or [])


def by_lm_eval(asked: Asked, at: Path) -> Found:
    """The same by lm-eval, which finds the task in the package's folder."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    is_chat = asked.way == "chat"
    path = "chat/completions" if is_chat else "completions"
    told = {"worldline": {"count": asked.count, **dict(asked.options)}}
    task = f"worldline_{asked.suite}"
    results = simple_evaluate(
        model="local-chat-completions" if is_chat else "local-completions",
        model_args={
            "model": asked.model, "base_url": f"{asked.url}/v1/{path}", "tokenizer_backend": None,
            "tokenized_requests": False, "num_concurrent": 1, "max_retries": 1,
        },
        tasks=[task], gen_kwargs={"max_gen_toks": asked.max_tokens}, apply_chat_template=is_chat, log_samples=True,
        task_manager=TaskManager(include_path=str(FOLDER), include_defaults=False, metadata=told), bootstrap_iters=0,
    )  # fmt: skip
    assert results is not None
    return lm_eval_samples(results["samples"][task])


def inspect_samples(samples: Iterable[Mapping[str, Any]]) -> Found:
    """What an inspect log says of its samples."""
    scores = {sample["id"]: sample["scores"]["verdict"] for sample in samples}
    return {
        name: (score["answer"], score["value"]["answer"] == 1, score["value"]["trace"] == 1, score["metadata"]["cause"])
        for name, score in scores.items()
    }


def lm_eval_samples(rows: Iterable[Mapping[str, Any]]) -> Found:
    """What lm-eval logs of its samples."""
    return {row["doc"]["id"]: (row["resps"][0][0], row["answer"] == 1, row["trace"] == 1, None) for row in rows}


def differing(bench: Found, other: Found) -> list[str]:
    """The samples whose verdicts or texts differ. Of texts, `bench` keeps what was judged.

    That is the inside of a fence, with the stop text that a server leaves out, cut at the budget.
    """
    return [
        name
        for name in sorted(bench.keys() | other.keys())
        if name not in bench or name not in other or not _same(bench[name], other[name])
    ]


def _same(bench: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    text, told = bench[0].removesuffix("\n.\n"), other[0]
    return bench[1:3] == other[1:3] and other[3] in (None, bench[3]) and text in told
