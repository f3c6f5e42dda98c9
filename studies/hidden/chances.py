"""Thirty functions that draw, each in its own way; `exact.py` walks them in a box and samples them in plain Python."""

import os
import random

CALLS = (
    "coins(6)", "two_dice()", "three_dice_sorted()", "best_of(3, 6)", "throw_until(9)", "streak(6)",
    "walk(5)", "ruin(2, 6)", "monty(True)", "monty(False)", "urn(3, 2)", "hand()",
    "shuffled(4)", "fixed_points(4)", "birthdays(4, 5)", "collect(3, 6)", "pig(6)", "retry(4)",
    "majority(5)", "ladder(4)", "branching(3)", "keeper(5)", "duel(3)", "noisy(3)",
    "steps(3)", "sampled_sum()", "bits()", "system_bytes()", "own_generator()", "rooms(4)",
)  # fmt: skip


def coins(n):
    return sum(random.randint(0, 1) for _ in range(n))


def two_dice():
    return random.randint(1, 6) + random.randint(1, 6)


def three_dice_sorted():
    return "".join(map(str, sorted(random.randrange(1, 5) for _ in range(3))))


def best_of(n, sides):
    return max(random.randint(1, sides) for _ in range(n))


def throw_until(target):
    total = throws = 0
    while total < target:
        total += random.randint(1, 4)
        throws += 1
    return throws


def streak(n):
    best = now = 0
    for _ in range(n):
        now = now + 1 if random.choice("ht") == "h" else 0
        best = max(best, now)
    return best


def walk(n):
    at = 0
    for _ in range(n):
        at += random.choice((-1, 0, 1))
    return abs(at)


def ruin(money, most):
    for _ in range(8):
        if money in (0, most):
            return money
        money += random.choice([-1, 1])
    return -money


def monty(switches):
    doors = [0, 1, 2]
    car, first = random.choice(doors), random.choice(doors)
    shown = random.choice([door for door in doors if door not in (car, first)])
    last = next(door for door in doors if door not in (first, shown)) if switches else first
    return last == car


def urn(red, blue):
    balls = ["r"] * red + ["b"] * blue
    taken = ""
    while balls and len(taken) < 3:
        taken += balls.pop(random.randrange(len(balls)))
    return taken


def hand():
    deck = [rank for rank in range(1, 6) for _ in range(2)]
    cards = random.sample(deck, 2)
    return "pair" if cards[0] == cards[1] else "high " + str(max(cards))


def shuffled(n):
    items = list(range(n))
    random.shuffle(items)
    return "".join(map(str, items))


def fixed_points(n):
    items = list(range(n))
    random.shuffle(items)
    return sum(i == item for i, item in enumerate(items))


def birthdays(people, days):
    return len({random.randrange(days) for _ in range(people)})


def collect(kinds, most):
    seen, bought = set(), 0
    while len(seen) < kinds and bought < most:
        seen.add(random.randrange(kinds))
        bought += 1
    return bought if len(seen) == kinds else None


def pig(goal):
    score = 0
    while score < goal:
        die = random.randint(1, 4)
        if die == 1:
            return 0
        score += die
    return score


def retry(most):
    def ask():
        if random.randrange(3):
            raise TimeoutError
        return "answer"

    for attempt in range(most):
        try:
            return ask() + " " + str(attempt)
        except TimeoutError:
            continue
    return "gave up"


def majority(n):
    votes = {"a": 0, "b": 0, "c": 0}
    for _ in range(n):
        votes[random.choice(sorted(votes))] += 1
    best = max(votes.values())
    winners = [name for name, count in votes.items() if count == best]
    return winners[0] if len(winners) == 1 else "tie"


def ladder(n):
    return 0 if n == 0 or random.randrange(3) == 0 else 1 + ladder(n - 1)


def branching(n):
    alive = 1
    for _ in range(n):
        alive = sum(random.choice((0, 1, 2)) for _ in range(min(alive, 2)))
    return alive


def keeper(n):
    kept = None
    for i in range(1, n + 1):
        if random.randrange(i) == 0:
            kept = i
    return kept


class Fighter:
    def __init__(self, lives):
        self.lives = lives

    def hit(self):
        self.lives -= random.randint(0, 1)
        return self.lives <= 0


def duel(lives):
    one, other = Fighter(lives), Fighter(lives)
    for _ in range(5):
        if other.hit():
            return "one"
        if one.hit():
            return "other"
    return "both"


def noisy(n):
    true = 2
    reads = sorted(true + random.choice((-1, 0, 0, 1)) for _ in range(n))
    return reads[n // 2]


def steps(n):
    def stream():
        while True:
            yield random.randrange(1, 8, 3)

    total = 0
    for i, size in enumerate(stream()):
        total += size
        if i + 1 == n:
            return total


def sampled_sum():
    return sum(random.sample(range(6), 3))


def bits():
    return bin(random.getrandbits(4) & random.getrandbits(3)).count("1")


def system_bytes():
    return os.urandom(1)[0] % 5


def own_generator():
    generator = random.Random()
    return generator.randint(1, 3) * generator.randint(1, 3)


def rooms(n):
    at, path = "hall", ""
    doors = {
        "hall": ["kitchen", "study"],
        "kitchen": ["hall"],
        "study": ["hall", "kitchen", "attic"],
        "attic": ["study"],
    }
    for _ in range(n):
        at = random.choice(doors[at])
        path += at[0]
    return path
