"""Sketches of generators and iterators: yield, yield from, send, close, pipelines, generator expressions, itertools."""

from __future__ import annotations

GENERATORS = (
    """
def $gen($n):
    $i = «0|1»
    while $i < $n:
        yield «$i|$i * $i|$i * 2»
        $i += «1|2|1»

def $f($n):
    return «list($gen($n))|sum($gen($n))|[$x for $x in $gen($n) if $x % 2]
    |max($gen($n), default=-1)|tuple($gen($n))»
> $f(%cnt%)
""",
    """
def $gen($xs):
    for $x in $xs:
        if @bool $x:int@:
            yield @int $x:int@
?    yield «-1|0|len($xs)»

def $f($xs):
    «return list($gen($xs))
    |$out = []\n    for $v in $gen($xs):\n        $out.append($v)\n    return $out
    |return sum($gen($xs))|return sorted($gen($xs))»
> $f(%few%)
""",
    """
def $gen($s):
    for $c in $s:
        «yield @str $c:char@|if @bool $c:char@:\n            yield $c»

def $f($s):
    return «''.join($gen($s))|list($gen($s))|'-'.join($gen($s))»
> $f(%word%)
""",
    """
def $gen($xs):
    for $x in $xs:
        if isinstance($x, list):
            yield from $gen($x)
        else:
            yield $x

def $f($xs):
    return «list($gen($xs))|sum($gen($xs))|[$v for $v in $gen($xs)]|max($gen($xs), default=0)»
> $f(%nest%)
""",
    """
def $gen():
    $total = «0|1|10»
    while True:
        $x = yield $total
        if $x is None:
            break
        $total «+=|*=|-=» $x

def $f($xs):
    $g = $gen()
    next($g)
    $out = []
    for $v in $xs:
        $out.append($g.send($v))
    return $out
> $f(«[1, 2]|[3]|[2, 5, 1]|[4, -4]|%few%»)
""",
    """
def $gen($a, $b):
    yield from $a
    «yield 0|yield -1|yield '-'»
    yield from $b

def $f($a, $b):
    return list($gen($a, $b))
> $f(«%few%, %few%|%word%, %few%|%few%, %rising%»)
""",
    """
def $gen($n):
    $a, $b = 0, 1
    for _ in range($n):
        yield $a
        $a, $b = $b, $a + $b

def $f($n):
    return «list($gen($n))|[$x for $x in $gen($n) if $x % 2 == 0]|sum($gen($n))»
> $f(%cnt%)
""",
    """
def $f($xs):
    it = iter($xs)
    $out = []
    while True:
        $x = next(it, None)
        if $x is None:
            break
        $out.append(«$x|$x + next(it, 0)|($x, next(it, 0))»)
    return $out
> $f(%ints%)
""",
    """
def $f($xs):
    it = iter($xs)
    try:
        $a = next(it)
        $b = next(it)
    except StopIteration:
        return «None|'short'|[]»
    return «$a + $b|[$a, *it]|max($a, $b)|list(it)»
> $f(%ints%)
""",
    """
def $gen($xs, $n):
    for $i in range(0, len($xs), $n):
        yield $xs[$i:$i + $n]

def $f($xs, $n):
    return «list($gen($xs, $n))|[sum(part) for part in $gen($xs, $n)]
    |[part[::-1] for part in $gen($xs, $n)]|[len(part) for part in $gen($xs, $n)]»
> $f(%ints%, %small%)
""",
    """
def $f($s, $n):
    «return [$s[$i:$i + $n] for $i in range(0, len($s), $n)]
    |return ' '.join($s[$i:$i + $n] for $i in range(0, len($s), $n))
    |return [$s[$i:$i + $n] for $i in range(len($s) - $n + 1)]»
> $f(%str!%, %small%)
""",
    """
def evens($xs):
    for $x in $xs:
        if $x % 2 == 0:
            yield $x

def scaled($xs, $k):
    for $x in $xs:
        yield $x * $k

def $f($xs, $n):
    return «list(scaled(evens($xs), $n))|sum(scaled(evens($xs), $n))|list(evens(scaled($xs, $n)))»
> $f(%few%, %small%)
""",
    """
class $Thing:
    def __init__(self, $n):
        self.$n = $n

    def __iter__(self):
        return self

    def __next__(self):
        if self.$n <= 0:
            raise StopIteration
        self.$n -= «1|2»
        return self.$n

def $f($n):
    return «list($Thing($n))|sum($Thing($n))|[$x * 2 for $x in $Thing($n)]»
> $f(«0|1|2|3|4|5|6»)
""",
    """
def $gen($n):
    try:
        for $i in range($n):
            yield $i
    finally:
        print('closed')

def $f($n, stop):
    $out = []
    $g = $gen($n)
    for $x in $g:
        if $x == stop:
            $g.close()
            break
        $out.append($x)
    return $out
> $f(%cnt%, %small%)
""",
    """
def $f($rows):
    $g = ($x for $row in $rows for $x in $row if @bool $x:int@)
    return «list($g)|sum($g)|next($g, None)|sorted($g)|any($x > 5 for $x in $g)»
> $f(%lists!%)
""",
    """
def $gen($s):
    $w = ''
    for $c in $s:
        if $c == «' '|','|'-'»:
            if $w:
                yield $w
            $w = ''
        else:
            $w += $c
    if $w:
        yield $w

def $f($s):
    return «list($gen($s))|[len($v) for $v in $gen($s)]|'_'.join($gen($s))»
> $f(«'ab cd'|'a,b,,c'|'x-y'|%word%|'one two'|' a b '|'key-val ok'»)
""",
    """
def $gen($xs):
    $total = 0
    for $x in $xs:
        $total += $x
        $k = yield $total
        if $k:
            $total = $k
    return $total

def $f($xs):
    $out = yield from $gen($xs)
    yield $out

def main($xs):
    return list($f($xs))
> main(%few%)
""",
)
