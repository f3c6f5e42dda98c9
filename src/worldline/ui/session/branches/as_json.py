"""A branch as JSON, without its rows (`chunk` has those). Lone surrogates are escaped: the JSON is valid UTF-8."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from worldline.codec.notation import notation
from worldline.codec.tokens import Tokenizer
from worldline.core.language import language_of
from worldline.core.program import Program
from worldline.diagnose.branch import WrongBranch
from worldline.diagnose.cause import Cause
from worldline.diagnose.reading import ends_alike, unfinished_as
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.clip import clip
from worldline.ui.session.marks.natives import as_json
from worldline.ui.session.marks.syntax import spans
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.stepping import first_divergence
from worldline.ui.session.stops import runnable_lines


def branch_json(
    branch: Branch, run_diff: RunDiff, root: Branch, tokenizer: Tokenizer | None, *, has_cost: bool = True
) -> dict[str, Any]:
    """Describe a branch; `run_diff` has its actual and its predicted run. Nobody writes a recorded run: no cost."""
    rewritten = branch.ask.program != root.ask.program
    return {
        "id": branch.id,
        "parent": branch.parent,
        "intervention": None if branch.edit is None else branch.edit.as_json(),
        "status": branch.status,
        "note": branch.note,
        "why": branch.why,
        "at": branch.at,
        "program": program_json(branch.ask.program) if rewritten else None,
        "rows": len(run_diff.rows),
        "first": first_divergence(run_diff, branch),
        "answer": _answer(branch, run_diff),
        "cause": None if branch.cause is None else _cause(branch.cause),
        "cost": _cost(branch, tokenizer) if has_cost else None,
        "belief": None if branch.belief is None else asdict(branch.belief),
        **({"wrong": _wrong(branch.wrong)} if branch.wrong is not None else {}),
    }


def program_json(program: Program) -> dict[str, Any]:
    """Describe a program: its texts, their syntax, and the lines that can have a breakpoint; `files` if it has more."""
    return {
        **_file_json(program),
        "call": program.call,
        "argv": list(program.argv),
        "stdin": program.stdin,
        "natives": as_json(program.language),
        "unavailable": dict(program.lang.unavailable),
        **({"files": [_file_json(program, name) for name, _ in program.files]} if program.files else {}),
    }


def _file_json(program: Program, file: str | None = None) -> dict[str, Any]:
    """One file of a program; without a name the main one."""
    name = file or program.name
    source = program.source if file is None else dict(program.files)[file]
    language = program.language if file is None else language_of(file)
    return {
        "name": name,
        "source": source,
        "runnable": runnable_lines(program, file) if language == program.language else (),
        "language": language,
        "syntax": [[[*span] for span in line] for line in spans(plain(source), language)],
    }


def _answer(branch: Branch, run_diff: RunDiff) -> dict[str, Any]:
    """How both runs end, whether alike, and the outcome; None if the actual run does not end."""
    predicted = run_diff.right.reading
    if run_diff.left is None or run_diff.left.reading.answer is None:
        return {"truth": None, "found": predicted.answer, "right": None, "outcome": None}
    truth, printed = run_diff.left.reading, branch.ask.program.call is None
    right = predicted.ended and ends_alike(truth, predicted, printed=printed)
    # In a notation whose ends are read loosely, an end before the first return does not count.
    ended = predicted.ended and (predicted.answer is not None or notation(branch.found.codec).is_canonical)
    unfinished = unfinished_as(predicted.malformed is not None, ended, bool(predicted.events), branch.found)
    outcome = "right" if right else unfinished or "wrong"
    return {"truth": truth.answer, "found": predicted.answer, "right": right, "outcome": outcome}


def _cause(cause: Cause) -> dict[str, str]:
    names = ("name", "detail", "operation", "type", "evidence", "under")
    return {name: getattr(cause, name) for name in names}


def _wrong(wrong: WrongBranch) -> list[str]:
    """A misjudged condition as sentences, with the nearest input for which the model would be right, if known."""
    return [sentence for sentence in (wrong.in_words(clip), wrong.nearest_in_words()) if sentence]


def _cost(branch: Branch, tokenizer: Tokenizer | None) -> dict[str, Any]:
    truth, predicted = branch.truth, branch.found
    return {
        "prompt_bytes": len(branch.ask.prompt),
        "truth_bytes": len(truth.text) if truth else None,
        "found_bytes": len(predicted.text),
        "tokenizer": tokenizer.name if tokenizer else None,
        "prompt_tokens": _tokens(branch.ask.prompt, tokenizer),
        "truth_tokens": _tokens(truth.text if truth else None, tokenizer),
        "found_tokens": _tokens(predicted.text, tokenizer),
        "limit": branch.ask.limit,
        "status": predicted.status,
    }


def _tokens(text: bytes | None, tokenizer: Tokenizer | None) -> int | None:
    if text is None or tokenizer is None:
        return None
    return _counted(text, tokenizer)  # type: ignore[arg-type]  # tokenizers are frozen


@lru_cache(maxsize=64)  # a branch is described again and again while another one is written
def _counted(text: bytes, tokenizer: Tokenizer) -> int:
    return tokenizer.count(text.decode("utf-8", "replace"))


def plain(value: Any) -> Any:
    """Return data with lone surrogates escaped, so that every text is valid UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
