"""Dialogs of `worldline step`: a line of text, a choice, a checklist, a text to read. Closing one returns None."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option


def plain(text: Text | str) -> Content:
    """Return a text for textual without markup."""
    return Content.from_rich_text(text) if isinstance(text, Text) else Content(text)


class InputScreen(ModalScreen[str | None]):
    """A line of text at the bottom of the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave")]

    def __init__(self, question: str, value: str = "") -> None:
        super().__init__(classes="bottom")
        self._question, self._value = question, value

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self._question), classes="question")
            yield Input(self._value, select_on_focus=False, compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class ChoiceScreen(ModalScreen[str | None]):
    """A choice from a list; `at` is highlighted first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "leave")]

    def __init__(self, question: str, options: Sequence[tuple[str, Text]], at: int = 0) -> None:
        super().__init__(classes="bottom")
        self._question, self._options, self._at = question, options, at

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self._question + "  (Enter: choose, Esc: close)"), classes="question")
            yield OptionList(
                *(Option(plain(text), id=f"o{i}") for i, (_, text) in enumerate(self._options)), compact=True
            )

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._at

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options[event.option_index][0])


class ChecklistScreen(ModalScreen[list[str] | None]):
    """Several choices from a list, marked by a cross, since a terminal may have no colours."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "leave"),
        Binding("space", "set", "set"),
    ]

    def __init__(self, question: str, options: Sequence[tuple[str, str]], chosen: Sequence[str]) -> None:
        super().__init__(classes="bottom")
        self._question, self._options, self._chosen = question, options, set(chosen)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self._question + "  (Space: toggle, Enter: done, Esc: close)"), classes="question")
            yield OptionList(*(Option(self._marked(i)) for i in range(len(self._options))), compact=True)

    def _marked(self, at: int) -> Content:
        name, label = self._options[at]
        return plain(f"{'[x]' if name in self._chosen else '[ ]'} {label}")

    def action_set(self) -> None:
        """Toggle the highlighted choice."""
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        self._chosen ^= {self._options[at][0]}
        options.replace_option_prompt_at_index(at, self._marked(at))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss([name for name, _ in self._options if name in self._chosen])


class TextScreen(ModalScreen[None]):
    """A text to read."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,question_mark,y", "dismiss(None)", "leave")]

    def __init__(self, title: str, text: Text) -> None:
        super().__init__(classes="full")
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self._title + "  (Esc: close)"), classes="question")
            with VerticalScroll():
                yield Static(plain(self._text))

    def on_mount(self) -> None:
        """Focus the text, so that the arrow keys scroll."""
        self.query_one(VerticalScroll).focus()
