"""The load and the counters of a batch in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Mapping

from worldline.ui.serve.batch import EngineBatch
from worldline.ui.serve.completion import BROKEN, LATE, LEFT, LENGTH, STOP

METRICS_TYPE = "text/plain; version=0.0.4"


def metrics_text(batch: EngineBatch) -> str:
    """Return the metrics of a batch."""
    load, counts = batch.load(), batch.counts()
    states = {"writing": load.writing, "reading": load.reading, "waiting": load.waiting}
    ended = {reason: counts.ended.get(reason, 0) for reason in (STOP, LENGTH, LEFT, LATE, BROKEN)}
    return "".join(
        [
            _labelled("worldline_texts", "gauge", "Texts in progress.", "state", states),
            _labelled("worldline_texts_ended_total", "counter", "Texts that have ended.", "reason", ended),
            _plain("worldline_prompt_bytes_read_total", "counter", "Bytes of prompts read.", counts.read_bytes),
            _plain("worldline_prompt_bytes_cached_total", "counter", "Bytes not read again.", counts.reused_bytes),
            _plain("worldline_cache_bytes", "gauge", "Memory of cached states.", counts.cached_bytes),
        ]
    )


def _head(name: str, kind: str, help: str) -> str:
    return f"# HELP {name} {help}\n# TYPE {name} {kind}\n"


def _plain(name: str, kind: str, help: str, value: int) -> str:
    return _head(name, kind, help) + f"{name} {value}\n"


def _labelled(name: str, kind: str, help: str, label: str, values: Mapping[str, int]) -> str:
    rows = (f'{name}{{{label}="{key}"}} {value}\n' for key, value in values.items())
    return _head(name, kind, help) + "".join(rows)
