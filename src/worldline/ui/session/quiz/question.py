"""A question about a line that is about to execute, and what a run answers to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldline.codec.reading import Event
from worldline.core.events import known_at
from worldline.core.language import all_lines
from worldline.core.malformed import Malformed
from worldline.core.value import kind, parse, text, unquote
from worldline.ui.session.run import Run

VALUE, LINE, OUTPUT, RETURN, YIELD = "value", "line", "output", "return", "yield"
QUESTION_KINDS = (VALUE, LINE, OUTPUT, RETURN, YIELD)
"""What is asked: a name's value, the next line of the frame, what is printed, returned or yielded."""


@dataclass(frozen=True, kw_only=True)
class QuizQuestion:
    """A question about the line of a step.

    Attributes:
        kind: One of QUESTION_KINDS.
        step: The step at which the line starts. The state before it is what a person sees.
        end: The next step of the frame: the line has ended, and the answer is known.
        line: The line.
        file: Its file; None for the main one.
        function: The function that executes it.
        name: The name that is asked for, if it is a value.
        field: The field of the object under this name, or empty.
        truth: The answer of the recorded run: a value, a line number, or printed text.
    """

    kind: str
    step: int
    end: int
    line: int
    file: str | None
    function: str
    name: str = ""
    field: str = ""
    truth: str

    @property
    def subject(self) -> str:
        """The name that is asked for, with its field."""
        return f"{self.name}.{self.field}" if self.field else self.name

    @property
    def function_in_words(self) -> str:
        """The name of the function, which may have none, between backticks."""
        return f"`{self.function}`" if self.function not in ("", "?") else "this function"

    @property
    def sentence(self) -> str:
        """The question in words; code stands between backticks."""
        function = self.function_in_words
        sentences = {
            VALUE: f"What is `{self.subject}` afterwards?",
            LINE: f"Which line of {function} executes next?",
            OUTPUT: "What does it print?",
            RETURN: f"What does {function} return?",
            YIELD: f"What does {function} yield?",
        }
        return f"Line {self.line} executes. {sentences[self.kind]}"


class StepAnswers:
    """What a run, recorded or predicted, answers at its steps."""

    def __init__(self, run: Run) -> None:
        self.run, self.events = run, run.events
        self.known_at: Sequence[int | None] = known_at(run.events)
        program = run.ask.program
        sources: dict[str | None, str] = {None: program.source, **dict(program.files)}
        self._lines = {name: all_lines(source, program.language) for name, source in sources.items()}

    def code(self, step: int) -> str:
        """Return the source of the line of a step, without blanks around it; empty if it is not known."""
        moment = self.events[step]
        lines, line = self._lines.get(moment.file, []), moment.line or 0
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def end(self, step: int) -> int | None:
        """Return the next step of the frame, at which everything about this one is known; None if there is none."""
        return self.known_at[step]

    def changes(self, step: int) -> Mapping[str, str]:
        """Return the names that a step's line gave a value to, with the values."""
        moment, end = self.events[step], self.end(step)
        if not moment.whole:
            return moment.values
        after = self.events[end] if end is not None else moment
        return {name: value for name, value in after.values.items() if moment.values.get(name) != value}

    def next_line(self, step: int) -> int | None:
        """Return the next line that the frame of a step executes."""
        end = self.end(step)
        after = self.events[end] if end is not None else None
        return after.line if after is not None and after.event == "line" else None

    def handed_back(self, step: int, event: str) -> str | None:
        """Return what the line of a step returns or yields."""
        end = self.handing_back(step)
        after = self.events[end] if end is not None else None
        return after.arg if after is not None and after.event == event else None

    def handing_back(self, step: int) -> int | None:
        """Return the step after the line of a step, and after the brace that ends a function and may follow it."""
        end = self.end(step)
        is_brace = end is not None and self.events[end].event == "line" and self.code(end) == "}"
        return self.end(end) if end is not None and is_brace else end

    def printed(self, step: int) -> str | None:
        """Return what the line of a step prints itself, not its calls; None if it prints nothing."""
        pieces = [moment.arg or "" for moment in self._within(step) if moment.event == "output"]
        return "".join(unquote(piece) if kind(piece) == "str" else piece for piece in pieces) if pieces else None

    def value(self, step: int, name: str, field: str = "") -> str | None:
        """Return the value of a name, or of its object's field, after the line of a step; None if it has none."""
        end, frame = self.end(step), self.events[step].frame
        if end is None:
            return None
        changed = self.changes(step).get(name)
        if changed is None and name not in self.events[step].gone:
            before = self.run.history.value(frame, name, step, before=True)
            changed = before[0] if before is not None else None
        return field_of(changed, field) if field and changed is not None else changed

    def before(self, step: int, name: str) -> str | None:
        """Return the value of a name before the line of a step; None if it has none."""
        value = self.run.history.value(self.events[step].frame, name, step, before=True)
        return value[0] if value is not None else None

    def answer(self, question: QuizQuestion, step: int) -> str | None:
        """Return what this run answers to a question at one of its steps; None if it does not say."""
        if question.kind == VALUE:
            return self.value(step, question.name, question.field)
        if question.kind == LINE:
            line = self.next_line(step)
            return None if line is None else str(line)
        if question.kind == OUTPUT:
            return self.printed(step)
        return self.handed_back(step, question.kind)

    def _within(self, step: int) -> Iterator[Event]:
        frame, end = self.events[step].frame, self.end(step)
        inside = self.events[step + 1 : end if end is not None else len(self.events)]
        return (moment for moment in inside if moment.frame == frame)


def field_of(value: str, field: str) -> str | None:
    """Return the text of an object's field; None if it has none."""
    return fields_of(value).get(field)


def fields_of(value: str) -> dict[str, str]:
    """Return the fields of an object with their texts; empty for any other value."""
    node = parse(value)
    if isinstance(node, Malformed) or node.kind != "object" or node.items:
        return {}
    return {name: text(part) for name, part in node.fields}
