"""Who else proposes fixes: a model behind a server, asked in plain words, and a function of the user's own.

What they say is text of unknown origin: it is parsed here, run in the box like every candidate, and never trusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.language import all_lines
from worldline.plan.repair.candidate import FOREIGN, Defect, Proposer, RepairCandidate, changed_lines
from worldline.plan.repair.edits.parsed import FunctionNode, ParsedSource
from worldline.predict.models import load_model
from worldline.predict.predictor import AnswersQuestions
from worldline.predict.python_name import failure, named

LONGEST = 8_192  # tokens of an answer, and bytes of a candidate's growth
MOST = 8  # fixes that are asked for
_LINE = re.compile(
    r"^\s*(?:[-*]\s*)?LINE\s+([1-9][0-9]{0,6})\s*:[ \t]?(.*?)\s*$", re.IGNORECASE | re.MULTILINE
)
_BLOCK = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
QUESTION = files(__package__).joinpath("propose.txt").read_text("utf-8")


def load_proposer(scheme: str, extras: Mapping[str, str] | None = None) -> Proposer:
    """`server:URL#MODEL`, or `python:FILE.py:NAME`."""
    if scheme.startswith("python:"):
        if extras:
            raise UsageError("a proposer of your own takes no --propose-option")
        loaded = named(scheme.removeprefix("python:"))
        if not callable(loaded.value):
            raise UsageError(f"{scheme} is no function: it takes a Defect and gives changed sources")
        return OwnProposer(loaded.label, loaded.value, loaded.file)
    if not scheme.startswith("server:"):
        raise UsageError(f"who proposes is server:URL#MODEL or python:FILE.py:NAME, not {scheme!r}")
    model = load_model(scheme, extras)
    answerer = model.capabilities.answers_questions
    if answerer is None:
        raise UsageError(f"{scheme} answers no questions")
    return AskedProposer(model.info.name, answerer)


@dataclass(frozen=True)
class AskedProposer:
    """A model that is asked for fixes in plain words."""

    name: str
    model: AnswersQuestions

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        """What it answers, as far as that is fixes; UsageError where it cannot be asked."""
        (answer,) = self.model.answer([question(defect)], limit=LONGEST)
        if answer.status == "fault":
            raise UsageError(f"{self.name} proposes nothing: {answer.note}")
        for source in read(answer.text.decode("utf-8", "replace"), defect):
            yield foreign(defect, source, self.name)


@dataclass(frozen=True)
class OwnProposer:
    """A function of the user's: a Defect in, changed sources or candidates out."""

    name: str
    act: Callable[[Defect], Iterable[Any]]
    file: Any = None

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        """What it gives."""
        try:
            proposals = list(self.act(defect))
        except Exception as error:
            raise UsageError(f"{self.name} failed: {failure(error, self.file)}") from error
        for proposal in proposals:
            if isinstance(proposal, RepairCandidate):
                yield proposal
            elif isinstance(proposal, str):
                yield foreign(defect, proposal, self.name)
            else:
                raise UsageError(f"{self.name} gives changed sources as text, not {type(proposal).__name__}")


def foreign(defect: Defect, source: str, by: str) -> RepairCandidate:
    """A changed source as a candidate of somebody else's."""
    return RepairCandidate(source=source, kind=FOREIGN, lines=changed_lines(defect.source, source), by=by)


def question(defect: Defect) -> str:
    """What a model is asked."""
    lines = all_lines(defect.source)
    numbered = "\n".join(f"{number:4}  {line}" for number, line in enumerate(lines, 1))
    return QUESTION.format(
        source=numbered, failing=defect.failing, expected=defect.expected, found=defect.found, most=MOST
    )


def read(text: str, defect: Defect) -> Iterator[str]:
    """The changed sources in an answer: lines that are replaced, and whole programs or functions."""
    blocks = [block.group(1) for block in _BLOCK.finditer(text)]
    for number, line in _LINE.findall(text):
        source = with_line(defect.source, int(number), line)
        if source is not None:
            yield source
    for block in blocks:
        if not _LINE.search(block):
            yield from _merged(defect.source, block)


def with_line(source: str, number: int, text: str) -> str | None:
    """A source with one line replaced; its indentation is the old one's where the new one has none."""
    code = ParsedSource(source)
    if number > len(code.lines):
        return None
    old = code.lines[number - 1]
    indent = old[: len(old) - len(old.lstrip())]
    new = text if text[:1].isspace() else indent + text
    start = code.line_start(number)
    return source[:start] + new + source[start + len(old) :]


def _merged(source: str, block: str) -> Iterator[str]:
    """The functions that a block defines put in the place of those of the same names; nothing else is taken."""
    try:
        new, old = ParsedSource(block), ParsedSource(source)
    except UsageError:
        return
    theirs = {node.name: node for node in new.tree.body if isinstance(node, FunctionNode)}
    merged, is_changed = source, False
    for node in reversed(old.tree.body):
        if isinstance(node, FunctionNode) and node.name in theirs:
            start, end = old.span(node)
            text = new.text(theirs[node.name])
            is_changed = is_changed or text != source[start:end]
            merged = merged[:start] + text + merged[end:]
    if is_changed and len(merged) <= len(source) + LONGEST:
        yield merged
