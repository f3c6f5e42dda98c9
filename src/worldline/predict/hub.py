"""A model of the Hugging Face hub, or a folder in its layout, run by `transformers`: `hub:NAME`.

It predicts one program at a time; for large models a server (`server:`) is faster. Weights must be safetensors, and
code in a repository is never executed. By default `facebook/cwm` reads token ids in Meta's format, and other models
read the compact prompt as plain text (`servers.registry`).
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
from worldline.predict.servers.prompt_styles import CHAT, Reply, Sampling, prediction, stop_texts
from worldline.predict.servers.registry import default_way, notation_for, prompt_style
from worldline.predict.servers.tokens import stage, stops


@dataclass(frozen=True)
class HubVocabulary:
    """A `transformers` tokenizer that does not parse special tokens in text."""

    tokenizer: Any

    def ids(self, text: str, /) -> list[int]:
        """Return the ids of a text."""
        return list(self.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True))

    def data(self, ids: Sequence[int], /) -> bytes:
        """Return the bytes of a sequence of ids."""
        options = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
        return str(self.tokenizer.decode(list(ids), **options)).encode("utf-8", "replace")


class Hub:
    """Predicts with a `transformers` model and its tokenizer."""

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, way: str, sampling: Sampling, codec: str = DEFAULT_NOTATION
    ) -> None:
        self._model, self._tokenizer, self._sampling = model, tokenizer, sampling
        self._vocabulary = HubVocabulary(tokenizer)
        self._style, self._style_name = prompt_style(way, codec, lambda: self._vocabulary), way
        self.capabilities = Capabilities(samples=True)
        config = {"way": way, "codec": self._style.codec, "template": self._style.template, **asdict(sampling)}
        self.info = ModelInfo(name=f"hub:{name}", notation=self._style.codec, config={"model": name, **config})

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, in order, each as soon as it is ready."""
        for request in requests:
            began = time.perf_counter()
            prediction = self._predict(request)
            yield replace(prediction, seconds=time.perf_counter() - began)

    def _predict(self, request: PredictionRequest) -> Prediction:
        if request.limit == len(request.given):
            return Prediction(text=request.given, status="budget", codec=self._style.codec)
        try:
            reply = self._reply(self._ids(request), request)
        except RuntimeError as error:  # such as out of memory, or a prompt longer than the context
            why = " ".join(str(error).split())[:200]
            return Prediction(
                text=request.given, status="fault", codec=self._style.codec, note=f"the model failed: {why}"
            )
        return prediction(self._style, request, reply)

    def _ids(self, request: PredictionRequest) -> list[int]:
        if self._style_name == "tokens":
            return stage(request.program).ids(self._vocabulary, request.given)
        question = self._style.question(request, self._sampling)
        if "prompt" in question:
            # A prompt in Meta's format starts with its own special token.
            options = {"add_special_tokens": False} if isinstance(self._style, MetaText) else {}
            return list(self._tokenizer.encode(question["prompt"], **options))
        options = {"add_generation_prompt": True, "tokenize": True, "return_dict": False}
        return list(self._tokenizer.apply_chat_template(question["messages"], **options))

    def _reply(self, ids: list[int], request: PredictionRequest) -> Reply:
        import torch

        sampling = self._sampling.decoded(request.decoding)
        max_tokens = min(sampling.max_tokens, max(request.max_new_bytes, 1))
        recorder, is_sampling = _LogprobRecorder(len(ids)), sampling.temperature > 0
        options: dict[str, Any] = {
            "max_new_tokens": max_tokens,
            "do_sample": is_sampling,
            "logits_processor": [recorder],
        }
        if is_sampling:
            options["temperature"] = sampling.temperature
        if self._style_name == "tokens":
            options["eos_token_id"] = stops(request)
        elif self._style.path != CHAT:
            options |= {"stop_strings": self._marks(request), "tokenizer": self._tokenizer}
        prompt = torch.tensor([ids], device=self._model.device)
        with torch.random.fork_rng(), torch.no_grad():
            torch.manual_seed(sampling.seed)
            output = self._model.generate(prompt, attention_mask=torch.ones_like(prompt), **options)
        return self._read(request, output[0, len(ids) :].tolist(), max_tokens, recorder.all(output[0]))

    def _read(self, request: PredictionRequest, written: list[int], max_tokens: int, logprobs: list[float]) -> Reply:
        """Convert generated ids into a reply; it is cut if it fills its budget without an end token."""
        ends = set(stops(request)) if self._style_name == "tokens" else self._ends()
        ended, logprob = bool(written) and written[-1] in ends, fsum(logprobs)
        if self._style_name == "tokens":
            names = (NAMES.get(number, "") for number in written)
            tokens = tuple(zip(names, logprobs, strict=False))
            is_cut = not ended and len(written) >= max_tokens
            return Reply("", is_cut, None, tuple(written), logprob, tokens=tokens)
        text = self._vocabulary.data(written[:-1] if ended else written).decode()
        ended = ended or any(mark in text for mark in self._marks(request))
        return Reply(text, not ended and len(written) >= max_tokens, None, (), logprob)

    def _marks(self, request: PredictionRequest) -> list[str]:
        """Return the texts that end a prediction: the question's, or by default the notation's."""
        default = stop_texts(request, self._style.codec)
        return list(self._style.question(request, self._sampling).get("stop", default))

    def _ends(self) -> set[int]:
        ids = self._model.generation_config.eos_token_id
        return set(ids) if isinstance(ids, (list, tuple)) else {ids}


class _LogprobRecorder:
    """A logits processor that records the log-probability of each chosen token."""

    def __init__(self, prompt: int) -> None:
        self._prompt, self._logprobs, self._last = prompt, list[float](), None

    def __call__(self, ids: Any, scores: Any) -> Any:
        self._add(ids[0])
        self._last = scores[0].float().log_softmax(-1)
        return scores

    def _add(self, ids: Any) -> None:
        if self._last is not None and len(ids) > self._prompt:
            self._logprobs.append(float(self._last[ids[-1]]))
            self._last = None

    def all(self, ids: Any) -> list[float]:
        """Return all of them, including that of the last token."""
        self._add(ids)
        return self._logprobs


def load_hub(
    name: str,
    *,
    way: str | None = None,
    device: str = "cpu",
    sampling: Sampling | None = None,
    codec: str | None = None,
) -> Hub:
    """Load a model, by default with the prompt style and notation it was trained for; `device` may be `auto`."""
    try:
        transformers = importlib.import_module("transformers")
        importlib.import_module("torch")
    except ImportError as error:
        raise UsageError(f"hub:{name} needs {error.name}: pip install 'worldline[hub]'") from error
    way = way or default_way(name, converses=False)
    placement = {"device_map": "auto"} if device == "auto" else {}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            name, dtype="auto", use_safetensors=True, trust_remote_code=False, **placement
        )
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(f"hub:{name}: {' '.join(str(error).split())[:300]}") from error
    model = model.eval() if placement else model.to(device).eval()
    codec = codec or notation_for(name, way)
    return Hub(model, tokenizer, name=name, way=way, sampling=sampling or Sampling(), codec=codec)
