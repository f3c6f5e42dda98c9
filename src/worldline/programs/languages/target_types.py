"""Types as the target language names them, and the features that a program needs: includes, a struct of values."""

from __future__ import annotations

from worldline.programs.languages.spelling import Speaker, UntranslatableError


class TargetTypes:
    """The types of one program during its translation."""

    def __init__(self, speaker: Speaker) -> None:
        self.speaker = speaker
        self.features = set[str]()
        self.several: tuple[tuple[str, str], ...] = ()  # the names and types of values that are given back together

    def typed(self, kind: str) -> str:
        """Return the target's name for a type; empty if the language does not write types."""
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
            raise UntranslatableError(f"no type {kind}")
        return speaker.text("type", kind=kind)
