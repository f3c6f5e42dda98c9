"""The sentences that open a report, each after its label and wrapped at the width of the console."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import printable
from worldline.evaluation.conclusion import Conclusion

_INDENT = 11  # as wide as the longest label with its spaces


def print_conclusion(console: Console, conclusion: Conclusion) -> None:
    """Print the sentences of a conclusion."""
    for label, sentence in conclusion.sentences:
        lines = Text(printable(sentence)).wrap(console, max(20, console.width - _INDENT))
        for number, line in enumerate(lines):
            line.rstrip()
            console.print(Text(f"{'' if number else label:{_INDENT}}", style="dim") + line, soft_wrap=True)
