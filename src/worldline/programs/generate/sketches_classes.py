"""Sketches of classes: methods, properties, special methods, inheritance, dataclasses, small containers."""

from __future__ import annotations

CLASSES = (
    """
class $Thing:
    def __init__(self, name, $n«|=0|=1»):
        self.name = name
        self.$n = $n

    def «grow|bump|add»(self, $k):
        self.$n «+=|-=|*=» $k
        return self.$n

    def __repr__(self):
        return f'$Thing({self.name«|!r»}, {self.$n})'

def $f(name, $x):
    $obj = $Thing(name, $x)
    $obj.$n += ~int~
    «return repr($obj)|return $obj.name, $obj.$n|return str($obj).upper()|return len($obj.name) + $obj.$n»
> $f(%word%, %int%)
""",
    """
class $Thing:
    def __init__(self):
        self.items = []

    def $put(self, $x):
        self.items.append($x)
?        return self

    def $take(self):
        «return self.items.pop()|return self.items.pop(0)|return self.items.pop() if self.items else None»

    def __len__(self):
        return len(self.items)

def $f($xs):
    $obj = $Thing()
    for $v in $xs:
        $obj.$put(«$v|$v * 2|$v + 1»)
    $out = []
    while len($obj) > «0|1»:
        $out.append($obj.$take())
    return $out
> $f(%few%)
""",
    """
class $Thing:
    «kind = ~str~|count = 0|limit = 10»

    def __init__(self, $x):
        self.$x = $x

    def area(self):
        $x = self.$x
        return @int $x:int@

class $Child($Thing):
    def area(self):
        return super().area() «+ 1|* 2|- self.$x»

def $f($n):
    $obj = «$Thing|$Child|$Child»($n)
    return «$obj.area()|$obj.area(), isinstance($obj, $Thing)|type($obj).__name__, $obj.area()»
> $f(%int%)
""",
    """
class $Thing:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return $Thing(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __mul__(self, $k):
        return $Thing(self.x * $k, self.y * $k)

def $f($a, $b):
    p = $Thing($a, «$b|1|0»)
    q = $Thing(«$b|2|$a», $a)
    «r = p + q\n    return r.x, r.y|return p == q, p == p * 1
    |r = (p + q) * 2\n    return [r.x, r.y]|r = p * $b + q\n    return r.x - r.y»
> $f(%int%, %int%)
""",
    """
class $Thing:
    def __init__(self, $n):
        self._$n = $n

    @property
    def value(self):
        return self._$n

    @value.setter
    def value(self, $x):
        «if $x < 0:\n            $x = 0\n        self._$n = $x|self._$n = max(0, $x)|self._$n = $x % 100»

def $f($a, $b):
    $obj = $Thing($a)
    $obj.value «=|+=|-=» $b
    return $obj.value
> $f(%int%, %int%)
""",
    """
from dataclasses import dataclass

@dataclass
class $Thing:
    name: str
    size: int = «0|1|5»
?    tags: tuple = ()

def $f($ws):
    $xs = [$Thing($w, len($w)) for $w in $ws]
    «$xs.sort(key=lambda $obj: $obj.size)\n    return [$obj.name for $obj in $xs]
    |return max($xs, key=lambda $obj: $obj.size).name if $xs else ''
    |return sum($obj.size for $obj in $xs)|return str($xs[0]) if $xs else None
    |return $xs[:1] == $xs[1:2]»
> $f(%strs%)
""",
    """
class $Thing:
    count = 0

    def __init__(self, name):
        $Thing.count += 1
        self.name = name
        self.number = $Thing.count

    @classmethod
    def total(cls):
        return cls.count

    @staticmethod
    def clean(text):
        return text.«strip().lower()|title()|upper()|replace(' ', '_')»

def $f($ws):
    $out = [$Thing($Thing.clean($w)) for $w in $ws]
    return [($v.name, $v.number) for $v in $out], $Thing.total()
> $f([%word%«|, %word%|, %word%, %word%»])
""",
    """
class $Thing:
    def __init__(self, $d):
        self.$d = dict($d)

    def __getitem__(self, $key):
        return self.$d«[$key]|.get($key, 0)»

    def __setitem__(self, $key, $v):
        self.$d[$key] = $v

    def __contains__(self, $key):
        return $key in self.$d

def $f($d, $key):
    $obj = $Thing($d)
    if $key in $obj:
        $obj[$key] = $obj[$key] «+ 1|* 2|- 5»
    else:
        $obj[$key] = «0|1|-1»
    return $obj.$d«|, $obj[$key]»
> $f(%counts!%, «%member%|%str%»)
""",
    """
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

def $g($xs):
    head = None
    for $x in «reversed($xs)|$xs»:
        head = Node($x, head)
    return head

def $f($xs):
    node = $g($xs)
    $total = «0|1»
    while node:
        $total «+= node.value|= $total * 2 + node.value|= max($total, node.value)»
        node = node.next
    return $total
> $f(«[1, 2]|[3]|[4, 5, 6]|[]|[2, 0, 7]»)
""",
    """
class $Thing:
    def __init__(self, balance=«0|10|100»):
        self.balance = balance

    def deposit(self, $n):
        if $n <= 0:
            raise ValueError('amount')
        self.balance += $n

    def withdraw(self, $n):
        if $n > self.balance:
            return False
        self.balance -= $n
        return True

def $f($a, $b):
    $obj = $Thing()
    $obj.deposit($a)
    ok = $obj.withdraw($b)
    return ok, $obj.balance
> $f(«%pos%|%pos%|%int%», %int%)
""",
    """
class $Thing:
    def __init__(self, $s):
        self.$s = $s

    def __len__(self):
        return len(self.$s)

    def __str__(self):
        return «'<' + self.$s + '>'|self.$s.upper()|f'[{self.$s}]'»

    def __bool__(self):
        return «len(self.$s) > 3|self.$s.isalpha()|bool(self.$s)»

    def __lt__(self, other):
        return len(self) < len(other)

def $f($a, $b):
    p, q = $Thing($a), $Thing($b)
    «return str(min(p, q)) + str(max(p, q))|return p < q, bool(p)|return str(p) if p else len(q)
    |return [str($x) for $x in sorted([p, q])]»
> $f(%word%, %word%)
""",
    """
class $Thing:
    def speak(self):
        return «'...'|'hm'»

    def sound(self):
        return «'noise'|'?'»

class $Child($Thing):
    def __init__(self, name):
        self.name = name

    def sound(self):
        $s = self.name
        return @str $s:str@

    def speak(self):
        return super().speak() + «'!'|self.sound()»

def $f($w):
    return $Child($w).speak()
> $f(%word%)
""",
    """
class $Thing:
    def __init__(self):
        self.state = «'idle'|'off'»
        self.log = []

    def __call__(self, event):
        if event == «'go'|'on'» and self.state == «'idle'|'off'»:
            self.state = 'busy'
        elif event == «'stop'|'off'»:
            self.state = «'idle'|'off'»
        self.log.append(self.state)

def $f(events):
    $obj = $Thing()
    for event in events:
        $obj(event)
    return «$obj.log|$obj.state|len($obj.log), $obj.state»
> $f(«['go', 'stop']|['on', 'off', 'on']|['go', 'go']|['stop']|['on', 'stop', 'go']|[]»)
""",
    """
from enum import Enum

class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

def $f($n):
    $obj = Color($n % 3 + 1)
    «return $obj.name|return $obj.value + $n|return $obj is Color.RED
    |return $obj.name.lower(), $obj.value|return Color['RED'] == $obj»
> $f(%cnt%)
""",
    """
from collections import namedtuple

$Thing = namedtuple('$Thing', «'x y'|['x', 'y']»)

def $f($a, $b):
    p = $Thing($a, $b)
    «return p.x + p.y|q = p._replace(x=0)\n    return q, p|x, y = p\n    return x * y
    |return list(p), p[0]|return p == ($a, $b)»
> $f(%int%, %int%)
""",
)
