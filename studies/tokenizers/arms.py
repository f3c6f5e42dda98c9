"""Train and measure the models of the tokenizer study, one after another. Needs only torch and tiktoken.

Same layers with the same first weights, same documents a step in the same order, same optimizer and schedule; nothing
but the tokens differs. `bpe-compute` is `bpe` for as many tokens as `bytes` saw: several times the documents' epochs.
"""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from cut import Cut, cut, epochs, packed, plan, row_length, tensors, until
from judging import Found, differences, measure, summary

from worldline.data.frames import DocumentPair, parse_frames
from worldline.model.hybrid import Trunk
from worldline.model.shape import Shape
from worldline.model.train import loss as train_loss
from worldline.model.train.feed import to_device
from worldline.model.train.optimize import LearningRates, Optimizer, clip_gradients
from worldline.model.train.schedule import rate_factor
from worldline.storage import files

ARMS = {"bytes": "bytes", "bpe": "bpe", "llama3": "llama3", "bpe-compute": "bpe"}  # its tokenizer
WARMUP, COOLDOWN, LOG = 50, 0.4, 100
MORE = 4  # bpe-compute plans for as many times the steps: no token is longer than that on average


@dataclass(frozen=True, kw_only=True)
class Options:
    """Settings shared by all models of a study."""

    depth: int = 5
    rows: int = 16
    time: int = 4096  # bytes a row
    epochs: float = 2.0
    minutes: float = 1.0  # at most, for each model, compilation aside
    seed: int = 0
    documents: int = 0  # only the first so many; 0: all
    held_out: int = 0
    device: str = "cuda"

    @property
    def shape(self) -> Shape:
        """Shape of the trunk. The window holds any whole document, so no tokenizer sees further than another."""
        return Shape(depth=self.depth, window=self.time)


@dataclass(frozen=True)
class Corpus:
    """What `prepare` left: training documents first, those held out behind them, and the spans of the latter."""

    folder: Path
    train: list[DocumentPair]
    test: list[DocumentPair]
    spans: list[list[list[Any]]]


def read_corpus(folder: Path, options: Options) -> Corpus:
    """Load the corpus, or its first documents."""
    train, test = (parse_frames(lzma.decompress((folder / name).read_bytes())) for name in ("train.xz", "test.xz"))
    spans = json.loads(lzma.decompress((folder / "spans.json.xz").read_bytes()))
    most, held = options.documents or len(train), options.held_out or len(test)
    return Corpus(folder, train[:most], test[:held], spans[:held])


def study(folder: Path, options: Options, arms: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Train and measure every arm; yield the results so far after each."""
    corpus = read_corpus(folder, options)
    sizes = {"rows": options.rows, "time": options.time}
    once = plan(corpus.train, **sizes, steps=0, seed=options.seed)
    steps = max(1, round(options.epochs * len(once)))
    longest = steps * (MORE if "bpe-compute" in arms else 1)
    batches = plan(corpus.train, **sizes, steps=longest, seed=options.seed)
    held = plan(corpus.test, **sizes, steps=0, seed=options.seed)
    results: dict[str, Any] = {}
    facts = {"options": asdict(options), "corpus": _facts(corpus), "machine": _machine(options), "arms": results}
    measured: dict[str, Found] = {}
    cuts: dict[str, Cut] = {}
    for arm in arms:
        name = ARMS[arm]
        if name not in cuts:
            cuts[name] = cut(name, folder, [*corpus.train, *corpus.test])
        enough = _seen(corpus, batches[:steps])
        wanted = until(batches, cuts[name].sizes, enough) if arm == "bpe-compute" else steps
        results[arm], measured[arm] = _arm(arm, cuts[name], corpus, batches, wanted, held, options)
        if arm == "bytes":
            steps = results[arm]["steps"]  # if time ran out, the others see no more than it did
        if "bytes" in measured and arm != "bytes":
            results[arm]["less bytes"] = differences(corpus.spans, measured["bytes"], measured[arm], seed=0)
        print(json.dumps({arm: {k: v for k, v in results[arm].items() if k != "wrong"}}), flush=True)
        yield facts


def _seen(corpus: Corpus, batches: Sequence[Sequence[int]]) -> int:
    return sum(len(corpus.train[n][0]) + len(corpus.train[n][1]) for batch in batches for n in batch)


def _facts(corpus: Corpus) -> dict[str, Any]:
    texts = {"train": corpus.train, "held_out": corpus.test}
    sizes = {name: sum(len(a) + len(b) for a, b in pairs) for name, pairs in texts.items()}
    facts = json.loads((corpus.folder / "facts.json").read_bytes())
    counts = {name: len(pairs) for name, pairs in texts.items()}
    return {"documents": counts, "bytes": sizes, "values": sum(map(len, corpus.spans)), "prepared": facts}


def _machine(options: Options) -> str:
    name = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    return f"{name}, torch {torch.__version__}"


def _arm(
    arm: str,
    tokenized: Cut,
    corpus: Corpus,
    batches: list[list[int]],
    steps: int,
    held: list[list[int]],
    options: Options,
) -> tuple[dict[str, Any], Found]:
    first = len(corpus.train)
    every = [*batches, *([first + n for n in batch] for batch in held)]
    time = options.time if arm == "bytes" else row_length(every, tokenized.sizes, rows=options.rows)
    print(f"{arm}: {len(tokenized.pieces):,} tokens, {steps:,} steps of {options.rows} x {time}", flush=True)
    model = initial(options, len(tokenized.pieces))
    done, seconds = train(model, tokenized, batches[:steps], time, options)
    begun = monotonic()
    measured = measure(
        model, tokenized, first, corpus.spans, held, rows=options.rows, time=time, device=torch.device(options.device)
    )
    whole = sum(weight.numel() for weight in model.parameters())
    trunk = sum(weight.numel() for weight in model.layers.parameters())
    facts: dict[str, Any] = {
        "tokenizer": tokenized.name,
        "vocabulary": len(tokenized.pieces),
        "row": time,
        "steps": done,
        "cut": done < steps,
        "parameters": {"layers": trunk, "all": whole},
        "seconds": seconds,
        "measured in": monotonic() - begun,
        **epochs(tokenized.sizes, first, batches[:done]),
        "bytes": _seen(corpus, batches[:done]),
    }
    known, tested = (
        np.concatenate([ids for pair in part for ids in pair])
        for part in (tokenized.documents[:first], tokenized.documents[first:])
    )
    facts["tokens only held out"] = len(np.setdiff1d(tested, known))
    return facts | summary(corpus.spans, measured, sum(len(steps) for _, steps in corpus.test)), measured


def initial(options: Options, vocabulary: int) -> Trunk:
    """Create a model whose layers start equal, whatever its vocabulary."""
    with torch.random.fork_rng():
        torch.manual_seed(options.seed)
        layers = Trunk(replace(options.shape, vocabulary=1)).layers.state_dict()
        model = Trunk(replace(options.shape, vocabulary=vocabulary))
    model.layers.load_state_dict(layers)
    model.to(options.device)
    if options.device == "cuda":
        train_loss.compile_layers(model)
    return model


def train(model: Trunk, tokenized: Cut, batches: list[list[int]], time: int, options: Options) -> tuple[int, float]:
    """Train on batches; return their number and the seconds. If time runs out, the rates fall sooner."""
    rates, sizes, device = LearningRates(), tokenized.sizes, torch.device(options.device)
    optimizer, cuda = Optimizer(model, rates), options.device == "cuda"
    begun, step, progress = monotonic(), 0, 0.0
    while step < len(batches) and progress < 1:
        places = packed(batches[step], sizes, rows=options.rows, time=time)
        assert places is not None  # the rows were measured for these batches
        inputs = to_device(tensors(tokenized, places, rows=options.rows, time=time, pinned=cuda), device)
        model.zero_grad(set_to_none=True)
        loss = train_loss.loss_sum(model, inputs) / inputs.data.numel()
        loss.backward()  # type: ignore[no-untyped-call]
        share = inputs.weight.sum() / inputs.data.numel()
        gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
        clip_gradients(gradients, 1 / share, rates.clip)
        optimizer.step(rate_factor(progress, step, warmup=WARMUP, cooldown=COOLDOWN))
        step += 1
        if step % LOG == 0 or step in (3, len(batches)):
            bits = float(loss.detach() / share) / math.log(2)  # waits for the GPU, so that the clock is right
            print(f"  step {step:5d}  {monotonic() - begun:6.1f} s  {bits:.4f} bits a token", flush=True)
            if not math.isfinite(bits):
                raise SystemExit(f"{tokenized.name}: the loss is no number at step {step}")
        if step == 3:
            begun = monotonic()  # the steps before compiled
        progress = max(step / len(batches), (monotonic() - begun) / (60 * options.minutes))
    return step, monotonic() - begun


def run(folder: Path, out: Path, options: Options, arms: Sequence[str]) -> None:
    """Run the whole study and write `out`/tokenizers.json."""
    files.make_directory(out)
    for results in study(folder, options, arms):
        files.write(out / "tokenizers.json", json.dumps(results, indent=1).encode())
