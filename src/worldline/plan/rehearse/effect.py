"""Effects of a script: what it asked of the system in the sandbox, with the paths of the host."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from worldline.recording.rehearsal.events import ScriptEvent

KINDS = (
    "read", "write", "delete", "rename", "change", "start", "signal", "send", "listen", "environment", "native",
)  # fmt: skip
"""Kinds of effects. `change`: modes, owners and times. `native`: a library called directly."""

FILE_KINDS = ("read", "write", "delete", "rename", "change")
MAX_LINKS = 40  # followed in one path, as the system does
TOLD, LEFT, IMAGINED, TEXT, ASSUMED = "told", "left", "imagined", "text", "assumed"
"""How an effect is known: reported while executed, seen in changed files, on a predicted line, in the source, or
after an answer that was assumed."""

_BOX = re.compile(r"/box/(work|home|tmp|shm|script)(?:/(.*))?", re.DOTALL)
_SHOWN = {"work": "", "home": "~/", "tmp": "/tmp/", "shm": "/dev/shm/"}
_PLACES = {"work": "folder", "home": "home", "tmp": "temporary", "shm": "temporary", "script": "script"}


@dataclass(frozen=True, kw_only=True)
class ScriptEffect:
    """One action of a script on the outside world, done or requested.

    `place` is where a path lies: in the `folder`, the `home`, a `temporary` place, the `script`'s own folder when that
    is another, or `outside`, where nothing of the host is. `line` 0: no line of the script is known for it. `failed`:
    the exception by which every attempt ended, as far as that is known.
    """

    kind: str
    target: str
    detail: str = ""
    place: str = ""
    file: str = ""
    line: int = 0
    seen: str = TOLD
    missing: bool = False
    failed: str = ""
    child: bool = False
    probability: float | None = None


@dataclass(frozen=True)
class HostPaths:
    """Maps paths of the sandbox to the host; `folder` was copied, `script` is the folder of the script."""

    folder: str
    script: str

    def of(self, path: str) -> tuple[str, str]:
        """Return the host path, and the place it is in."""
        path = path.encode("utf-8", "backslashreplace").decode()  # as the guest writes bytes that are not UTF-8
        match = _BOX.fullmatch(path.rstrip("/") or "/")
        slash = "/" if path.endswith("/") else ""
        if match is None:
            inner = path.removeprefix(self.folder + "/")
            return path, "outside, by its own name" if inner != path else "outside"
        root, inner = match[1], match[2] or ""
        shown = f"{self.script}/" if root == "script" else _SHOWN[root]
        return (shown + inner or ".") + (slash if inner else ""), _PLACES[root]


def effects_of(events: Iterable[ScriptEvent], names: HostPaths) -> list[ScriptEffect]:
    """Return the distinct effects of events, in order; sends from one line to one host are joined."""
    failures: dict[ScriptEffect, str] = {}
    for event in events:
        if event.kind in KINDS:
            effect = _effect(event, names)
            failures[effect] = "" if event.done else event.failed or failures.get(effect, "")
    return list(_joined([replace(effect, failed=failure) for effect, failure in failures.items()]))


def _effect(event: ScriptEvent, names: HostPaths) -> ScriptEffect:
    target, place, detail = event.target, "", event.detail
    if event.kind in FILE_KINDS and target.startswith("/"):
        target, place = names.of(target)
    if event.kind == "rename":
        detail = names.of(detail)[0]
    file = names.of(event.file)[0] if event.file else ""
    return ScriptEffect(
        kind=event.kind, target=target, detail=detail, place=place, file=file, line=event.line, child=event.child
    )


def _joined(effects: Sequence[ScriptEffect]) -> Iterator[ScriptEffect]:
    """Join a name lookup, a connection and a request of one line to one host."""
    by_line: dict[tuple[str, int, str], list[ScriptEffect]] = {}
    for effect in effects:
        if effect.kind == "send":
            by_line.setdefault((effect.file, effect.line, host(effect.target)), []).append(effect)
    for effect in effects:
        if effect.kind != "send":
            yield effect
            continue
        together = by_line[effect.file, effect.line, host(effect.target)]
        if effect is together[0]:
            pages = [sent for sent in together if "://" in sent.target]
            ports = [sent for sent in together if ":" in sent.target]
            yield from pages or ports or together


def host(address: str) -> str:
    """Return the host of an address or a URL."""
    try:
        return urlsplit(address if "://" in address else f"//{address}").hostname or address
    except ValueError:
        return address


def with_links(effects: Iterable[ScriptEffect], links: Mapping[str, str]) -> Iterator[ScriptEffect]:
    """Resolve symbolic links in paths. A file that is read or written through a link counts twice: link and target."""
    for effect in effects:
        if effect.kind in FILE_KINDS and effect.place:
            effect = _through(effect, links)
        link = links.get(effect.target.rstrip("/"))
        if link is None or effect.kind not in ("read", "write") or effect.detail:
            yield effect
            continue
        yield replace(effect, detail=f"link to {link}")
        slash = "/" if effect.target.endswith("/") else ""
        target = _led(effect.target.rstrip("/"), links)[0] + slash
        yield _moved(effect, target, f"through the link {effect.target.rstrip('/')}")


def _through(effect: ScriptEffect, links: Mapping[str, str]) -> ScriptEffect:
    """Resolve the links in the middle of an effect's paths."""
    if effect.kind == "rename":
        effect = replace(effect, detail=_inner(effect.detail, links)[0])
    target, first = _inner(effect.target, links)
    if not first:
        return effect
    note = f"through the link {first}"
    detail = effect.detail if effect.kind == "rename" else f"{effect.detail}, {note}" if effect.detail else note
    return _moved(effect, target, detail)


def _inner(path: str, links: Mapping[str, str]) -> tuple[str, str]:
    """Resolve the links in a path's folder; also return the first of them."""
    plain = path.rstrip("/")
    folder, name = posixpath.split(plain)
    if not folder or not name:
        return path, ""
    led, first = _led(folder, links)
    return (posixpath.join(led, name) + path[len(plain) :], first) if first else (path, "")


def _led(path: str, links: Mapping[str, str]) -> tuple[str, str]:
    """Resolve every link in a path; also return the first. A cycle ends after MAX_LINKS."""
    first = ""
    for _ in range(MAX_LINKS):
        parts = path.split("/")
        heads = ("/".join(parts[:n]) for n in range(1, len(parts) + 1))
        link = next((head for head in heads if head in links), None)
        if link is None:
            break
        rest = path[len(link) + 1 :]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(link), links[link], rest))
        first = first or link
    return path, first


def _moved(effect: ScriptEffect, target: str, detail: str) -> ScriptEffect:
    """An effect on the target of a link, which may be outside the folder."""
    leaves = effect.place == "folder" and (target.startswith(("/", "../")) or target == "..")
    return replace(effect, target=target, place="outside" if leaves else effect.place, detail=detail)


def with_paths(effects: Iterable[ScriptEffect], folders: set[str], there: set[str]) -> Iterator[ScriptEffect]:
    """Mark folders by a slash, and reads of files that do not exist."""
    for effect in effects:
        if effect.kind != "read" or effect.place == "" or effect.target.startswith("<"):
            yield effect
            continue
        plain = effect.target.rstrip("/")
        target = f"{plain}/" if plain in folders else effect.target
        missing = effect.place != "outside" and plain not in there and plain != "."
        yield replace(effect, target=target, missing=missing or effect.place.startswith("outside,"))
