"""Templates: exercises with annotations, docstrings and examples. Text only, read by `idioms_data_template`."""

from __future__ import annotations

EXERCISES = r'''
:f next_greater nearest_smaller warmer_days stack_scan
:let op < ~ >
def $f($nums^: List[int]^)^ -> List[int]^:
    """For each number the next one to its right that beats it, or -1.

    >>> next_greater([2, 1, 3])
    [3, 3, -1]
    """
<:
    $out = [-1] * len($nums)
    $st = []
    for $i, $num in enumerate($nums):
        while $st and $nums[$st[-1]] $op $num:
            $out[$st.pop()] = <:$num~$i~$i - len($st):>
        $st.append($i)
    return $out
~
    $out = []
    for $i in range(len($nums)):
        for $j in range($i + 1, len($nums)):
            if $nums[$i] $op $nums[$j]:
                $out.append(<:$nums[$j]~$j - $i:>)
                break
        else:
            $out.append(<:-1~0~None:>)
    return $out
:>
:call $f(#ints(2,5))
---
:f equilibrium balance_point pivot_index split_even
def $f($nums^: List[int]^)^ -> int^:
    """Index where the sum on the left equals the sum on the right, or -1."""
<:
    $t = sum($nums)
    $left = 0
    for $i, $num in enumerate($nums):
        if $left == $t - $left - $num:
            return $i
        $left += $num
    return -1
~
    for $i in range(len($nums)):
        if sum($nums[:$i]) == sum($nums[$i + 1:]):
            return $i
    return -1
~
    $best, $v = None, 0
    for $i in range(1, len($nums)):
        $a = abs(sum($nums[:$i]) - sum($nums[$i:]))
        if $best is None or $a < $best:
            $best, $v = $a, $i
    return <:$v~$best~$nums[:$v], $nums[$v:]:>
:>
:call $f(#ints(2,5,0,6))
:call $f([1, #int(1,5), 1])
---
:f saddle_points peaks local_maxima corner_sum
def neighbours($grid^: List[List[int]]^, $row^: int^, $col^: int^)^ -> List[int]^:
    $out = []
    for $a, $b in [(-1, 0), (1, 0), (0, -1), (0, 1)]:
        if 0 <= $row + $a < len($grid) and 0 <= $col + $b < len($grid[0]):
            $out.append($grid[$row + $a][$col + $b])
    return $out

def $f($grid^: List[List[int]]^)^ -> List[Tuple[int, int]]^:
    """Cells that are <:larger than~at least as large as:> all of their neighbours."""
    $tmp = []
    for $row in range(len($grid)):
        for $col in range(len($grid[0])):
            if all($grid[$row][$col] <:>~>=:> $v for $v in neighbours($grid, $row, $col)):
                $tmp.append(($row, $col))
    return $tmp
:call $f([[#int(0,9), #int(0,9)]])
:call $f([[#int(0,9), #int(0,9)], [#int(0,9), #int(0,9)]])
---
:f compare_guess score_guess bulls_and_hits match_code
def $f($a^: List[int]^, $b^: List[int]^)^ -> Tuple[int, int]^:
    """How many places are right, and how many numbers are right in the wrong place."""
    $cnt = 0
    $left, $right = [], []
    for $v, $c in zip($a, $b):
        if $v == $c:
            $cnt += 1
        else:
            $left.append($v)
            $right.append($c)
    $t = 0
    for $c in $right:
        if $c in $left:
            $left.remove($c)
            $t += 1
    return <:($cnt, $t)~{'exact': $cnt, 'near': $t}~[$cnt, $t]:>
:call $f([#int(1,4), #int(1,4), #int(1,4)], [#int(1,4), #int(1,4), #int(1,4)])
:call $f([#int(1,6), 2, 3, #int(1,6)], [3, #int(1,6), #int(1,6), 2])
---
:f to_ranges summarize_ranges compress_numbers spans_of
def show($lo^: int^, $hi^: int^)^ -> str^:
    <:return str($lo) if $lo == $hi else f'{$lo}-{$hi}'~if $lo == $hi:
        return f'{$lo}'
    return str($lo) + '..' + str($hi):>

def $f($nums^: List[int]^)^ -> List[str]^:
    """Write runs of consecutive numbers as ranges."""
    $nums = sorted(set($nums))
    $out = []
    $i = 0
    while $i < len($nums):
        $j = $i
        while $j + 1 < len($nums) and $nums[$j + 1] == $nums[$j] + 1:
            $j += 1
        $out.append(show($nums[$i], $nums[$j]))
        $i = $j + 1
    return <:$out~','.join($out)~len($out):>
:call $f(#ints(2,6,1,9))
---
:f tournament play_rounds knockout last_standing
def play($a^: int^, $b^: int^)^ -> int^:
    """The stronger one stays; a tie goes to the first."""
    <:return $a if $a >= $b else $b~if $b > $a:
        return $b
    return $a:>

def $f($nums^: List[int]^):
    $cnt = 0
    while len($nums) > 1:
        $tmp = []
        for $i in range(0, len($nums) - 1, 2):
            $tmp.append(play($nums[$i], $nums[$i + 1])<:~ - 1:>)
        if len($nums) % 2 == 1:
            $tmp.append($nums[-1])
        $nums = $tmp
        $cnt += 1
    return <:$nums[0]~($nums, $cnt)~$cnt:>
:call $f(#ints(2,5))
---
:f parking_fee shipping_cost tax_due electricity_bill
def $f($n^: int^)^ -> int^:
    """Charge each part of the amount at the rate of its bracket."""
    $ps = [(<:10, 1~20, 2~5, 0:>), (<:30, 2~50, 3~25, 4:>), (<:100, 3~200, 5:>)]
    $t = 0
    $prev = 0
    for $hi, $v in $ps:
        if $n <= $hi:
            $t += ($n - $prev) * $v
            <:return $t~break:>
        $t += ($hi - $prev) * $v
        $prev = $hi
    <:return $t + ($n - $prev) * #int(5,9)~else:
        $t += ($n - $prev) * #int(5,9)
    return $t:>
:call $f(#int(0,250))
:call $f(#int(0,60))
---
:f mine_counts count_mines adjacent_mines reveal
def around($grid^: List[str]^, $row^: int^, $col^: int^)^ -> int^:
    $cnt = 0
    for $i in range($row - 1, $row + 2):
        for $j in range($col - 1, $col + 2):
            if 0 <= $i < len($grid) and 0 <= $j < len($grid[$i]) and $grid[$i][$j] == '*':
                $cnt += 1
    return $cnt

def $f($grid^: List[str]^)^ -> List[str]^:
    $out = []
    for $row in range(len($grid)):
        $s = ''
        for $col in range(len($grid[$row])):
            $s += '*' if $grid[$row][$col] == '*' else str(around($grid, $row, $col))
        $out.append($s)
    return $out
:call $f(['<:*.~..~.*~**:>', '<:..~*.~.*:>'])
:call $f(['<:*..~.*.~...:>'])
---
:f jug_steps reach_amount fewest_moves min_operations
def moves($n^: int^)^ -> List[int]^:
    <:return [$n + 1, $n * 2]~return [$n * 2, $n - 1]~return [$n + #int(2,4), $n * 2, $n - 1]:>

def $f($lo^: int^, $hi^: int^)^ -> int^:
    """Fewest moves from one number to the other, breadth first."""
    $seen = {$lo}
    $q = [($lo, 0)]
    while $q and len($seen) < #int(20,30):
        $n, $cnt = $q.pop(0)
        if $n == $hi:
            return $cnt
        for $v in moves($n):
            if $v not in $seen and 0 < $v <= 2 * $hi:
                $seen.add($v)
                $q.append(($v, $cnt + 1))
    return -1
:call $f(#int(1,4), #int(2,9))
---
:f gray_code bit_strings all_codes binary_words
def $f($n^: int^)^ -> List[str]^:
    """All words of n bits<:~, each one bit away from the last:>."""
<:
    if $n == 0:
        return ['']
    $out = $f($n - 1)
    return ['0' + $s for $s in $out] + ['1' + $s for $s in <:$out~$out[::-1]:>]
~
    return [f'{$i ^ ($i >> 1):0{$n}b}' for $i in range(2 ** $n)]
~
    $out = ['']
    for _ in range($n):
        $out = [$s + $ch for $s in $out for $ch in <:'01'~'ab':> if <:not $s.endswith('1') or $ch != '1'~\
            True:>]
    return $out
:>
:call $f(#int(1,3))
---
:f allocate_seats share_out split_fairly distribute
def $f($d^: Dict[str, int]^, $n^: int^)^ -> Dict[str, int]^:
    """Share n seats by votes; what is left goes to the largest remainders."""
    $t = sum($d.values())
    if $t == 0:
        return {}
    $out = {}
    $ps = []
    for $key, $v in $d.items():
        $a, $b = divmod($v * $n, $t)
        $out[$key] = $a
        $ps.append(($b, $key))
    $ps.sort(reverse=True)
    for $b, $key in $ps[:$n - sum($out.values())]:
        $out[$key] += 1
    return $out
:call $f(#dict(2,4,1,40), #int(2,9))
---
:f pour sandpile settle_piles spread_load
def unstable($nums^: List[int]^, $k^: int^)^ -> int^:
    for $i, $num in enumerate($nums):
        if $num > $k:
            return $i
    return -1

def $f($nums^: List[int]^, $k^: int^ = <:2~3:>)^ -> List[int]^:
    """Topple piles above k onto their neighbours until none is left<:~, or time is up:>."""
    $cnt = 0
    $i = unstable($nums, $k)
    while $i != -1 and $cnt < #int(4,8):
        $nums[$i] -= 2
        if $i > 0:
            $nums[$i - 1] += 1
        if $i < len($nums) - 1:
            $nums[$i + 1] += 1
        $cnt += 1
        $i = unstable($nums, $k)
    return <:$nums~$nums, $cnt:>
:call $f(#ints(2,4,0,5))
---
:f bowling_score frame_totals game_points streak_points
def bonus($nums^: List[int]^, $i^: int^)^ -> int^:
    <:return sum($nums[$i + 1:$i + 3])~return $nums[$i + 1] if $i + 1 < len($nums) else 0:>

def $f($nums^: List[int]^)^ -> int^:
    """Points of a row of throws; a full throw counts what follows again."""
    $t = 0
    for $i, $num in enumerate($nums):
        $t += $num
        if $num == <:10~5~3:>:
            $t += bonus($nums, $i)
        elif $num == 0 and $i > 0:
            $t -= 1
    return $t
:call $f(#ints(2,5,0,5))
:call $f([10, #int(0,9), 10, #int(0,9)])
---
:f required_item get_item first_of read_setting pop_last
def $f($d, $key):
<:
    if $key not in $d:
        raise KeyError(<:$key~f'no {$key}':>)
    return $d[$key] <:* 2~+ 1~- 1:>
~
    return $d[$key]
~
    $v = $d.pop($key)
    return $v, $d
~
    assert $key in $d, 'unknown key'
    $d[$key] += 1
    return $d
~
    try:
        return $d[$key]
    except KeyError as $err:
        raise ValueError(f'bad key {$key}') from $err
~
    del $d[$key]
    return $d
:>
:call $f(#dict(1,4), #one)
:call $f(#dict(1,4), #in)
:call $f(#dict(1,4), #in)
---
:f element_at pick nth strict_index take_from
def $f($nums, $i):
<:
    return $nums[$i]
~
    if $i >= len($nums):
        raise IndexError(<:$i~'index too large'~f'{$i} of {len($nums)}':>)
    return $nums[$i] <:* 2~+ $i:>
~
    $nums[$i] = <:0~$nums[$i] + 1:>
    return $nums
~
    $v = $nums.pop($i)
    return <:$v~$nums~$v, $nums:>
~
    $t = 0
    for $j in range($i + 1):
        $t += $nums[$j]
    return $t
~
    if $nums[$i] < 0:
        raise ValueError('negative value')
    return $nums[$i] ** 2
:>
:call $f(#ints(2,5), #idx)
:call $f(#ints(1,4), #int(0,3))
:call $f(#ints(2,6), #int(-2,4))
'''
