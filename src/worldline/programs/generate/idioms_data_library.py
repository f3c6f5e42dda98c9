"""Templates: the standard library's tools, match, walrus, enums, slots. Text only, read by `idioms_data_template`."""

from __future__ import annotations

LIBRARY = r"""
:f k_smallest top_k largest_items heap_order merge_costs
def $f($nums, $k=<:2~3:>):
<:
    return heapq.<:nsmallest~nlargest:>($k, $nums)
~
    $st = <:list($nums)~$nums[:]:>
    heapq.heapify($st)
    $out = []
    while $st and len($out) < $k:
        $out.append(heapq.heappop($st))
    return <:$out~$out, len($st)~sum($out):>
~
    $st = []
    for $num in $nums:
        heapq.heappush($st, <:$num~-$num~(abs($num), $num):>)
        if len($st) > $k:
            heapq.heappop($st)
    return <:$st~sorted($st)~$st[0] if $st else None:>
~
    $t = 0
    while len($nums) > 1:
        $nums.sort()
        $a, $b = $nums.pop(0), $nums.pop(0)
        $t += $a + $b
        $nums.append($a + $b)
    return $t
:>
:call $f(#ints(1,5))
---
:f count_common word_balance counter_diff most_common_item
def $f($a, $b):
<:
    $lo, $hi = Counter($a), Counter($b)
    return <:sum(($lo & $hi).values())~dict($lo - $hi)~$lo == $hi~sorted(($lo | $hi).elements())~\
        dict($lo + $hi):>
~
    $d = Counter($a)
    $d.<:update~subtract:>($b)
    return <:dict($d)~$d.most_common(1)~sum($d.values())~{$key: $v for $key, $v in $d.items() if $v > 0}:>
~
    $d = {}
    for $item in $a:
        $d[$item] = $d.get($item, 0) + 1
    for $item in $b:
        if $d.get($item, 0) == 0:
            return <:False~$item~None:>
        $d[$item] -= 1
    return <:True~$d~not any($d.values()):>
:>
:call $f(#ints(1,5,0,3), #ints(1,4,0,3))
:call $f(#letters(2,5), #letters(1,4))
---
:f group_runs consecutive_groups runs_of group_sorted
def $f($nums):
<:
    return [<:($key, len(list($v)))~[$key] * len(list($v))~sum($v):> for $key, $v in itertools.groupby($nums)]
~
    $out = {}
    for $key, $v in itertools.groupby(sorted($nums), key=lambda $num: <:$num % 2~$num // 10~len(str($num)):>):
        $out[$key] = <:list($v)~sum($v)~max($v):>
    return $out
~
    $out = []
    for $num in sorted(set($nums)):
        if $out and $out[-1][-1] + 1 == $num:
            $out[-1].append($num)
        else:
            $out.append([$num])
    return <:$out~max($out, key=len, default=[])~\
        [f'{$v[0]}-{$v[-1]}' if len($v) > 1 else str($v[0]) for $v in $out]:>
:>
:call $f(#ints(1,6,0,5))
:call $f(#ints(2,6,1,12))
---
:f cycle_values take_cycle islice_demo pairs_product
def $f($items, $n):
<:
    return list(itertools.islice(itertools.cycle($items), $n))
~
    return <:[$a * $n + $b for $a, $b in itertools.product($items, repeat=2)]~\
        list(itertools.combinations($items, $n % 3))~list(itertools.chain($items, range($n)))~\
        list(itertools.takewhile(lambda $a: $a < $n, $items))~\
        list(itertools.dropwhile(lambda $a: $a < $n, $items))~\
        list(itertools.starmap(max, zip($items, range($n))))~list(itertools.repeat($items[0], $n)):>
~
    $out = []
    for $i, $item in zip(range($n), itertools.cycle($items)):
        $out.append($item + $i)
    return $out
~
    $i = itertools.count(<:~1~$n:>)
    return {next($i): $item for $item in $items}
:>
:call $f(#ints(1,3,0,9), #int(1,5))
---
:f fold reduce_list combine_all chain_max
def $f($nums, $n=<:0~1:>):
<:
    return reduce(lambda $a, $b: #pair($a,$b), $nums, $n)
~
    return reduce(lambda $a, $b: $a + [$b] if <:#cond($b)~$b not in $a:> else $a, $nums, [])
~
    return functools.reduce(<:max~min~lambda $a, $b: $a * 10 + $b~lambda $a, $b: $a ^ $b:>, $nums, $n)
~
    def fold($fn, $t, $items):
        for $item in $items:
            $t = $fn($t, $item)
        return $t
    return fold(<:lambda $a, $b: #pair($a,$b)~operator.add~operator.sub~max:>, $n, $nums)
:>
:call $f(#ints(1,5))
:call $f(#ints(1,4), #int(0,9))
---
:f match_shape handle_message dispatch area_of
def $f($p):
    match $p:
        case <:[]~():>:
            return <:'empty'~0~None:>
        case [$a]:
            return <:$a~('one', $a):>
        case ['<:add~move~sum:>', $a, $b]:
            return #pair($a,$b)
        case [int($a), *$b] if #cond($a):
            return <:len($b) + $a~$b~[$a]:>
        case {'kind': $a, 'size': $b}:
            return <:$a, $b~$b * 2~{$a: $b}:>
        case str():
            return <:$p.upper()~len($p):>
        case _:
            return <:'other'~None~-1:>
:call $f(#ints(0,3))
:call $f(['<:add~move~sum:>', #int(0,9), #int(0,9)])
:call $f({'kind': #word, 'size': #int(0,20)})
:call $f(#scalar)
---
:f step_command apply_command interpret_all run_script
def apply($op, $n):
    match $op:
        case 'inc' | 'up':
            return $n + 1
        case 'dec':
            return $n - 1
        case ('mul', $v):
            return $n * $v
        case ('set', $v) if $v >= 0:
            return $v
        case _:
            return <:0~$n~-$n:>

def $f($ops):
    $t = #int(0,9)
    for $op in $ops:
        $t = apply($op, $t)
    return $t
:call $f(['<:inc~up~dec:>', ('mul', #int(2,4)), '<:dec~inc~skip:>'])
:call $f([('set', #int(-3,9)), 'inc', '<:dec~up:>'])
---
:f color_names next_color enum_values toggle
:let cls Color ~ Level ~ Status
class $cls(Enum):
    LOW = 1
    MID = 2
    HIGH = <:3~5~10:>

def $f($nums):
<:
    $out = []
    for $num in $nums:
        try:
            $out.append($cls($num).name)
        except ValueError:
            $out.append(<:None~'?':>)
    return $out
~
    $v = [c.value for c in $cls]
    return [$num for $num in $nums if $num in $v]
~
    return {c.name: $nums.count(c.value) for c in $cls}
:>
:call $f(#ints(1,4,1,5))
---
:f closest_point sort_points named_total bounding_box
:let cls Point ~ Pair ~ Spot
$cls = namedtuple('$cls', <:'x y'~['x', 'y']:>)

def $f($ps):
    $out = [$cls(*$p) for $p in $ps]
<:
    $best = min($out, key=lambda q: <:q.x ** 2 + q.y ** 2~abs(q.x) + abs(q.y)~(q.y, q.x):>)
    return <:$best.x, $best.y~tuple($best)~$best.x:>
~
    return <:sum(q.x * q.y for q in $out)~[q._replace(x=0).y for q in $out]~\
        (min(q.x for q in $out), max(q.y for q in $out))~sorted((q.y, q.x) for q in $out):>
:>
:call $f(#points(1,4))
---
:f walrus_scan read_until first_big collapse
def $f($nums):
<:
    $out = []
    while $nums and (#cond($nums[-1])):
        $out.append($nums.pop())
    else:
        $out.append(<:0~None~len($nums):>)
    return $out
~
    $i = 0
    $t = 0
    while $i < len($nums) and ($v := $nums[$i]) <:!=~<~>:> #int(0,9):
        $t += $v
        $i += 1
    return $t, $i
~
    return [$v for $num in $nums if ($v := #expr($num)) > #int(0,9)]
~
    if ($n := len($nums)) > #int(1,4):
        return $nums[$n // 2]
    return <:$n~-1~None:>
:>
:call $f(#ints(1,6))
---
:f split_even_odd matrix_from_list build_table times_table
def $f($n, $m=<:2~3:>):
<:
    return [[<:$i * $j~$i + $j~($i, $j)~int($i == $j)~abs($i - $j):> for $j in range($m)] for $i in range($n)]
~
    return {$i: [<:$j~$i * $j~$i ** $j:> for $j in range(1, $m + 1)] for $i in range(1, $n + 1)}
~
    $grid = [[0] * $m for _ in range($n)]
    $cnt = 1
    for $i in range($n):
        for $j in <:range($m)~range($m - 1, -1, -1)~range($m) if $i % 2 == 0 else reversed(range($m)):>:
            $grid[$i][$j] = $cnt
            $cnt += 1
    return $grid
~
    $grid = [[0] * $m] * $n
    $grid[0][0] = <:1~$n:>
    return $grid
~
    return <:[$i for $i in range($n) for $j in range($i)]~\
        {($i, $j) for $i in range($n) for $j in range($m) if $i < $j}~dict(enumerate(range($m, $m + $n)))~\
        list(zip(range($n), range($m)))~[range($i) for $i in range($n)][-1]:>
:>
:call $f(#int(1,3), #int(1,3))
:call $f(#int(1,4))
---
:f bisect_grades insert_all grade_all keep_sorted
def $f($nums, $items=<:(60, 70, 80, 90)~(10, 20, 50)~(0, 5):>):
<:
    return [<:bisect.bisect($items, $num)~bisect.bisect_left($items, $num)~\
        'FDCBA'[bisect.bisect($items, $num)]:> for $num in $nums]
~
    $out = []
    for $num in $nums:
        bisect.insort($out, $num)
        <:if len($out) > #int(2,4):
            $out.pop(<:~0:>)~:>
    return $out
~
    $out = list($items)
    for $num in $nums:
        $i = bisect.bisect_left($out, $num)
        if $i == len($out) or $out[$i] != $num:
            $out.insert($i, $num)
    return <:$out~len($out):>
:>
:call $f(#ints(1,4,0,99))
---
:f with_resource managed log_block timed_block
class Block:
    def __init__(self, log, name=<:'a'~'block':>):
        self.log = log
        self.name = name

    def __enter__(self):
        self.log.append(<:'enter'~'open ' + self.name:>)
        return self

    def __exit__(self, kind, value, tb):
        self.log.append(<:'exit'~kind is not None~'close':>)
        return <:kind is ZeroDivisionError~True:>

def $f($n, $m):
    $out = []
    with Block($out) as $obj:
        $out.append($n // $m)
        <:$out.append($obj.name)~if $n > #int(0,9):
            return $out~$n += 1:>
    return <:$out~$out, $n:>
:call $f(#int(0,30), #int(0,3))
---
:f cached_paths lru_fib count_stairs memo_ways
@lru_cache(maxsize=None)
def $f($n<:~^: int^:>):
<:
    if $n <= 1:
        return <:$n~1:>
    return $f($n - 1) + $f($n - <:2~3:>)
~
    if $n < 1:
        return <:1~0:>
    return sum($f($n - $i) for $i in (1, 2<:~, 3:>) if $n >= $i)
~
    if $n == 0:
        return 0
    return min($f($n - $v) + 1 for $v in <:(1, 3, 4)~(1, 2, 5)~(1, 7):> if $v <= $n)
:>
:call $f(#int(1,7))
"""
