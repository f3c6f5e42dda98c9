"""The keys of `worldline step` as data: what each does, and under which heading the help lists it.

They are the keys of the page (`web/static/moves.js`, `sample_keys.js`) wherever the page has them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """A key by its textual name, with further keys, its symbol in the help, its description and its action."""

    key: str
    act: str
    label: str
    also: str = ""
    sign: str = ""

    @property
    def signs(self) -> str:
        """The keys as the help shows them."""
        return f"{self.sign or self.key} {self.also}".strip()


KEYS: dict[str, tuple[Key, ...]] = {
    "Steps": (
        Key("right", "move('into')", "step forward, into calls", "n f11", "→"),
        Key("left", "move('back')", "step back", "p", "←"),
        Key("o", "move('over')", "step over a call", "f10"),
        Key("O", "move('back_over')", "back over a call"),
        Key("u", "move('out')", "step out of the frame", "shift+f11"),
        Key("U", "move('back_out')", "back out of the frame"),
        Key("home", "move('start')", "first step", sign="Home"),
        Key("end", "move('end')", "last step", sign="End"),
        Key("g", "ask('row')", "go to step …"),
        Key("b", "trail", "back to the step before a jump"),
    ),
    "Differences": (
        Key("f", "hop('first')", "first divergence"),
        Key("d", "hop('next')", "next new difference"),
        Key("D", "hop('previous')", "previous new difference"),
        Key("w", "writer('right')", "last writer of the chosen predicted value, or of the first that differs"),
        Key("W", "writer('left')", "the same for the actual value"),
        Key("Y", "choose('chain')", "why the chosen value, or the first that differs, is wrong; Enter goes to a step"),
        Key("y", "read('why')", "why: both answers, the cause, the confidence, the cost"),
    ),
    "Running": (
        Key("c", "run(1)", "continue to a breakpoint or a cause", "space"),
        Key("C", "run(-1)", "the same, backwards"),
        Key("B", "breakpoint", "toggle a breakpoint at the chosen line", "f9"),
        Key("k", "choose('stops')", "what else to stop at: first wrong action, first wrong value, …"),
    ),
    "Branches": (
        Key("e", "ask('edit')", "change a variable here and let the model continue"),
        Key("l", "ask('line')", "force the next line"),
        Key("m", "ask('budget')", "extend the budget"),
        Key("r", "choose('rewrite')", "rewrite the program"),
        Key("s", "stop", "stop the prediction"),
        Key("full_stop", "cycle(1)", "next branch", sign="."),
        Key("comma", "cycle(-1)", "previous branch", sign=","),
        Key("t", "choose('branch')", "tree of branches"),
    ),
    "Panels": (
        Key("tab", "focus_next", "next panel: source, output, state, steps", sign="Tab"),
        Key("shift+tab", "focus_previous", "previous panel", sign="⇧Tab"),
        Key("up", "point(-1)", "choose the line, name or step above", sign="↑"),
        Key("down", "point(1)", "the one below", sign="↓"),
        Key("pageup", "page(-1)", "a page up", sign="PgUp"),
        Key("pagedown", "page(1)", "a page down", sign="PgDn"),
        Key("enter", "open", "source: toggle a breakpoint; state: show the whole value", sign="Enter"),
        Key("question_mark", "read('help')", "this help", sign="?"),
        Key("q", "leave", "quit", "ctrl+c"),
    ),
}
HINT = "? keys  q quit  ← → o u step  f d wrong  c run  e l m r change  t branches  Tab"
"""The most used keys, for the last line of the screen."""
