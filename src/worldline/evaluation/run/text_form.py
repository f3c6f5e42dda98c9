"""What an output that holds no step of a trace looks like: prose, Markdown, JSON, a bare answer, code, another format.

A chat model that was asked in a way it does not understand answers with such a text. Nothing is evaluated: values are
parsed by the grammar of canonical values, code by Python's own parser.
"""

from __future__ import annotations

import ast
import re
import shlex
import warnings

from worldline.codec.cwm.text import SPECIAL
from worldline.core.external_json import parse_external_json
from worldline.core.malformed import Malformed
from worldline.core.value import canonical

NOTHING, PROSE, MARKDOWN, JSON = "nothing", "prose", "Markdown", "JSON"
ANSWER, CODE, META, COMPACT, OTHER = "a bare answer", "code", "Meta's format", "the compact format", "another text"
MAX_CHARACTERS = 20_000  # of a text that is looked at
MIN_WORDS = 3  # of prose
ASKED = ("server:", "hub:")  # models that are asked in one of several ways
WAYS = {
    "chat": "`-M way=chat` (by chat, one worked example in the compact format)",
    "fewshot-chat": "`-M way=fewshot-chat` (by chat, two worked examples; an `[ANSWER]` is read as well)",
    "fewshot": "`-M way=fewshot` (by completions, two worked examples)",
    "text": "`-M way=text` (by completions, for a model trained on traces)",
}
BETTER_WAYS = {
    "chat": ("fewshot-chat", "fewshot", "text"),
    "metachat": ("fewshot-chat", "fewshot", "text"),
    "fewshotchat": ("chat", "fewshot", "text"),
    "text": ("chat", "fewshot-chat"),
    "metatext": ("chat", "fewshot-chat"),
    "fewshot": ("fewshot-chat", "chat"),
    "tokens": ("fewshot-chat", "chat"),
}
"""The ways to try, by the prompt style that did not work."""
_ANSWER = re.compile(r"\A\s*(?:\[ANSWER\].*|assert\b[^\n]*==[^\n]*)\Z", re.DOTALL)
_MARKDOWN = re.compile(r"^(?:```|#{1,6} |\s*[-*] \S|\s*\d+\. \S|\|.*\|)|\*\*\S[^*\n]*\*\*", re.MULTILINE)
_STEPS = re.compile(r"\(\d+(?: \w+=[^\n]*)?\n(?:\d+|[ )(:!*~<$])")  # two steps of compact text
_WORD = re.compile(r"[^\W\d_]{2,}")
_CODE = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.For, ast.While, ast.If)


def form_of(data: bytes) -> str:
    """Return what a text looks like that is not a trace in the notation that was asked for."""
    text = data.decode("utf-8", "replace")[:MAX_CHARACTERS].strip()
    if not text:
        return NOTHING
    if SPECIAL.search(text):
        return META
    if _is_json(text):
        return JSON
    if _is_answer(text):
        return ANSWER
    if _STEPS.match(text):
        return COMPACT
    if _is_code(text):
        return CODE
    if _MARKDOWN.search(text):
        return MARKDOWN
    return PROSE if len(_WORD.findall(text)) >= MIN_WORDS else OTHER


def _is_answer(text: str) -> bool:
    return bool(_ANSWER.match(text)) or not isinstance(canonical(text), Malformed)


def _is_json(text: str) -> bool:
    """Whether a text is an object or a list of objects; other JSON is a value that a program may return."""
    try:
        value = parse_external_json(text)
    except ValueError:
        return False
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


def _is_code(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return any(isinstance(node, _CODE) for node in ast.parse(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def is_checkpoint(model: str, *, is_scored: bool) -> bool:
    """Whether outputs come from a checkpoint of worldline, which is asked in the one format it was trained on."""
    return ":" not in model and not is_scored


def advise(form: str, *, model: str, way: str = "", is_scored: bool = False) -> str:
    """Return what to change, with the options that do it, if most outputs look like this.

    Args:
        form: What `form_of` returned for most outputs.
        model: The name of the model.
        way: How a server was asked, by the name of its prompt style.
        is_scored: Whether the outputs come from a file.
    """
    if is_scored:
        return (
            "`--field text=NAME` names the field with the trace, `--field answer=NAME` one with the answer alone; "
            "docs/reference/format.md shows both formats"
        )
    if form == META and way in ("", "chat", "text"):
        return "the model writes Meta's format: pass `-M codec=cwm`"
    if not model.startswith(ASKED):
        return "the text must be the trace alone, as docs/how-to/your-model.md shows (`worldline encode` prints one)"
    *ways, last = (WAYS[name] for name in BETTER_WAYS.get(way, ("fewshot-chat", "chat", "text")))
    budget = "`-M max_tokens=N` (for a model whose reasoning was cut), " if form == NOTHING else ""
    return f"{budget}{', '.join(ways)} or {last}; `worldline check {shlex.quote(model)}` tries them all"
