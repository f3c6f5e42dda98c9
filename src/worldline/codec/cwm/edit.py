"""An edited state in Meta's format: names have other values where their activation's next frame shows them.

A frame holds the names before its line, so what holds after a frame stands in the next frame of the same activation:
the text ends behind those locals, and whoever continues it says which line runs on them. All before it is kept byte
for byte.
"""

from __future__ import annotations

from collections.abc import Mapping

from worldline.analyze.flow.table import FlowTable
from worldline.codec.cwm.frame_text import cut
from worldline.codec.cwm.parse import parse
from worldline.codec.cwm.reader import read_object
from worldline.codec.cwm.text import WITH_LOCALS, quoted
from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.program import Program


def edited(
    text: bytes, program: Program, table: FlowTable | None, step: int, values: Mapping[str, str | None]
) -> bytes:
    """Cut a text behind the locals that show what a frame left, with other values among them.

    Args:
        text: The frames, without their prompt.
        program: The program that they are about.
        table: What is known of its control flow, where it is not Python.
        step: The number of the frame.
        values: Canonical values by name; None takes a name away.

    Returns:
        The text up to and with the edited locals.

    Raises:
        UsageError: There is no such frame, or none behind it shows its names.
    """
    frames = text.decode("utf-8", "replace")
    shown = parse(frames, program.source, language=program.language, table=table).frames
    if not 0 <= step < len(shown):
        raise UsageError(f"no step {step} to edit in a text of {len(shown)}")
    scope = shown[step].scope
    after = next((i for i in range(step + 1, len(shown)) if shown[i].scope == scope), None)
    if after is None or shown[after].event not in WITH_LOCALS:
        raise UsageError(
            f"step {step} ({shown[step].event}): its frame shows no names behind it; edit at a step before"
        )
    frame = cut(text)[after]
    names = read_object(frame.state(text).decode("utf-8", "replace"))
    assert not isinstance(names, Malformed)  # it was parsed
    for name, value in values.items():
        if value is None:
            names.pop(name, None)
        else:
            names[name] = value
    pairs = (f"{quoted(name)}: {quoted(value)}" for name, value in names.items())
    return text[: frame.state_start] + ("{" + ", ".join(pairs) + "}").encode()
