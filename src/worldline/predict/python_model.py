"""A model that is the user's own Python: `python:FILE.py:NAME`.

NAME is a function from a prompt to a text, or a class or object with such a `predict`; one whose `predict` takes
`requests` is adopted as a predictor (`predictor.Predictor`). A model whose `codec` is `cwm` is asked in Meta's format,
spelled out as text. What goes wrong in its code is the fault of that row, told with the line of its file, and costs no
other row; what it prints goes to stderr. Nothing is timed out: who loops for ever is interrupted by hand.
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
from worldline.predict.python_name import NamedObject, failure, named
from worldline.predict.servers.ways import Reply, Text, Tokens, Way, prediction
from worldline.predict.table import context_of

EXPECTED = (
    "a model is a function prompt -> text, or a class or object with `predict(prompt)` or `predict(requests)`"
)
TEXTS = "not text (str, bytes) or a Prediction"
# What a user's parameter is called that takes one request, or several; the shorter name is the older one.
SINGLE = ("request", "ask")
MANY = ("requests", "asks")
_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, kw_only=True, repr=False)
class _Code:
    """What both kinds of model are: code from a file, under a name, in one notation."""

    act: Callable[..., Any]
    label: str
    file: Path | None
    info: ModelInfo

    def __repr__(self) -> str:
        return f"<python:{self.label}, {self.info.notation}>"

    def raised(self, error: BaseException) -> str:
        """What its code raised, and where."""
        return f"python:{self.label} raised {failure(error, self.file)}"

    def fault(self, request: PredictionRequest, note: str) -> Prediction:
        """A row that the user's code failed on."""
        return Prediction(text=request.given, status="fault", codec=self.info.notation, note=note)


@dataclass(frozen=True, kw_only=True, repr=False)
class TextModel(_Code):
    """A function from a prompt to a text; with `takes_request` it is given the PredictionRequest too."""

    takes_request: bool = False

    @property
    def capabilities(self) -> Capabilities:
        """It answers questions in plain words; one that takes a PredictionRequest says so when it is asked."""
        return Capabilities(answers_questions=self)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One prediction for each request, in their order, each as soon as it is there."""
        for request in requests:
            began = time.perf_counter()
            found = (
                self._one(request)
                if request.room
                else Prediction(text=request.given, status="budget", codec=self.info.notation)
            )
            yield replace(found, seconds=time.perf_counter() - began)

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        """One answer to each question in plain words, of at most `limit` bytes."""
        if self.takes_request:
            raise UsageError(
                f"python:{self.label} takes a PredictionRequest: a question in plain words has none"
            )
        for question in questions:
            said = self._said(question)
            if isinstance(said, Prediction):
                yield said
                continue
            data = said.encode("utf-8", "replace")
            status = "budget" if len(data) > limit else "ended" if data else "empty"
            yield Prediction(text=data[:limit], status=status)

    def _one(self, request: PredictionRequest) -> Prediction:
        prompt = self._prompt(request)
        said = self._said(prompt, *((request,) if self.takes_request else ()))
        if isinstance(said, str):
            way: Way = Tokens(_NoVocabulary()) if notation(self.info.notation).special_tokens else Text()
            return prediction(way, request, Reply(said.removeprefix(prompt), cut=False, mark=None))
        if said.status == "fault":
            return replace(said, text=request.given)
        given = said.text if said.text.startswith(request.given) else request.given + said.text
        cut = len(given) > request.limit
        return replace(
            said,
            text=given[: request.limit],
            status="budget" if cut else said.status,
            codec=self.info.notation,
        )

    def _prompt(self, request: PredictionRequest) -> str:
        """What the model reads: the prompt in its notation, and how the steps begin."""
        written = notation(self.info.notation)
        # What is given may be cut inside a character where texts are put together from tokens.
        errors = "surrogatepass" if written.resumes_anywhere else "replace"
        prompt = written.prompt(context_of(request)).decode("utf-8", "surrogatepass")
        return prompt + request.given.decode("utf-8", errors)

    def _said(self, *given: Any) -> str | Prediction:
        """The text that the function gives, or a prediction: its own, or that it failed."""
        try:
            with redirect_stdout(sys.stderr):
                found = self.act(*given)
        except WorldlineError:
            raise
        except (Exception, SystemExit) as error:
            return Prediction(text=b"", status="fault", codec=self.info.notation, note=self.raised(error))
        if isinstance(found, bytes | bytearray):
            return found.decode("utf-8", "replace")
        if isinstance(found, str | Prediction):
            return found
        if inspect.iscoroutine(found):
            found.close()
        note = f"python:{self.label} returned {_kind(found)}, {TEXTS}"
        return Prediction(text=b"", status="fault", codec=self.info.notation, note=note)


@dataclass(frozen=True, kw_only=True, repr=False)
class RequestModel(_Code):
    """A predictor of the user's: its `predict` takes requests and gives predictions."""

    @property
    def capabilities(self) -> Capabilities:
        """None besides `predict`."""
        return Capabilities()

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One prediction for each request; behind one that failed it is asked anew for those that are left."""
        answers: Iterator[Any] | None = None
        for at, request in enumerate(requests):
            try:
                with redirect_stdout(sys.stderr):
                    answers = iter(self.act(requests[at:])) if answers is None else answers
                    found = next(answers, None)
            except WorldlineError:
                raise
            except (Exception, SystemExit) as error:
                found, answers = self.fault(request, self.raised(error)), None
            if not isinstance(found, Prediction):
                missing = (
                    "fewer predictions than requests"
                    if found is None
                    else f"{_kind(found)}, not a Prediction"
                )
                found, answers = self.fault(request, f"python:{self.label}: predict gave {missing}"), None
            yield found


@dataclass(frozen=True)
class AdoptedPredictor:
    """An object of the user's with a `name` and a `predict(requests)`, as a predictor that declares what it is."""

    model: Any

    @cached_property
    def info(self) -> ModelInfo:
        """What the object says of itself: its `info`, or its name and perhaps `codec`, `digest` and `config`."""
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
        """It answers questions in plain words where it has an `answer`."""
        is_answerer = callable(getattr(self.model, "answer", None))
        return Capabilities(answers_questions=self.model if is_answerer else None)

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """What the object predicts."""
        predictions: Iterator[Prediction] = self.model.predict(requests)
        return predictions


class _NoVocabulary:
    """Meta's format as text alone: there are no ids to cut it into."""

    def ids(self, text: str, /) -> list[int]:
        raise UsageError("a model that is given text has no token ids")

    def data(self, ids: Sequence[int], /) -> bytes:
        raise UsageError("a model that is given text has no token ids")


def load_python(scheme: str, extras: Mapping[str, str]) -> Predictor:
    """The model that FILE.py:NAME is. Extras are arguments of the class or the function; `codec` is its notation."""
    return _loaded(named(scheme), extras)


def adopted(model: Any, extras: Mapping[str, str] | None = None) -> Predictor:
    """The model that a function, class or object is; a whole predictor is one as it stands."""
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
    return _loaded(
        NamedObject(model, ModuleType("nowhere"), Path(file) if file else None, label), extras or {}, label
    )


def _declares_info(model: Any) -> bool:
    return isinstance(getattr(model, "info", None), ModelInfo)


def _takes_requests(model: Any) -> bool:
    places = [each for each in _parameters(getattr(model, "predict", None)) if each.kind in _PLACED]
    return bool(places) and places[0].name in MANY


def _loaded(found: NamedObject, extras: Mapping[str, str], where: str = "") -> Predictor:
    given = {key: text for key, text in extras.items() if key != "codec"}
    where = where or f"python:{found.label}"
    model = _made(found, where, given)
    act, extra = getattr(model, "predict", None), extras.get("codec")
    act = act if callable(act) else model
    if not callable(act):
        raise UsageError(f"{where} is {_kind(model)}, without a `predict`: {EXPECTED}")
    codec = extra or next(
        (each.codec for each in (model, found.value, found.module) if hasattr(each, "codec")),
        DEFAULT_NOTATION,
    )
    if codec not in NOTATIONS:
        raise UsageError(f"{where} writes {' or '.join(NOTATIONS)}, not {codec!r}")
    name = getattr(model, "name", None)
    file = str(found.file or "")
    info = ModelInfo(
        name=name if isinstance(name, str) and name else where,
        digest=found.digest,
        notation=codec,
        config={"model": found.label, "file": file, "codec": codec, "sha256": found.digest},
    )
    common: dict[str, Any] = {"act": act, "label": found.label, "file": found.file, "info": info}
    places = _places(act, where)
    if _takes_requests(model):
        return RequestModel(**common)
    takes_request = len(places) > 1 and (
        places[1].default is inspect.Parameter.empty or places[1].name in SINGLE
    )
    return TextModel(**common, takes_request=takes_request)


def _made(found: NamedObject, where: str, given: Mapping[str, str]) -> Any:
    """The model: of a class one object, of a function itself, each with the extras that it takes."""
    value = found.value
    if not isinstance(value, type) and not inspect.isroutine(value):
        if given:
            raise UsageError(f"{where} is an object already and takes no extra {next(iter(given))!r}")
        return value
    takes_first = not isinstance(value, type)  # the prompt, which is no extra
    known = [
        each for each in _parameters(value)[takes_first:] if each.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    names = [each.name for each in known if each.kind is not inspect.Parameter.VAR_KEYWORD]
    if len(names) == len(known):
        for key in given:
            if key not in names:
                raise UsageError(
                    f"{where} takes no extra {key!r}; it takes {', '.join(_extras(names, value)) or 'none'}"
                )
    if takes_first:
        return partial(value, **given) if given else value
    needed = [each.name for each in known if each.default is inspect.Parameter.empty and each.name in names]
    missing = [name for name in needed if name not in given]
    if missing:
        raise UsageError(f"{where} needs {', '.join(missing)}: say -M {missing[0]}=...")
    try:
        with redirect_stdout(sys.stderr):
            return value(**given)
    except WorldlineError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{where} could not be made: {failure(error, found.file)}") from error


def _extras(names: Sequence[str], value: Any) -> list[str]:
    """Those names that can be given: a function's `request` is given by us."""
    return [name for name in names if isinstance(value, type) or name not in SINGLE]


def _places(act: Callable[..., Any], where: str) -> list[inspect.Parameter]:
    """The parameters that are given by place: a prompt, and perhaps a PredictionRequest."""
    parameters = _parameters(act)
    places = [each for each in parameters if each.kind in _PLACED]
    empty = inspect.Parameter.empty
    needed = [each for each in places if each.default is empty]
    keywords = [
        each for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY and each.default is empty
    ]
    takes_any = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    if keywords or len(needed) > 2 or not (places or takes_any):
        shown = ", ".join(map(str, parameters))
        raise UsageError(
            f"{where}({shown}) must take a prompt, and perhaps a PredictionRequest behind it, and nothing else"
        )
    return places


def _parameters(act: Any) -> list[inspect.Parameter]:
    if not callable(act):
        return []
    try:
        return list(inspect.signature(act).parameters.values())
    except (TypeError, ValueError):  # some built-in functions do not say
        return [inspect.Parameter("prompt", inspect.Parameter.POSITIONAL_ONLY)]


def _kind(value: Any) -> str:
    """What something is, with its article."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
