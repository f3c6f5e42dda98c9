"""Templates: distances, bits, ranges, comparisons, polynomials. Text only, read by `idioms_data_template`."""

from __future__ import annotations

SERIES = r"""
:f distance dist manhattan length_between
def $f($a, $b):
<:
    $lo = $a[0] - $b[0]
    $hi = $a[1] - $b[1]
    return <:abs($lo) + abs($hi)~round(math.sqrt($lo ** 2 + $hi ** 2), 2)~max(abs($lo), abs($hi))~\
        round(math.hypot($lo, $hi), 3):>
~
    return sum(abs($v - $c) for $v, $c in zip($a, $b))
~
    $t = 0
    for $i in range(len($a)):
        $t += ($a[$i] - $b[$i]) ** 2
    return <:$t~$t ** 0.5~round($t ** 0.5, 2):>
~
    ($lo, $hi), ($v, $c) = $a, $b
    return <:($v - $lo, $c - $hi)~abs($v - $lo) + abs($c - $hi)~(($lo + $v) / 2, ($hi + $c) / 2):>
:>
:call $f((#int(-5,9), #int(-5,9)), (#int(-5,9), #int(0,9)))
:call $f([#int(0,20), #int(0,20)], [#int(-9,9), #int(0,9)])
---
:f count_bits popcount ones binary_weight parity
def $f($n):
<:
    $cnt = 0
    while $n:
        $cnt += $n & 1
        $n >>= 1
    return <:$cnt~$cnt % 2:>
~
    return bin($n).count(<:'1'~'0':>)
~
    $cnt = 0
    while $n > 0:
        $n &= $n - 1
        $cnt += 1
    return $cnt
~
    $out = []
    $i = 0
    while $n >> $i:
        if $n & (1 << $i):
            $out.append(<:$i~1 << $i:>)
        $i += 1
    return $out
~
    if $n == 0:
        return 0
    return $n % 2 + $f($n // 2)
:>
:call $f(#int(0,255))
---
:f sum_multiples count_range sum_range total_in_range
def $f($n, $k=#int(2,5)):
<:
    $t = 0
    for $i in range($n):
        if <:$i % $k == 0~$i % $k == 0 or $i % 7 == 0~#cond($i):>:
            $t += $i
    return $t
~
    $t = 0
    $i = $k
    while $i < $n:
        $t += $i
        $i += $k
    return $t
~
    return sum(range($k, $n, $k))
~
    $t = 0
    while $n > 0:
        if $n % $k == 0:
            $n -= $k
            continue
        $t += $n
        $n -= #int(1,3)
    return $t
~
    return <:sum~list~len:>([$i for $i in range(1, $n + 1) if not $i % $k])
:>
:call $f(#int(1,15))
:call $f(#int(4,25), #int(2,6))
---
:f triangle pascal_row pascals_triangle build_rows
def $f($n):
<:
    $row = [1]
    for $i in range($n):
        $row = [1] + [$row[$j] + $row[$j + 1] for $j in range(len($row) - 1)] + [1]
    return $row
~
    $out = []
    for $i in range($n):
        $row = [1] * ($i + 1)
        for $j in range(1, $i):
            $row[$j] = $out[$i - 1][$j - 1] + $out[$i - 1][$j]
        $out.append($row)
    return <:$out~$out[-1] if $out else []~[sum($row) for $row in $out]:>
~
    $out = []
    for $i in range(1, $n + 1):
        $out.append(<:'*' * $i~' ' * ($n - $i) + '*' * $i~list(range(1, $i + 1))~str($i) * $i:>)
    return $out
:>
:call $f(#int(0,5))
---
:f is_armstrong is_happy is_harshad special_number
def $f($n):
<:
    $t = sum(int($ch) ** len(str($n)) for $ch in str($n))
    return <:$t == $n~$t, $t == $n:>
~
    $seen = set()
    while $n != 1 and $n not in $seen:
        $seen.add($n)
        $n = sum(int($ch) ** 2 for $ch in str($n))
    return $n == 1
~
    $t = sum(map(int, str($n)))
    return $t > 0 and $n % $t == 0
~
    $tmp = $n
    $t = 0
    while $tmp:
        $v = $tmp % 10
        $t += $v ** <:2~3:>
        $tmp //= 10
    return <:$t == $n~'yes' if $t == $n else 'no'~$t - $n:>
:>
:call $f(#int(1,500))
:call $f(<:153~370~19~7~18~407~21~10~82:>)
---
:f compare sign relation three_way_compare
def $f($a, $b):
<:
    if $a > $b:
        return 1
    if $a < $b:
        return -1
    return 0
~
    return ($a > $b) - ($a < $b)
~
    if $a == $b:
        return 'equal'
    elif $a > $b:
        return 'greater'
    return 'less'
~
    $out = {'eq': $a == $b, 'lt': $a < $b}
    if $a * $b < 0:
        $out['sign'] = <:'differ'~False:>
    return $out
~
    $c = #pair($a,$b)
    return #pcond($a,$c), <:$c~not $c~$c > 0:>
:>
:call $f(#int, #int)
:call $f(#int(0,5), #int(0,5))
---
:f calculate calc apply_op evaluate
def $f($op, $a, $b):
<:
    if $op == '+':
        return $a + $b
    elif $op == '-':
        return $a - $b
    elif $op == '*':
        return $a * $b
    elif $op == '/':
        return <:$a / $b if $b else None~None if $b == 0 else $a // $b:>
    else:
        <:return None~raise ValueError(f'unknown op {$op}'):>
~
    $d = {
        '+': lambda x, y: x + y,
        '-': lambda x, y: x - y,
        '*': lambda x, y: x * y,
        '/': lambda x, y: <:x // y if y else 0~round(x / (y or 1), 2):>,
    }
    <:return $d[$op]($a, $b)~if $op not in $d:
        return 'error'
    return $d[$op]($a, $b)~return $d.get($op, lambda x, y: None)($a, $b):>
~
    try:
        if $op in ('/', '%'):
            return $a / $b if $op == '/' else $a % $b
        return $a + $b if $op == '+' else $a - $b
    except ZeroDivisionError as $err:
        return <:str($err)~None~float('inf'):>
:>
:call $f('<:+~-~*~/:>', #int, #int(0,12))
:call $f('<:+~-~*~/:>', #int(-9,9), #int(0,5))
---
:f quadratic solve_quadratic roots evaluate_polynomial
def $f($a, $b, $c):
    $v = $b ** 2 - 4 * $a * $c
<:
    if $v < 0:
        return <:None~[]~():>
    if $v == 0:
        return <:-$b / (2 * $a)~[-$b / (2 * $a)]:>
    $t = $v ** 0.5
    return <:[round((-$b - $t) / (2 * $a), 2), round((-$b + $t) / (2 * $a), 2)]~\
        ((-$b - $t) / (2 * $a), (-$b + $t) / (2 * $a)):>
~
    return <:'two' if $v > 0 else 'one' if $v == 0 else 'none'~0 if $v < 0 else 1 + ($v > 0):>
~
    return [$a * $i * $i + $b * $i + $c for $i in range(<:3~-1, 3~0, 6, 2:>)]
:>
:call $f(#int(1,3), #int(-9,9), #int(-9,9))
:call $f(1, #int(-9,9), #int(-20,5))
---
:f horner poly_eval polynomial eval_poly
def $f($nums, $n):
    $t = 0
<:
    for $num in $nums:
        $t = $t * $n + $num
    return $t
~
    for $i, $num in enumerate($nums):
        $t += $num * $n ** $i
    return $t
~
    $v = 1
    for $i in range(len($nums)):
        $t += $nums[$i] * $v
        $v *= $n
    return <:$t~$t, $v~$t % #int(7,99):>
:>
:call $f(#ints(1,5,-5,9), #int(-3,6))
---
:f format_table money_format format_number pretty
def $f($flt, $k=<:2~1~3:>):
<:
    return <:f'{$flt:.{$k}f}'~f'{$flt: >10.2f}'~f'{$flt:,.2f}'~'{:.1f}%'.format($flt * 100)~f'{$flt:+.1f}'~\
        f'{$flt:08.3f}'~f'{$flt:e}':>
~
    $s = str(round($flt, $k))
    <:if '.' in $s:
        $left, $right = $s.split('.')
        return <:$left~$left, $right~$right.ljust($k, '0')~int($left) * 100:>
    return $s~$left, _, $right = $s.partition('.')
    return [$left, $right]:>
~
    $n = int($flt)
    $v = $flt - $n
    return <:($n, round($v, 2))~$n + 1 if $v >= 0.5 else $n~round($flt)~int(round($v * 100)):>
~
    $a, $b = math.floor($flt), math.ceil($flt)
    return $a if $flt - $a < $b - $flt else $b
:>
:call $f(#float)
:call $f(#float(0,5000), #int(0,3))
---
:f next_in_sequence arithmetic_or_geometric look_and_say tribonacci lucas
def $f($n):
<:
    $a, $b, $c = 0, <:0, 1~1, 1:>
    for _ in range($n):
        $a, $b, $c = $b, $c, $a + $b + $c
    return <:$a~$c:>
~
    $out = [#int(1,5)]
    while len($out) < $n:
        $v = $out[-1] * 2 if len($out) % 2 else $out[-1] + #int(1,5)
        $out.append($v)
    return $out
~
    $s = '1'
    for _ in range($n % 4):
        $out, $i = '', 0
        while $i < len($s):
            $j = $i
            while $j < len($s) and $s[$j] == $s[$i]:
                $j += 1
            $out += str($j - $i) + $s[$i]
            $i = $j
        $s = $out
    return $s
~
    $lo, $hi = 2, 1
    $out = []
    for $i in range($n):
        $out.append($lo)
        $lo, $hi = $hi, $lo + $hi
    return $out
:>
:call $f(#int(0,7))
---
:f guess bisect_root search_number halve_until
def $f($n, $target=#int(1,40)):
<:
    $lo, $hi = 1, $n
    $cnt = 0
    while True:
        $cnt += 1
        $mid = ($lo + $hi) // 2
        if $mid == $target or $lo > $hi:
            break
        if $mid < $target:
            $lo = $mid + 1
        else:
            $hi = $mid - 1
    return <:$cnt~$mid, $cnt:>
~
    $out = []
    while $n <:> 1~>= 1:>:
        $out.append($n)
        $n <://= 2~= $n // 3:>
    return $out
~
    $cnt = 0
    while $n < $target * 10:
        $n = $n * 2 + 1
        $cnt += 1
        if $cnt > #int(4,9):
            return -1
    return $cnt
:>
:call $f(#int(5,64))
:call $f(#int(3,50), #int(1,50))
"""
