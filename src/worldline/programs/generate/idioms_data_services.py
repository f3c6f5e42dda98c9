"""Templates: longer programs: simulations, settings, schedules. Text only, read by `idioms_data_template`."""

from __future__ import annotations

SERVICES = r'''
:f add_fractions simplify sum_fractions fraction_total
def gcd($a^: int^, $b^: int^)^ -> int^:
    while $b:
        $a, $b = $b, $a % $b
    return $a

def simplify($p^: Tuple[int, int]^)^ -> Tuple[int, int]^:
    $c = gcd($p[0], $p[1])
    return $p[0] // $c, $p[1] // $c

def add($a, $b):
    """Sum of two fractions in lowest terms."""
    return simplify(($a[0] * $b[1] + $b[0] * $a[1], $a[1] * $b[1]))

def $f($ps):
    $t = (0, 1)
    for $p in $ps:
        $t = add($t, $p)
    return <:$t~'%d/%d' % $t~$t[0] / $t[1]~f'{$t[0]}/{$t[1]}':>
:call $f([(#int(1,5), #int(2,9)), (#int(1,5), #int(2,9))])
:call $f([(1, #int(2,6)), (1, #int(2,6)), (#int(1,3), 4)])
---
:f determinant minor det solve_system
def minor($grid, $col):
    return [$row[:$col] + $row[$col + 1:] for $row in $grid[1:]]

def $f($grid):
    if len($grid) == 1:
        return $grid[0][0]
    <:if len($grid) == 2:
        return $grid[0][0] * $grid[1][1] - $grid[0][1] * $grid[1][0]
    ~:>$t = 0
    for $col, $v in enumerate($grid[0]):
        <:$t += (-1) ** $col * $v * $f(minor($grid, $col))~$tmp = $v * $f(minor($grid, $col))
        $t = $t + $tmp if $col % 2 == 0 else $t - $tmp:>
    return $t
:call $f(#square(1,2))
:call $f(#square(2,3))
---
:f poly_add multiply_poly derive poly_string
def trim($nums):
    while len($nums) > 1 and $nums[-1] == 0:
        $nums.pop()
    return $nums

def $f($a, $b):
    """Coefficients from the constant up."""
<:
    $out = [0] * (len($a) + len($b) - 1)
    for $i, $v in enumerate($a):
        for $j, $c in enumerate($b):
            $out[$i + $j] += $v * $c
    return trim($out)
~
    $n = max(len($a), len($b))
    $out = []
    for $i in range($n):
        $v = $a[$i] if $i < len($a) else 0
        $c = $b[$i] if $i < len($b) else 0
        $out.append($v <:+~-:> $c)
    return trim($out)
:>
:call $f(#ints(1,3,-3,5), #ints(1,3,-3,5))
---
:f apply_config merge_config deep_merge diff_config
def is_section($v):
    return isinstance($v, dict)

def $f($a, $b):
    """<:Merge b into a copy of a~What b has that a has not:>."""
<:
    $out = dict($a)
    for $key, $v in $b.items():
        if is_section($v) and is_section($out.get($key)):
            $out[$key] = $f($out[$key], $v)
        elif $v is None:
            $out.pop($key, None)
        else:
            $out[$key] = $v
    return $out
~
    $out = {}
    for $key in $b:
        if $key not in $a:
            $out[$key] = $b[$key]
        elif is_section($b[$key]) and is_section($a[$key]):
            $v = $f($a[$key], $b[$key])
            if $v:
                $out[$key] = $v
        elif $a[$key] != $b[$key]:
            $out[$key] = <:$b[$key]~($a[$key], $b[$key]):>
    return $out
:>
:call $f({'db': {'host': #word, 'port': #int(1,99)}, 'debug': #bool}, {'db': {'port': #int(1,99)}, '<:debug~\
    mode:>': <:True~None~1:>})
:call $f({'a': #int(0,3), 'b': {'x': #int(0,3)}}, {'a': #int(0,3), 'b': {'x': #int(0,3), 'y': <:None~2:>}})
---
:f max_profit trading best_trade buy_and_sell
def moves($nums):
    return [b - a for a, b in zip($nums, $nums[1:])]

def $f($nums^: List[int]^, $k^: int^ = <:0~1~2:>):
<:
    if len($nums) < 2:
        return 0
    $lo = $nums[0]
    $best = 0
    for $num in $nums[1:]:
        $best = max($best, $num - $lo - $k)
        $lo = min($lo, $num)
    return $best
~
    $t = 0
    for $v in moves($nums):
        if $v > $k:
            $t += $v - $k
    return $t
~
    $best = (0, 0, 0)
    for $i in range(len($nums)):
        for $j in range($i + 1, len($nums)):
            $v = $nums[$j] - $nums[$i]
            if $v > $best[0]:
                $best = ($v, $i, $j)
    return $best
:>
:call $f(#ints(2,5,1,30))
---
:f permutation_cycles cycles_of invert_permutation apply_times
def follow($nums, $i):
    $out = [$i]
    $j = $nums[$i]
    while $j != $i:
        $out.append($j)
        $j = $nums[$j]
    return $out

def $f($nums):
    $seen = set()
    $out = []
    for $i in range(len($nums)):
        if $i in $seen:
            continue
        $a = follow($nums, $i)
        $seen.update($a)
        <:if len($a) > 1:
            $out.append(<:$a~tuple($a):>)~$out.append($a):>
    return <:$out~len($out)~sorted(map(len, $out)):>
:call $f(<:[1, 0, 2]~[2, 0, 1]~[1, 2, 3, 0]~[0]~[1, 0, 3, 2]~[3, 1, 0, 2]~[2, 1, 0, 4, 3]:>)
---
:f transfer bank_run apply_transfers settle
class $cls(Exception):
    pass

def withdraw($d, $key, $v):
    if $d.get($key, 0) < $v:
        raise $cls(f'{$key} has only {$d.get($key, 0)}')
    $d[$key] -= $v

def transfer($d, $a, $b, $v):
    withdraw($d, $a, $v)
    $d[$b] = $d.get($b, 0) + $v

def $f($d, $items):
    $out = []
    for $a, $b, $v in $items:
        try:
            transfer($d, $a, $b, $v)
        except $cls as $err:
            $out.append(<:str($err)~$err.args[0]~'failed':>)
    return <:$d, $out~$d~$out:>
:let cls FundsError ~ NotEnough
:call $f({'ann': #int(0,50), 'bob': #int(0,50)}, [('ann', 'bob', #int(1,60)), ('bob', '<:ann~\
    eve:>', #int(1,60))])
---
:f binning histogram_bins bucket_counts make_bins
def bin_index($num, $lo, $k):
    <:return ($num - $lo) // $k~$t = 0
    while $lo + ($t + 1) * $k <= $num:
        $t += 1
    return $t:>

def $f($nums^: List[int]^, $k^: int^ = #int(2,9)):
    """How many numbers fall into each bin of width k."""
    if not $nums:
        return []
    $lo = min($nums)
    $out = [0] * (bin_index(max($nums), $lo, $k) + 1)
    for $num in $nums:
        $out[bin_index($num, $lo, $k)] += 1
    return <:$out~$out.index(max($out))~{$lo + $i * $k: $v for $i, $v in enumerate($out) if $v}~\
        ['#' * $v for $v in $out]:>
:call $f(#ints(1,6,0,20))
---
:f priority_order process_tasks run_jobs scheduler
def next_task($items):
    $best = $items[0]
    for $item in $items:
        if $item[1] <:<~>:> $best[1]:
            $best = $item
    return $best

def $f($items, $k=<:2~3:>):
    $out = []
    $t = 0
    while $items and <:len($out) < $k~$t < #int(10,60):>:
        $a = next_task($items)
        $items.remove($a)
        $t += abs($a[1])
        $out.append(<:$a[0]~($a[0], $t):>)
    return <:$out~$out, $items~$t:>
:call $f(#pairs(1,4))
---
:f water trapped_water skyline visible_from_left
def running_max($nums):
    $out = []
    $best = 0
    for $num in $nums:
        $best = max($best, $num)
        $out.append($best)
    return $out

def $f($nums):
<:
    $left = running_max($nums)
    $right = running_max($nums[::-1])[::-1]
    $t = 0
    for $a, $b, $num in zip($left, $right, $nums):
        $t += min($a, $b) - $num
    return $t
~
    $left = running_max($nums)
    $out = []
    for $i, $num in enumerate($nums):
        if $i == 0 or $num > $left[$i - 1]:
            $out.append($num)
    return $out
:>
:call $f(#ints(2,6,0,6))
---
:f is_valid_row check_sudoku valid_square missing_numbers
def no_repeats($nums^: List[int]^)^ -> bool^:
    $seen = set()
    for $num in $nums:
        if $num == 0:
            continue
        if $num in $seen:
            return False
        $seen.add($num)
    return True

def $f($grid^: List[List[int]]^)^ -> bool^:
    for $row in $grid:
        if not no_repeats($row):
            return False
    for $col in zip(*$grid):
        if not no_repeats(<:$col~list($col):>):
            return False
    return True
:call $f(<:[[1, 2], [2, 1]]~[[1, 2, 0], [2, 0, 1], [0, 1, 2]]~[[1, 1], [2, 3]]~[[0, 3], [3, 0]]~\
    [[4, 2], [4, 1]]:>)
---
:f luhn check_digit valid_code weighted_sum
def digits($n^: int^)^ -> List[int]^:
    <:return [int($ch) for $ch in str($n)]~$out = []
    while $n > 0:
        $out.insert(0, $n % 10)
        $n //= 10
    return $out:>

def $f($n^: int^):
    """Double every second digit and sum."""
    $t = 0
    for $i, $v in enumerate(reversed(digits($n))):
        if $i % 2 == <:1~0:>:
            $v *= 2
            if $v > 9:
                $v -= 9
        $t += $v
    return <:$t % 10 == 0~$t % 10~(10 - $t % 10) % 10~$t:>
:call $f(#int(10,99999))
---
:f elevator visit_floors total_travel nearest_first
def distance($a, $b):
    return abs($a - $b)

def closest($i, $nums):
    <:return min($nums, key=lambda x: (distance($i, x), x))~$best = $nums[0]
    for $num in $nums[1:]:
        if distance($i, $num) < distance($i, $best):
            $best = $num
    return $best:>

def $f($i, $nums):
    $t = 0
    $out = []
    while $nums:
        $num = closest($i, $nums)
        $nums.remove($num)
        $t += distance($i, $num)
        $out.append($num)
        $i = $num
    return <:$out~$t~$out, $t:>
:call $f(#int(0,9), #ints(1,4,0,12))
'''
