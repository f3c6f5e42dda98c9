"""An exported model under `transformers`: the same logits as the readable engine, the same texts as the fast one."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from nets import random_bytes, random_trunk
from test_checkpoint import write

from worldline import export_transformers, load_model
from worldline.codec.compact.prompt import Compact, prompt
from worldline.core.program import Program
from worldline.model import checkpoint
from worldline.model.engine.reference import ReferenceEngine
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, dequantize
from worldline.predict.prediction import PredictionRequest

HAVE = importlib.util.find_spec("transformers") is not None
pytestmark = [
    pytest.mark.skipif(not HAVE, reason="the extra hub is not installed: pip install 'worldline[hub]'"),
    pytest.mark.long(reason="imports transformers, and decodes with torch byte by byte"),
]

# Several windows long: keys of the trace are dropped on the way.
PROMPT, TRACE = b"1|x = 1\n2|y = x\n>\n", random_bytes(90, seed=3)
SHAPES = (Shape(depth=3, window=16, stack=4), Shape(depth=4, window=16, householders=2, mix="recurrence"))
OPTIONS = Compact(assigned=True, conditions=True)
PROGRAMS = (
    Program(source="def f(n):\n    m = n * 3\n    return m\n", call="f(7)"),
    Program(
        source="def g(s):\n    out = ''\n    for c in s:\n        out = c + out\n    return out\n", call="g('abc')"
    ),
    Program(source="def h(a, b):\n    a, b = b, a\n    if a > b:\n        a -= b\n    return a\n", call="h(2, 9)"),
)
# Two engines that round differently may part where two bytes are nearly as likely.
CLOSE_LOGITS = 0.5

# Loads the folder where worldline cannot be imported, and prints what it generates as JSON.
ALONE = """
import json, sys
sys.modules["worldline"] = None
import torch
torch.set_num_threads(1)
from transformers import AutoModelForCausalLM, AutoTokenizer
folder, prompts = sys.argv[1], json.loads(sys.argv[2])
model = AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True).eval()
tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
inputs = tokenizer(prompts, return_tensors="pt", padding=True)
output = model.generate(**inputs, return_dict_in_generate=True, output_logits=True, max_new_tokens=600)
new = output.sequences[:, inputs["input_ids"].shape[1] :]
top = torch.stack(output.logits, 1).topk(2, -1).values
texts = tokenizer.batch_decode(new, skip_special_tokens=True)
print(json.dumps([texts, (top[..., 0] - top[..., 1]).tolist()]))
"""


@pytest.fixture(autouse=True)
def _own_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the copies of remote code out of the home folder, and the network out of the test."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    dynamic = pytest.importorskip("transformers.dynamic_module_utils")
    monkeypatch.setattr(dynamic, "HF_MODULES_CACHE", str(tmp_path / "modules"))


def load(folder: Path) -> Any:
    """The model of an exported folder."""
    import transformers

    return transformers.AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True).eval()


@pytest.fixture(params=SHAPES, ids=lambda shape: shape.mix)
def both(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, ReferenceEngine]:
    """A random net under transformers, and in the readable engine with the same rounded weights."""
    write(tmp_path / "model", random_trunk(request.param))
    export_transformers(tmp_path / "folder", tmp_path / "model")
    content = checkpoint.export_content(tmp_path / "model")
    return load(tmp_path / "folder"), ReferenceEngine(content.shape, dequantize(content.weights))


def engine_logits(engine: ReferenceEngine, prompt_bytes: bytes, trace: bytes) -> FloatArray:
    state = engine.start()
    return np.concatenate([engine.feed_all(state, prompt_bytes, pin=True), engine.feed_all(state, trace, pin=False)])


def test_logits_are_those_of_the_readable_engine(both: tuple[Any, ReferenceEngine]) -> None:
    model, engine = both
    with torch.no_grad():
        logits = model(torch.tensor([list(PROMPT + TRACE)])).logits[0].numpy()
    np.testing.assert_allclose(logits, engine_logits(engine, PROMPT, TRACE), atol=2e-4)


def test_a_cache_changes_nothing(both: tuple[Any, ReferenceEngine]) -> None:
    model, engine = both
    expected = engine_logits(engine, PROMPT, TRACE)
    cache, ids, at = None, torch.tensor([list(PROMPT + TRACE)]), 0
    with torch.no_grad():
        for size in (5, len(PROMPT) - 4, 1, 1, 30, 1, 40, 1):
            output = model(ids[:, at : at + size], past_key_values=cache, use_cache=True)
            cache, at = output.past_key_values, at + size
            np.testing.assert_allclose(output.logits[0, -1].numpy(), expected[at - 1], atol=2e-4)
    assert cache.get_seq_length() == at
    assert cache.key_position.shape[1] < at


def test_padding_on_the_left_changes_nothing(both: tuple[Any, ReferenceEngine]) -> None:
    model, engine = both
    texts = [PROMPT + TRACE, PROMPT + TRACE[:20], b">f()\n" + TRACE[:70]]
    width = max(map(len, texts))
    ids = torch.tensor([[0] * (width - len(text)) + list(text) for text in texts])
    mask = torch.tensor([[0] * (width - len(text)) + [1] * len(text) for text in texts])
    with torch.no_grad():
        logits = model(ids, attention_mask=mask).logits.numpy()
    for row, text in zip(logits, texts, strict=True):
        end = text.index(b">")
        end = text.index(b"\n", end) + 1
        np.testing.assert_allclose(row[-len(text) :], engine_logits(engine, text[:end], text[end:]), atol=2e-4)
    with pytest.raises(ValueError, match="pad texts on the left"):
        model(ids.flip(1), attention_mask=mask.flip(1))
    with pytest.raises(ValueError, match="pass input_ids"):
        model(inputs_embeds=torch.zeros(1, 2, model.config.hidden_size))


def test_generate_chooses_the_likeliest_bytes_and_ends_after_the_dot(both: tuple[Any, ReferenceEngine]) -> None:
    model, engine = both
    state, written = engine.start(), b""
    logits = engine.feed(state, PROMPT, pin=True)
    for _ in range(40):
        written += bytes([int(logits.argmax())])
        logits = engine.feed(state, written[-1:], pin=False)
    ids = torch.tensor([list(PROMPT)])
    output = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=40)
    assert bytes(output[0, len(PROMPT) :].tolist()) == written
    ended = torch.tensor([list(PROMPT + b"1\n.")])
    with torch.no_grad():
        # A head that always says newline.
        model.lm_head.weight.zero_()
        model.lm_head.bias = torch.nn.Parameter(torch.eye(256)[ord("\n")])
    output = model.generate(ended, attention_mask=torch.ones_like(ended), max_new_tokens=9)
    assert bytes(output[0].tolist()) == PROMPT + b"1\n.\n"


def test_it_can_be_trained_further(both: tuple[Any, ReferenceEngine]) -> None:
    model, _ = both
    ids = torch.tensor([list(PROMPT + TRACE)])
    loss = model.train()(ids, labels=ids).loss
    loss.backward()
    assert loss.item() > 0
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in model.parameters())


def test_the_shipped_model_writes_what_the_engine_writes_where_worldline_is_missing(tmp_path: Path) -> None:
    export_transformers(tmp_path / "folder")
    requests = [PredictionRequest(program=program, options=OPTIONS, limit=600) for program in PROGRAMS]
    prompts = [prompt(program, OPTIONS).decode() for program in PROGRAMS]
    command = [sys.executable, "-c", ALONE, str(tmp_path / "folder"), json.dumps(prompts)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    texts, gaps = json.loads(done.stdout)
    for extras in ({"precision": "fp32"}, {}):
        engine = load_model("default", {"guide": "false", "guard": "false", **extras})
        for prediction, text, gap in zip(engine.predict(requests), texts, gaps, strict=True):
            assert is_same_or_close(text.encode(), prediction.text, gap), (text, prediction.text)


def is_same_or_close(text: bytes, other: bytes, gaps: list[float]) -> bool:
    """Whether two texts are the same, or part at two bytes that are nearly as likely."""
    if text == other:
        return True
    at = next(n for n in range(len(text) + 1) if text[n : n + 1] != other[n : n + 1])
    return gaps[at] < CLOSE_LOGITS
