"""Templates: change, means, medians, growth, prices. Text only, read by `idioms_data_template`."""

from __future__ import annotations

AVERAGES = r"""
:f make_change coins_for count_coins change
def $f($n, $nums=<:(25, 10, 5, 1)~(50, 20, 10, 5, 2, 1)~(100, 25, 10, 1):>):
<:
    $out = {}
    for $v in $nums:
        $cnt = $n // $v
        if $cnt > 0:
            $out[$v] = $cnt
            $n -= $cnt * $v
    return <:$out~sum($out.values())~$out, $n:>
~
    $t = 0
    for $v in $nums:
        while $n >= $v:
            $n -= $v
            $t += 1
    return $t
~
    $out = []
    $i = 0
    while $n > 0 and $i < len($nums):
        if $nums[$i] <= $n:
            $n -= $nums[$i]
            $out.append($nums[$i])
        else:
            $i += 1
    return $out
~
    $out = [0] * len($nums)
    for $i, $v in enumerate($nums):
        $out[$i], $n = divmod($n, $v)
    return <:$out~dict(zip($nums, $out))~[($v, $cnt) for $v, $cnt in zip($nums, $out) if $cnt]:>
:>
:call $f(#int(1,99))
---
:f mean average avg mean_and_range
def $f($nums^: List[float]^)^ -> float^:
<:
    if not $nums:
        return <:0~0.0~None:>
    return <:round(sum($nums) / len($nums), #int(1,3))~sum($nums) / len($nums)~sum($nums) // len($nums):>
~
    $t = 0<:~.0:>
    for $num in $nums:
        $t += $num
    return <:$t / len($nums) if $nums else 0~round($t / max(len($nums), 1), 2):>
~
    $t, $cnt = 0, 0
    for $num in $nums:
        if <:$num > 0~$num is not None~#cond($num):>:
            $t += $num
            $cnt += 1
    return <:$t / $cnt if $cnt else None~($t, $cnt):>
~
    try:
        $t = sum($nums) / len($nums)
    except ZeroDivisionError:
        return <:0~None~-1:>
    return <:round($t, 2)~int($t)~[$v for $v in $nums if $v > $t]:>
:>
:call $f(#ints)
:call $f(#ints(1,5))
:call $f(#floats(1,4))
---
:f variance std_dev spread mean_absolute_deviation
def $f($nums):
    $n = len($nums)
    if $n <:== 0~< 2:>:
        return 0.0
    $t = sum($nums) / $n
<:
    $v = sum(($num - $t) ** 2 for $num in $nums) / <:$n~max($n - 1, 1):>
    return round($v, #int(1,3))
~
    $out = [abs($num - $t) for $num in $nums]
    return <:round(sum($out) / $n, 2)~max($out)~[round($v, 1) for $v in $out]:>
~
    $v = 0
    for $num in $nums:
        $v += ($num - $t) * ($num - $t)
    return <:round(($v / $n) ** 0.5, 3)~$v / $n~{'mean': $t, 'var': round($v / $n, 2)}:>
:>
:call $f(#ints(0,4,0,20))
:call $f(#ints(2,5))
---
:f median middle_value find_median
def $f($nums):
<:
    $nums = sorted($nums)
    $mid = len($nums) // 2
    if len($nums) % 2 == <:1:
        return $nums[$mid]
    return ($nums[$mid - 1] + $nums[$mid]) / 2~0:
        return ($nums[$mid - 1] + $nums[$mid]) / 2
    return $nums[$mid]:>
~
    $out = $nums[:]
    while len($out) > 2:
        $out.remove(max($out))
        $out.remove(min($out))
    return sum($out) / len($out)
~
    $out = sorted($nums)
    $n = len($out)
    $lo, $hi = $out[($n - 1) // 2], $out[$n // 2]
    return $lo if $lo == $hi else ($lo + $hi) / 2
:>
:call $f(#ints(1,7))
---
:f compound grow balance_after interest project
def $f($flt, $k, $n=#int(2,5)):
<:
    for _ in range($n):
        $flt += $flt * $k / 100
    return round($flt, 2)
~
    $cnt = 0
    while $flt < #int(150,400) and $cnt < 12:
        $flt = $flt * (1 + $k / 100)
        $cnt += 1
    return <:$cnt~$cnt, round($flt, 2):>
~
    $out = [$flt]
    for $i in range(1, $n + 1):
        $v = $out[-1] * $k <:// 10~/ 10:>
        $out.append(<:$out[-1] + $v~round($out[-1] - $v, 1):>)
    return $out
:>
:call $f(#int(50,200), #int(3,12))
:call $f(#int(10,100), #int(5,25), #int(1,4))
---
:f discount apply_discount final_price price_with_tax order_total
def $f($flt, $k=#int(5,30), $flag=False):
<:
    if $flag:
        $flt *= 0.9
    if $flt > #int(20,100):
        $flt -= $k
    return round($flt, 2)
~
    if $k < 0 or $k > 100:
        raise ValueError('bad rate')
    $v = $flt * $k / 100
    return <:f'{$flt - $v:.2f}'~round($flt - $v, 1)~'$%.2f' % ($flt + $v):>
~
    $v = 0
    if $flt >= 100:
        $v = 0.2
    elif $flt >= 50:
        $v = 0.1
    elif $flag:
        $v = 0.05
    $flt = $flt - $flt * $v
    return <:round($flt, 2)~int($flt)~{'rate': $v, 'price': round($flt, 2)}:>
:>
:call $f(#int(10,200))
:call $f(#float(10,150), #int(5,40), #bool)
"""
