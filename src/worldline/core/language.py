"""The languages that programs are written in: which one a file's name says, and what each is called."""

from __future__ import annotations

#: Each language's one name, as headers and options spell it, and what people call it.
LANGUAGES = {
    "python": "Python", "js": "JavaScript", "ts": "TypeScript", "java": "Java", "c": "C", "cpp": "C++", "rust": "Rust",
}  # fmt: skip
SUFFIXES = {
    ".py": "python", ".js": "js", ".mjs": "js", ".cjs": "js", ".ts": "ts", ".mts": "ts", ".java": "java", ".c": "c",
    ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".rs": "rust",
}  # fmt: skip


def language_of(name: str) -> str:
    """The language that a file's name says, by its suffix alone; Python where it says none."""
    return SUFFIXES.get(name[name.rfind(".") :], "python")


def usual_name(language: str) -> str:
    """What a program of a language is called that has no name of its own: `program.rs`."""
    return "program" + next(suffix for suffix, named in SUFFIXES.items() if named == language)
