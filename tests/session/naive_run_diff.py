"""Which differences of two runs are new, by comparing all that both know at every row. Slow, and plain."""

from __future__ import annotations

from worldline.core.events import CHANGELESS
from worldline.core.value import equal
from worldline.diagnose.diverge import aligned
from worldline.ui.session.run import FrameState, Run
from worldline.ui.session.run_diff import CONSEQUENTIAL, RIGHT, WRONG, RunDiff

Steps = tuple[int | None, int | None]
Stack = tuple[FrameState, ...]


def naive(run_diff: RunDiff) -> list[tuple[str, str]]:
    """Action and state of every row."""
    known = _Known(run_diff)
    return [known.judge(n) for n in range(len(run_diff.rows))]


class _Known:
    def __init__(self, run_diff: RunDiff) -> None:
        assert run_diff.left is not None
        self.run_diff, self.runs = run_diff, (run_diff.left, run_diff.right)
        self.agrees = [
            span.agrees
            for span in aligned(run_diff.left.events, run_diff.right.events)
            for _ in range(max(span.wanted, span.got))
        ]
        self.stacks: list[Stack] = [(), ()]
        self.given: set[int] = set()  # positions of frames that were handed different values
        self.apart = False

    def judge(self, n: int) -> tuple[str, str]:
        action, state = self._judge(n)
        if n != self.run_diff.first or WRONG in (action, state):
            return action, state
        return (WRONG, state) if action != RIGHT else (action, WRONG)  # the first is nobody's consequence

    def _judge(self, n: int) -> tuple[str, str]:
        row = self.run_diff.rows[n]
        before = WRONG if self.same(n - 1) and not self.apart else CONSEQUENTIAL
        if row.left is None and row.right is None:
            return WRONG if self.run_diff.first == n else before, RIGHT
        if not self.agrees[n]:
            return self._apart(n, before)
        before = WRONG if self.same(n - 1) else CONSEQUENTIAL
        self.apart = False
        self.move(n, is_done=False)
        here = WRONG if self.same(n - 1) else CONSEQUENTIAL
        self.move(n, is_done=True)
        action, states = RIGHT, set()
        for one in row.differs:
            assert row.left is not None
            named = one.name not in (None, "%")
            if one.what == "event":
                action = before
            else:
                own = named and self.runs[0].history.maker(one.step) == row.left
                states.add(here if own else before)
            if one.what != "event" and not named:
                self.hand(self.runs[0].events[row.left].event)
        return action, WRONG if WRONG in states else CONSEQUENTIAL if states else RIGHT

    def _apart(self, n: int, before: str) -> tuple[str, str]:
        follows = any(row.left is not None for row in self.run_diff.rows[n:])
        known = self.apart or follows or self.runs[0].reading.ended
        self.move(n, is_done=False)
        self.move(n, is_done=True)
        self.apart = known
        return (before, RIGHT if self.same_values(n) else CONSEQUENTIAL) if known else (RIGHT, RIGHT)

    def move(self, n: int, *, is_done: bool) -> None:
        """Both stacks as they are when a row is about to do what it does at once, or has done it."""
        row = self.run_diff.rows[n]
        for which, step in enumerate((row.left, row.right)):
            if step is None:
                continue
            run, old = self.runs[which], self.stacks[which]
            self.stacks[which] = run.stack(step) if is_done else _about(run, step)
            if is_done:
                continue
            new = self.stacks[which]
            kept = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a.frame != b.frame), None)
            kept = min(len(old), len(new)) if kept is None else kept
            self.given = {position for position in self.given if position < kept}
        for which, step in enumerate((row.left, row.right)):
            if step is not None and not is_done and self.runs[which].events[step].event not in CHANGELESS:
                self.given.discard(len(self.stacks[which]) - 1)

    def hand(self, event: str) -> None:
        top = len(self.stacks[0]) - 1
        if event in ("return", "yield", "raise") and top > 0:
            self.given.add(top - 1)
        if event not in ("return", "yield", "output"):
            self.given.add(top)

    def same(self, n: int) -> bool:
        one, other = self.stacks
        if len(one) != len(other) or self.given or not self.same_values(n):
            return False
        infos = [(self.runs[0].frame(a.frame), self.runs[1].frame(b.frame)) for a, b in zip(one, other, strict=True)]
        placed = all((a.file, a.line) == (b.file, b.line) for a, b in infos)
        return placed and [live.line for live in one[:-1]] == [live.line for live in other[:-1]]

    def same_values(self, n: int) -> bool:
        held = self.held(n)
        for one, other in zip(*self.stacks, strict=False):
            for name in {*one.values, *other.values}:
                mine, yours = one.values.get(name), other.values.get(name)
                by = self.writer(0, n, one, name), self.writer(1, n, other, name)
                if by[0] in held[0] or by[1] in held[1] or mine == yours:
                    continue
                if mine is None or yours is None or not equal(mine, yours):
                    return False
        return True

    def writer(self, which: int, n: int, live: FrameState, name: str) -> int | None:
        """Who wrote a value, or made it go."""
        if name in live.values:
            return live.writers[name]
        steps = ((row.left, row.right)[which] for row in reversed(self.run_diff.rows[: n + 1]))
        step = next(step for step in steps if step is not None)
        found = self.runs[which].history.value(live.frame, name, step)
        return found[1] if found is not None else None

    def held(self, n: int) -> tuple[set[int], set[int]]:
        """The steps whose changes one run has not shown by a row, or leaves open."""
        found: tuple[set[int], set[int]] = set(), set()
        for m, row in enumerate(self.run_diff.rows[: n + 1]):
            if row.left is None or row.right is None or not self.agrees[m]:
                continue
            steps = row.left, row.right
            told = [
                self.run_diff.row_of(name, run.history.shown_at(step))
                for name, run, step in zip(("left", "right"), self.runs, steps, strict=True)
            ]
            is_open = any(run.events[step].open for run, step in zip(self.runs, steps, strict=True))
            if is_open or (told[0] != told[1] and max(told) > n):
                found[0].add(row.left)
                found[1].add(row.right)
        return found


def _about(run: Run, step: int) -> Stack:
    """The stack when a step is about to do what it does at once; the frame that it begins is there, and empty."""
    known = run.before(step)
    return known if len(known) == len(run.stack(step)) else (*known, _empty(run.stack(step)[-1]))


def _empty(live: FrameState) -> FrameState:
    return FrameState(live.frame, live.function, live.line, {}, {})
