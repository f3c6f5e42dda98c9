"""Other proposers of fixes: a model on a server, prompted in plain English, and a function of the user.

Their answers are untrusted text: they are parsed here, and executed in the sandbox like every candidate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from worldline.analyze.rewrite.names import FunctionNode
from worldline.core.errors import UsageError
from worldline.core.language import all_lines
from worldline.plan.repair.candidate import PROPOSED_KIND, Defect, Proposer, RepairCandidate, changed_lines
from worldline.plan.repair.edits.parsed import ParsedSource
from worldline.predict.models import load_model
from worldline.predict.predictor import AnswersQuestions
from worldline.predict.python_name import describe_error, find_object

MAX_ANSWER_TOKENS = 8_192  # also the most characters that a candidate adds
MAX_FIXES = 8  # requested from a model
_LINE = re.compile(r"^\s*(?:[-*]\s*)?LINE\s+([1-9][0-9]{0,6})\s*:[ \t]?(.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_BLOCK = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
QUESTION = files(__package__).joinpath("propose.txt").read_text("utf-8")


def load_proposer(scheme: str, extras: Mapping[str, str] | None = None) -> Proposer:
    """Load a proposer: `server:URL#MODEL` or `python:FILE.py:NAME`."""
    if scheme.startswith("python:"):
        if extras:
            raise UsageError("--propose-option does not apply to a python: proposer")
        loaded = find_object(scheme.removeprefix("python:"))
        if not callable(loaded.value):
            raise UsageError(f"{scheme} is not a function that takes a Defect and returns changed sources")
        return OwnProposer(loaded.label, loaded.value, loaded.file)
    if not scheme.startswith("server:"):
        raise UsageError(f"a proposer is server:URL#MODEL or python:FILE.py:NAME, not {scheme!r}")
    model = load_model(scheme, extras)
    answerer = model.capabilities.answers_questions
    if answerer is None:
        raise UsageError(f"{scheme} answers no questions")
    return AskedProposer(model.info.name, answerer)


@dataclass(frozen=True)
class AskedProposer:
    """Asks a model for fixes in plain English."""

    name: str
    model: AnswersQuestions

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        """Propose the fixes in the model's answer; UsageError if the model fails."""
        (answer,) = self.model.answer([write_question(defect)], limit=MAX_ANSWER_TOKENS)
        if answer.status == "fault":
            raise UsageError(f"{self.name} proposes nothing: {answer.note}")
        for source in read_sources(answer.text.decode("utf-8", "replace"), defect):
            yield proposed_candidate(defect, source, self.name)


@dataclass(frozen=True)
class OwnProposer:
    """A function of the user: takes a Defect, returns changed sources or candidates."""

    name: str
    act: Callable[[Defect], Iterable[Any]]
    file: Any = None

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        """Propose what the function returns."""
        try:
            proposals = list(self.act(defect))
        except Exception as error:
            raise UsageError(f"{self.name} failed: {describe_error(error, self.file)}") from error
        for proposal in proposals:
            if isinstance(proposal, RepairCandidate):
                yield proposal
            elif isinstance(proposal, str):
                yield proposed_candidate(defect, proposal, self.name)
            else:
                raise UsageError(f"{self.name} must return changed sources as text, not {type(proposal).__name__}")


def proposed_candidate(defect: Defect, source: str, by: str) -> RepairCandidate:
    """Wrap a changed source as a candidate of another proposer."""
    return RepairCandidate(source=source, kind=PROPOSED_KIND, lines=changed_lines(defect.source, source), by=by)


def write_question(defect: Defect) -> str:
    """Write the question for a model."""
    lines = all_lines(defect.source)
    numbered = "\n".join(f"{number:4}  {line}" for number, line in enumerate(lines, 1))
    return QUESTION.format(
        source=numbered, failing=defect.failing, expected=defect.expected, found=defect.found, most=MAX_FIXES
    )


def read_sources(text: str, defect: Defect) -> Iterator[str]:
    """Yield the changed sources in an answer: replaced lines, and whole programs or functions."""
    blocks = [block.group(1) for block in _BLOCK.finditer(text)]
    for number, line in _LINE.findall(text):
        source = replace_line(defect.source, int(number), line)
        if source is not None:
            yield source
    for block in blocks:
        if not _LINE.search(block):
            yield from _replace_functions(defect.source, block)


def replace_line(source: str, number: int, text: str) -> str | None:
    """Return a source with one line replaced; a line without indentation takes the old one."""
    code = ParsedSource(source)
    if number > len(code.lines):
        return None
    old = code.lines[number - 1]
    indent = old[: len(old) - len(old.lstrip())]
    new = text if text[:1].isspace() else indent + text
    start = code.line_start(number)
    return source[:start] + new + source[start + len(old) :]


def _replace_functions(source: str, block: str) -> Iterator[str]:
    """Replace functions by those of the same name in a block; nothing else is used."""
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
    if is_changed and len(merged) <= len(source) + MAX_ANSWER_TOKENS:
        yield merged
