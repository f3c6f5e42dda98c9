"""Sketches of match statements: literals, captures, sequences, mappings, classes, guards, or-patterns, as-patterns."""

from __future__ import annotations

MATCHES = (
    """
def $f($x):
    match $x:
        case 0:
            return 'zero'
        case 1 | 2:
            return 'few'
        case int() if $x < 0:
            return «'negative'|-$x»
        case _:
            return «'many'|$x|str($x)»
> $f(«0|1|2|3|-4|%int%|%int%»)
""",
    """
def $f($xs):
    match $xs:
        case []:
            return «0|'empty'|None»
        case [$a]:
            return «$a|f'one {$a}'|[$a, $a]»
        case [$a, $b]:
            return «$a + $b|($b, $a)|[$b]»
        case [$a, *$out]:
            return «$a, len($out)|$out|[$a] + $out[::-1]|$out[-1]»
> $f(%few%)
""",
    """
def $f($s):
    match $s.split():
        case ['go', $w]:
            return «'going ' + $w|$w.upper()»
        case ['stop' | 'quit'«| as $w»]:
            return «'bye'|None»
        case [$w, *_]:
            return «$w + '?'|$w[::-1]|len($w)»
        case _:
            return ''
> $f(«'go north'|'stop'|'quit'|'go'|%str%|'go ' + %word%|''|%str!%»)
""",
    """
def $f($d):
    match $d:
        case {'type': 'circle', 'r': $n}:
            return «3 * $n * $n|$n * 2|('circle', $n)»
        case {'type': 'rect', 'w': $a, 'h': $b}:
            return $a * $b
        case {'type': $w, **$out}:
            return «$w|sorted($out)|len($out)»
        case _:
            return «-1|None»
> $f(«{'type': 'circle', 'r': %int%}|{'type': 'rect', 'w': %small%, 'h': %int%}
|{'type': %word%, 'n': 1}|{}|{'r': 2}»)
""",
    """
class Point:
    __match_args__ = ('x', 'y')

    def __init__(self, x, y):
        self.x = x
        self.y = y

def $f($a, $b):
    match Point($a, $b):
        case Point(0, 0):
            return 'origin'
        case Point(x=0, y=$n) | Point(x=$n, y=0):
            return «f'axis {$n}'|$n»
        case Point($n, $k) if $n == $k:
            return 'diagonal'
        case Point():
            return «'other'|$a - $b»
> $f(«0|%int%|3», «0|%int%|3»)
""",
    """
def $f($v):
    match $v:
        case bool():
            return 'flag'
        case int() | float():
            return «'number'|$v + 1|round($v)»
        case str() as $w if len($w) > 3:
            return «$w[:3]|'text'|len($w)»
        case str():
            return «$v * 2|'short'»
        case [$x, *_] | ($x, *_):
            return $x
        case None:
            return 'nothing'
        case _:
            return type($v).__name__
> $f(«True|%int%|%float%|%str!%|%word%|%few%|None|%counts%|%tup%»)
""",
    """
def $f(commands):
    $total = «0|10»
    for command in commands:
        match command:
            case ('add', $n):
                $total += $n
            case ('mul', $n):
                $total *= $n
            case ('neg',) | 'neg':
                $total = -$total
            case _:
                «break|continue|pass»
    return $total
> $f([«('add', %int%)|('mul', %small%)», «'neg'|('neg',)|('add', %int%)|'stop'»«|, ('add', %small%)|, ('mul', 2)»])
""",
    """
def $f($a, $b):
    match ($a % 3, $b % 5):
        case (0, 0):
            return 'FizzBuzz'
        case (0, _):
            return 'Fizz'
        case (_, 0):
            return 'Buzz'
        case (1, $n) if $n > 2:
            return $n
    return $a + $b
> $f(%int%, %int%)
""",
)
