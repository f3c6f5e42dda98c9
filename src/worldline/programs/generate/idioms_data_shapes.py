"""Templates: chunks, rotations, zips, flattening, mapping, filtering. Text only, read by `idioms_data_template`."""

from __future__ import annotations

SHAPES = r"""
:f chunk split_chunks batches in_groups
def $f($items, $k<:~=2~=3:>):
<:
    $out = []
    for $i in range(0, len($items), $k):
        $out.append($items[$i:$i + $k])
    return $out
~
    return [<:$items[$i:$i + $k]~tuple($items[$i:$i + $k])~\
        sum($items[$i:$i + $k], 0) if isinstance($items[$i], int) else $items[$i]:> for $i in range(0, len($items), $k)]
~
    $out = []
    while $items:
        $out.append($items[:$k])
        $items = $items[$k:]
    return $out
~
    $out, $win = [], []
    for $item in $items:
        $win.append($item)
        if len($win) == $k:
            $out.append($win)
            $win = []
    <:if $win:
        $out.append($win)
    ~:>return $out
~
    if len($items) <= $k:
        return [$items] if $items else []
    return [$items[:$k]] + $f($items[$k:], $k)
~
    return [$items[$i::$k] for $i in range($k)]
:>
:call $f(#ints(0,7), #int(1,4))
:call $f(#words(2,6), #int(2,3))
---
:f rotate rotate_list shift cycle
def $f($items, $k):
<:
    if not $items:
        return []
    $k = $k % len($items)
    return <:$items[$k:] + $items[:$k]~$items[-$k:] + $items[:-$k]:>
~
    for _ in range($k):
        <:$items.insert(0, $items.pop())~$items.append($items.pop(0)):>
    return $items
~
    $out = [None] * len($items)
    for $i in range(len($items)):
        $out[($i <:+~-:> $k) % len($items)] = $items[$i]
    return $out
~
    $tmp = $items[:$k]
    $items = $items[$k:]
    $items.extend(<:$tmp~reversed($tmp)~$tmp[::-1]:>)
    return $items
~
    $q = deque($items)
    $q.rotate(<:$k~-$k:>)
    return list($q)
:>
:call $f(#ints(1,6), #int(0,4))
:call $f(#words(1,5), #int(1,3))
---
:f reverse_list reversed_copy flip backwards
def $f($items):
<:
    $out = []
    for $item in $items:
        $out.insert(0, $item)
    return $out
~
    $lo, $hi = 0, len($items) - 1
    while $lo < $hi:
        $items[$lo], $items[$hi] = $items[$hi], $items[$lo]
        $lo += 1
        $hi -= 1
    return $items
~
    for $i in range(len($items) // 2):
        $tmp = $items[$i]
        $items[$i] = $items[-$i - 1]
        $items[-$i - 1] = $tmp
    return $items
~
    if len($items) <= 1:
        return $items
    return $f($items[1:]) + [$items[0]]
~
    $out = []
    while $items:
        $out.append($items.pop())
    return $out<:~, $items:>
~
    return <:$items[::-1]~list(reversed($items))~[$items[$i] for $i in range(len($items) - 1, -1, -1)]:>
:>
:call $f(#ints(0,6))
:call $f(#mixed)
---
:f interleave merge_alternating zip_lists weave
def $f($a, $b):
<:
    $out = []
    for $item, $v in zip($a, $b):
        $out.append($item)
        $out.append($v)
    return $out<:~ + $a[len($b):] + $b[len($a):]:>
~
    $out = []
    for $i in range(max(len($a), len($b))):
        if $i < len($a):
            $out.append($a[$i])
        if $i < len($b):
            $out.append($b[$i])
    return $out
~
    return <:list(zip($a, $b))~[[$item, $v] for $item, $v in zip($a, $b)]~dict(zip($a, $b))~\
        [$item for $p in zip($a, $b) for $item in $p]:>
~
    if not $a:
        return $b
    return [$a[0]] + $f($b, $a[1:])
~
    return list(itertools.zip_longest($a, $b, fillvalue=<:None~0~'':>))
:>
:call $f(#ints(1,4), #ints(1,4))
:call $f(#words(1,4), #ints(1,5))
---
:f add_lists elementwise dot_product combine_lists
def $f($a, $b):
<:
    return [#pair($item,$v) for $item, $v in zip($a, $b)]
~
    $t = 0
    for $i in range(min(len($a), len($b))):
        $t += $a[$i] * $b[$i]
    return $t
~
    if len($a) != len($b):
        return <:None~-1~[]:>
    $out = []
    for $i in range(len($a)):
        $out.append(#pair($a[$i],$b[$i]))
    return $out
~
    return list(map(lambda $item, $v: #pair($item,$v), $a, $b))
~
    $cnt = 0
    for $item, $v in zip($a, $b):
        if #pcond($item,$v):
            $cnt += 1
    return <:$cnt~$cnt / max(len($a), 1):>
~
    return sum($item * $v for $item, $v in zip($a, $b))
:>
:call $f(#ints(1,5,-5,12), #ints(1,5,-5,12))
:call $f([#int(0,9), #int(0,9), #int(0,9)], [#int(0,9), #int(0,9), #int(0,9)])
---
:f flatten flatten_list concat_all join_lists
def $f($items):
<:
    $out = []
    for $row in $items:
        for $item in $row:
            $out.append($item)
    return $out
~
    return [$item for $row in $items for $item in $row<:~ if #cond($item):>]
~
    return sum($items, [])
~
    $out = []
    for $row in $items:
        <:$out.extend($row)~$out += $row~$out = $out + $row[::-1]:>
    return <:$out~sorted($out)~len($out):>
~
    return list(itertools.chain(*$items))
~
    $t = 0
    for $row in $items:
        if not $row:
            continue
        $t += <:max($row)~min($row)~sum($row)~len($row)~$row[0]~$row[-1]:>
    return $t
:>
:call $f(#nested)
---
:f deep_flatten flatten_deep depth sum_nested nested_sum
def $f($items):
<:
    $out = []
    for $item in $items:
        if isinstance($item, list):
            $out.extend($f($item))
        else:
            $out.append($item)
    return $out
~
    $t = 0
    for $item in $items:
        $t += $f($item) if isinstance($item, list) else $item
    return $t
~
    if not isinstance($items, list):
        return 0
    return 1 + max([$f($item) for $item in $items], default=0)
~
    $st = [$items]
    $out = []
    while $st:
        $item = $st.pop()
        if isinstance($item, list):
            <:$st.extend($item)~$st.extend($item[::-1])~for $v in reversed($item):
                $st.append($v):>
        else:
            $out.append($item)
    return $out
~
    $cnt = 0
    for $item in $items:
        if type($item) == list:
            $cnt += $f($item)
        elif #cond($item):
            $cnt += 1
    return $cnt
~
    return [$f($item) if isinstance($item, list) else #expr($item) for $item in $items]
:>
:call $f(#deep)
---
:f apply_to_all map_values transform double_all convert
def $f($nums):
<:
    $out = []
    for $num in $nums:
        $out.append(#expr($num))
    return $out
~
    return [#expr($num) for $num in $nums<:~ if #cond($num):>]
~
    for $i in range(len($nums)):
        $nums[$i] = #expr($nums[$i])
    return $nums
~
    return [#expr($num) if #cond($num) else #expr($num) for $num in $nums]
~
    return list(map(lambda $num: #expr($num), <:$nums~filter(lambda $num: #cond($num), $nums):>))
~
    for $i, $num in enumerate($nums):
        if #cond($num):
            $nums[$i] = <:0~None~$i~$num * $i~-$num:>
    return $nums
~
    $out = []
    for $i, $num in enumerate($nums<:~, 1:>):
        $out.append(#pair($i,$num))
    return $out
~
    def helper($num):
        if #cond($num):
            return #expr($num)
        return <:$num~0~-1:>
    return [helper($num) for $num in $nums]
:>
:call $f(#ints)
:call $f(#ints(2,6))
---
:f keep_if filter_list select partition split_by
def $f($nums, $k=#int(0,9)):
<:
    $out = []
    for $num in $nums:
        if <:#cond($num)~#pcond($num,$k):>:
            $out.append($num)
    return $out
~
    return <:[$num for $num in $nums if #pcond($num,$k)]~list(filter(lambda $num: #pcond($num,$k), $nums))~\
        tuple($num for $num in $nums if #cond($num)):>
~
    $left, $right = [], []
    for $num in $nums:
        if #pcond($num,$k):
            $left.append($num)
        else:
            $right.append($num)
    return <:$left, $right~$left + $right~[$left, $right]~sorted($left) + $right[::-1]~\
        {'in': $left, 'out': $right}:>
~
    for $num in list($nums):
        if #pcond($num,$k):
            $nums.remove($num)
    return $nums
~
    $i = 0
    while $i < len($nums):
        if #cond($nums[$i]):
            del $nums[$i]
        else:
            $i += 1
    return <:$nums~len($nums)~$nums, $i:>
~
    $out = []
    for $num in $nums:
        <:if #cond($num):
            break~if #pcond($num,$k):
            continue:>
        $out.append(<:$num~#expr($num):>)
    return $out
~
    for $i in range(len($nums) - 1, -1, -1):
        if #cond($nums[$i]):
            $nums.pop($i)
    return $nums
:>
:call $f(#ints)
:call $f(#ints(2,7), #int(0,20))
"""
