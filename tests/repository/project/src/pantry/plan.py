"""Plans: which dish is cooked when."""

import asyncio


def merge_times(times):
    """Merge times that overlap; each is a pair of start and end."""
    merged = []
    for start, end in sorted(times):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def cooking_order(needs):
    """Order dishes so that each comes after those it needs."""
    order = []
    remaining = {dish: set(parts) for dish, parts in needs.items()}
    while remaining:
        ready = sorted(dish for dish, parts in remaining.items() if not parts & remaining.keys())
        if not ready:
            raise ValueError("the dishes need each other")
        for dish in ready:
            order.append(dish)
            del remaining[dish]
    return order


def minutes(clock):
    """Return the minutes since midnight of `HH:MM`."""
    hours, _, rest = clock.partition(":")
    return int(hours) * 60 + int(rest)


def clock(minutes):
    """Return minutes since midnight as `HH:MM`."""
    hours, rest = divmod(minutes % (24 * 60), 60)
    return f"{hours:02}:{rest:02}"


async def simmer(dish, rounds):
    """Cook a dish in rounds, giving way after each."""
    log = []
    for number in range(rounds):
        log.append(f"{dish} {number + 1}")
        await asyncio.sleep(0)
    return log


async def cook_all(dishes):
    """Cook dishes at the same time."""
    logs = await asyncio.gather(*(simmer(dish, rounds) for dish, rounds in dishes.items()))
    return dict(zip(dishes, logs))
