"""Templates: digits, bases, powers, roots, thresholds, times. Text only, read by `idioms_data_template`."""

from __future__ import annotations

DIGITS = r"""
:f digit_sum sum_digits sum_of_digits add_digits
:let op + ~ + ~ *
def $f($n):
    $t = <:0~1:>
<:
    while $n <:> 0~:>:
        $t = $t $op $n % 10
        $n //= 10
    return $t
~
    for $ch in str(abs($n)):
        $t = $t $op int($ch)
    return $t
~
    while $n >= 10:
        $n, $v = divmod($n, 10)
        $t = $t $op $v
    return $t $op $n
~
    $out = [int($ch) for $ch in str($n)]
    for $v in $out:
        if <:$v~$v % 2 == 0~$v > 1:>:
            $t = $t $op $v
    return $t
:>
:call $f(#int(0,9999))
:call $f(#int(10,99999))
---
:f digital_root reduce_digits shrink_number
def $f($n):
<:
    while $n > 9:
        $n = sum(int($ch) for $ch in str($n))
    return $n
~
    if $n < 10:
        return $n
    $t = 0
    while $n:
        $t += $n % 10
        $n //= 10
    return $f($t)
~
    $cnt = 0
    while len(str($n)) > 1:
        $t = 0
        for $ch in str($n):
            $t += int($ch)
        $n = $t
        $cnt += 1
    return <:$n, $cnt~$cnt:>
:>
:call $f(#int(0,99999))
---
:f reverse_number reverse_int mirror palindrome_number
def $f($n):
<:
    $t = 0
    $tmp = <:$n~abs($n):>
    while $tmp > 0:
        $t = $t * 10 + $tmp % 10
        $tmp //= 10
    return <:$t~$t == $n~$t if $n > 0 else -$t~($n, $t):>
~
    if $n < 0:
        return -$f(-$n)
    return int(str($n)[::-1])
~
    $s = str($n)
    return <:$s == $s[::-1]~int($s[::-1]) if $s[::-1].isdigit() else 0:>
~
    $cnt = 0
    while str($n) != str($n)[::-1] and $cnt < #int(3,8):
        $n += int(str(abs($n))[::-1])
        $cnt += 1
    return <:$n~$cnt~[$n, $cnt]:>
:>
:call $f(#int(0,12345))
:call $f(#int(-500,9999))
---
:f to_binary to_base convert_base base_repr
def $f($n, $k=<:2~8~16~3:>):
<:
    if $n == 0:
        return '0'
    $out = ''
    while $n > 0:
        $out = '0123456789abcdef'[$n % $k] + $out
        $n //= $k
    return $out
~
    $out = []
    while $n:
        $n, $v = divmod($n, $k)
        $out.append($v)
    <:return $out[::-1]~$out.reverse()
    return $out~return ''.join(str($v) for $v in reversed($out)):>
~
    if $n < $k:
        return str($n)
    return $f($n // $k, $k) + str($n % $k)
~
    return <:bin($n)[2:]~hex($n)~format($n, 'b').zfill($k)~f'{$n:08b}'~oct($n)~f'{$n:x}':>
:>
:call $f(#int(0,255))
:call $f(#int(0,99), #int(2,9))
---
:f from_binary parse_base to_decimal
def $f($s, $k=2):
    $t = 0
<:
    for $ch in $s:
        $t = $t * $k + int($ch)
~
    for $i, $ch in enumerate(reversed($s)):
        $t += int($ch) * $k ** $i
~
    $v = 1
    for $i in range(len($s) - 1, -1, -1):
        if $s[$i] != '0':
            $t += int($s[$i]) * $v
        $v *= $k
~
    $t = int($s, $k)
:>
    return $t
:call $f('<:101~1~110011~0~1001~11111~00101~1110:>')
:call $f('<:12~201~77~1~102~64:>', #int(8,10))
---
:f divisors get_divisors factors_of find_divisors
def $f($n):
<:
    $out = []
    for $i in range(1, $n + 1):
        if $n % $i == 0:
            $out.append($i)
    return <:$out~sum($out)~len($out)~$out[1:-1]:>
~
    return [$i for $i in range(1, $n // 2 + 1) if $n % $i == 0] + [$n]
~
    $i = 1
    $left, $right = [], []
    while $i * $i <= $n:
        if $n % $i == 0:
            $left.append($i)
            if $i != $n // $i:
                $right.append($n // $i)
        $i += 1
    return $left + $right[::-1]
~
    $t = sum($i for $i in range(1, $n) if $n % $i == 0)
    return <:$t == $n~'perfect' if $t == $n else 'abundant' if $t > $n else 'deficient'~$t:>
:>
:call $f(#int(1,28))
---
:f power fast_power pow_mod my_pow
def $f($a, $b):
<:
    $t = 1
    for _ in range($b):
        $t *= $a
    return $t
~
    if $b == 0:
        return 1
    if $b % 2 == 0:
        return $f($a * $a, $b // 2)
    return $a * $f($a, $b - 1)
~
    $t = 1
    while $b > 0:
        if $b & 1:
            $t = $t * $a<:~ % #int(7,97):>
        $a = $a * $a<:~ % #int(7,97):>
        $b >>= 1
    return $t
~
    if $b < 0:
        return 1 / $f($a, -$b)
    $t = $f($a, $b // 2) if $b > 1 else 1
    return $t * $t * $a if $b % 2 else $t * $t
:>
:call $f(#int(-3,9), #int(0,9))
---
:f sqrt_newton integer_sqrt isqrt root
def $f($n):
<:
    $i = 0
    while ($i + 1) * ($i + 1) <= $n:
        $i += 1
    return $i
~
    $lo, $hi = 0, $n
    while $lo <= $hi:
        $mid = ($lo + $hi) // 2
        if $mid * $mid == $n:
            return $mid
        if $mid * $mid < $n:
            $lo = $mid + 1
        else:
            $hi = $mid - 1
    return $hi
~
    $a = $n / 2
    for _ in range(#int(3,6)):
        $a = ($a + $n / $a) / 2
    return round($a, #int(2,4))
~
    $a = $n
    while $a * $a > $n:
        $a = ($a + $n // $a) // 2
    return $a
:>
:call $f(#int(1,120))
---
:f clamp limit_value bound wrap_angle
def $f($n, $lo, $hi):
<:
    if $n < $lo:
        return $lo
    if $n > $hi:
        return $hi
    return $n
~
    return max($lo, min($n, $hi))
~
    if $lo > $hi:
        $lo, $hi = $hi, $lo
    return $lo if $n < $lo else $hi if $n > $hi else $n
~
    while $n > $hi:
        $n -= $hi - $lo
    while $n < $lo:
        $n += $hi - $lo
    return $n
:>
:call $f(#int(-20,60), #int(0,9), #int(10,40))
---
:f fizzbuzz label_number sound_of number_words
:let a,b 3;5 ~ 2;3 ~ 2;7 ~ 3;4
def $f($n):
<:
    $out = []
    for $i in range(1, $n + 1):
        if $i % $a == 0 and $i % $b == 0:
            $out.append(<:'both'~'FizzBuzz'~$i * 100:>)
        elif $i % $a == 0:
            $out.append(<:'fizz'~'Fizz'~-$i:>)
        elif $i % $b == 0:
            $out.append(<:'buzz'~'Buzz'~0:>)
        else:
            $out.append($i)
    return $out
~
    $s = ''
    if $n % $a == 0:
        $s += <:'Fizz'~'a'~'Pling':>
    if $n % $b == 0:
        $s += <:'Buzz'~'b'~'Plang':>
    if $n % 7 == 0:
        $s += <:'Bang'~'Plong':>
    return $s or <:str($n)~$n:>
:>
:call $f(#int(1,16))
:call $f(#int(1,45))
---
:f grade letter_grade rate tier
def $f($n, $flag=False):
    <:if not 0 <= $n <= 100:
        return None~if $n < 0 or $n > 100:
        raise ValueError('out of range')~$n = max(0, min($n, 100)):>
    if $flag:
        $n += #int(1,9)
<:
    if $n >= 90:
        return 'A'
    elif $n >= 75:
        return 'B'
    elif $n >= 50:
        return 'C'
    else:
        return 'F'
~
    for $a, $s in [(90, 'A'), (80, 'B'), (70, 'C'), (60, 'D')]:
        if $n >= $a:
            return $s
    return 'F'
~
    $out = 'low'
    if $n > 30:
        $out = 'medium'
    if $n > 70:
        $out = 'high'
    return <:$out~$out.upper()~(<:$n, $out~$out, $n // 10:>):>
:>
:call $f(#int(0,100))
:call $f(#int(0,90), #bool)
---
:f is_leap leap_year days_in_year days_in_month
def $f($n, $k=<:2~1~4:>):
    $flag = $n % 4 == 0 and ($n % 100 != 0 or $n % 400 == 0)
<:
    return $flag
~
    return <:366 if $flag else 365~'leap' if $flag else 'common':>
~
    if $k == 2:
        return 29 if $flag else 28
    return <:30 if $k in (4, 6, 9, 11) else 31~31 - ($k - 1) % 7 % 2:>
~
    $out = [31, 29 if $flag else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return sum($out[:$k])
:>
:call $f(#int(1890,2030), #int(1,12))
:call $f(<:2000~1900~2024~2023~1600:>)
---
:f seconds_to_time format_duration to_hms split_seconds
def $f($n):
<:
    $a = $n // 3600
    $b = $n % 3600 // 60
    $c = $n % 60
    return <:f'{$a}:{$b:02d}:{$c:02d}'~($a, $b, $c)~'%d:%02d:%02d' % ($a, $b, $c)~[$a, $b, $c]:>
~
    $b, $c = divmod($n, 60)
    $a, $b = divmod($b, 60)
    <:if $a == 0:
        return f'{$b}m {$c}s'
    ~:>return f'{$a}h {$b}m {$c}s'
~
    $out = []
    for $v, $s in ((86400, 'd'), (3600, 'h'), (60, 'm'), (1, 's')):
        if $n >= $v:
            $out.append(str($n // $v) + $s)
            $n %= $v
    return ' '.join($out)
:>
:call $f(#int(0,99999))
:call $f(#int(0,5000))
"""
