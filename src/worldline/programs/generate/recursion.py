"""Functions that call themselves: over numbers, texts, lists, nested lists, with an accumulator, with a memo."""

from __future__ import annotations

SKETCHES = (
    """
def $f($n):
    if $n <= «0|1|2»:
        return «1|$n|0|$n + 1»
    return $n «*|+|-» $f($n - «1|1|2»)
> $f(%cnt%)
""",
    """
def $f($n):
    if $n < 2:
        return $n
    return $f($n - 1) + $f($n - 2)
> $f(«2|3|4|5|6»)
""",
    """
def $f($n, memo={}):
    if $n in memo:
        return memo[$n]
    if $n <= «1|2»:
        return «1|$n»
    memo[$n] = $f($n - 1, memo) «+|+|*» $f($n - 2, memo)
    return memo[$n]
> $f(«4|5|6|7|8», {})
""",
    """
def $f($a, $b):
    «if $b == 0:|if not $b:»
        return $a
    return $f($b, $a % $b)
> $f(%int%, %pos%)
""",
    """
def $f($s):
    if len($s) <= 1:
        return $s
    return «$f($s[1:]) + $s[0]|$s[-1] + $f($s[:-1])|$s[-1] + $f($s[1:-1]) + $s[0]»
> $f(%word%)
""",
    """
def $f($s):
    if not $s:
        return 0
    $c = $s[0]
    return $f($s[1:]) «+ ($c in 'aeiou')|+ ($c == 'a')|+ $c.isupper()»
> $f(%word%)
""",
    """
def $f($s, «$i=0|$i=1»):
    if $i >= len($s):
        return ''
    $c = $s[$i]
    if @bool $c:char@:
        return @str $c:char@ + $f($s, $i + «1|2|1»)
    return $f($s, $i + 1)
> $f(%word%)
""",
    """
def $f($xs):
    if not $xs:
        return «0|0|1»
    «return $xs[0] + $f($xs[1:])|return max($xs[0], $f($xs[1:]))|return $f($xs[:-1]) - $xs[-1]
    |return ($xs[0] > 2) + $f($xs[1:])»
> $f(%ints%)
""",
    """
def $f($xs):
    if len($xs) «== 0|< 1»:
        return []
    $a, *$b = $xs
    if @bool $a:int@:
        return «[$a] + $f($b)|$f($b) + [$a]|$f($b)»
    return «$f($b)|[0] + $f($b)|[-$a] + $f($b)»
> $f(%ints%)
""",
    """
def $f($x):
    if isinstance($x, list):
        $out = []
        for $v in $x:
            $out «+= $f($v)|= $out + $f($v)»
        return $out
    return [$x]
> $f(%nest%)
""",
    """
def $f($x, depth=«0|1»):
    if not isinstance($x, «list|(list, tuple)»):
        return depth
    return max([$f($v, depth + 1) for $v in $x], default=depth)
> $f(%nest%)
""",
    """
def $f($n):
    if $n == 0:
        return ''
    return $f($n // «2|2|3|8|16») + str($n % «2|3|8»)
> $f(%cnt%)
""",
    """
def $f($n):
    if $n < 10:
        return $n
    return «$n % 10 + $f($n // 10)|$f($n // 10) + 1|$f($n // 10) * 10 + 9 - $n % 10»
> $f(%long%)
""",
    """
def $f($xs, $x, $a, $b):
    if $a > $b:
        return -1
    mid = ($a + $b) // 2
    if $xs[mid] == $x:
        return mid
    if $xs[mid] < $x:
        return $f($xs, $x, mid + 1, $b)
    return $f($xs, $x, $a, mid - 1)
> $f(«[1, 3, 5, 7, 9], 7, 0, 4|[2, 4, 8, 16, 32, 64], 5, 0, 5|[10, 20, 30], 10, 0, 2
|[1, 2, 3, 4, 5, 6, 7, 8], 8, 0, 7»)
""",
    """
def $f($xs):
    if len($xs) <= 1:
        return $xs
    pivot = $xs[0]
    left = [$x for $x in $xs[1:] if $x < pivot]
    right = [$x for $x in $xs[1:] if $x >= pivot]
    return $f(«left) + [pivot] + $f(right)|right) + [pivot] + $f(left)»
> $f(%few%)
""",
    """
def merge($a, $b):
    if not $a:
        return $b
    if not $b:
        return $a
    if $a[0] «<=|<|>=» $b[0]:
        return [$a[0]] + merge($a[1:], $b)
    return [$b[0]] + merge($a, $b[1:])
> merge(%rising%, %rising%)
""",
    """
def $f($s):
    if len($s) < 2:
        return True
    if $s[0] != $s[-1]:
        return False
    return $f($s[1:-1])
> $f(«%word%|'level'|'abba'|'hello'|'racecar'|'a'|'noon'|'abca'»)
""",
    """
def $f($xs):
    if not $xs:
        return [[]]
    rest = $f($xs[1:])
    return rest + [[$xs[0]] + $v for $v in rest]
> $f(«%few%|['a', 'b']|[]|%rising%»)
""",
    """
def $f($n, $a='A', $b='B', tmp='C'):
    if $n == 0:
        return []
    «return $f($n - 1, $a, tmp, $b) + [($a, $b)] + $f($n - 1, tmp, $b, $a)
    |left = $f($n - 1, $a, tmp, $b)\n    return left + [$a + $b] + $f($n - 1, tmp, $b, $a)»
> $f(«1|2|2»)
""",
    """
def is_even($n):
    return True if $n == 0 else is_odd($n - 1)

def is_odd($n):
    return False if $n == 0 else is_even($n - 1)
> «is_even|is_odd»(%cnt%)
""",
    """
def $f($n, $acc=«0|1»):
    if $n <= 0:
        return $acc
    return $f($n - «1|2|3», $acc «+ $n|* 2|+ $n % 3»)
> $f(%cnt%)
""",
    """
def $f($d, $key):
    if $key not in $d:
        return [ $key]
    return [ $key] + $f($d, $d[$key])
> $f(«{'a': 'b', 'b': 'c'}, 'a'|{'x': 'y'}, 'x'|{'p': 'q', 'q': 'r', 'r': 's'}, 'p'|{'m': 'n'}, 'z'»)
""",
)
