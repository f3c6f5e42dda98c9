"""Templates: finding, pairs, windows, runs. Text only, read by `idioms_data_template`."""

from __future__ import annotations

SEARCH = r"""
:f index_of find_index linear_search locate
def $f($items, $target):
<:
    for $i in range(len($items)):
        if $items[$i] == $target:
            return $i
    return -1
~
    for $i, $item in enumerate($items):
        if $item == $target:
            return <:$i~$i, $item~$items[$i:]:>
    return <:None~-1~[]:>
~
    return $items.index($target) if $target in $items else -1
~
    try:
        return $items.index($target)
    except ValueError:
        return <:-1~None~len($items):>
~
    $out = [$i for $i, $item in enumerate($items) if $item == $target]
    return <:$out~$out[-1] if $out else -1~len($out):>
~
    $i = 0
    while $i < len($items) and $items[$i] != $target:
        $i += 1
    <:return $i~if $i == len($items):
        return None
    return $i:>
~
    for $item in $items:
        if $item == $target:
            $flag = True
            break
    else:
        $flag = False
    return $flag
:>
:call $f(#ints(0,6), #in)
:call $f(#words(1,5), #in)
---
:f binary_search bsearch search_sorted insert_position
def $f($nums^: List[int]^, $target^: int^)^ -> int^:
<:
    $lo = 0
    $hi = len($nums) - 1
    while $lo <= $hi:
        $mid = ($lo + $hi) // 2
        if $nums[$mid] == $target:
            return $mid
        elif $nums[$mid] < $target:
            $lo = $mid + 1
        else:
            $hi = $mid - 1
    return <:-1~$lo~None:>
~
    $lo, $hi = 0, len($nums)
    while $lo < $hi:
        $mid = $lo + ($hi - $lo) // 2
        if $nums[$mid] <:<~<=:> $target:
            $lo = $mid + 1
        else:
            $hi = $mid
    return <:$lo~$nums[:$lo] + [$target] + $nums[$lo:]~$lo < len($nums) and $nums[$lo] == $target:>
~
    def go($lo, $hi):
        if $lo > $hi:
            return -1
        $mid = ($lo + $hi) // 2
        if $nums[$mid] == $target:
            return $mid
        if $nums[$mid] > $target:
            return go($lo, $mid - 1)
        return go($mid + 1, $hi)
    return go(0, len($nums) - 1)
~
    if not $nums:
        return False
    $mid = len($nums) // 2
    if $nums[$mid] == $target:
        return True
    if $nums[$mid] < $target:
        return $f($nums[$mid + 1:], $target)
    return $f($nums[:$mid], $target)
~
    $i = bisect.bisect_<:left~right:>($nums, $target)
    <:return $i~$nums.insert($i, $target)
    return $nums~return $i, $nums[:$i]:>
:>
:call $f(#sorted, #in)
:call $f(#sorted(3,9), #in)
---
:f differences deltas gaps adjacent_pairs pairwise
def $f($nums):
<:
    $out = []
    for $i in range(len($nums) - 1):
        $out.append(#pair($nums[$i + 1],$nums[$i]))
    return $out
~
    return [#pair($a,$b) for $a, $b in zip($nums, $nums[1:])]
~
    $cnt = 0
    for $i in range(1, len($nums)):
        if #pcond($nums[$i],$nums[$i - 1]):
            $cnt += 1
    return $cnt
~
    $best = 0
    $prev = $nums[0]
    for $num in $nums[1:]:
        $best = max($best, <:$num - $prev~abs($num - $prev)~$num + $prev:>)
        $prev = $num
    return $best
~
    $n = len($nums)
    $out = [($nums[$i], $nums[$j]) for $i in range($n) for $j in range($i + 1, $n) if #pcond($nums[$i],$nums[$j])]
    return <:$out~len($out):>
:>
:call $f(#ints(1,6))
:call $f(#ints(2,5,-9,20))
---
:f two_sum pair_with_sum find_pair has_pair
def $f($nums^: List[int]^, $target^: int^):
<:
    for $i in range(len($nums)):
        for $j in range($i + 1, len($nums)):
            if $nums[$i] + $nums[$j] == $target:
                return <:[$i, $j]~($nums[$i], $nums[$j])~True:>
    return <:None~[]~False:>
~
    $seen = {}
    for $i, $num in enumerate($nums):
        $v = $target - $num
        if $v in $seen:
            return [$seen[$v], $i]
        $seen[$num] = $i
    return []
~
    $nums = sorted($nums)
    $lo, $hi = 0, len($nums) - 1
    while $lo < $hi:
        $t = $nums[$lo] + $nums[$hi]
        if $t == $target:
            return $nums[$lo], $nums[$hi]
        if $t < $target:
            $lo += 1
        else:
            $hi -= 1
    return None
~
    $seen = set()
    $cnt = 0
    for $num in $nums:
        if $target - $num in $seen:
            $cnt += 1
        $seen.add($num)
    return $cnt
:>
:call $f(#ints(2,6,0,12), #int(4,18))
:call $f(#ints(3,5,1,9), #int(5,14))
---
:f max_window moving_average sliding_sum window_sums
def $f($nums, $k<:~=2~=3:>):
<:
    $out = []
    for $i in range(len($nums) - $k + 1):
        $win = $nums[$i:$i + $k]
        $out.append(<:sum($win)~max($win)~sum($win) / $k~min($win)~$win[-1] - $win[0]~\
            round(sum($win) / len($win), 2):>)
    return $out
~
    if len($nums) < $k:
        return <:None~0:>
    $t = sum($nums[:$k])
    $best = $t
    for $i in range($k, len($nums)):
        $t += $nums[$i] - $nums[$i - $k]
        $best = <:max~min:>($best, $t)
    return $best
~
    return [<:$nums[$i:$i + $k]~sum($nums[$i:$i + $k])~\
        max($nums[$i:$i + $k]):> for $i in range(len($nums) - $k + 1)]
~
    $win, $out = [], []
    for $num in $nums:
        $win.append($num)
        if len($win) > $k:
            $win.pop(0)
        $out.append(<:sum($win) // len($win)~max($win)~len($win)~list($win):>)
    return $out
:>
:call $f(#ints(2,7), #int(1,3))
:call $f(#ints(3,6), #int(2,4))
---
:f max_subarray kadane best_streak longest_run
def $f($nums):
<:
    $best = $cur = $nums[0]
    for $num in $nums[1:]:
        $cur = max($num, $cur + $num)
        $best = max($best, $cur)
    return $best
~
    $best = $cur = 0
    for $num in $nums:
        if #cond($num):
            $cur += 1
            $best = max($best, $cur)
        else:
            $cur = 0
    return $best
~
    $best, $cur = 1, 1
    for $i in range(1, len($nums)):
        if $nums[$i] <:>~==~>=~!=:> $nums[$i - 1]:
            $cur += 1
            if $cur > $best:
                $best = $cur
        else:
            $cur = 1
    return $best
~
    $best, $lo = [], 0
    for $i in range(len($nums)):
        if $i and $nums[$i] <= $nums[$i - 1]:
            $lo = $i
        if $i - $lo + 1 > len($best):
            $best = $nums[$lo:$i + 1]
    return $best
:>
:call $f(#ints(1,7,-9,9))
:call $f(#ints(2,7))
"""
