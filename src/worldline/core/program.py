"""A program: what is run, and with what. Pure data; nothing here opens a file or runs anything."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldline.core.language import LANGUAGES, Language, language_of
from worldline.core.text import shortened


@dataclass(frozen=True, kw_only=True)
class Program:
    """Source text and everything else that decides a run, except the interpreter and the limits.

    `call` is an expression evaluated in the program's namespace (its frames are recorded, the module body's are
    not); without it the program is run as a script. `files` are further files of the program, by relative path.
    """

    source: str
    name: str = "program.py"
    call: str | None = None
    argv: tuple[str, ...] = ()
    stdin: str = ""
    files: tuple[tuple[str, str], ...] = field(default=())

    def __repr__(self) -> str:
        what = (
            f"{shortened(self.name)}, {shortened(self.call)}"
            if self.call is not None
            else shortened(self.name)
        )
        return f"<Program {what}, {len(self.source.splitlines()):,} lines>"

    @property
    def language(self) -> str:
        """What it is written in, as the suffix of its name says."""
        return language_of(self.name)

    @property
    def lang(self) -> Language:
        """The record of its language: what is known of programs in it."""
        return LANGUAGES[language_of(self.name)]

    @property
    def digest(self) -> str:
        """sha256 over every field: two programs with one digest run alike."""
        import hashlib  # loads OpenSSL, which most starts do without

        hasher = hashlib.sha256()
        parts = [self.source, self.name, repr(self.call), repr(self.argv), self.stdin, repr(self.files)]
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            hasher.update(len(data).to_bytes(8, "little") + data)
        return hasher.hexdigest()
