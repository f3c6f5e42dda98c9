"""Templates: longer programs: helpers, annotations, docstrings. Text only, read by `idioms_data_template`."""

from __future__ import annotations

MODULES = r'''
:f merge_intervals merge_ranges total_covered insert_interval
def overlaps($a^: Tuple[int, int]^, $b^: Tuple[int, int]^)^ -> bool^:
    """Whether two sorted intervals touch."""
    return $b[0] <= $a[1]<:~ + 1:>

def $f($ps^: List[Tuple[int, int]]^)^ -> List[Tuple[int, int]]^:
    """Merge the intervals that overlap.

    >>> merge([(1, 3), (2, 5)])
    [(1, 5)]
    """
    if not $ps:
        return []
    $ps = sorted($ps<:~, key=lambda p: p[0]:>)
    $out = [<:$ps[0]~list($ps[0]):>]
    for $p in $ps[1:]:
        $prev = $out[-1]
        if overlaps($prev, $p):
            # extend the last one
            $out[-1] = (<:$prev[0]~min($prev[0], $p[0]):>, max($prev[1], $p[1]))
        else:
            $out.append($p)
    return <:$out~sum(b - a for a, b in $out)~len($out):>
:call $f(#spans(1,4))
---
:f total_price checkout cart_total receipt
PRICES = {'tea': #int(1,9), 'milk': #int(1,9), 'bread': #int(2,9), 'rice': #int(1,20)}

def unit_price($key^: str^)^ -> int^:
    <:return PRICES.get($key, 0)~if $key not in PRICES:
        return 0
    return PRICES[$key]:>

def bulk_discount($cnt^: int^, $v^: int^)^ -> int^:
    """Every third unit is free."""
    <:return $cnt // 3 * $v~if $cnt < 3:
        return 0
    return ($cnt // 3) * $v:>

def $f($d^: Dict[str, int]^)^ -> int^:
    $t = 0
    for $key, $cnt in $d.items():
        $v = unit_price($key)
        if $v == 0:
            continue
        $t += $v * $cnt
        $t -= bulk_discount($cnt, $v)
    <:if $t > #int(20,60):
        $t = $t * 9 // 10
    ~:>return <:$t~$t, len($d)~{'total': $t}:>
:call $f({'tea': #int(1,6), '<:milk~salt~rice:>': #int(1,5)})
:call $f({'bread': #int(1,7)})
:call $f({'tea': #int(0,4), 'rice': #int(1,9), 'milk': #int(1,4)})
---
:f evaluate parse_expression calc evaluate_tokens
def tokenize($s^: str^)^ -> List[str]^:
    $out = []
    $num = ''
    for $ch in $s:
        if $ch.isdigit():
            $num += $ch
            continue
        if $num:
            $out.append($num)
            $num = ''
        if $ch in '+-*':
            $out.append($ch)
    if $num:
        $out.append($num)
    return $out

def $f($s^: str^)^ -> int^:
    """Evaluate from left to right."""
    $items = tokenize($s)
    $t = int($items[0])
    for $i in range(1, len($items) - 1, 2):
        $op, $v = $items[$i], int($items[$i + 1])
        if $op == '+':
            $t += $v
        elif $op == '-':
            $t -= $v
        else:
            $t *= $v
    return $t
:call $f('#int(0,20)<:+~-~*:>#int(0,9)')
:call $f('#int(0,99) <:+~-~*:> #int(0,9)<:+~-:>#int(0,9)')
---
:f group_connected components count_components union_groups
def find($d^: Dict[int, int]^, $a^: int^)^ -> int^:
    while $d[$a] != $a:
        <:$d[$a] = $d[$d[$a]]
        ~:>$a = $d[$a]
    return $a

def union($d, $a, $b):
    $lo, $hi = find($d, $a), find($d, $b)
    if $lo == $hi:
        return False
    $d[<:$hi~max($lo, $hi):>] = <:$lo~min($lo, $hi):>
    return True

def $f($n^: int^, $ps^: List[Tuple[int, int]]^):
    $d = {$i: $i for $i in range($n)}
    $cnt = $n
    for $a, $b in $ps:
        if union($d, $a, $b):
            $cnt -= 1
    return <:$cnt~$d~[find($d, $i) for $i in range($n)]~$cnt == 1:>
:call $f(4, [(#int(0,3), #int(0,3)), (#int(0,3), #int(0,3))])
:call $f(5, [(#int(0,4), #int(0,4)), (#int(0,4), #int(0,4)), (#int(0,4), #int(0,4))])
---
:f winner check_board board_state play_moves
def lines($grid):
    $out = [$row[:] for $row in $grid]
    for $j in range(3):
        $out.append([$grid[$i][$j] for $i in range(3)])
    $out.append([$grid[$i][$i] for $i in range(3)])
    $out.append([$grid[$i][2 - $i] for $i in range(3)])
    return $out

def $f($grid):
    """'X', 'O' or None."""
    for $a in lines($grid):
        <:if $a[0] != ' ' and $a.count($a[0]) == 3:~if $a[0] == $a[1] == $a[2] != ' '::>
            return $a[0]
    <:return None~return 'draw' if all(' ' not in $row for $row in $grid) else None:>
:call $f([['<:X~O:>', 'X', '<:X~O~ :>'], ['O', '<:X~O:>', ' '], ['<:X~O:>', '<:X~ :>', '<:O~X:>']])
---
:f rank_scores leaderboard dense_rank standings
def best_scores($ps):
    $d = {}
    for $key, $v in $ps:
        if $key not in $d or $d[$key] < $v:
            $d[$key] = $v
    return $d

def $f($ps):
    """Rank players by their best score<:~; equal scores share a rank:>."""
    $d = best_scores($ps)
    $out = []
    $prev = None
    $cnt = 0
    for $key, $v in sorted($d.items(), key=lambda p: (-p[1], p[0])):
        if $v != $prev:
            $cnt += 1
            $prev = $v
        $out.append(<:($cnt, $key)~f'{$cnt}. {$key}'~[$cnt, $key, $v]:>)
    return $out
:call $f(#pairs(1,4))
---
:f run_program interpret execute vm
def step($op^: str^, $st^: List[int]^)^ -> None^:
    if $op == 'add':
        $st.append($st.pop() + $st.pop())
    elif $op == 'mul':
        $st.append($st.pop() * $st.pop())
    elif $op == 'dup':
        $st.append($st[-1])
    elif $op == 'swap':
        $st[-1], $st[-2] = $st[-2], $st[-1]
    elif $op == 'neg':
        $st.append(-$st.pop())
    else:
        $st.append(int($op))

def $f($s^: str^)^ -> List[int]^:
    $st = []
    for $op in $s.split():
        step($op, $st)
    return <:$st~$st[-1]~sum($st):>
:call $f('#int(0,9) #int(0,9) <:add~mul~swap~dup:> <:neg~dup~#int(0,9):>')
:call $f('#int(0,20) dup <:mul~add:> <:neg~dup:>')
:call $f('#int(0,9) #int(1,9) swap <:neg~dup add:> add')
---
:f simulate_registers run_registers count_loop machine_result
def value_of($d, $a):
    <:return $d[$a] if $a in $d else int($a)~if $a in $d:
        return $d[$a]
    return int($a):>

def $f($ops):
    $d = {'a': 0, 'b': #int(0,5)}
    $i = 0
    $cnt = 0
    while $i < len($ops) and $cnt < #int(8,14):
        $op, $key, $v = $ops[$i].split()
        $cnt += 1
        if $op == 'set':
            $d[$key] = value_of($d, $v)
        elif $op == 'add':
            $d[$key] += value_of($d, $v)
        elif $op == 'jnz' and value_of($d, $key) != 0:
            $i += int($v)
            continue
        $i += 1
    return <:$d~$d['a']~$d, $cnt:>
:call $f(['set a #int(1,4)', 'add a -1', '<:jnz a -1~add b a~set b a:>'])
:call $f(['add a #int(1,9)', 'add <:a~b:> <:a~b~2:>'])
---
:f paginate page_info get_page slice_page
def page_count($n^: int^, $k^: int^)^ -> int^:
    <:return ($n + $k - 1) // $k~return -(-$n // $k)~$t = $n // $k
    if $n % $k:
        $t += 1
    return $t:>

def $f($items^: list^, $i^: int^, $k^: int^ = <:2~3:>)^ -> Dict[str, Any]^:
    """One page of items, with links to its neighbours."""
    $t = page_count(len($items), $k)
    if $i < 1 or $i > $t:
        return <:None~{'error': 'no such page'}~{}:>
    $lo = ($i - 1) * $k
    $out = {'page': $i, 'items': $items[$lo:$lo + $k]}
    if $i > 1:
        $out['prev'] = $i - 1
    if $i < $t:
        $out['next'] = $i + 1
    return $out
:call $f(#ints(1,7), #int(1,3))
:call $f(#words(1,5), #int(0,3), #int(1,3))
---
:f schedule assign_rooms min_rooms busiest_time
def events($ps):
    $out = []
    for $lo, $hi in $ps:
        $out.append(($lo, 1))
        $out.append(($hi, -1))
    <:$out.sort()
    return $out~return sorted($out):>

def $f($ps):
    """The most intervals open at one time."""
    $cnt = $best = 0
    for $a, $b in events($ps):
        $cnt += $b
        <:if $cnt > $best:
            $best = $cnt~$best = max($best, $cnt):>
    return $best
:call $f(#spans(1,4))
---
:f encode_runs compress rle decode_runs
def encode($items):
    $out = []
    for $item in $items:
        if $out and $out[-1][0] == $item:
            $out[-1][1] += 1
        else:
            $out.append([$item, 1])
    return $out

def decode($ps):
    $out = []
    for $a, $b in $ps:
        <:$out += [$a] * $b~for _ in range($b):
            $out.append($a):>
    return $out

def $f($items):
    $tmp = encode($items)
    <:return $tmp~assert decode($tmp) == $items
    return $tmp~return max($tmp, key=lambda p: p[1]) if $tmp else None~\
        return decode([(a, b + 1) for a, b in $tmp]):>
:call $f(#ints(0,6,0,2))
:call $f(list(#letters(1,6)))
---
:f life next_generation step_grid evolve
def neighbours($grid, $row, $col):
    $cnt = 0
    for $i in range(max($row - 1, 0), min($row + 2, len($grid))):
        for $j in range(max($col - 1, 0), min($col + 2, len($grid[0]))):
            if ($i, $j) != ($row, $col):
                $cnt += $grid[$i][$j]
    return $cnt

def $f($grid):
    $out = []
    for $row in range(len($grid)):
        $tmp = []
        for $col in range(len($grid[0])):
            $n = neighbours($grid, $row, $col)
            <:$tmp.append(1 if $n == 3 or $n == 2 and $grid[$row][$col] else 0)~\
                $tmp.append(int($n in (2, 3))):>
        $out.append($tmp)
    return $out
:call $f([[#int(0,1), #int(0,1)], [#int(0,1), 1]])
:call $f([[1, #int(0,1), #int(0,1)]])
'''
