"""Sketches of functions around functions: helpers, closures, lambdas, decorators, defaults, stars, globals, nesting."""

from __future__ import annotations

FUNCTIONS = (
    """
def $g($x):
    return @int $x:int@

def $f($xs):
    «return [$g($v) for $v in $xs]|return sum($g($v) for $v in $xs)|return list(map($g, $xs))
    |return sorted($xs, key=$g)|return max($xs, key=$g, default=None)
    |return [$v for $v in $xs if $g($v) > 3]»
> $f(%ints%)
""",
    """
def $g($w):
    return @str $w:str@

def $f($ws):
    «return [$g($v) for $v in $ws]|return ''.join($g($v) for $v in $ws)|return list(map($g, $ws))
    |return sorted($ws, key=$g)|return {$v: $g($v) for $v in $ws}»
> $f(%strs%)
""",
    """
def $g($c):
    return @bool $c:char@

def $f($s):
    $out = «''|""»
    for $v in $s:
        if $g($v):
            $out += $v
    return $out
> $f(%word%)
""",
    """
def $g($a, $b):
    return @int $a:int $b:int@

def $f($x, $y):
    $n = $g($x, «$y|~int~|$y + 1»)
    return $g($n, «$x|~int~|$y»)
> $f(%int%, %int%)
""",
    """
def $f($s):
    def $g($w):
        return @str $w:str@

    return «$g($s) + $g($s[::-1])|' '.join($g($w) for $w in $s.split())|$g($g($s))
    |[$g($c) for $c in $s.split()]»
> $f(%str!%)
""",
    """
def $g($n):
    def $h($x):
        return $x «+|*|-|//|%» $n
    return $h

def $f($a, $b):
    $k = $g(«$a|~pos~|$a + 1»)
    return «$k($b)|$k($k($b))|[$k($b), $k(10)]|$k($b) + $g(2)($b)»
> $f(%pos%, %int%)
""",
    """
def $f($xs):
    $total = 0

    def $g($x):
        nonlocal $total
        $total += @int $x:int@
        return $total

    «for $v in $xs:\n        $g($v)\n    return $total|return [$g($v) for $v in $xs]
    |$out = [$g($v) for $v in $xs if $v > 1]\n    return $out, $total»
> $f(%few%)
""",
    """
$total = «0|10|1»

def $g($x):
    global $total
    $total «+=|-=» $x
    return $total

def $f($xs):
    for $v in $xs:
        $g($v)
    return $total
> $f(%few%)
""",
    """
def $f($xs, $n=«2|3|10|0», *, reverse=«False|True»):
    $out = [$x «+|*|-» $n for $x in $xs]
    if reverse:
        $out«.reverse()|.sort(reverse=True)| = $out[::-1]»
    return $out
> $f(%ints%«|, %small%|, reverse=True|, $n=%small%, reverse=False|, $n=1»)
""",
    """
def $f(*args«|, sep=' '|, sep='-'»):
    $out = «''|'>'»
    for $x in args:
        $out += str($x) + «','|' '|'-'|''»
    return $out«|.strip()|[:-1]», len(args)
> $f(%int%, %word%«|, %float%|, %int%, %word%»)
""",
    """
def $f(**kwargs):
    $out = []
    for $key in «sorted(kwargs)|kwargs»:
        $out.append(f'{$key}={kwargs[$key]}')
    return «', '.join($out)|$out|'&'.join($out)»
> $f(a=%int%, «name=%word%|b=%float%|size=%ints%»«|, z=%int%»)
""",
    """
def $g($a, $b=«1|5|10», *rest, scale=«1|2», **options):
    return ($a + $b + sum(rest)) * scale«|, sorted(options)|, len(options)»

def $f($xs):
    return $g(*$xs«|, scale=3|, scale=2, flag=True»)
> $f(«[1]|[1, 2]|[3, 4, 5]|%ints!%|%ints!%»)
""",
    """
def $deco(func):
    def wrapper(*args«|, **kwargs»):
        $out = func(*args«|»)
        return «$out * 2|[$out]|$out, len(args)|str($out) + '!'|$out»
    return wrapper

@$deco
def $f($x, $y=«2|3»):
    return @int $x:int $y:int@
> $f(%int%«|, %int%»)
""",
    """
def $deco($n):
    def outer(func):
        def inner($s):
            for _ in range($n):
                $s = func($s)
            return $s
        return inner
    return outer

@$deco(«1|2|3»)
def $f($s):
    return @str $s:str@
> $f(%word%)
""",
    """
def $deco(func):
    cache = {}
    def inner($n):
        if $n not in cache:
            cache[$n] = func($n)
        return cache[$n]
    return inner

@$deco
def $f($n):
    return $n if $n < 2 else $f($n - 1) + $f($n - 2)
> $f(«2|3|4|5|6»)
""",
    """
def $f($xs, $n):
    $g = lambda $x: @int $x:int $n:int@
    return «[$g($v) for $v in $xs]|list(map($g, $xs))|sorted($xs, key=$g)|$g(len($xs))|sum(map($g, $xs))»
> $f(%ints%, %small%)
""",
    """
def $f($x, $y, $k):
    ops = {'add': lambda $a, $b: $a + $b, 'sub': lambda $a, $b: $a - $b, 'mul': lambda $a, $b: $a * $b«
    |, 'max': max»}
    «return ops[$k]($x, $y)|if $k in ops:\n        return ops[$k]($x, $y)\n    return None
    |return ops.get($k, min)($x, $y)»
> $f(%int%, %int%, «'add'|'sub'|'mul'|'add'»)
""",
    """
def $g($xs, func):
    «return [func($x) for $x in $xs]
    |$out = []\n    for $x in $xs:\n        $out.append(func($x))\n    return $out»

def $f($xs):
    $a = $g($xs, lambda $v: @int $v:int@)
    return $g($a, «abs|str|lambda $v: $v % 2 == 0|lambda $v: -$v»)
> $f(%few%)
""",
    """
def $g($n):
    $total = $n
    def add($x):
        nonlocal $total
        $total += $x
        return $total
    def reset():
        nonlocal $total
        $total = «0|$n»
    return add, reset

def $f($xs):
    add, reset = $g(«10|0|5»)
    for $v in $xs:
        if @bool $v:int@:
            reset()
        add($v)
    return add(0)
> $f(%few%)
""",
    """
def $f($xs, $acc=None):
    if $acc is None:
        $acc = «[]|[0]»
    for $x in $xs:
        $acc.append(@int $x:int@)
    return $acc
> $f(%ints%«|, [1, 2]|, []»)
""",
    """
from functools import reduce

def $f($xs):
    return reduce(lambda $a, $b: «$a + $b|$a * $b % 1000|max($a, $b)|$a * 2 + $b|$a - $b», $xs, «0|1|10»)
> $f(%few%)
""",
    """
def $f($s):
    «$d = {}|$d = dict()»
    for $c in $s:
        $d[$c] = $d.get($c, 0) + 1
    return «sorted($d.items())|max($d.values(), default=0)|[$key for $key in $d if $d[$key] > 1]
    |sum($v for $v in $d.values())»
> $f(%word%)
""",
    """
def $f($n):
    fns = []
    for $i in range($n):
        fns.append(lambda $x«, $i=$i|, $i=$i|»: $x + $i)
    return [$g(10) for $g in fns]
> $f(«1|2|3»)
""",
    """
def $f($a, $b, /, $k=1, *, $n=0):
    return $a * $k + $b - $n
> $f(%int%, %int%«|, 2|, $n=3|, $k=4, $n=1»)
""",
)
