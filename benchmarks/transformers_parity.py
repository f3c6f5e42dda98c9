"""Whether an exported model writes the same bytes under `transformers` as in worldline's engine.

Held-out generated programs are predicted greedily: by the exported folder, alone or in batches padded on the left, and
by the engine in float32 and in int8, without the guide. The last line compares with what users get: int8 with the
guide, which allows only bytes that can stand there. Where two texts differ, the gap between the two likeliest bytes
says how close the choice was.

    python benchmarks/transformers_parity.py --programs 50
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from worldline import export_transformers
from worldline.codec.compact.prompt import MODES, Compact
from worldline.evaluation.suites.generated import load as load_generated
from worldline.predict.models import load_local
from worldline.predict.prediction import PredictionRequest

ENGINES = {
    "engine, float32": {"precision": "fp32", "guide": "false", "guard": "false"},
    "engine, int8": {"guide": "false", "guard": "false"},
    "engine, int8, with the guide": {},
}


@dataclass(frozen=True)
class GeneratedText:
    """Bytes written after a prompt, and the gap between the two likeliest logits at each."""

    text: bytes
    gaps: tuple[float, ...]


def requests(count: int, max_bytes: int) -> list[PredictionRequest]:
    """The first programs of the generated suite, as the shipped model is prediction_requests."""
    options = Compact(**dict.fromkeys(MODES, True))
    return [
        PredictionRequest(program=task.program, options=options, limit=max_bytes)
        for task in islice(load_generated().tasks, count)
    ]


def generate(
    folder: Path, prediction_requests: Sequence[PredictionRequest], *, batch: int, max_bytes: int
) -> list[GeneratedText]:
    """Texts of an exported folder, `batch` at once."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
    texts: list[GeneratedText] = []
    for first in range(0, len(prediction_requests), batch):
        prompts = [request.prompt.decode() for request in prediction_requests[first : first + batch]]
        inputs = tokenizer(prompts, return_tensors="pt", padding=True)
        options = {"max_new_tokens": max_bytes, "return_dict_in_generate": True, "output_logits": True}
        output = model.generate(**inputs, **options)
        ids, logits = output.sequences[:, inputs["input_ids"].shape[1] :], torch.stack(output.logits, 1)
        top = logits.topk(2, -1).values
        for row, gaps in zip(ids, (top[..., 0] - top[..., 1]).tolist(), strict=True):
            text = bytes(row.tolist()).rstrip(b"\0")
            texts.append(GeneratedText(text, tuple(gaps[: len(text)])))
    return texts


def first_difference(text: bytes, other: bytes) -> int:
    """The first byte at which two different texts differ."""
    pairs = zip(text, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(text), len(other)))


def report(exported: Sequence[GeneratedText], texts: Sequence[bytes], name: str) -> None:
    """Print how many texts are the same, and how close the choice was where they part."""
    same = sum(written.text == text for written, text in zip(exported, texts, strict=True))
    print(f"{name}: {same} of {len(texts)} texts the same")
    for number, (written, text) in enumerate(zip(exported, texts, strict=True)):
        if written.text != text:
            at = first_difference(written.text, text)
            gap = f"{written.gaps[at]:.4f}" if at < len(written.gaps) else "at the end"
            print(f"  program {number}: byte {at} of {len(text)}, gap of the two likeliest logits {gap}")


def main() -> None:
    """Export, generate, compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--model", default="default")
    parser.add_argument("--batch", type=int, default=1, help="texts at once")
    parser.add_argument("--max-bytes", type=int, default=2000)
    options: Any = parser.parse_args()
    prediction_requests = requests(options.programs, options.max_bytes)
    with tempfile.TemporaryDirectory() as folder:
        export_transformers(folder, options.model)
        began = time.process_time()
        exported = generate(Path(folder), prediction_requests, batch=options.batch, max_bytes=options.max_bytes)
        seconds = time.process_time() - began
    size = sum(len(written.text) for written in exported)
    print(
        f"{len(exported)} programs, {size:,} bytes, {1000 * seconds / size:.1f} ms of CPU a byte, batch {options.batch}"
    )
    for name, extras in ENGINES.items():
        local = load_local(options.model, extras)
        report(exported, [prediction.text for prediction in local.predict(prediction_requests)], name)


if __name__ == "__main__":
    main()
