"""Templates: the classic sorts, sort keys, order checks. Text only, read by `idioms_data_template`."""

from __future__ import annotations

SORTING = r'''
:f bubble_sort sort_list simple_sort
:let op > ~ > ~ <
def $f($nums^: List[int]^)^ -> List[int]^:
    """Sort in place and return the list."""
    $n = len($nums)
<:
    for $i in range($n):
        for $j in range(0, $n - $i - 1):
            if $nums[$j] $op $nums[$j + 1]:
                $nums[$j], $nums[$j + 1] = $nums[$j + 1], $nums[$j]
    return $nums
~
    $cnt = 0
    for $i in range($n - 1):
        $flag = False
        for $j in range($n - 1 - $i):
            if $nums[$j] $op $nums[$j + 1]:
                $tmp = $nums[$j]
                $nums[$j] = $nums[$j + 1]
                $nums[$j + 1] = $tmp
                $flag = True
                $cnt += 1
        if not $flag:
            break
    return <:$nums~$cnt~$nums, $cnt:>
~
    $flag = True
    while $flag:
        $flag = False
        for $i in range(1, $n):
            if $nums[$i - 1] $op $nums[$i]:
                $nums[$i - 1], $nums[$i] = $nums[$i], $nums[$i - 1]
                $flag = True
    return $nums
:>
:call $f(#ints(0,5))
---
:f insertion_sort sort_insert insert_sorted
def $f($nums):
<:
    for $i in range(1, len($nums)):
        $v = $nums[$i]
        $j = $i - 1
        while $j >= 0 and $nums[$j] <:<~>~>:> $v:
            $nums[$j + 1] = $nums[$j]
            $j -= 1
        $nums[$j + 1] = $v
    return $nums
~
    $out = []
    for $num in $nums:
        $i = 0
        while $i < len($out) and $out[$i] <:<~<~>:> $num:
            $i += 1
        $out.insert($i, $num)
    return $out
~
    $out = []
    for $num in $nums:
        for $i, $v in enumerate($out):
            if $num < $v:
                $out.insert($i, $num)
                break
        else:
            $out.append($num)
    return $out
:>
:call $f(#ints(0,6))
---
:f selection_sort sort_by_min order_list
def $f($nums):
<:
    for $i in range(len($nums)):
        $lo = $i
        for $j in range($i + 1, len($nums)):
            if $nums[$j] <:<~>:> $nums[$lo]:
                $lo = $j
        if $lo != $i:
            $nums[$i], $nums[$lo] = $nums[$lo], $nums[$i]
    return $nums
~
    $out = []
    while $nums:
        $v = <:min~max~min:>($nums)
        $out.append($v)
        $nums.remove($v)
    return <:$out~$out, $nums:>
~
    $tmp = $nums[:]
    for $i in range(len($tmp)):
        $j = $tmp.index(min($tmp[$i:]), $i)
        $tmp[$i], $tmp[$j] = $tmp[$j], $tmp[$i]
    return <:$tmp~$tmp == sorted($nums)~$nums, $tmp:>
:>
:call $f(#ints(0,5))
---
:f merge_sort sort_merge merge_sorted
def merge($left, $right):
    $out = []
<:
    $i = $j = 0
    while $i < len($left) and $j < len($right):
        if $left[$i] <:<~<=:> $right[$j]:
            $out.append($left[$i])
            $i += 1
        else:
            $out.append($right[$j])
            $j += 1
    <:$out.extend($left[$i:])
    $out.extend($right[$j:])
    return $out~return $out + $left[$i:] + $right[$j:]:>
~
    while $left and $right:
        $out.append($left.pop(0) if $left[0] < $right[0] else $right.pop(0))
    return $out + $left + $right
:>

def $f($nums):
    if len($nums) <:<= 1~< 2:>:
        return $nums
    $mid = len($nums) // 2
<:
    return merge($f($nums[:$mid]), $f($nums[$mid:]))
~
    $lo = $f($nums[:$mid])
    $hi = $f($nums[$mid:])
    return merge($lo, $hi)
:>
:call $f(#ints(0,5))
:call merge(#sorted(0,4), #sorted(0,4))
:call merge(#sorted(1,5), #sorted(1,4))
---
:f quick_sort quicksort sort_fast
def $f($nums):
    if len($nums) <= 1:
        return $nums
    $mid = $nums[<:0~-1~len($nums) // 2:>]
<:
    $left = [$num for $num in $nums if $num < $mid]
    $v = [$num for $num in $nums if $num == $mid]
    $right = [$num for $num in $nums if $num > $mid]
    return $f($left) + $v + $f($right)
~
    $left, $right, $v = [], [], []
    for $num in $nums:
        if $num < $mid:
            $left.append($num)
        elif $num > $mid:
            $right.append($num)
        else:
            $v.append($num)
    return <:$f($left) + $v + $f($right)~$f($right) + $v + $f($left):>
:>
:call $f(#ints(0,5))
---
:f sort_by custom_sort arrange ranked
def $f($items):
<:
    return sorted($items, key=lambda $item: #wby($item)<:~, reverse=True:>)
~
    $items.sort(key=lambda $item: #wby($item))
    return <:$items~$items[0] if $items else None~$items[::-1]~' '.join($items):>
~
    $out = sorted($items, key=<:len~str.lower:>)
    return <:$out~$out[-1:]~[#wexpr($item) for $item in $out]~dict(enumerate($out)):>
~
    return [$item for _, $item in sorted((len($item), $item) for $item in $items)]
~
    def rank($item):
        return #wby($item)
    return <:min($items, key=rank, default='')~max($items, key=rank, default=None)~sorted($items, key=rank):>
:>
:call $f(#words(1,6))
---
:f sort_numbers order_by rearrange arrange_numbers
def $f($nums, $flag=<:False~True:>):
<:
    return sorted($nums, key=lambda $num: #by($num)<:~, reverse=$flag:>)
~
    $nums.sort(<:key=lambda $num: #by($num)~reverse=$flag~:>)
    return <:$nums~$nums[:#int(1,4)]~$nums[-1] - $nums[0] if $nums else 0:>
~
    $left = sorted($num for $num in $nums if #cond($num))
    $right = sorted(($num for $num in $nums if $num not in $left), reverse=True)
    return $left + $right if $flag else $right + $left
~
    $out = sorted(range(len($nums)), key=lambda $i: <:$nums[$i]~-$nums[$i]~#by($nums[$i]):>)
    return <:$out~[$nums[$i] for $i in $out]~dict(zip($out, $nums)):>
~
    $out = sorted($nums)
    if $flag:
        $out.reverse()
    for $i, $num in enumerate($out):
        if #cond($num):
            $out[$i] = <:-$num~0~$num + $i:>
    return $out
:>
:call $f(#ints(1,7))
:call $f(#ints(1,6), #bool)
---
:f is_sorted is_increasing check_order monotonic
def $f($nums):
<:
    for $i in range(len($nums) - 1):
        if $nums[$i] <:<~>~>=:> $nums[$i + 1]:
            return False
    return True
~
    return all($a <:<=~<~!=:> $b for $a, $b in zip($nums, $nums[1:]))
~
    $a = $b = True
    for $i in range(1, len($nums)):
        if $nums[$i] < $nums[$i - 1]:
            $a = False
        if $nums[$i] > $nums[$i - 1]:
            $b = False
    return <:$a or $b~($a, $b)~'up' if $a else 'down' if $b else 'mixed':>
~
    return $nums == sorted($nums) <:~or $nums == sorted($nums, reverse=True):>
~
    $prev = None
    for $num in $nums:
        if $prev is not None and $num <:<~<=:> $prev:
            return <:False~$num~$nums.index($num):>
        $prev = $num
    return True
:>
:call $f(#ints(0,6))
:call $f(#sorted)
'''
