"""Programs that draw, wherever a line may: for the guide, the judges and the views."""

from __future__ import annotations

from worldline.core.program import Program

SOURCES = {
    "coins": """\
import random

def f(n):
    heads = 0
    for i in range(n):
        heads += random.randrange(2)
    return "<b>" if heads == n else heads
""",
    "dice": """\
import random
from random import randint as roll, random as chance

def throw(n):
    total = 0
    for _ in range(n):
        total += roll(1, 6)
    if chance() < 0.5:
        total += random.choice([10, 20])
    return total

print(throw(3))
deck = list(range(5))
random.shuffle(deck)
bits = random.getrandbits(70)
""",
    "system": """\
import os, secrets, uuid, random
from os import urandom
a = urandom(4)
b = os.urandom(0)
c = secrets.token_hex(3)
d = secrets.randbelow(10)
e = uuid.uuid4().hex
f = random.SystemRandom().random()
g = random.SystemRandom().choice("abc")
h = secrets.randbits(12)
print(len(a), len(c))
""",
    "states": """\
import random
s = random.getstate()
a = random.random()
random.setstate(s)
b = random.random()
print(a == b)
""",
    "behind calls": """\
import random

def one():
    return 1

def f(k):
    x = one() + random.randrange(k) + one() + random.random()
    y = max(random.random(), one(), random.random())
    return x if random.random() < 0.5 else [y, random.choice('ab'), one()]

print(f(3), f(4))
""",
    "generators": """\
import random

def walk(n):
    at = 0
    while n:
        at += random.choice((-1, 1))
        got = yield at + random.randrange(2)
        n -= 1
        if got:
            at = random.randrange(9)

paths = [walk(3), walk(2)]
seen = [next(p) for p in paths for _ in range(2)]
seen.append(paths[0].send(True))
print(sum(seen), list(paths[0]))
""",
    "errors": """\
import random

class Lost(Exception):
    pass

def send(p):
    if random.random() < p:
        raise Lost(random.randrange(100))
    return "ok"

def retry(n):
    for i in range(n):
        try:
            return send(0.7), i
        except Lost as error:
            code = error.args[0] + random.randrange(5)
        finally:
            tick = random.getrandbits(3)
    return None

print(retry(4), retry(1))
""",
    "odd places": """\
import random
from collections import defaultdict
from functools import partial

def lucky(default=random.randrange(3)):
    return default

def drawn(f):
    k = random.randrange(2)
    return lambda *a: f(*a) + k

@drawn
def add(a, b):
    return a + b

class Die:
    sides = random.choice([4, 6])
    def __init__(self):
        self.seed = random.random()
    @property
    def top(self):
        return random.randrange(self.sides)
    def __iter__(self):
        return iter([random.randrange(2)] * 2)

table = defaultdict(partial(random.randrange, 10))
table["a"] += 1
value = table["b"]
throws = map(random.randrange, [3, 4])
first, second = throws
pairs = sorted(range(3), key=lambda _: random.random())
one, two = Die()
text = f"{random.randrange(2)}{Die().top}"
inside = 3 in (random.randrange(5) for _ in range(3))
many = {random.randrange(3): random.random() for _ in range(2)}
print(lucky(), add(1, 2), text, inside, len(many))
""",
    "clocks": """\
import datetime, os, resource, time, uuid
from time import perf_counter as tick

class Box:
    pass

began = tick()
now = datetime.datetime.now()
time.sleep(0.5)
spent = tick() - began
used = os.times()
most = resource.getrusage(resource.RUSAGE_SELF)
name = uuid.uuid1().hex
ids = [id(Box()), id(Box)]
stamp = os.stat(".").st_mtime
print(time.strftime("%Y"), spent, len(ids))
""",
    "reads": """\
import random
name = input("? ")
if random.random() < 0.5:
    both = [input(), random.randrange(3)]
else:
    both = [random.randrange(3), input()]
print(name, both)
""",
}


def drawing_programs() -> dict[str, Program]:
    """Each by a name."""
    found = {name: Program(source=source, stdin="ann\nbob\n") for name, source in SOURCES.items()}
    found["coins"] = Program(source=SOURCES["coins"], call="f(3)")
    found["call"] = Program(
        source="import random, atexit\nk = random.randrange(5)\natexit.register(random.random)\n"
        "def f(n):\n    return [k] + random.sample(range(9), n)\n",
        call="f(2)",
    )
    dice = "from random import randrange\nk = randrange(3)\n\ndef roll():\n    return randrange(6) + k\n"
    found["files"] = Program(source="import lib.dice\nprint(lib.dice.roll())\n", files=(("lib/dice.py", dice),))
    return found
