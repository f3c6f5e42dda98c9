"""A rehearsal: execute a script in the sandbox over a copy of a folder; report effects, changes and blind spots.

It is no promise of safety: another input, day, machine or environment may take another branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, Feature, language_of
from worldline.core.limits import Limits
from worldline.core.trace import Outcome
from worldline.plan.rehearse.change import GONE, MODE, FileChange, changes
from worldline.plan.rehearse.effect import LEFT, HostPaths, ScriptEffect, effects_of, with_links, with_paths
from worldline.plan.rehearse.unseen import unseen
from worldline.recording.collect import decode, siblings
from worldline.recording.languages.toolchain import KINDS
from worldline.recording.rehearsal.commands import command_for, is_shell
from worldline.recording.rehearsal.folder import SCRIPT, Entry, FolderCopy, copied
from worldline.recording.rehearsal.run import RehearsedRun, RehearsedScript, run_over

NO_PROMISE = "This is what one execution did in the sandbox. It is no promise that the script is safe."
NOT_RUN = "Nothing was executed: this is read from the source and predicted. It is no promise that the script is safe."


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """What a script would touch. `outcome` is None where nothing was run; what is imagined or only in the text is
    marked so, effect by effect. `unseen` are sentences: what this rehearsal could not see."""

    script: str
    folder: str
    source: str
    outcome: Outcome | None
    effects: tuple[ScriptEffect, ...] = ()
    changes: tuple[FileChange, ...] = ()
    output: str = ""
    stderr: str = ""
    left_out: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    why_not_run: str = ""
    line: int = 0  # where the exception came from that ended it
    listened: bool = True  # the interpreter told what was asked of it: of Python alone

    @property
    def promise(self) -> str:
        """That there is none."""
        return NOT_RUN if self.outcome is None else NO_PROMISE

    @property
    def is_cut(self) -> bool:
        """Whether the run ended before the script's own end, or tells little of it: then its text says more."""
        ended = self.outcome is None or self.outcome.kind in ("returned", "exited")
        return not ended or not self.listened

    def as_json(self) -> dict[str, Any]:
        """All of it but the source, for machines."""
        fields = asdict(self)
        del fields["source"]
        return {"promise": self.promise, **fields}


@dataclass(frozen=True, kw_only=True)
class Staging:
    """How a script is rehearsed: the folder that is copied, what stays out, and what the script gets."""

    folder: Path
    leave_out: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    stdin: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    python: str | None = None


def rehearse_executed(file: Path, staging: Staging, *, limits: Limits) -> Rehearsal:
    """Execute a script in the sandbox over a copy of the folder; NoSandbox if there is none.

    The caller has checked that the script can be executed here (`runs`).
    """
    source = source_of(file)
    command, toolchain = command_for(file.name, language_of(file.name), source) or ((), None)
    folder, real = staging.folder.resolve(), file.resolve()
    copy = copied(folder, staging.leave_out)
    name = _placed(real, folder, source, copy, staging.leave_out)
    script = RehearsedScript(
        name=name,
        source=source,
        argv=staging.argv,
        stdin=staging.stdin,
        environment=staging.environment,
        command=command,
        toolchain=toolchain,
    )
    run = run_over(script, copy, limits=limits, python=staging.python)
    names = HostPaths(str(folder), str(real.parent))
    return _told(str(file), source, run, copy, names)


def runs(file: Path) -> str:
    """Say why a script of this language cannot be executed here; empty if it can."""
    lang = LANGUAGES[language_of(file.name)]
    if is_shell(file.name, source_of(file)) or lang.runs_in_interpreter:
        return ""
    if refusal := lang.refusal(Feature.REHEARSE, file.name):
        return refusal
    is_here = command_for(file.name, lang.name, "") is not None
    return "" if is_here else f"there is no {KINDS[lang.name].commands[0]} here to run {lang.title}"


def source_of(file: Path) -> str:
    """Read the text of a script."""
    try:
        data = file.read_bytes()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    has_declared_encoding = LANGUAGES[language_of(file.name)].has_syntax_tree
    return decode(data, str(file)) if has_declared_encoding else data.decode("utf-8", "surrogateescape")


def _placed(file: Path, folder: Path, source: str, copy: FolderCopy, leave_out: Sequence[str]) -> str:
    """The script's path from the working folder; one that lies elsewhere is put beside it, with what it imports."""
    if file.is_relative_to(folder):
        name = file.relative_to(folder).as_posix()
        if copy.content(f"work/{name}") is None:
            raise UsageError(f"{name} is the script itself: it cannot be left out ({', '.join(leave_out)})")
        return name
    copy.add_folder(SCRIPT)
    folders = {SCRIPT}
    for name, text in {file.name: source, **siblings(file.parent, [(file.name, source)])}.items():
        for parent in reversed(Path(name).parents[:-1]):
            inner = f"{SCRIPT}/{parent.as_posix()}"
            if inner not in folders:
                folders.add(inner)
                copy.add_folder(inner)
        copy.add_file(f"{SCRIPT}/{name}", text.encode("utf-8", "surrogateescape"))
    return f"../{SCRIPT}/{file.name}"


def _told(file: str, source: str, run: RehearsedRun, copy: FolderCopy, names: HostPaths) -> Rehearsal:
    file_changes = [] if run.left is None else changes(copy, run.left, names)
    known = {names.of(f"/box/{entry.path}")[0]: entry.kind for entry in copy.entries}
    links = {
        names.of(f"/box/{entry.path}")[0]: entry.link for entry in _entries(copy, run) if entry.kind == "link"
    }
    effects = list(with_links(effects_of(run.events, names), links))
    there = known.keys() | {change.path for change in file_changes}
    there |= {effect.target for effect in effects if effect.kind == "write"}
    there |= {effect.detail for effect in effects if effect.kind == "rename"}
    folders = {path for path, kind in known.items() if kind == "folder"}
    folders |= {change.path for change in file_changes if change.kind == "folder"}
    effects = [*with_paths(effects, folders, set(there)), *_untold(file_changes, effects)]
    return Rehearsal(
        script=file,
        folder=names.folder,
        source=source,
        outcome=run.outcome,
        effects=tuple(effects),
        changes=tuple(file_changes),
        output=run.output,
        stderr=run.stderr,
        left_out=tuple(copy.left_out),
        unseen=tuple(unseen(run, effects, copy.left_out)),
        line=run.line,
        listened=run.listened,
    )


def _entries(copy: FolderCopy, run: RehearsedRun) -> list[Entry]:
    return [*copy.entries, *(run.left.entries if run.left else ())]


def _untold(file_changes: Sequence[FileChange], effects: Sequence[ScriptEffect]) -> list[ScriptEffect]:
    """Changes that no event of the script accounts for: made by what it started, or by C code."""
    touched = {effect.target for effect in effects if effect.kind in ("write", "delete", "rename", "change")}
    moved = [path for effect in effects if effect.kind == "rename" for path in (effect.target, effect.detail)]
    kinds = {GONE: "delete", MODE: "change"}
    return [
        ScriptEffect(
            kind=kinds.get(change.how, "write"),
            target=change.path,
            detail=change.why if change.how == MODE else "",
            place=change.place,
            seen=LEFT,
        )
        for change in file_changes
        if change.path not in touched and not any(_is_below(change.path, path) for path in moved)
    ]


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
