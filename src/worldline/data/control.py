"""Who decides the hidden inputs of a run: a seed, the real clock and generators, or a stored run; and what differs."""

from __future__ import annotations

from collections.abc import Sequence

from worldline.core.errors import UsageError
from worldline.core.hidden import SCHEDULE, THREAD, Control, parse_schedule
from worldline.core.trace import Hidden, Trace
from worldline.recording.control import other_run, unlike, with_draw
from worldline.storage.remote import Folder


def choose_control(
    *,
    seed: int | None = None,
    live: bool = False,
    replay: str | Folder | None = None,
    draw: Sequence[str] = (),
    schedule: int | str | None = None,
) -> Control | None:
    """Choose who decides what the text of a program does not: random numbers, clocks, threads.

    Args:
        seed: Random numbers come from this seed, and the clock is virtual.
        live: Use the real generators and clocks, and record them.
        replay: A stored trace whose hidden inputs are used again.
        draw: With `replay`: other values for single draws, as `STEP=VALUE` or `STEP.K=VALUE`.
        schedule: Threads switch at lines by this seed; or, as text such as `0:5,1:3`, at accesses to what they share:
            five turns of thread 0, then three of thread 1.

    Returns:
        The control for `record`, `debug`, `imagine` or `step`; None where no argument asks for one.

    Raises:
        UsageError: The arguments exclude each other, or the stored trace cannot be read.
    """
    if live and (seed is not None or replay):
        raise UsageError("--live takes real hidden inputs: it goes with neither --seed nor --replay")
    if draw and not replay:
        raise UsageError("--draw changes a draw of a replay: say --replay TRACE as well")
    if replay:
        # msgspec comes with stored traces: a run without a replay starts without it.
        from worldline.data.load import load

        hidden = load(replay).hidden
        for text in draw:
            hidden = with_draw(hidden, text)
        if isinstance(schedule, str):
            draws = tuple(draw for draw in hidden if draw.kind != SCHEDULE and not draw.kind.startswith(THREAD))
            return Control(seed=seed or 0, given=(*_explicit(schedule), *draws))
        return Control(seed=seed or 0, schedule=schedule, given=hidden, whole=not draw)
    if seed is None and not live and schedule is None:
        return None
    chosen = None if live else seed or 0
    if isinstance(schedule, str):
        return Control(seed=chosen, given=_explicit(schedule))
    return Control(seed=chosen, schedule=schedule)


def _explicit(schedule: str) -> tuple[Hidden, ...]:
    """Return the hidden input that is an explicit schedule."""
    parse_schedule(schedule)
    return (Hidden(0, SCHEDULE, repr(schedule)),)


def replay_differences(trace: Trace, replay: str | Folder | None = None) -> tuple[list[str], str]:
    """Say where a replayed run was not the run that it was to repeat.

    Args:
        trace: The run under the control of a replay.
        replay: The stored trace that it was to repeat, where no draw was changed.

    Returns:
        One sentence for each difference, and what else is different about the stored run ("" for nothing).
    """
    differences = [note.removeprefix("parted ") for note in trace.notes if note.startswith("parted ")]
    if replay is None:
        return differences, ""
    from worldline.data.load import load

    first = load(replay)
    if not differences and trace.outcome.kind in ("unsupported", "host-fault"):
        differences = ["nothing was run"]
    elif not differences and (where := unlike(first, trace)):
        differences = [f"{where}, though all draws are the same"]
    return differences, other_run(first.program, trace.program) if differences else ""
