"""Scripts that need another program than this interpreter: shells, which trace each command, and node.

The trace of a shell is a file that the script itself could write to. It is read within bounds, and
trusted no more than anything else from the process of the script. A redirection (`> file`) is not a
command; the file itself shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from worldline.core.language import LANGUAGES, Feature
from worldline.recording.guests.rehearsal import TRACE
from worldline.recording.languages.toolchain import Toolchain, find
from worldline.recording.rehearsal.events import ScriptEvent

__all__ = ["TRACE", "command_for", "is_shell", "shell_events"]

SHELL = "/usr/bin/bash"
_SHEBANG = re.compile(r"#!\s*\S*?(?:/|\benv\s+)(?:ba|da)?sh\b")
_TRACE_LINE = re.compile(r"\++([^\n]*?):([0-9]{1,9}): ([^\n]*)")
_OWN_WORDS = frozenset({
    ":", ".", "[", "[[", "((", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "compgen",
    "complete", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exit", "export",
    "false", "fc", "fg", "for", "getopts", "hash", "help", "history", "jobs", "let", "local", "logout",
    "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "select", "set",
    "shift", "shopt", "source", "suspend", "test", "times", "trap", "true", "type", "typeset", "ulimit",
    "umask", "unalias", "unset", "wait",
})  # fmt: skip
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=")


def is_shell(name: str, source: str) -> bool:
    """Tell whether a script is a shell script, by its suffix or, without one, its first line."""
    suffix = Path(name).suffix
    return suffix in (".sh", ".bash") or (suffix == "" and _SHEBANG.match(source) is not None)


def command_for(name: str, language: str, source: str) -> tuple[tuple[str, ...], Toolchain | None] | None:
    """Return the command that executes a script, and the toolchain that the sandbox needs for it.

    Returns:
        None for a script that nothing here can execute.
    """
    if is_shell(name, source):
        return ((SHELL, "-x"), None) if Path(SHELL).exists() else None
    lang = LANGUAGES[language]
    if lang.runs_in_interpreter or not lang.offers(Feature.REHEARSE):
        return None
    toolchain = find(language)
    if isinstance(toolchain, str):
        return None
    return (dict(toolchain.executables)[toolchain.kind.commands[0]],), toolchain


def shell_events(trace: bytes) -> Iterator[ScriptEvent]:
    """Decode the commands that a shell started from its own trace."""
    for line in trace.decode("utf-8", "backslashreplace").split("\n"):
        match = _TRACE_LINE.fullmatch(line[:4000])
        if match is None:
            continue
        first = match[3].split(" ")[0]
        if first in _OWN_WORDS or _ASSIGNMENT.match(first):
            continue
        kind = "signal" if first == "kill" else "start"
        yield ScriptEvent(kind=kind, target=match[3][:1000], file=match[1], line=int(match[2]))
