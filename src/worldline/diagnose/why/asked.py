"""A value of both runs that the chain asks about: a name, a part of it, or what a step hands on."""

from __future__ import annotations

from dataclasses import dataclass

from worldline.diagnose.failure.origin import Keys
from worldline.diagnose.failure.value_keys import keys_of, part_of
from worldline.diagnose.value_diff import difference
from worldline.diagnose.why.chain import is_different
from worldline.diagnose.why.run_pair import RunPair
from worldline.diagnose.why.traced_run import TracedRun, ValueSpot


@dataclass(frozen=True)
class AskedValue:
    """A value in both runs. Without a `name`, it is what the steps of the spots return, yield, raise or print."""

    text: str
    name: str | None
    truth: ValueSpot | None
    found: ValueSpot | None
    keys: Keys = ()

    def both(self, runs: RunPair) -> tuple[str | None, str | None]:
        """Return the true and the predicted value; None where there is none."""
        return self._of(runs.truth, self.truth), self._of(runs.found, self.found)

    def _of(self, view: TracedRun, spot: ValueSpot | None) -> str | None:
        if spot is None:
            return None
        return view.events[spot.step].arg if self.name is None else view.text(self.name, spot, self.keys)

    def is_wrong(self, runs: RunPair) -> bool:
        """Whether both values differ."""
        return is_different(*self.both(runs))

    def narrowed(self, runs: RunPair) -> AskedValue:
        """Return the part of the value that differs first; the value itself if it differs as a whole."""
        wanted, got = self.both(runs)
        first = difference(wanted, got) if wanted is not None and got is not None else None
        keys = keys_of(first.path) if first is not None else ()
        # A key that neither value has, such as one that is not simple, ends the path.
        while keys and part_of(wanted, keys) is None and part_of(got, keys) is None:
            keys = keys[:-1]
        if not keys or self.name is None:
            return self
        return AskedValue(self.text + "".join(keys), self.name, self.truth, self.found, (*self.keys, *keys))

    def writers(self, runs: RunPair) -> tuple[int | None, int | None]:
        """Return the true and the predicted step that gave the name its value."""
        if self.name is None:
            return (None if self.truth is None else self.truth.step), (None if self.found is None else self.found.step)
        return (
            None if self.truth is None else runs.truth.writer(self.name, self.truth, self.keys),
            None if self.found is None else runs.found.writer(self.name, self.found, self.keys),
        )
