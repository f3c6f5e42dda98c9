"""Templates: dynamic programming and backtracking. Text only, read by `idioms_data_template`."""

from __future__ import annotations

TABLES = r"""
:f grid_paths count_paths min_path_sum unique_paths
def $f($n, $m):
<:
    $dp = [[1] * $m for _ in range($n)]
    for $i in range(1, $n):
        for $j in range(1, $m):
            $dp[$i][$j] = $dp[$i - 1][$j] + $dp[$i][$j - 1]
    return <:$dp[-1][-1]~$dp~$dp[$n - 1]:>
~
    if $n == 1 or $m == 1:
        return 1
    return $f($n - 1, $m) + $f($n, $m - 1)
~
    $row = [1] * $m
    for _ in range($n - 1):
        for $j in range(1, $m):
            $row[$j] += $row[$j - 1]
    return $row<:~[-1]:>
:>
:call $f(#int(1,4), #int(1,4))
---
:f min_falling_path best_path triangle_path cheapest_route
def $f($grid):
<:
    $dp = [$row[:] for $row in $grid]
    for $i in range(len($grid)):
        for $j in range(len($grid[0])):
            if $i and $j:
                $dp[$i][$j] += <:min~max:>($dp[$i - 1][$j], $dp[$i][$j - 1])
            elif $i:
                $dp[$i][$j] += $dp[$i - 1][$j]
            elif $j:
                $dp[$i][$j] += $dp[$i][$j - 1]
    return <:$dp[-1][-1]~$dp:>
~
    $dp = $grid[0]
    for $row in $grid[1:]:
        $tmp = []
        for $j in range(len($row)):
            $tmp.append($row[$j] + min($dp[max($j - 1, 0):$j + 2]))
        $dp = $tmp
    return <:min($dp)~$dp:>
:>
:call $f(#matrix(2,3))
---
:f coin_change min_coins count_ways ways_to_pay
def $f($nums, $n):
<:
    $dp = [0] + [<:99~999~float('inf'):>] * $n
    for $i in range(1, $n + 1):
        for $num in $nums:
            if $num <= $i:
                $dp[$i] = min($dp[$i], $dp[$i - $num] + 1)
    return <:$dp[$n]~$dp~$dp[$n] if $dp[$n] < 99 else -1:>
~
    $dp = [1] + [0] * $n
    for $num in $nums:
        for $i in range($num, $n + 1):
            $dp[$i] += $dp[$i - $num]
    return <:$dp[-1]~$dp:>
~
    if $n == 0:
        return 1
    if $n < 0 or not $nums:
        return 0
    return $f($nums, $n - $nums[0]) + $f($nums[1:], $n)
:>
:call $f(<:[1, 2]~[2, 3]~[1, 3, 4]~[5, 2]~[3]~[1, 5]:>, #int(1,6))
---
:f knapsack best_value max_loot rob climb_stairs
def $f($nums, $n=#int(5,9)):
<:
    $a = $b = 0
    for $num in $nums:
        $a, $b = $b, max($b, $a + $num)
    return $b
~
    $dp = [0] * ($n + 1)
    for $num in $nums:
        for $i in range($n, $num - 1, -1):
            $dp[$i] = max($dp[$i], $dp[$i - $num] + $num * #int(1,3))
    return <:$dp[$n]~$dp:>
~
    def go($i, $v):
        if $i == len($nums) or $v <= 0:
            return 0
        $best = go($i + 1, $v)
        if $nums[$i] <= $v:
            $best = max($best, $nums[$i] + go($i + 1, $v - $nums[$i]))
        return $best
    return go(0, $n)
~
    $set = {0}
    for $num in $nums:
        $set = $set | {$v + $num for $v in $set if $v + $num <= $n}
    return <:sorted($set)~max($set)~$n in $set:>
:>
:call $f(#ints(1,4,1,6))
---
:f lcs_length edit_distance common_subsequence levenshtein
def $f($a, $b):
<:
    $dp = [[0] * (len($b) + 1) for _ in range(len($a) + 1)]
    for $i in range(1, len($a) + 1):
        for $j in range(1, len($b) + 1):
            if $a[$i - 1] == $b[$j - 1]:
                $dp[$i][$j] = $dp[$i - 1][$j - 1] + 1
            else:
                $dp[$i][$j] = max($dp[$i - 1][$j], $dp[$i][$j - 1])
    return <:$dp[-1][-1]~$dp[len($a)][len($b)]~$dp[-1]:>
~
    $prev = list(range(len($b) + 1))
    for $i in range(1, len($a) + 1):
        $cur = [$i]
        for $j in range(1, len($b) + 1):
            $v = 0 if $a[$i - 1] == $b[$j - 1] else 1
            $cur.append(min($prev[$j] + 1, $cur[-1] + 1, $prev[$j - 1] + $v))
        $prev = $cur
    return $prev[-1]
~
    if not $a or not $b:
        return 0
    if $a[0] == $b[0]:
        return 1 + $f($a[1:], $b[1:])
    return max($f($a[1:], $b), $f($a, $b[1:]))
:>
:call $f(#letters(1,3), #letters(1,3))
:call $f(#ints(1,3,0,3), #ints(1,3,0,3))
---
:f lis longest_increasing increasing_subsequence
def $f($nums):
<:
    $dp = [1] * len($nums)
    for $i in range(len($nums)):
        for $j in range($i):
            if $nums[$j] <:<~<=~>:> $nums[$i]:
                $dp[$i] = max($dp[$i], $dp[$j] + 1)
    return <:max($dp, default=0)~$dp:>
~
    $out = []
    for $num in $nums:
        $i = bisect.bisect_left($out, $num)
        if $i == len($out):
            $out.append($num)
        else:
            $out[$i] = $num
    return <:len($out)~$out:>
:>
:call $f(#ints(1,6))
---
:f subsets powerset all_subsets combinations
def $f($items):
<:
    $out = [[]]
    for $item in $items:
        $out += [$v + [$item] for $v in $out]
    return <:$out~len($out)~[$v for $v in $out if len($v) > 1]:>
~
    if not $items:
        return [[]]
    $v = $f($items[1:])
    return $v + [[$items[0]] + $c for $c in $v]
~
    $out = []
    def go($i, $cur):
        <:if $i == len($items):
            $out.append($cur[:])
            return~if $i >= len($items):
            $out.append(list($cur))
            return:>
        go($i + 1, $cur)
        $cur.append($items[$i])
        go($i + 1, $cur)
        $cur.pop()
    go(0, [])
    return $out
~
    $out = []
    for $i in range(2 ** len($items)):
        $out.append([$items[$j] for $j in range(len($items)) if $i >> $j & 1])
    return $out
~
    return <:list(itertools.combinations($items, 2))~[sum($v) for $v in itertools.combinations($items, 2)]~\
        list(itertools.product($items, [0, 1])):>
:>
:call $f(#ints(0,3,0,9))
---
:f permutations arrange_all permute orderings
def $f($items):
<:
    if len($items) <= 1:
        return [$items]
    $out = []
    for $i in range(len($items)):
        $v = $items[:$i] + $items[$i + 1:]
        for $c in $f($v):
            $out.append([$items[$i]] + $c)
    return $out
~
    $out = [[]]
    for $item in $items:
        $tmp = []
        for $v in $out:
            for $i in range(len($v) + 1):
                $tmp.append($v[:$i] + [$item] + $v[$i:])
        $out = $tmp
    return $out
~
    return <:list(itertools.permutations($items<:~, 2:>))~\
        [list($v) for $v in itertools.permutations($items) if $v[0] <= $v[-1]]:>
:>
:call $f([#int(0,9), #int(0,9)])
:call $f([#int(0,9), #int(0,9), #int(10,20)])
"""
