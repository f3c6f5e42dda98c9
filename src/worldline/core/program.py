"""A program: what is executed, and its inputs. Pure data; nothing here opens a file or executes anything."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldline.core.language import LANGUAGES, Language, language_of
from worldline.core.text import shortened


@dataclass(frozen=True, kw_only=True)
class Program:
    """Source text and everything else that decides an execution, except the interpreter and the limits.

    `call` is an expression that is evaluated in the program's namespace; only its frames are recorded, not those of
    the module body. Without it, the program is executed as a script. `files` are further files by relative path.
    `flags` are for the compiler of its language, `vm_flags` for the virtual machine that executes it.
    """

    source: str
    name: str = "program.py"
    call: str | None = None
    argv: tuple[str, ...] = ()
    stdin: str = ""
    files: tuple[tuple[str, str], ...] = field(default=())
    flags: tuple[str, ...] = ()
    vm_flags: tuple[str, ...] = ()

    def __repr__(self) -> str:
        call = "" if self.call is None else f", {shortened(self.call)}"
        return f"<Program {shortened(self.name)}{call}, {len(self.source.splitlines()):,} lines>"

    @property
    def language(self) -> str:
        """The name of its language, from the suffix of the file name."""
        return language_of(self.name)

    @property
    def lang(self) -> Language:
        return LANGUAGES[language_of(self.name)]

    @property
    def digest(self) -> str:
        """The sha256 over every field: programs with the same digest behave the same."""
        # Imported here: it loads OpenSSL, which most commands do not need.
        import hashlib

        hasher = hashlib.sha256()
        parts = [self.source, self.name, repr(self.call), repr(self.argv), self.stdin, repr(self.files)]
        # Without flags the digest is that of programs before they had any.
        parts += [f"flags {self.flags!r}"] if self.flags else []
        parts += [f"vm_flags {self.vm_flags!r}"] if self.vm_flags else []
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            hasher.update(len(data).to_bytes(8, "little") + data)
        return hasher.hexdigest()
