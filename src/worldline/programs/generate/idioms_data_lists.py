"""Templates: folding, counting, extremes, running values, duplicates. Text only, read by `idioms_data_template`."""

from __future__ import annotations

LISTS = r'''
:f sum_if conditional_sum total_matching add_up sum_where
def $f($nums^: List[int]^)^ -> int^:
    """Sum of the numbers that pass."""
<:
    $t = 0
    for $num in $nums:
        if #cond($num):
            $t += <:$num~$num~#expr($num):>
    return $t
~
    return sum(<:$num~#expr($num):> for $num in $nums if #cond($num))
~
    $t = <:0~#int(0,9):>
    for $i in range(len($nums)):
        if #cond($nums[$i]):
            $t <:+=~-=:> $nums[$i]
        <:else:
            $t += 1~elif #cond($i):
            $t -= $i~:>
    return $t
~
    $t = 0
    $i = 0
    while $i < len($nums):
        if #cond($nums[$i]):
            $t += $nums[$i]
        $i += <:1~1~2:>
    return $t
~
    if not $nums:
        return 0
    if #cond($nums[0]):
        return $nums[0] + $f($nums[1:])
    return $f($nums[1:])
~
    return functools.reduce(lambda $a, $b: #pair($a,$b), $nums, #int(0,3))
~
    $out = [$num for $num in $nums if #cond($num)]
    return sum($out) <:~+ len($out)~- len($nums)~* #int(2,4):>
:>
:call $f(#ints)
:call $f(#ints(3,7))
---
:f count_if count_matching how_many tally
def $f($nums):
<:
    $cnt = 0
    for $num in $nums:
        if #cond($num):
            $cnt += 1
    return $cnt
~
    return len([$num for $num in $nums if #cond($num)])
~
    return sum(1 for $num in $nums if #cond($num))
~
    $a = $b = 0
    for $num in $nums:
        if #cond($num):
            $a += 1
        else:
            $b += 1
    return <:$a, $b~$a - $b~{'yes': $a, 'no': $b}~[$a, $b]~$a > $b:>
~
    $cnt = 0
    for $i, $num in enumerate($nums):
        if <:$i % 2 == 0 and ~$i > 0 and ~:>#cond($num):
            $cnt += 1
        elif #cond($num):
            $cnt -= 1
    return $cnt
~
    return list(map(lambda $num: #cond($num), $nums)).count(True)
~
    return len(list(filter(lambda $num: #cond($num), $nums)))
:>
:call $f(#ints)
---
:f max_value largest find_extreme peak
:let op < ~ > ~ >= ~ <=
def $f($nums^: List[int]^)^ -> Optional[int]^:
    if <:not $nums~len($nums) == 0~$nums == []:>:
        return <:None~-1~0:>
<:
    $best = $nums[0]
    for $num in $nums<:~[1:]:>:
        if $num $op $best:
            $best = $num
    return $best
~
    $best = 0
    for $i in range(1, len($nums)):
        if $nums[$i] $op $nums[$best]:
            $best = $i
    return <:$best~$nums[$best]~($best, $nums[$best]):>
~
    if len($nums) == 1:
        return $nums[0]
    $v = $f($nums[1:])
    return $nums[0] if $nums[0] $op $v else $v
~
    return <:max~min:>($nums, key=lambda $num: #by($num))
~
    $best, $v = None, None
    for $i, $num in enumerate($nums):
        if $best is None or $num $op $best:
            $best, $v = $num, $i
    return <:$v~[$v, $best]~$best * $v:>
:>
:call $f(#ints)
:call $f(#ints(2,7))
---
:f second_largest runner_up top_two two_smallest
def $f($nums):
<:
    $out = sorted(set($nums))
    return $out[-2] if len($out) > 1 else None
~
    $a = $b = float('-inf')
    for $num in $nums:
        if $num > $a:
            $b = $a
            $a = $num
        elif <:$num > $b~$a > $num > $b:>:
            $b = $num
    return <:$b~($a, $b)~$a - $b if len($nums) > 1 else 0:>
~
    $out = $nums[:]
    $out.remove(max($out))
    return max($out) if $out else None
~
    $out = $nums.copy()
    $out.sort(<:~reverse=True~key=abs:>)
    return <:$out[:2]~$out[-2:]~tuple($out[:2]):>
:>
:call $f(#ints(1,6))
---
:f running_total cumulative prefix_sums accumulate
:let op,v +;0 ~ +;0 ~ *;1
def $f($nums):
<:
    $t = $v
    $out = []
    for $num in $nums:
        $t = $t $op $num
        $out.append($t)
    return $out
~
    $out = [$v]
    for $num in $nums:
        $out.append($out[-1] $op $num)
    return <:$out~$out[1:]:>
~
    $out = list($nums)
    for $i in range(1, len($out)):
        $out[$i] = $out[$i] $op $out[$i - 1]
    return $out
~
    for $i in range(1, len($nums)):
        $nums[$i] <:+=~-=:> $nums[$i - 1]
    return $nums
~
    return list(itertools.accumulate($nums<:~, max~, min~, lambda $a, $b: #pair($a,$b):>))
~
    $best = None
    $out = []
    for $num in $nums:
        $best = $num if $best is None else max($best, $num)
        $out.append($best)
    return $out
:>
:call $f(#ints(0,6,-9,20))
---
:f dedupe unique remove_duplicates distinct
def $f($items^: list^)^ -> list^:
    """Remove duplicates, keep the order."""
<:
    $out = []
    for $item in $items:
        if $item not in $out:
            $out.append($item)
    return $out
~
    $seen = set()
    $out = []
    for $item in $items:
        if $item in $seen:
            continue
        $seen.add($item)
        $out.append($item)
    return <:$out~$out[::-1]~len($items) - len($out)~$out, len($out):>
~
    return list(dict.fromkeys($items))
~
    $i = 0
    while $i < len($items):
        if $items[$i] in $items[:$i]:
            $items.pop($i)
        else:
            $i += 1
    return $items
~
    for $item in $items[:]:
        while $items.count($item) > <:1~2:>:
            $items.remove($item)
    return $items
~
    return [$item for $i, $item in enumerate($items) if $item not in $items[<::$i~$i + 1:~:max($i, 0):>]]
~
    $out = $items[:1]
    for $item in $items[1:]:
        if $item != $out[-1]:
            $out.append($item)
    return $out
:>
:call $f(#ints(0,7,1,4))
:call $f(#words(1,5))
:call $f(#ints(3,7,0,3))
'''
