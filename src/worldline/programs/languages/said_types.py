"""Types as a language names them, and what a program came to need of its language: includes, a struct of values."""

from __future__ import annotations

from worldline.programs.languages.spelling import Speaker, UnsayableError


class SaidTypes:
    """The types of one program that is being translated."""

    def __init__(self, speaker: Speaker) -> None:
        self.speaker = speaker
        self.features = set[str]()
        self.several: tuple[
            tuple[str, str], ...
        ] = ()  # the names and types of values that are given back together

    def typed(self, kind: str) -> str:
        """A type as the language names it; nothing where it has no need to."""
        speaker = self.speaker
        if not speaker.can("type int"):
            return ""
        self.features.add(kind)
        if kind.startswith("record:"):
            return speaker.text("type", kind.partition(":")[2], kind="record")
        if kind.startswith("several:"):
            names = [self.typed(part) for part in kind.partition(":")[2].split(",")]
            return speaker.text("type", names[0], ", ".join(names), kind="several")
        if not speaker.can(f"type {kind}"):
            raise UnsayableError(f"no type {kind}")
        return speaker.text("type", kind=kind)
