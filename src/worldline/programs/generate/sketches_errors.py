"""Sketches of exceptions raised, caught, chained, cleaned up after, and sometimes not caught; context managers too."""

from __future__ import annotations

ERRORS = (
    """
def $f($s):
    try:
        $n = int($s)
    except ValueError:
        return «-1|None|0|$s|'bad'»
?    else:
?        print('parsed', $n)
    return @int $n:int@
> $f(«%digits%|%digits%|%word%|%str!%|'-12'|' 7 '|'3.5'|''»)
""",
    """
def $f($xs, $i):
    try:
        return $xs[$i]
    except IndexError:
        return «None|-1|'out of range'|$xs[-1] if $xs else 0|len($xs)»
> $f(«%ints!%|%strs!%|%str!%|%tup!%», «%cnt%|%small%|10|-3|-8|0»)
""",
    """
def $f($d, $key):
    try:
        $v = $d[$key]
    except KeyError«| as $e»:
        $v = «0|None|-1|len($d)|'missing'»
?    finally:
?        print($key)
    return $v
> $f(%counts!%, «%member%|%str%»)
""",
    """
def $f($a, $b):
    try:
        $out = $a «/|//|%» $b
    except ZeroDivisionError«| as $e»:
        «return «0|None|'undefined'|float('inf')»|$out = «0|None|-1»»
    return $out
> $f(%int%, «%pos%|0|%small%|0|%int%»)
""",
    """
def $f($ws):
    $total = 0
    $out = []
    for $w in $ws:
        try:
            $total += int($w)
        except ValueError:
            «$out.append($w)|continue|$out.append(len($w))|pass»
    return $total, $out
> $f(«%strs!%|%strs%|['1', 'x', '20']|['4', '', '5a', '6']|['10', '-3', 'two']»)
""",
    """
def $f($xs):
    $out = []
    for $x in $xs:
        try:
            $out.append(«~pos~|100|10|60» // $x)
        except ZeroDivisionError:
            $out.append(«0|None|-1»)
        «else:\n            $out[-1] += 1|finally:\n            print($x)
        |finally:\n            $total = len($out)»
    return $out
> $f(«%few%|[1, 0, 2]|[0, 5]|[3, 4, 0, 0]»)
""",
    """
def $g($x):
    if @bool $x:int@:
        raise ValueError(«'bad value'|$x|f'{$x} is wrong'|'too small'»)
    return @int $x:int@

def $f($x):
    try:
        return $g($x)
    except ValueError as $e:
        return «str($e)|$e.args[0]|repr($e)|type($e).__name__|f'error: {$e}'»
> $f(%int%)
""",
    """
class $Error(«Exception|ValueError|LookupError»):
    pass

def $f($xs, $n):
    for $i, $x in enumerate($xs):
        if $x «>|==|<» $n:
            raise $Error(«f'at {$i}'|$x|'found'|$i, $x»)
    return «len($xs)|sum($xs)|'ok'»

def main($xs, $n):
    try:
        return $f($xs, $n)
    except $Error as $e:
        return «$e.args|str($e)|'caught ' + str($e)»
> main(%ints%, %int%)
""",
    """
def $f($x):
    if not isinstance($x, «int|str|(int, float)|list»):
        raise TypeError(«'wrong type'|f'got {type($x).__name__}'|type($x).__name__»)
    return «$x * 2|[$x]|str($x)|$x»
> $f(«%int%|%str!%|%ints%|%float%|%tup%»)
""",
    """
def $f($x, $y):
    try:
        try:
            return $x «+|*|//» $y
        except ZeroDivisionError as $e:
            raise ValueError(«'inner'|'no zero'») from «$e|None|$e»
    except (TypeError, ValueError) as err:
        return «str(err)|type(err).__name__|f'{err.__cause__!r}'|[type(err).__name__, $x]»
> $f(«%int%|%int%|%word%», «%int%|0|%small%|%word%»)
""",
    """
def $f($s, $c):
    try:
        $i = $s.index($c)
    except ValueError:
        $i = «-1|len($s)|0»
    return «$s[:$i]|$s[$i:]|$i|$s[:$i] + $s[$i + 1:]|$s[$i + 1:]»
> $f(%str!%, «%char%|%char%|'z'|'?'|%sub%»)
""",
    """
def $f($xs):
    $total = 0
    try:
        for $x in $xs:
            if @bool $x:int@:
                break
            $total += $x
        else:
            «$total *= 2|return -1|$total += 100»
    finally:
        «print('done')|$xs.clear()|$xs.append($total)|$xs.reverse()»
    return $total
> $f(%ints%)
""",
    """
def $f($xs, $x):
    if $x in $xs:
        $xs.remove($x)
    else:
        raise «KeyError($x)|ValueError(f'{$x} not found')|LookupError('missing', $x)»
    return $xs
> $f(«%ints!%, %member%|%ints!%, %member%|%strs!%, %member%|%ints!%, %int%»)
""",
    """
def $f($n):
    assert $n «> 0|>= 0|!= 0|< 1000», «'must be valid'|f'bad {$n}'|$n»
    return @int $n:int@
> $f(%int%)
""",
    """
def $f($d, $ws):
    $out = []
    for $w in $ws:
        try:
            $out.append($d[$w])
        except KeyError as $e:
            $out.append(«0|$e.args[0]|None|str($e)»)
    return $out
> $f(%counts!%, [%member%, %str%, %member%, %word%])
""",
    """
def $f($v):
    try:
        return len($v)
    except TypeError:
        «return -1|return str($v)|$v = str($v)\n        return len($v)»
> $f(«%int%|%str!%|%ints%|%float%|None|%counts%»)
""",
    """
def $f($xs):
    $i = 0
    try:
        while True:
            $xs[$i] «+= 1|*= 2|-= $i»
            $i += «1|2|1»
    except IndexError:
        return $xs«|, $i»
> $f(%ints%)
""",
    """
def $f($s):
    $d = {}
    for pair in $s.split(«','|';'|'&'|','»):
        try:
            $key, $v = pair.split(«'='|':'»)
        except ValueError:
            «continue|$d[pair] = None\n            continue»
        $d[$key] = $v
    return $d
> $f(«'a=1,b=2'|'x:1;y:2;z'|'k=v&m=n&=0'|'name=bob,age=30,'|%str!%»)
""",
)

CONTEXTS = (
    """
class $Thing:
    def __init__(self, $xs):
        self.$xs = $xs

    def __enter__(self):
        self.$xs.append(«'in'|'open'|'start'»)
        return self

    def __exit__(self, kind, value, tb):
        self.$xs.append(«'out'|'close'|kind is None»)
        return «True|False|kind is ValueError|None»

def $f($n):
    $out = []
    with $Thing($out) as $obj:
        $obj.$xs.append($n)
        «$out.append(@int $n:int@)|if @bool $n:int@:\n            return $out|$n += 1»
    return $out
> $f(%int%)
""",
    """
from contextlib import contextmanager

@contextmanager
def $g($xs, $w):
    $xs.append(«'<' + $w|$w|f'begin {$w}'»)
    «yield|yield $w.upper()|yield len($xs)»
    $xs.append(«$w + '>'|f'end {$w}'|len($xs)»)

def $f($ws):
    $out = []
    for $v in $ws:
        with $g($out, $v) as $x:
            $out.append(«$x|$v[::-1]»)
    return $out
> $f(«['a']|['ab', 'cd']|[%word%]|[%word%, %word%]»)
""",
    """
from contextlib import suppress

def $f($ws):
    $total = 0
    for $w in $ws:
        with suppress(«ValueError|(ValueError, TypeError)»):
            $total += int($w)
?            $total += 1
    return $total
> $f(«%strs%|['1', 'b', '3']|['x']|['7', '8']»)
""",
    """
class $Thing:
    depth = 0

    def __enter__(self):
        $Thing.depth += 1
        return $Thing.depth

    def __exit__(self, *args):
        $Thing.depth -= 1

def $f($s):
    $out = ''
    with $Thing() as $a«, $Thing() as $b|»:
        $out += $s * $a
        with $Thing() as $k:
            $out += @str $s:str@ + str($k)
    return $out + str($Thing.depth)
> $f(%word%)
""",
)
