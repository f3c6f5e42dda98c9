# outcome: returned
# item: 15
# series: x = 1 | True | 1.0 | complex(1.0, 0.0) | '1' | b'1' | Num#1(1) | Level.ONE | Mode.ONE
# delta: p=Point#2((1, 2))
# delta: c=Counter#3({'a': 2})
# delta: o=OrderedDict#4({'k': 1})
# delta: q=deque([1, 2], maxlen=2)
import collections
import enum


class Num(int):
    pass


class Level(enum.IntEnum):
    ONE = 1


class Mode(enum.Enum):
    ONE = 1


Point = collections.namedtuple("Point", "x y")
x = 1
x = True
x = 1.0
x = complex(1)
x = "1"
x = b"1"
x = Num(1)
x = Level.ONE
x = Mode.ONE
p = Point(1, 2)
c = collections.Counter("aa")
o = collections.OrderedDict(k=1)
q = collections.deque([1, 2], 2)
print(p, sum(c.values()))
