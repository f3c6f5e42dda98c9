"""`python:FILE.py:NAME`: a model of one's own, and what is said where it is none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.predict.forcing.forced import roll
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest

PROGRAM = Program(source="def f(n):\n    n += 1\n    return n\n", call="f(1)")
OTHER = Program(source="def g(s):\n    return s * 2\n", call="g('ab')")
TRUTHS = {codec: Interpreter(codec=codec) for codec in ("compact", "cwm")}


def truth(program: Program, codec: str = "compact") -> bytes:
    """What happens, as text."""
    (found,) = TRUTHS[codec].predict([PredictionRequest(program=program)])
    return found.text


def written(folder: Path, source: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(source, "utf-8")
    return path


def asked(path: Path, name: str, programs: Sequence[Program] = (PROGRAM,), **extras: str) -> list[Prediction]:
    model = load_model(f"python:{path}:{name}", extras)
    return list(model.predict([PredictionRequest(program=program) for program in programs]))


KNOWING = "TEXT = {text!r}\n"

SHAPES = {
    "a function": ("def model(prompt):\n    return TEXT\n", "model"),
    "a function that gives bytes": ("def model(prompt):\n    return TEXT.encode()\n", "model"),
    "a lambda": ("model = lambda prompt: TEXT\n", "model"),
    "a function that takes the ask": (
        "def model(prompt, ask):\n    assert ask.program.call == 'f(1)'\n    return TEXT\n",
        "model",
    ),
    "options with defaults": (
        "def model(prompt, temperature=0.0, **more):\n    assert temperature == 0.0\n    return TEXT\n",
        "model",
    ),
    "a class": ("class Model:\n    def predict(self, prompt):\n        return TEXT\n", "Model"),
    "an object": ("class Model:\n    def predict(self, prompt):\n        return TEXT\nmodel = Model()\n", "model"),
    "an inner name": (
        "class Models:\n    @staticmethod\n    def small(prompt):\n        return TEXT\n",
        "Models.small",
    ),
    "a callable object": (
        "class Model:\n    def __call__(self, prompt):\n        return TEXT\nmodel = Model()\n",
        "model",
    ),
    "the prompt and the text": ("def model(prompt):\n    return prompt + TEXT\n", "model"),
    "more than the end": ("def model(prompt):\n    return TEXT + 'and so on'\n", "model"),
    "the protocol": (
        "from worldline import Prediction\n"
        "class Model:\n    name = 'mine'\n    def predict(self, requests):\n        for request in requests:\n"
        "            yield Prediction(text=TEXT.encode(), status='ended', logprob=-1.0)\n",
        "Model",
    ),
    "a request": (
        "def model(prompt, request=None):\n    assert request.program.call == 'f(1)'\n    return TEXT\n",
        "model",
    ),
    "the protocol by its older names": (
        "from worldline.predict.predictor import Prediction\n"
        "class Model:\n    name = 'mine'\n    def predict(self, asks):\n        for ask in asks:\n"
        "            yield Prediction(text=TEXT.encode(), status='ended', logprob=-1.0)\n",
        "Model",
    ),
    "a prediction": (
        "from worldline.predict.predictor import Prediction\n"
        "def model(prompt):\n    return Prediction(text=TEXT.encode(), status='ended')\n",
        "model",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_a_model_is_asked(shape: str, tmp_path: Path) -> None:
    source, name = SHAPES[shape]
    true = truth(PROGRAM)
    path = written(tmp_path, KNOWING.format(text=true.decode()) + source)
    (found,) = asked(path, name)
    assert (found.text, found.status, found.codec, found.note) == (true, "ended", "compact", "")


def test_the_prompt_is_the_compact_one(tmp_path: Path) -> None:
    path = written(tmp_path, "def model(prompt):\n    raise ValueError(repr(prompt))\n")
    (found,) = asked(path, "model")
    assert repr(PredictionRequest(program=PROGRAM).prompt.decode())[:60] in found.note


@pytest.mark.parametrize("where", ["extra", "function", "module", "class"])
def test_a_model_says_that_it_writes_meta_s_format(where: str, tmp_path: Path) -> None:
    true = truth(PROGRAM, "cwm")
    sources = {
        "extra": "def model(prompt):\n    assert '<|trace_context_start|>' in prompt, prompt\n    return TEXT\n",
        "function": "def model(prompt):\n    return TEXT\nmodel.codec = 'cwm'\n",
        "module": "codec = 'cwm'\ndef model(prompt):\n    return TEXT\n",
        "class": "class model:\n    codec = 'cwm'\n    def predict(self, prompt):\n        return TEXT\n",
    }
    path = written(tmp_path, KNOWING.format(text=true.decode()) + sources[where])
    extras = {"codec": "cwm"} if where == "extra" else {}
    model = load_model(f"python:{path}:model", extras)
    assert model.info.notation == "cwm"
    done = debug(PROGRAM, model, interventions=False)
    assert not done.diverges, done.cause


def test_extras_are_arguments(tmp_path: Path) -> None:
    source = "class Model:\n    def __init__(self, size='1'):\n        self.size = size\n"
    source += "    def predict(self, prompt):\n        return self.size\n"
    path = written(tmp_path, source + "def model(prompt, *, mark='x'):\n    return mark\n")
    assert asked(path, "Model", size="9")[0].text == b"9"
    assert asked(path, "model", mark="y")[0].text == b"y"
    with pytest.raises(UsageError, match=r"Model takes no option 'sise'; it takes size"):
        asked(path, "Model", sise="9")


def test_its_own_folder_can_be_imported_from(tmp_path: Path) -> None:
    written(tmp_path, "TEXT = 'beside'\n", "worldline_test_sibling.py")
    path = written(tmp_path, "from worldline_test_sibling import TEXT\ndef model(prompt):\n    return TEXT\n")
    assert asked(path, "model")[0].text == b"beside"


def test_a_module_is_named_by_its_dots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "def model(prompt):\n    return 'dotted'\n", "worldline_test_dotted.py")
    monkeypatch.syspath_prepend(tmp_path)
    model = load_model("python:worldline_test_dotted:model")
    assert next(iter(model.predict([PredictionRequest(program=PROGRAM)]))).text == b"dotted"
    with pytest.raises(UsageError, match="there is no module worldline_test_nowhere"):
        load_model("python:worldline_test_nowhere:model")


MISTAKES: dict[str, tuple[str, str, str]] = {
    "no such name": ("def one(prompt): ...\nclass Two: ...\n", "three", r"has no 'three'; it defines one, Two"),
    "no name": ("def one(prompt): ...\n", "", r"name a function or class .*:one"),
    "no parameter": ("def model(): ...\n", "model", r"model\(\) must take a prompt"),
    "too many": ("def model(a, b, c): ...\n", "model", r"model\(a, b, c\) must take a prompt"),
    "keywords": ("def model(prompt, *, key): ...\n", "model", r"must take a prompt"),
    "no function": ("model = 3\n", "model", r"an int, .* function .* class"),
    "no predict": ("class Model: ...\n", "Model", r"Model .* `predict`"),
    "needs arguments": (
        "class Model:\n    def __init__(self, path): ...\n    def predict(self, prompt): ...\n",
        "Model",
        r"Model needs path: pass -M path=",
    ),
    "fails when made": (
        "class Model:\n    def __init__(self):\n        raise OSError('no weights')\n",
        "Model",
        r"OSError at mine.py:3: no weights",
    ),
    "fails when imported": ("import sys\n1 / 0\n", "model", r"ZeroDivisionError at mine.py:2: division by zero"),
    "no syntax": ("def model(prompt:\n", "model", r"SyntaxError at mine.py:1"),
    "no such codec": ("def model(prompt): ...\nmodel.codec = 'json'\n", "model", r"compact or cwm, not 'json'"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_what_is_expected(mistake: str, tmp_path: Path) -> None:
    source, name, match = MISTAKES[mistake]
    with pytest.raises(UsageError, match=match) as caught:
        asked(written(tmp_path, source), name)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match=r"there is no file nowhere/mine.py"):
        load_model("python:nowhere/mine.py:model")


FAULTS = {
    "None": ("def model(prompt):\n    return None\n", "model returned None, not text (str, bytes) or a Prediction"),
    "a number": ("def model(prompt):\n    return 3\n", "model returned an int, not text (str, bytes) or a Prediction"),
    "a coroutine": ("async def model(prompt):\n    return ''\n", "model returned a coroutine, not text"),
    "raises": (
        "def model(prompt):\n    return inner()\ndef inner():\n    raise KeyError('weights\\nmore')\n",
        "KeyError at mine.py:4: 'weights\\nmore'",
    ),
    "exits": ("def model(prompt):\n    raise SystemExit('enough')\n", "SystemExit at mine.py:2: enough"),
    "raises elsewhere": (
        "import json\ndef model(prompt):\n    return json.loads('{')\n",
        "JSONDecodeError at mine.py:3: Expecting property name",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_in_a_row_is_that_row_s_fault(fault: str, tmp_path: Path) -> None:
    source, note = FAULTS[fault]
    (found,) = asked(written(tmp_path, source), "model")
    assert found.status == "fault"
    assert note in found.note
    assert "\n" not in found.note


def test_one_row_s_fault_costs_no_other(tmp_path: Path) -> None:
    source = "def model(prompt):\n    if 'def f' in prompt:\n        raise ValueError('f')\n    return 'x'\n"
    first, second, third = asked(written(tmp_path, source), "model", [OTHER, PROGRAM, OTHER])
    assert [each.status for each in (first, second, third)] == ["ended", "fault", "ended"]


PROTOCOL = """from worldline.predict.predictor import Prediction
class Model:
    def predict(self, asks):
        for ask in asks:
            {act}
"""


@pytest.mark.parametrize(
    ("act", "note"),
    [
        ("if ask.program.call == 'f(1)': raise ValueError('no')\n            yield OK", "ValueError at mine.py:5: no"),
        ("yield 3 if ask.program.call == 'f(1)' else OK", "predict gave an int, not a Prediction"),
        ("if ask.program.call == 'f(1)': return\n            yield OK", "predict gave fewer predictions than requests"),
    ],
)  # fmt: skip
def test_a_predictor_s_faults_are_a_row_s_too(act: str, note: str, tmp_path: Path) -> None:
    source = PROTOCOL.format(act=act) + "OK = Prediction(text=b'x', status='ended')\n"
    found = asked(written(tmp_path, source), "Model", [OTHER, PROGRAM, OTHER])
    assert [each.status for each in found] == ["ended", "fault", "ended"]
    assert note in found[1].note


def test_what_it_prints_goes_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "print('loading')\ndef model(prompt):\n    print('asked')\n    return 'x'\n")
    asked(path, "model")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "loading\nasked\n")


def test_the_limit_cuts(tmp_path: Path) -> None:
    path = written(tmp_path, "def model(prompt):\n    return 'x' * 1000\n")
    (found,) = load_model(f"python:{path}:model").predict([PredictionRequest(program=PROGRAM, limit=10)])
    assert (found.text, found.status) == (b"x" * 10, "budget")


def test_a_function_is_forced_as_any_model_of_text(tmp_path: Path) -> None:
    """One that is wrong about the value goes on from the true action."""
    true = truth(PROGRAM)
    wrong = true.replace(b"n=2", b"n=7").decode()
    source = f"WRONG = {wrong!r}\ndef model(prompt, ask):\n    return WRONG[len(ask.given):]\n"
    model = load_model(f"python:{written(tmp_path, source)}:model")
    ask = PredictionRequest(program=PROGRAM)
    (true_run,) = TRUTHS["compact"].predict([ask])
    (rolled,) = roll(model, [ask], [true_run], force="actions")
    assert rolled.prediction.status == "ended"
    assert b"n=7" in rolled.prediction.text
    assert rolled.dictated


def test_a_function_that_writes_meta_s_format_is_forced_too(tmp_path: Path) -> None:
    """It is wrong about a value, and goes on from the true actions, frame by frame."""
    source = """
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
codec = "cwm"
def model(prompt, ask):
    (true,) = Interpreter(codec="cwm").predict([PredictionRequest(program=ask.program)])
    wrong = true.text.replace(b'"n": "2"', b'"n": "7"').replace(b'<|arg_sep|>"2"', b'<|arg_sep|>"7"')
    assert prompt.encode().endswith(ask.given)
    return wrong[len(ask.given):]
"""
    model = load_model(f"python:{written(tmp_path, source)}:model")
    ask = PredictionRequest(program=PROGRAM)
    (true_run,) = TRUTHS["cwm"].predict([ask])
    (rolled,) = roll(model, [ask], [true_run], force="actions")
    assert rolled.prediction.status == "ended", rolled.prediction.note
    assert b'"7"' in rolled.prediction.text
    assert rolled.dictated


def test_a_run_knows_which_file_was_asked(tmp_path: Path) -> None:
    path = written(tmp_path, "def model(prompt):\n    return 'x'\n")
    model: Any = load_model(f"python:{path}:model")
    first = model.info.digest
    written(tmp_path, "def model(prompt):\n    return 'y'\n")
    other: Any = load_model(f"python:{path}:model")
    assert len(first) == len(other.info.digest) == 64
    assert first != other.info.digest
    assert model.info.name == "python:mine.py:model"


def test_a_text_model_answers_questions_too(tmp_path: Path) -> None:
    path = written(tmp_path, "def model(prompt):\n    return prompt.upper()\n")
    model: Any = load_model(f"python:{path}:model")
    (found,) = model.answer(["why"], limit=2)
    assert (found.text, found.status) == (b"WH", "budget")
