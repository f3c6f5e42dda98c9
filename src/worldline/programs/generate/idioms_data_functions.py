"""Templates: closures, decorators, generators, coroutines. Text only, read by `idioms_data_template`."""

from __future__ import annotations

FUNCTIONS = r"""
:f make_counter counter_demo run_counter count_up
def make($n=<:0~1~10:>):
    $cnt = $n
    def inc($v=1):
        nonlocal $cnt
        $cnt += $v
        return $cnt
    return inc

def $f($nums):
    $a = make()
<:
    for $num in $nums:
        $a($num)
    return $a(<:0~~1:>)
~
    $b = make(#int(0,20))
    return [$a($num) + $b() for $num in $nums]
~
    $out = []
    for $num in $nums:
        $out.append($a() if #cond($num) else $a($num))
    return $out
:>
:call $f(#ints(1,4,0,9))
---
:f compose apply_all pipeline chain_functions
def $f($n):
<:
    def double(x):
        return x * 2
    def shift(x):
        return #expr(x)
    $out = [double, shift<:~, abs~, lambda x: #expr(x):>]
    for $fn in $out:
        $n = $fn($n)
    return $n
~
    $out = [lambda x, k=$i: x <:+~*~-:> k for $i in range(#int(2,4))]
    return [$fn($n) for $fn in $out]
~
    $out = []
    for $i in range(3):
        $out.append(lambda: $i * $n)
    return [$fn() for $fn in $out]
~
    def compose($a, $b):
        return lambda x: $a($b(x))
    $fn = compose(lambda x: #expr(x), lambda y: #expr(y))
    return $fn($n)<:~, $fn(#int(0,9)):>
~
    def twice($fn):
        return lambda x: $fn($fn(x))
    return twice(<:twice(lambda x: #expr(x))~lambda x: #expr(x):>)($n)
:>
:call $f(#int(0,20))
---
:f memo_fib cached_calls memoized count_computations
def $f($n):
    $memo = {}
    $cnt = 0
    def go($i):
        nonlocal $cnt
        if $i in $memo:
            return $memo[$i]
        $cnt += 1
        <:$t = 1 if $i < 2 else go($i - 1) + go($i - 2)~if $i <= 1:
            $t = $i
        else:
            $t = go($i // 2) + go($i - 2):>
        $memo[$i] = $t
        return $t
    <:return go($n)~return go($n), $cnt~go($n)
    return $memo:>
:call $f(#int(1,6))
---
:f decorated logged_sum traced validated
def $deco($fn):
    def wrapper(*args, **kwargs):
        $v = $fn(*args, **kwargs)
        <:return $v * #int(2,5)~return [$v]~if $v < 0:
            return 0
        return $v~return $v, len(args) + len(kwargs):>
    return wrapper

@$deco
def $f($a, $b=#int(1,9)):
    return #pair($a,$b)
:let deco double ~ twice ~ check ~ wrap ~ guard
:call $f(#int)
:call $f(#int, #int)
:call $f(#int, $b=#int(0,9))
---
:f repeat_calls retry_call apply_n
def repeat($n):
    def deco($fn):
        def inner(*args):
            $t = args
            for _ in range($n):
                $t = $fn(*$t)
            return $t
        return inner
    return deco

@repeat(#int(1,4))
def $f($a, $b):
    return <:$b, $a + $b~$a + 1, $b * 2~$b, $a~$a - $b, $b~$b + 1, $a:>
:call $f(#int(0,9), #int(0,9))
---
:f first_items take_while evens squares_below use_generator
def produce($n, $k=1):
<:
    $i = 0
    while $i < $n:
        yield $i
        $i += $k
~
    for $i in range($n):
        if #cond($i):
            yield $i
        <:else:
            yield -1~:>
~
    $a, $b = 0, 1
    while $a < $n:
        yield $a
        $a, $b = $b, $a + $b
~
    while $n > 0:
        yield $n <:~% 10:>
        $n <://= 2~-= 2~//= 10:>
:>

def $f($n):
<:
    return <:list~sum~sorted~tuple:>(produce($n))
~
    $out = []
    for $num in produce($n, 2):
        if len($out) > #int(1,4):
            break
        $out.append(#expr($num))
    return $out
~
    $gen = produce($n)
    $a = next($gen, <:None~0:>)
    $b = next($gen, <:None~-1:>)
    return $a, $b<:~, list($gen):>
~
    return {$i: $v for $i, $v in enumerate(produce($n))}
~
    $t = 0
    for $num in produce($n):
        $t = $t * 2 + $num
    return $t
:>
:call $f(#int(1,6))
---
:f flatten_gen walk_tree iter_leaves generate_all
def walk($items):
    for $item in $items:
        if isinstance($item, list):
            yield from walk($item)
        else:
            yield $item

def $f($items):
    <:return list(walk($items))~return sum(walk($items))~$out = []
    for $v in walk($items):
        $out.append(#expr($v))
    return $out~return [$v for $v in walk($items) if #cond($v)]:>
:call $f([#int(0,9), [#int(0,9), #int(0,9)], #int(0,9)])
:call $f([[#int(0,9), [#int(0,9)]], #int(0,20)])
---
:f running_gen averager consume send_values
def running():
    $t = 0
    $v = yield
    while $v is not None:
        $t <:+= $v~= max($t, $v)~= $t * 2 + $v:>
        $v = yield $t

def $f($nums):
    $gen = running()
    next($gen)
    $out = []
    for $num in $nums:
        $out.append($gen.send($num))
    <:$gen.close()
    ~:>return $out
:call $f(#ints(1,4))
"""
