"""Templates of changing lists in place: stacks, queues, slices, aliasing, simulations by commands. Text only."""

from __future__ import annotations

MUTATE = r"""
:f is_balanced check_brackets match_parens valid_parens
def $f($s^: str^)^ -> bool^:
<:
    $st = []
    $d = {')': '(', ']': '[', '}': '{'}
    for $ch in $s:
        if $ch in $d.values():
            $st.append($ch)
        elif $ch in $d:
            if not $st or $st.pop() != $d[$ch]:
                return False
    return <:not $st~len($st) == 0:>
~
    $cnt = 0
    for $ch in $s:
        if $ch in '([{':
            $cnt += 1
        elif $ch in ')]}':
            $cnt -= 1
            if $cnt < 0:
                return False
    return $cnt == 0
~
    while '()' in $s or '[]' in $s or '{}' in $s:
        $s = $s.replace('()', '').replace('[]', '').replace('{}', '')
    return <:$s == ''~len($s)~$s:>
~
    $best = $cnt = 0
    for $ch in $s:
        if $ch == '(':
            $cnt += 1
            $best = max($best, $cnt)
        elif $ch == ')':
            $cnt -= 1
    return <:$best~$best if $cnt == 0 else -1:>
~
    $st, $out = [], []
    for $i, $ch in enumerate($s):
        if $ch in '([':
            $st.append($i)
        elif $st:
            $out.append(($st.pop(), $i))
    return $out
:>
:call $f('<:()~(())~([])~(()~())(~{[()]}~[(])~((()))~(a)[b]~]~([]{})~()()~(()()):>')
---
:f rpn evaluate_postfix postfix stack_machine
def $f($items):
    $st = []
    for $item in $items.split():
        if $item in ('+', '-', '*'):
            $b = $st.pop()
            $a = $st.pop()
            if $item == '+':
                $st.append($a + $b)
            elif $item == '-':
                $st.append($a - $b)
            else:
                $st.append($a * $b)
        else:
            $st.append(int($item))
    return <:$st[0]~$st.pop()~$st:>
:call $f('<:3 4 +~2 3 * 4 +~5 1 2 + *~9 3 -~7~1 2 3 * -:>')
---
:f process_commands run_commands simulate_stack execute
def $f($ops):
    $st = []
<:
    for $op in $ops:
        if $op == 'pop':
            if $st:
                $st.pop()
        elif $op == 'dup':
            if $st:
                $st.append($st[-1])
        elif $op == 'add':
            if len($st) >= 2:
                $st.append($st.pop() + $st.pop())
        elif isinstance($op, int):
            $st.append($op)
    return <:$st~sum($st)~$st[-1] if $st else None:>
~
    $t = 0
    for $op in $ops:
        if isinstance($op, int):
            $st.append($op)
            continue
        if not $st:
            $t -= 1
        elif $op == 'pop':
            $t += $st.pop()
        else:
            $st.insert(0, $st[-1] * 2)
    return <:$t, $st~$st + [$t]:>
:>
:call $f([#int(0,9), #int(0,9), '<:add~pop~dup:>', #int(0,9), '<:add~pop~dup:>'])
:call $f([#int(1,20), '<:add~pop~dup:>', '<:add~pop~dup:>', #int(0,9)])
---
:f queue_sim serve process_queue round_robin josephus
def $f($items, $k=<:2~3:>):
<:
    $q = list($items)
    $out = []
    while $q:
        for _ in range($k - 1):
            $q.append($q.pop(0))
        $out.append($q.pop(0))
    return <:$out~$out[-1] if $out else None:>
~
    $q = deque($items)
    $t = 0
    while $q and $t < #int(6,12):
        $item = $q.popleft()
        $t += 1
        if $t % $k == 0:
            $q.append($item)
    return <:list($q)~$t~len($q), $t:>
~
    $i = 0
    $items = list($items)
    while len($items) > 1:
        $i = ($i + $k - 1) % len($items)
        del $items[$i]
    return $items[0] if $items else -1
~
    $q = $items[:]
    $out = []
    while len($q) > $k:
        $out.append($q.pop(0))
        <:$q.append($out[-1]) if len($out) < 3 else None
        ~$out.append($q.pop())
        :>$q.reverse()
    return <:$out~$out, $q~$out + $q:>
:>
:call $f(#ints(1,5))
:call $f(#words(1,5), #int(1,3))
---
:f edit_list update_list modify change tweak
def $f($items, $item):
<:
    $items.append($item)
    $items.insert(<:0~1~2~-1:>, <:$item~#int~len($items):>)
    <:$items.pop()~$items.pop(0)~$items.pop(1)~$items.reverse()~del $items[0]~$items.remove($item):>
    return <:$items~len($items)~$items.index($item)~$items[::-1]:>
~
    if $item in $items:
        $items.remove($item)
    else:
        $items.append($item)
    <:$items.sort()~$items.reverse()~$items.extend($items[:2])~$items *= 2~$items.extend([$item, $item]):>
    return $items
~
    $b = $items
    $b.append($item)
    $c = $items<:[:]~.copy()~[1:]:>
    $c.append(<:$item~0~len($b):>)
    return <:$items, $c~len($items), len($c)~$b is $items, $items == $c~$c:>
~
    while $item in $items:
        $i = $items.index($item)
        <:$items[$i] = #int~$items.pop($i)~del $items[$i:$i + 2]~$items[$i:$i + 1] = []:>
        <:if len($items) > 8:
            break~if $items.count($item) == 0:
            break:>
    return $items
~
    $cnt = $items.count($item)
    if $cnt > 0:
        $items[$items.index($item)] = <:None~-1~$cnt:>
    else:
        $items += [$item] * <:2~3~1:>
    return <:$items~$cnt, $items~sorted($items, key=str):>
~
    $items[0:<:0~1~2:>] = [$item, $item]
    $items[-1:] = <:[]~[$item]~$items[:1]:>
    return $items
~
    $tmp = $items.pop() if $items else $item
    $items.insert(len($items) // 2, $tmp)
    if $tmp <:==~!=:> $item:
        $items.clear()
        $items.append($tmp)
    return <:$items~$tmp, $items:>
:>
:call $f(#ints(1,6), #in)
:call $f(#words(1,5), #in)
:call $f(#ints(2,5), #int(0,9))
---
:f slices pick_slice every_other middle_part split_at
def $f($items, $k):
<:
    return $items[<:$k:~:$k~-$k:~:-$k~$k:-1~::$k or 1~$k::2~1:$k~$k - 1:$k + 1:>]
~
    $a, $b = $items[:$k], $items[$k:]
    <:$a.reverse()
    ~$b = $b[::-1]
    ~:>return <:$b + $a~$a, $b~[$a, $b]~len($a) > len($b):>
~
    $items[$k:$k + <:1~2:>] = <:[]~[0]~[#int, #int]~$items[:$k]:>
    return $items
~
    del $items[<::$k~$k:~::2~-1~:1:>]
    return <:$items~len($items):>
~
    $out = $items[::-1]
    $out = $out[:$k] + <:['|']~[None]~[]~$items[:1]:> + $out[$k:]
    return $out
~
    $out = []
    for $i in range(0, len($items), $k or 1):
        $out = <:$out + $items[$i:$i + 1]~[$items[$i]] + $out~$out + [$items[-$i - 1]]:>
    return $out
~
    $mid = len($items) // 2
    return <:$items[$mid:] + $items[:$mid]~$items[$mid - $k:$mid + $k]~$items[:$mid][::-1] + $items[$mid:]~\
        [$items[:$mid], $items[$mid:]]:>
:>
:call $f(#ints(1,7), #int(0,4))
:call $f(#words(2,6), #int(1,3))
:call $f(list(range(#int(3,8))), #int(1,4))
---
:f remember collect append_to add_item log_value
def $f($item, $out=[]):
    $out.append($item)
    return <:$out~len($out)~$out[::-1]~sum($out):>

def run($nums):
<:
    for $num in $nums:
        $t = $f($num)
    return $t
~
    $a = $f($nums[0])
    $b = $f($nums[-1], [])
    return $a, $b, $f(<:0~#int:>)
~
    return [$f($num) for $num in $nums]
:>
:call run(#ints(1,3))
:call run(#ints(2,4,0,9))
---
:f apply_moves move_robot walk track_position
def $f($s):
<:
    $a = $b = 0
    for $ch in $s:
        if $ch == 'U':
            $b += 1
        elif $ch == 'D':
            $b -= 1
        elif $ch == 'L':
            $a -= 1
        elif $ch == 'R':
            $a += 1
    return <:$a, $b~[$a, $b]~$a == 0 and $b == 0~abs($a) + abs($b):>
~
    $d = {'U': (0, 1), 'D': (0, -1), 'L': (-1, 0), 'R': (1, 0)}
    $a, $b = 0, 0
    $seen = [($a, $b)]
    for $ch in $s:
        $lo, $hi = $d[$ch]
        $a, $b = $a + $lo, $b + $hi
        <:if ($a, $b) in $seen:
            break
        ~:>$seen.append(($a, $b))
    return <:$seen~len(set($seen))~$seen[-1]:>
~
    $i = 0
    for $ch in $s:
        $i = $i + 1 if $ch in 'UR' else $i - 1
        if $i < 0:
            return <:-1~$ch~False:>
    return $i
:>
:call $f('<:UDLR~UURR~RRDD~LRLRU~UUDDL~RULD~UR~LLL~RRULLD:>')
---
:f swap_values rotate_three exchange shuffle_vars
def $f($a, $b, $c):
<:
    $a, $b = $b, $a
    <:$b, $c = $c, $b~$a, $c = $c, $a~if #pcond($a,$b):
        $a, $c = $c, $a~$c += $a:>
    return <:$a, $b, $c~[$a, $b, $c]~$a - $b + $c:>
~
    if $a > $b:
        $a, $b = $b, $a
    if $b > $c:
        $b, $c = $c, $b
    if $a > $b:
        $a, $b = $b, $a
    return <:($a, $b, $c)~$b~[$c, $b, $a]:>
~
    for _ in range(#int(1,4)):
        $a, $b, $c = <:$b, $c, $a~$c, $a, $b~$b, $a, $c + 1~$c, $b - 1, $a:>
    return <:$a, $b, $c~f'{$a}{$b}{$c}':>
~
    $tmp = $a
    $a = $b
    $b = $tmp
    $tmp = #pair($a,$b)
    $c = $tmp <:+~-:> $c
    return <:$c~[$a, $b, $c, $tmp]~{'a': $a, 'b': $b, 'c': $c}:>
:>
:call $f(#int, #int, #int)
:call $f(#int(0,9), #int(0,9), #int(0,9))
---
:f zero_sum_moves fill_missing replace_none fix_gaps move_zeros
def $f($nums):
<:
    $i = 0
    for $num in $nums:
        if $num != 0:
            $nums[$i] = $num
            $i += 1
    while $i < len($nums):
        $nums[$i] = 0
        $i += 1
    return $nums
~
    $prev = 0
    for $i, $num in enumerate($nums):
        if <:not $num~$num < 0~#cond($num):>:
            $nums[$i] = $prev
        else:
            $prev = $num
    return $nums
~
    $cnt = $nums.count(0)
    $nums = [$num for $num in $nums if $num] + [0] * $cnt
    return $nums
~
    for $i in range(len($nums) - 1):
        if $nums[$i] > $nums[$i + 1]:
            $nums[$i + 1] = $nums[$i]
    return $nums
~
    for $i in range(len($nums)):
        $lo = $nums[$i - 1]
        $hi = $nums[($i + 1) % len($nums)]
        if #pcond($lo,$hi):
            $nums[$i] = <:$lo + $hi~$hi~0~max($lo, $hi):>
    return $nums
:>
:call $f(#ints(1,6,0,4))
:call $f(#ints(2,6))
---
:f append_while grow_list expand build generate_until
def $f($nums, $n):
<:
    while len($nums) < $n:
        $nums.append(<:$nums[-1] + $nums[0]~len($nums)~sum($nums)~$nums[-1] * 2 - 1~max($nums) - min($nums):>)
    return $nums
~
    $out = []
    while $nums and len($out) < $n:
        $v = $nums.pop(<:~0:>)
        if #cond($v):
            $out.append($v)
        <:else:
            $out.insert(0, $v)~elif $v > 0:
            $nums.append($v - 1) if len($nums) < 3 else None~:>
    return $out
~
    $t = sum($nums)
    while $t > $n and $nums:
        $t -= $nums.pop(<:~0~-1:>)
    return <:$nums~$t~$t, $nums:>
~
    $i = 0
    while True:
        if $i >= len($nums) or $i >= $n:
            break
        <:if #cond($nums[$i]):
            $nums.pop($i)
            continue~$nums[$i] = #pair($nums[$i],$i)~$nums.insert(0, $nums.pop()):>
        $i += 1
    return $nums
:>
:call $f(#ints(1,5,0,9), #int(2,8))
:call $f(#ints(2,4,-5,12), #int(3,7))
"""
