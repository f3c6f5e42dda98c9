"""Templates: divisors, primes, sequences. Text only; `idioms_data_template` says how to read it."""

from __future__ import annotations

NUMBERS = r'''
:f gcd greatest_common_divisor hcf common_divisor
def $f($a^: int^, $b^: int^)^ -> int^:
    """Greatest common divisor."""
<:
    while $b:
        $a, $b = $b, $a % $b
    return <:$a~abs($a):>
~
    if $b == 0:
        return $a
    return $f($b, $a % $b)
~
    while $a != $b:
        if $a > $b:
            $a -= $b
        else:
            $b -= $a
    return $a
~
    for $i in range(min($a, $b), 0, -1):
        if $a % $i == 0 and $b % $i == 0:
            return $i
    return 1
:>
:call $f(#int(1,30), #int(1,30))
:call $f(#int(1,12), #int(2,18))
---
:f lcm least_common_multiple lcm_all
def gcd($a, $b):
<:
    while $b != 0:
        $a, $b = $b, $a % $b
    return $a
~
    return $a if not $b else gcd($b, $a % $b)
:>

def $f($nums):
    $t = 1
    for $num in $nums:
        $t = $t * $num // gcd($t, $num)
    return $t
:call $f(#ints(1,4,1,20))
---
:f is_prime prime check_prime
def $f($n^: int^)^ -> bool^:
    if $n <:< 2~<= 1:>:
        return False
<:
    for $i in range(2, int($n ** 0.5) + 1):
        if $n % $i == 0:
            return False
    return True
~
    $i = 2
    while $i * $i <= $n:
        if $n % $i == 0:
            return False
        $i += 1
    return True
~
    if $n % 2 == 0:
        return $n == 2
    for $i in range(3, $n, 2):
        if $n % $i == 0:
            break
    else:
        return True
    return False
~
    return all($n % $i for $i in range(2, $n))
:>
:call $f(#int(0,60))
:call $f(#int(2,30))
---
:f primes_up_to sieve list_primes get_primes
def $f($n):
<:
    $flag = [True] * ($n + 1)
    $flag[0] = False
    for $i in range(2, $n + 1):
        if $flag[$i]:
            for $j in range($i * $i, $n + 1, $i):
                $flag[$j] = False
    return [$i for $i in range(2, $n + 1) if $flag[$i]]
~
    $out = []
    for $num in range(2, $n + 1):
        if all($num % $a != 0 for $a in $out):
            $out.append($num)
    return $out
~
    $out = []
    for $num in range(2, $n):
        for $a in $out:
            if $num % $a == 0:
                break
        else:
            $out.append($num)
    return <:$out~len($out)~sum($out):>
:>
:call $f(#int(1,20))
---
:f prime_factors factorize factors decompose
def $f($n):
    $a = 2
<:
    $out = []
    while $n > 1:
        while $n % $a == 0:
            $out.append($a)
            $n //= $a
        $a += 1
    return <:$out~len($out)~sorted(set($out)):>
~
    $out = {}
    while $a * $a <= $n:
        if $n % $a == 0:
            $out[$a] = $out.get($a, 0) + 1
            $n = $n // $a
        else:
            $a += 1
    if $n > 1:
        $out[$n] = $out.get($n, 0) + 1
    return <:$out~max($out, default=1)~list($out.items()):>
~
    while $a <= $n:
        if $n % $a == 0:
            return [$a] + $f($n // $a)
        $a += 1
    return []
:>
:call $f(#int(2,60))
---
:f fibonacci fib nth_fibonacci
def $f($n^: int^)^ -> int^:
<:
    if $n <:<= 1~< 2:>:
        return $n
    return $f($n - 1) + $f($n - 2)
~
    $a, $b = 0, 1
    for _ in range($n):
        $a, $b = $b, $a + $b
    return $a
~
    $out = [0, 1]
    while len($out) <:<~<=:> $n:
        $out.append($out[-1] + $out[-2])
    return <:$out~$out[-1]~$out[:$n]:>
~
    $memo = {0: 0, 1: 1}
    def helper($i):
        if $i not in $memo:
            $memo[$i] = helper($i - 1) + helper($i - 2)
        return $memo[$i]
    return helper($n)
:>
:call $f(#int(0,6))
:call $f(#int(3,7))
---
:f factorial fact product_to
def $f($n):
<:
    if $n == 0<:~ or $n == 1:>:
        return 1
    return $n * $f($n - 1)
~
    $t = 1
    for $i in range(<:1~2:>, $n + 1):
        $t *= $i
    return $t
~
    $t = 1
    while $n > 1:
        $t *= $n
        $n -= <:1~2:>
    return $t
~
    return 1 if $n <= 1 else $n * $f($n - <:1~2:>)
:>
:call $f(#int(0,9))
---
:f collatz collatz_steps hailstone
def $f($n):
<:
    $out = [$n]
    while $n != 1:
        if $n % 2 == 0:
            $n <://= 2~= $n // 2:>
        else:
            $n = 3 * $n + 1
        $out.append($n)
    return <:$out~max($out)~len($out)~$out[::-1]:>
~
    $out = []
    while $n > 1:
        $out.append('even' if $n % 2 == 0 else 'odd')
        $n = $n // 2 if $n % 2 == 0 else $n * 3 + 1
    return <:$out.count('odd')~len($out):>
:>
:call $f(#int(1,13))
---
:f collatz_length hailstone_steps
def $f($n^: int^)^ -> int^:
<:
    $cnt = 0
    while $n > 1 and $cnt < 50:
        $n = $n // 2 if $n % 2 == 0 else 3 * $n + 1
        $cnt += 1
    return $cnt
~
    if $n == 1:
        return 0
    if $n % 2:
        return 1 + $f(3 * $n + 1)
    return 1 + $f($n // 2)
:>
:call $f(#int(1,12))
'''
