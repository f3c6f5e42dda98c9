"""Commands of the debug console, for what the protocol has no request for: branches, budgets, rewriting, why, jumps."""

from __future__ import annotations

from collections.abc import Callable

from worldline.core.errors import UsageError
from worldline.ui.dap.session import DapSession
from worldline.ui.session.branches.branch import HOWS, Branch, BranchEdit
from worldline.ui.session.sentences import cause_in_words

COMMANDS = {
    "help": "these commands",
    "branches": "every branch, the current one marked",
    "branch": "`:branch N` looks at another branch",
    "budget": "`:budget BYTES` lets a model that was cut go on",
    "rewrite": f"`:rewrite {'|'.join(HOWS)}` rewrites the program and imagines that",
    "step": "`:step N` goes before step N",
    "why": "the cause of the first divergence",
}


def command(
    session: DapSession, line: str, *, done: Callable[[str], None], refused: Callable[[str], None]
) -> str | None:
    """Carries out `:word argument`; what is to be said, None when `done` or `refused` will be told later."""
    word, _, argument = line.removeprefix(":").strip().partition(" ")
    argument = argument.strip()
    session.require_stopped()
    if word in ("budget", "rewrite"):
        _intervene(session, word, argument, done, refused)
        return None
    match word:
        case "help":
            return "\n".join(f":{name}  {told}" for name, told in COMMANDS.items())
        case "branches":
            return "\n".join(_branch(session, branch) for branch in session.session.branches)
        case "why":
            cause = session.here.cause
            return cause_in_words(cause) if cause else session.here.why or "it is not known yet"
        case "branch":
            session.session.branch(_number(argument))
            return f"branch {argument}"
        case "step":
            _number(argument)
            return f"step {argument}"
    raise UsageError(f"no command :{word[:40]}; there are {', '.join(f':{name}' for name in COMMANDS)}")


def follow(session: DapSession, line: str) -> None:
    """What a command that was answered does then: it moves."""
    word, _, argument = line.removeprefix(":").strip().partition(" ")
    if word == "branch":
        session.switch(_number(argument.strip()))
    elif word == "step":
        session.jump(_number(argument.strip()), f"step {argument.strip()}")


def _intervene(
    session: DapSession, word: str, argument: str, done: Callable[[str], None], refused: Callable[[str], None]
) -> None:
    asked = (
        BranchEdit(kind="budget", limit=_number(argument))
        if word == "budget"
        else BranchEdit(kind="rewrite", how=argument)
    )
    text = f"{word} {argument}"
    session.intervene(asked, text=text, done=lambda: done(text), refused=refused)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UsageError(f"a number is wanted, not {text[:40]!r}")
    return int(text)


def _branch(session: DapSession, branch: Branch) -> str:
    mark = "*" if branch.id == session.branch else " "
    made = branch.edit
    said = (
        "as imagined"
        if made is None
        else ", ".join(f"{key} {value}" for key, value in made.as_json().items())
    )
    parent = "" if branch.parent is None else f" from {branch.parent} at step {branch.at}"
    return f"{mark} {branch.id}{parent}: {said}; {branch.status}"
