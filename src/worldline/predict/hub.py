"""A model of the Hugging Face hub, or a folder in its layout, run here: `hub:NAME`.

One program at a time, by `transformers`, which is an extra; weights are safetensors and code in a repository is never
run. `facebook/cwm` is asked in Meta's format by token ids, others by the compact prompt as plain text; the ways are
those of `servers.ways`. For anything large a server of its own (`server`) is faster.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import fsum
from typing import Any

from worldline.codec.cwm.reader import NAMES
from worldline.codec.names import DEFAULT_NOTATION
from worldline.core.errors import UsageError
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.servers.meta import MetaText
from worldline.predict.servers.named import notation_for, way_named
from worldline.predict.servers.tokens import is_meta, stage, stops
from worldline.predict.servers.ways import (
    CHAT,
    Reply,
    Sampling,
    prediction,
    stop_texts,
)


@dataclass(frozen=True)
class HubVocabulary:
    """A tokenizer of `transformers` that reads no special tokens in text."""

    tokenizer: Any

    def ids(self, text: str, /) -> list[int]:
        """The ids of a text."""
        return list(self.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True))

    def data(self, ids: Sequence[int], /) -> bytes:
        """The bytes that ids stand for."""
        kept = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
        return str(self.tokenizer.decode(list(ids), **kept)).encode("utf-8", "replace")


class Hub:
    """A model and its tokenizer behind the seam."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        way: str,
        sampling: Sampling,
        codec: str = DEFAULT_NOTATION,
    ) -> None:
        self._model, self._tokenizer, self._sampling = model, tokenizer, sampling
        self._vocabulary = HubVocabulary(tokenizer)
        self._way, self._asked = way_named(way, codec, lambda: self._vocabulary), way
        self.capabilities = Capabilities()
        self.info = ModelInfo(name=f"hub:{name}", notation=self._way.codec, config=self._config(name))

    def _config(self, name: str) -> dict[str, Any]:
        """Everything that decides what is asked, for a run to keep."""
        way = self._way
        return {
            "model": name,
            "way": self._asked,
            "codec": way.codec,
            "template": way.template,
        } | asdict(self._sampling)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One prediction for each request, in their order, each as soon as it is there."""
        for request in requests:
            began = time.perf_counter()
            found = self._one(request)
            yield replace(found, seconds=time.perf_counter() - began)

    def _one(self, request: PredictionRequest) -> Prediction:
        if request.limit == len(request.given):
            return Prediction(text=request.given, status="budget", codec=self._way.codec)
        try:
            reply = self._reply(self._ids(request), request)
        except (
            RuntimeError
        ) as error:  # out of memory, a prompt beyond the model's positions: not the model's answer
            why = " ".join(str(error).split())[:200]
            return Prediction(
                text=request.given, status="fault", codec=self._way.codec, note=f"the model failed: {why}"
            )
        return prediction(self._way, request, reply)

    def _ids(self, request: PredictionRequest) -> list[int]:
        if self._asked == "tokens":
            return stage(request.program).ids(self._vocabulary, request.given)
        asked = self._way.question(request, self._sampling)
        if "prompt" in asked:
            begun = (
                {"add_special_tokens": False} if isinstance(self._way, MetaText) else {}
            )  # it begins with one
            return list(self._tokenizer.encode(asked["prompt"], **begun))
        options = {"add_generation_prompt": True, "tokenize": True, "return_dict": False}
        return list(self._tokenizer.apply_chat_template(asked["messages"], **options))

    def _reply(self, ids: list[int], request: PredictionRequest) -> Reply:
        import torch

        most = min(self._sampling.max_tokens, max(request.room, 1))
        heard, warm = _Heard(len(ids)), self._sampling.temperature > 0
        options: dict[str, Any] = {"max_new_tokens": most, "do_sample": warm, "logits_processor": [heard]}
        if warm:
            options["temperature"] = self._sampling.temperature
        if self._asked == "tokens":
            options["eos_token_id"] = stops(request)
        elif self._way.path != CHAT:
            options |= {"stop_strings": self._marks(request), "tokenizer": self._tokenizer}
        given = torch.tensor([ids], device=self._model.device)
        with torch.random.fork_rng(), torch.no_grad():
            torch.manual_seed(self._sampling.seed)
            found = self._model.generate(given, attention_mask=torch.ones_like(given), **options)
        return self._read(request, found[0, len(ids) :].tolist(), most, heard.all(found[0]))

    def _read(
        self, request: PredictionRequest, written: list[int], most: int, logprobs: list[float]
    ) -> Reply:
        """What was written; cut where it fills its budget and ends in no end."""
        ends = set(stops(request)) if self._asked == "tokens" else self._ends()
        ended, logprob = bool(written) and written[-1] in ends, fsum(logprobs)
        if self._asked == "tokens":
            names = (NAMES.get(number, "") for number in written)
            tokens = tuple(zip(names, logprobs, strict=False))
            is_cut = not ended and len(written) >= most
            return Reply("", is_cut, None, tuple(written), logprob, tokens=tokens)
        text = self._vocabulary.data(written[:-1] if ended else written).decode()
        ended = ended or any(mark in text for mark in self._marks(request))
        return Reply(text, not ended and len(written) >= most, None, (), logprob)

    def _marks(self, request: PredictionRequest) -> list[str]:
        """The texts that end a text: those that its question names, or of a conversation the notation's own."""
        usual = stop_texts(request, self._way.codec)
        return list(self._way.question(request, self._sampling).get("stop", usual))

    def _ends(self) -> set[int]:
        found = self._model.generation_config.eos_token_id
        return set(found) if isinstance(found, (list, tuple)) else {found}


class _Heard:
    """Listens to a generation and keeps the log-probability of what was chosen, without keeping all that was not."""

    def __init__(self, prompt: int) -> None:
        self._prompt, self._found, self._last = prompt, list[float](), None

    def __call__(self, ids: Any, scores: Any) -> Any:
        self._add(ids[0])
        self._last = scores[0].float().log_softmax(-1)
        return scores

    def _add(self, ids: Any) -> None:
        if self._last is not None and len(ids) > self._prompt:
            self._found.append(float(self._last[ids[-1]]))
            self._last = None

    def all(self, ids: Any) -> list[float]:
        """Each of them, the last token's with it."""
        self._add(ids)
        return self._found


def load_hub(
    name: str,
    *,
    way: str | None = None,
    device: str = "cpu",
    sampling: Sampling | None = None,
    codec: str | None = None,
) -> Hub:
    """The model of that name, in the way and the notation it was trained for unless others are asked for."""
    try:
        transformers = importlib.import_module("transformers")
        importlib.import_module("torch")
    except ImportError as error:
        raise UsageError(f"hub:{name} needs {error.name}: pip install 'worldline[hub]'") from error
    way = way or ("tokens" if is_meta(name) else "text")
    placed = {"device_map": "auto"} if device == "auto" else {}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            name, dtype="auto", use_safetensors=True, trust_remote_code=False, **placed
        )
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(f"hub:{name}: {' '.join(str(error).split())[:300]}") from error
    model = model.eval() if placed else model.to(device).eval()
    codec = codec or notation_for(name, way)
    return Hub(model, tokenizer, name=name, way=way, sampling=sampling or Sampling(), codec=codec)
