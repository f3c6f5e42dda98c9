"""Commands of the debug console, for what the protocol has no request for."""

from __future__ import annotations

from collections.abc import Callable

from worldline.core.errors import UsageError
from worldline.ui.dap.session import DapSession
from worldline.ui.session.branches.branch import HOWS, Branch, BranchEdit
from worldline.ui.session.sentences import cause_in_words

COMMANDS = {
    "help": "list the commands",
    "branches": "list the branches; * marks the current one",
    "branch": "`:branch N` shows another branch",
    "budget": "`:budget BYTES` lets a model continue that reached its byte limit",
    "rewrite": f"`:rewrite {'|'.join(HOWS)}` rewrites the program and predicts the result",
    "step": "`:step N` goes to the position before step N",
    "why": "show the cause of the first divergence; `why NAME` shows the operations that led to a value",
}


def command(
    session: DapSession, line: str, *, done: Callable[[str], None], refused: Callable[[str], None]
) -> str | None:
    """Execute `:word argument`; return the result, or None if `done` or `refused` is called later."""
    word, _, argument = line.removeprefix(":").strip().partition(" ")
    argument = argument.strip()
    session.require_stopped()
    if word in ("budget", "rewrite"):
        _edit(session, word, argument, done, refused)
        return None
    match word:
        case "help":
            return "\n".join(f":{name}  {meaning}" for name, meaning in COMMANDS.items())
        case "branches":
            return "\n".join(_branch(session, branch) for branch in session.branches)
        case "why":
            cause = session.current.cause
            return cause_in_words(cause) if cause else session.current.why or "not known yet"
        case "branch":
            if _number(argument) >= len(session.branches):
                raise UsageError(f"there is no branch {argument}: `:branches` lists them")
            return f"branch {argument}"
        case "step":
            _number(argument)
            return f"step {argument}"
    names = ", ".join(f":{name}" for name in COMMANDS)
    raise UsageError(f"unknown command :{word[:40]}; the commands are {names}")


def follow(session: DapSession, line: str) -> None:
    """Move after the response, if the command says so."""
    word, _, argument = line.removeprefix(":").strip().partition(" ")
    if word == "branch":
        session.switch(_number(argument.strip()))
    elif word == "step":
        session.jump(_number(argument.strip()), f"step {argument.strip()}")


def _edit(
    session: DapSession, word: str, argument: str, done: Callable[[str], None], refused: Callable[[str], None]
) -> None:
    is_budget = word == "budget"
    edit = BranchEdit(kind=word, limit=_number(argument) if is_budget else None, how=None if is_budget else argument)
    text = f"{word} {argument}"
    session.apply_edit(edit, text=text, done=lambda: done(text), refused=refused)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UsageError(f"a number is needed, not {text[:40]!r}")
    return int(text)


def _branch(session: DapSession, branch: Branch) -> str:
    mark = "*" if branch.id == session.branch else " "
    fields = {} if branch.edit is None else branch.edit.as_json()
    edit = ", ".join(f"{key} {value}" for key, value in fields.items()) or "as predicted"
    parent = "" if branch.parent is None else f" from {branch.parent} at step {branch.at}"
    return f"{mark} {branch.id}{parent}: {edit}; {branch.status}"
