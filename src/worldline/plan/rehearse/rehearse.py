"""A rehearsal: execute a script in the sandbox over a copy of a folder; report effects, changes and blind spots.

It is no promise of safety: another input, day, machine or environment may take another branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, Feature, language_of
from worldline.core.limits import Limits
from worldline.core.trace import Outcome
from worldline.plan.rehearse.branch import AssumedBranch, missing_answers
from worldline.plan.rehearse.change import GONE, MODE, FileChange, changes
from worldline.plan.rehearse.effect import LEFT, HostPaths, ScriptEffect, effects_of, with_links, with_paths
from worldline.recording.collect import decode, siblings
from worldline.recording.languages.toolchain import KINDS
from worldline.recording.rehearsal.commands import command_for, is_shell
from worldline.recording.rehearsal.folder import SCRIPT, Entry, FolderCopy, copied
from worldline.recording.rehearsal.run import AssumedAnswers, RehearsedRun, RehearsedScript, run_over
from worldline.storage.inputs import MAX_SOURCE_BYTES, read_input

_NETWORK = "the sandbox has no network: replies, and what the script would do with them, are unknown"
_NOT_LISTENED = "the script is not Python: only changed files and the commands that a shell starts are visible"
_STARTED = "for programs that the script starts, only changed files are visible, not what they read or send"
_NATIVE = "the script calls a native library (ctypes): only changed files are visible there"
_LEFT = "a program that the script started, or native code, changed some files: their lines are unknown"
_OUTSIDE = "files outside the folder are not in the sandbox: reading them fails as if they did not exist"
_ENVIRONMENT = "your environment variables are not in the sandbox: pass those it needs with --env NAME=VALUE"
_OWN_NAME = "the script uses the absolute path of the folder, which does not exist in the sandbox"
_STDIN = "the script reads stdin, which is empty: pass its input with --stdin"
_ALWAYS = "checks for the existence, size or times of files, and branches that were not executed"


def unseen(run: RehearsedRun, effects: Sequence[ScriptEffect], left_out: Sequence[str]) -> Iterator[str]:
    """Yield what a rehearsal could not observe, one sentence each."""
    yield from _ended(run)
    if not run.listened:
        yield _NOT_LISTENED
    kinds = {effect.kind for effect in effects}
    for holds, sentence in (
        ("send" in kinds, _NETWORK),
        ("start" in kinds, _STARTED),
        ("native" in kinds, _NATIVE),
        (any(effect.seen == LEFT for effect in effects), _LEFT),
        (any(effect.kind == "read" and effect.place == "outside" for effect in effects), _OUTSIDE),
        (any(effect.place.startswith("outside,") for effect in effects), _OWN_NAME),
        ("environment" in kinds, _ENVIRONMENT),
        ("EOFError" in run.outcome.detail, _STDIN),
        (
            bool(left_out),
            f"files that were not copied: {', '.join(left_out[:8])}{' and more' if len(left_out) > 8 else ''}",
        ),
        (run.more, "the list of effects is incomplete: there were too many"),
        (run.left is None, "changed files could not be collected: there is no diff"),
        (run.left is not None and run.left.unseen > 0, "the diff is incomplete: there were too many files"),
    ):
        if holds:
            yield sentence
    yield _ALWAYS


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (" and more" if len(names) > 8 else "")


def _ended(run: RehearsedRun) -> Iterator[str]:
    kind, detail = run.outcome.kind, run.outcome.detail
    if kind == "limit":
        yield f"everything after the script was stopped ({detail})"
    elif kind == "raised" and "ImportError" not in detail and "ModuleNotFoundError" not in detail:
        where = f" in line {run.line}" if run.line else ""
        yield f"everything after the exception{where}, which might not be raised outside the sandbox"
    elif kind == "raised":
        yield "everything after the import of a module that is not installed here"
    elif kind not in ("returned", "exited"):
        yield f"everything after the end: {kind} {detail}".rstrip()


NO_PROMISE = "One sandboxed execution did this. It does not prove that the script is safe."
NOT_RUN = "Nothing was executed: read from the source and predicted. It does not prove that the script is safe."


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """The effects of a script. Each says how it is known: executed, predicted or read from the source.

    `outcome` is None if nothing was executed. `unseen` lists what the rehearsal could not observe. `branches` go past
    what was missing, with answers that nothing observed: everything in them is predicted.
    """

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
    line: int = 0  # of the exception that ended the script
    missing: tuple[str, ...] = ()  # what the script asked for and the sandbox does not have
    branches: tuple[AssumedBranch, ...] = ()
    has_more_branches: bool = False
    listened: bool = True  # the interpreter reported events; Python only

    @property
    def promise(self) -> str:
        """A warning that a rehearsal does not prove safety."""
        return NOT_RUN if self.outcome is None else NO_PROMISE

    @property
    def is_cut(self) -> bool:
        """Whether the execution ended early or reported no events, so that reading the source adds something."""
        ended = self.outcome is None or self.outcome.kind in ("returned", "exited")
        return not ended or not self.listened

    def as_json(self) -> dict[str, Any]:
        """Everything but the source."""
        fields = asdict(self)
        del fields["source"]
        return {"promise": self.promise, **fields}


@dataclass(frozen=True, kw_only=True)
class Staging:
    """How to rehearse a script: the folder to copy, what to leave out, and the script's inputs."""

    folder: Path
    leave_out: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    stdin: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    python: str | None = None


@dataclass(frozen=True, kw_only=True)
class StagedScript:
    """A script and the copy of a folder that it is executed over, any number of times."""

    file: str
    script: RehearsedScript
    copy: FolderCopy
    names: HostPaths
    python: str | None

    def run(self, *, limits: Limits, assume: AssumedAnswers | None = None) -> RehearsedRun:
        """Execute the script in the sandbox; NoSandbox if there is none."""
        return run_over(replace(self.script, assume=assume), self.copy, limits=limits, python=self.python)

    def read(self, run: RehearsedRun) -> Rehearsal:
        """Turn the requests of a run into effects."""
        return _rehearsal(self.file, self.script.source, run, self.copy, self.names)


def stage(file: Path, staging: Staging) -> StagedScript:
    """Copy the folder of a script. The caller has checked that the script can be executed here (`runs`)."""
    source = source_of(file)
    command, toolchain = command_for(file.name, language_of(file.name), source) or ((), None)
    folder, real = staging.folder.resolve(), file.resolve()
    copy = copied(folder, staging.leave_out)
    script = RehearsedScript(
        name=_placed(real, folder, source, copy, staging.leave_out),
        source=source,
        argv=staging.argv,
        stdin=staging.stdin,
        environment=staging.environment,
        command=command,
        toolchain=toolchain,
    )
    names = HostPaths(str(folder), str(real.parent))
    return StagedScript(file=str(file), script=script, copy=copy, names=names, python=staging.python)


def rehearse_executed(file: Path, staging: Staging, *, limits: Limits) -> Rehearsal:
    """Execute a script in the sandbox over a copy of the folder; NoSandbox if there is none.

    The caller has checked that the script can be executed here (`runs`).
    """
    staged = stage(file, staging)
    return staged.read(staged.run(limits=limits))


def runs(file: Path) -> str:
    """Say why a script of this language cannot be executed here; empty if it can."""
    lang = LANGUAGES[language_of(file.name)]
    if is_shell(file.name, source_of(file)) or lang.runs_in_interpreter:
        return ""
    if refusal := lang.refusal(Feature.REHEARSE, file.name):
        return refusal
    is_here = command_for(file.name, lang.name, "") is not None
    return "" if is_here else f"{KINDS[lang.name].commands[0]}, which executes {lang.title}, is not installed"


def source_of(file: Path) -> str:
    """Read the text of a script."""
    try:
        data = read_input(file, limit=MAX_SOURCE_BYTES)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    has_declared_encoding = LANGUAGES[language_of(file.name)].has_syntax_tree
    return decode(data, str(file)) if has_declared_encoding else data.decode("utf-8", "surrogateescape")


def _placed(file: Path, folder: Path, source: str, copy: FolderCopy, leave_out: Sequence[str]) -> str:
    """Return the script's path from the working folder; copy a script from elsewhere next to it, with its imports."""
    if file.is_relative_to(folder):
        name = file.relative_to(folder).as_posix()
        if copy.content(f"work/{name}") is None:
            raise UsageError(f"{name} is the script itself and cannot be excluded ({', '.join(leave_out)})")
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


def _rehearsal(file: str, source: str, run: RehearsedRun, copy: FolderCopy, names: HostPaths) -> Rehearsal:
    file_changes = [] if run.left is None else changes(copy, run.left, names)
    known = {names.of(f"/box/{entry.path}")[0]: entry.kind for entry in copy.entries}
    links = {names.of(f"/box/{entry.path}")[0]: entry.link for entry in _entries(copy, run) if entry.kind == "link"}
    effects = list(with_links(effects_of(run.events, names), links))
    there = known.keys() | {change.path for change in file_changes}
    there |= {effect.target for effect in effects if effect.kind == "write"}
    there |= {effect.detail for effect in effects if effect.kind == "rename"}
    folders = {path for path, kind in known.items() if kind == "folder"}
    folders |= {change.path for change in file_changes if change.kind == "folder"}
    effects = [*with_paths(effects, folders, set(there)), *_unexplained(file_changes, effects)]
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
        missing=tuple(missing_answers(run)),
        listened=run.listened,
    )


def _entries(copy: FolderCopy, run: RehearsedRun) -> list[Entry]:
    return [*copy.entries, *(run.left.entries if run.left else ())]


def _unexplained(file_changes: Sequence[FileChange], effects: Sequence[ScriptEffect]) -> list[ScriptEffect]:
    """Changes without an event: made by a started program or by native code."""
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
