"""The table of languages.py: a row a language, its peer's ratio beside each rate, and the aims.

`found` is, for each language, `steps` and `stops` a second by workload, and the `cost` of a small program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recorders import brief

Found = Mapping[str, Mapping[str, Mapping[str, float]]]
TITLES = {"c": "C", "cpp": "C++", "rust": "Rust", "js": "JavaScript", "ts": "TypeScript", "java": "Java", "go": "Go"}
PEERS = {
    "c": "gdb", "cpp": "gdb", "rust": "gdb", "js": "V8 inspector", "ts": "V8 inspector", "java": "JDI", "go": "Delve",
}  # fmt: skip
COSTS = ("first", "cold", "warm", "cached")
FASTEST = {"int_loop": 5e6, "bubble_sort": 5e5}
WARM = {"c": 60, "js": 130, "java": 150, "rust": 350, "cpp": 700}
NOTES = """\
Steps and stops a second of processor time; `x`: how many times its peer's rate. A peer stops at each line and reads the
primitive values of the locals. It has no box, no limits and no trace at the end, tells neither what a line changed nor
who shares an object, and reads nothing on the heap here: each could, at so many requests more. gdb
does not count its frames here. TypeScript: the text of JavaScript under a suffix of its own; the peer is JavaScript's.
Small program: processor ms of all processes, the host's too. first: nothing was ever prepared on this machine; cold: a
process's first program; warm: a new program in open boxes; cached: one that was seen before."""


@dataclass(frozen=True)
class Aim:
    """A figure that is to be reached, and the one that was."""

    language: str
    what: str
    bound: float
    figure: float | None
    most: bool = False  # whether the bound is the most

    @property
    def met(self) -> bool:
        """Whether it was; an absent figure meets nothing."""
        if self.figure is None:
            return False
        return self.figure <= self.bound if self.most else self.figure >= self.bound


def aims(found: Found) -> list[Aim]:
    """The project's aims: 5M steps/s on the int loop, 0.5M on the bubble sort, and the cost of a warm small program."""
    each = [
        Aim(language, name, least, row["steps"].get(name))
        for language, row in found.items()
        for name, least in FASTEST.items()
    ]
    warm = [(language, WARM[language]) for language in found if language in WARM]
    return each + [Aim(language, "warm", most, found[language]["cost"].get("warm"), True) for language, most in warm]


def table(found: Found, titles: Mapping[str, str], faults: list[str]) -> str:
    """What is printed."""
    head = f"{'':<12}" + "".join(f"{title:>18}" for title in titles.values())
    lines = [head + "  |" + "".join(f"{name:>8}" for name in COSTS) + "  | peer"]
    for language, row in found.items():
        stops = found["js"]["stops"] if language == "ts" and "js" in found else row["stops"]
        cells = [_cell(row["steps"].get(name), stops.get(name)) for name in titles]
        costs = "".join(f"{_whole(row['cost'].get(name)):>8}" for name in COSTS)
        lines.append(
            f"{TITLES[language]:<12}" + "".join(f"{cell:>18}" for cell in cells) + f"  |{costs}  | {PEERS[language]}"
        )
    peers = ["stops a second of the peers:"]
    for language, row in found.items():
        if row["stops"]:
            cells = "".join(f"{brief(row['stops'].get(name)):>18}" for name in titles)
            peers.append(f"{TITLES[language]:<12}{cells}     {PEERS[language]}")
    parts = ["\n".join(lines), "\n".join(peers), NOTES, "\n".join(_aim_lines(aims(found)))]
    return "\n\n".join([*parts, *(["\n".join(f"refused: {fault}" for fault in faults)] if faults else [])])


def _cell(steps: float | None, stops: float | None) -> str:
    ratio = f" {steps / stops:,.0f}x" if steps and stops else ""
    return brief(steps) + ratio


def _whole(ms: float | None) -> str:
    return "-" if ms is None else f"{ms:,.0f}"


def _aim_lines(found: list[Aim]) -> list[str]:
    """How many aims were met, and each that was not."""
    told = "5M steps/s on the int loop, 0.5M on the bubble sort, warm small programs"
    costs = ", ".join(f"{TITLES[language]} {most} ms" for language, most in WARM.items())
    lines = [f"aims met: {sum(aim.met for aim in found)} of {len(found)} ({told} {costs})"]
    for aim in (aim for aim in found if not aim.met):
        shown = "none" if aim.figure is None else f"{aim.figure:.0f} ms" if aim.most else brief(aim.figure) + "/s"
        wanted = f"{aim.bound:.0f} ms" if aim.most else brief(aim.bound) + "/s"
        lines.append(f"  missed: {TITLES[aim.language]}, {aim.what}: {shown}, aim {wanted}")
    return lines
