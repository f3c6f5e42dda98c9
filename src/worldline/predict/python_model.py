"""Models that are the user's own Python code: `python:FILE.py:NAME`.

NAME is a function from a prompt to a text, or a class or object with such a `predict`. If its `predict` takes
`requests`, it is used as a predictor. A model with `codec = "cwm"` gets prompts in Meta's format, as text. An
exception in its code is a fault of that one prediction, reported with the line of the file. What it prints goes to
stderr. There is no timeout.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from worldline.codec.names import DEFAULT_NOTATION, NOTATIONS
from worldline.codec.notation import notation
from worldline.core.errors import UsageError, WorldlineError
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor
from worldline.predict.python_name import NamedObject, describe_error, find_object
from worldline.predict.servers.prompt_styles import PromptStyle, Reply, Text, Tokens, prediction
from worldline.predict.table import context_of

EXPECTED_MODEL = (
    "a model is a function prompt -> text, or a class or object with `predict(prompt)` or `predict(requests)`"
)
NOT_TEXT = "not text (str, bytes) or a Prediction"
# Names of parameters that take one request, or several. The shorter names are the older ones.
REQUEST_NAMES = ("request", "ask")
REQUESTS_NAMES = ("requests", "asks")
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, kw_only=True, repr=False)
class _UserCode:
    """What both kinds of model share: user code with a label, its file and the model info."""

    function: Callable[..., Any]
    label: str
    file: Path | None
    info: ModelInfo

    def __repr__(self) -> str:
        return f"<python:{self.label}, {self.info.notation}>"

    def raised(self, error: BaseException) -> str:
        """Describe an exception of the code."""
        return f"python:{self.label} raised {describe_error(error, self.file)}"

    def fault(self, request: PredictionRequest, note: str) -> Prediction:
        """Return the prediction of a request on which the code failed."""
        return Prediction(text=request.given, status="fault", codec=self.info.notation, note=note)


@dataclass(frozen=True, kw_only=True, repr=False)
class TextModel(_UserCode):
    """A function from a prompt to a text; with `takes_request` it also gets the request."""

    takes_request: bool = False

    @property
    def capabilities(self) -> Capabilities:
        """Answers; `answer` refuses if the function takes a request."""
        return Capabilities(answers_questions=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, in order, each as soon as it is ready."""
        for request in requests:
            began = time.perf_counter()
            prediction = (
                self._predict(request)
                if request.max_new_bytes
                else Prediction(text=request.given, status="budget", codec=self.info.notation)
            )
            yield replace(prediction, seconds=time.perf_counter() - began)

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        """Answer each question in plain words, in at most `limit` bytes."""
        if self.takes_request:
            raise UsageError(f"python:{self.label} takes a PredictionRequest, but a question in plain words has none")
        for question in questions:
            reply = self._call(question)
            if isinstance(reply, Prediction):
                yield reply
                continue
            data = reply.encode("utf-8", "replace")
            status = "budget" if len(data) > limit else "ended" if data else "empty"
            yield Prediction(text=data[:limit], status=status)

    def _predict(self, request: PredictionRequest) -> Prediction:
        prompt = self._prompt(request)
        reply = self._call(prompt, *((request,) if self.takes_request else ()))
        if isinstance(reply, str):
            style: PromptStyle = Tokens(_NoVocabulary()) if notation(self.info.notation).special_tokens else Text()
            return prediction(style, request, Reply(reply.removeprefix(prompt), cut=False, mark=None))
        if reply.status == "fault":
            return replace(reply, text=request.given)
        text = reply.text if reply.text.startswith(request.given) else request.given + reply.text
        cut = len(text) > request.limit
        return replace(
            reply, text=text[: request.limit], status="budget" if cut else reply.status, codec=self.info.notation
        )

    def _prompt(self, request: PredictionRequest) -> str:
        """Return the prompt in the model's notation, with the given steps."""
        written = notation(self.info.notation)
        # Texts of tokens may be cut inside a character.
        errors = "surrogatepass" if written.resumes_anywhere else "replace"
        prompt = written.prompt(context_of(request)).decode("utf-8", "surrogatepass")
        return prompt + request.given.decode("utf-8", errors)

    def _call(self, *arguments: Any) -> str | Prediction:
        """Call the function and return its text, its prediction or a fault."""
        try:
            with redirect_stdout(sys.stderr):
                reply = self.function(*arguments)
        except WorldlineError:
            raise
        except (Exception, SystemExit) as error:
            return Prediction(text=b"", status="fault", codec=self.info.notation, note=self.raised(error))
        if isinstance(reply, bytes | bytearray):
            return reply.decode("utf-8", "replace")
        if isinstance(reply, str | Prediction):
            return reply
        if inspect.iscoroutine(reply):
            reply.close()
        note = f"python:{self.label} returned {_kind(reply)}, {NOT_TEXT}"
        return Prediction(text=b"", status="fault", codec=self.info.notation, note=note)


@dataclass(frozen=True, kw_only=True, repr=False)
class RequestModel(_UserCode):
    """A user's predictor: its `predict` takes requests and returns predictions."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request; after a fault, call `predict` again for the remaining ones."""
        predictions: Iterator[Any] | None = None
        for at, request in enumerate(requests):
            try:
                with redirect_stdout(sys.stderr):
                    predictions = iter(self.function(requests[at:])) if predictions is None else predictions
                    prediction = next(predictions, None)
            except WorldlineError:
                raise
            except (Exception, SystemExit) as error:
                prediction, predictions = self.fault(request, self.raised(error)), None
            if not isinstance(prediction, Prediction):
                missing = (
                    "fewer predictions than requests"
                    if prediction is None
                    else f"{_kind(prediction)}, not a Prediction"
                )
                prediction, predictions = (self.fault(request, f"python:{self.label}: predict gave {missing}"), None)
            yield prediction


@dataclass(frozen=True)
class AdoptedPredictor:
    """Wraps a user's object that has a `name` and a `predict(requests)`."""

    model: Any

    @cached_property
    def info(self) -> ModelInfo:
        """The object's `info`, or its `name` and optionally `codec`, `digest` and `config`."""
        if _declares_info(self.model):
            info: ModelInfo = self.model.info
            return info
        return ModelInfo(
            name=self.model.name,
            digest=str(getattr(self.model, "digest", "")),
            notation=str(getattr(self.model, "codec", DEFAULT_NOTATION)),
            config=dict(getattr(self.model, "config", {})),
        )

    @property
    def capabilities(self) -> Capabilities:
        """Answers, if the object has an `answer`."""
        is_answerer = callable(getattr(self.model, "answer", None))
        return Capabilities(answers_questions=self.model if is_answerer else None)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Return the object's predictions."""
        predictions: Iterator[Prediction] = self.model.predict(requests)
        return predictions


class _NoVocabulary:
    """Meta's format as text alone, without token ids."""

    def ids(self, text: str, /) -> list[int]:
        raise UsageError("a model that reads text has no token ids")

    def data(self, ids: Sequence[int], /) -> bytes:
        raise UsageError("a model that reads text has no token ids")


def load_python(scheme: str, extras: Mapping[str, str]) -> Predictor:
    """Load the model that `FILE.py:NAME` names; `extras` are arguments of the class or function, and `codec`."""
    return _build(find_object(scheme), extras)


def adopt_model(model: Any, extras: Mapping[str, str] | None = None) -> Predictor:
    """Turn a function, class or object into a predictor; a predictor is returned unchanged."""
    is_object = not isinstance(model, type)
    if is_object and _declares_info(model) and isinstance(getattr(model, "capabilities", None), Capabilities):
        predictor: Predictor = model
        return predictor
    has_name = _declares_info(model) or isinstance(getattr(model, "name", None), str)
    if is_object and has_name and _takes_requests(model):
        return AdoptedPredictor(model)
    module = sys.modules.get(getattr(model, "__module__", None) or "", sys)
    label = getattr(model, "__qualname__", type(model).__qualname__)
    file = getattr(module, "__file__", None)
    return _build(NamedObject(model, ModuleType("nowhere"), Path(file) if file else None, label), extras or {}, label)


def _declares_info(model: Any) -> bool:
    return isinstance(getattr(model, "info", None), ModelInfo)


def _takes_requests(model: Any) -> bool:
    parameters = _parameters(getattr(model, "predict", None))
    places = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    return bool(places) and places[0].name in REQUESTS_NAMES


def _build(source: NamedObject, extras: Mapping[str, str], where: str = "") -> Predictor:
    arguments = {key: text for key, text in extras.items() if key != "codec"}
    where = where or f"python:{source.label}"
    model = _create_model(source, where, arguments)
    function, extra = getattr(model, "predict", None), extras.get("codec")
    function = function if callable(function) else model
    if not callable(function):
        raise UsageError(f"{where} is {_kind(model)}, without a `predict`: {EXPECTED_MODEL}")
    codec = extra or next(
        (holder.codec for holder in (model, source.value, source.module) if hasattr(holder, "codec")), DEFAULT_NOTATION
    )
    if codec not in NOTATIONS:
        raise UsageError(f"{where}: codec must be {' or '.join(NOTATIONS)}, not {codec!r}")
    name = getattr(model, "name", None)
    file = str(source.file or "")
    info = ModelInfo(
        name=name if isinstance(name, str) and name else where,
        digest=source.digest,
        notation=codec,
        config={"model": source.label, "file": file, "codec": codec, "sha256": source.digest},
    )
    common: dict[str, Any] = {"function": function, "label": source.label, "file": source.file, "info": info}
    places = _places(function, where)
    if _takes_requests(model):
        return RequestModel(**common)
    takes_request = len(places) > 1 and (
        places[1].default is inspect.Parameter.empty or places[1].name in REQUEST_NAMES
    )
    return TextModel(**common, takes_request=takes_request)


def _create_model(source: NamedObject, where: str, arguments: Mapping[str, str]) -> Any:
    """Instantiate a class, or bind arguments to a function."""
    value = source.value
    if not isinstance(value, type) and not inspect.isroutine(value):
        if arguments:
            raise UsageError(f"{where} is an object and takes no option {next(iter(arguments))!r}")
        return value
    takes_first = not isinstance(value, type)  # the first parameter of a function is the prompt
    known = [
        parameter
        for parameter in _parameters(value)[takes_first:]
        if parameter.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    names = [parameter.name for parameter in known if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
    if len(names) == len(known):
        for key in arguments:
            if key not in names:
                raise UsageError(
                    f"{where} takes no option {key!r}; it takes {', '.join(_option_names(names, value)) or 'none'}"
                )
    if takes_first:
        return partial(value, **arguments) if arguments else value
    needed = [
        parameter.name
        for parameter in known
        if parameter.default is inspect.Parameter.empty and parameter.name in names
    ]
    missing = [name for name in needed if name not in arguments]
    if missing:
        raise UsageError(f"{where} needs {', '.join(missing)}: pass -M {missing[0]}=...")
    try:
        with redirect_stdout(sys.stderr):
            return value(**arguments)
    except WorldlineError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{where} could not be created: {describe_error(error, source.file)}") from error


def _option_names(names: Sequence[str], value: Any) -> list[str]:
    """Return the names that the user can set. A function's `request` is not one of them."""
    return [name for name in names if isinstance(value, type) or name not in REQUEST_NAMES]


def _places(function: Callable[..., Any], where: str) -> list[inspect.Parameter]:
    """Return the positional parameters: a prompt, and optionally a PredictionRequest."""
    parameters = _parameters(function)
    places = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    empty = inspect.Parameter.empty
    needed = [parameter for parameter in places if parameter.default is empty]
    keywords = [
        parameter
        for parameter in parameters
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and parameter.default is empty
    ]
    takes_any = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters)
    if keywords or len(needed) > 2 or not (places or takes_any):
        shown = ", ".join(map(str, parameters))
        raise UsageError(f"{where}({shown}) must take a prompt and optionally a PredictionRequest, and nothing else")
    return places


def _parameters(function: Any) -> list[inspect.Parameter]:
    if not callable(function):
        return []
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some built-in functions have no signature
        return [inspect.Parameter("prompt", inspect.Parameter.POSITIONAL_ONLY)]


def _kind(value: Any) -> str:
    """Return the type of a value, with an article."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
