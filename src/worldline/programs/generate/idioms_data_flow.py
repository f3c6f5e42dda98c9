"""Templates: exceptions, predicates, types, loops, recursion. Text only, read by `idioms_data_template`."""

from __future__ import annotations

FLOW = r"""
:f safe_divide divide try_divide ratio
def $f($a, $b):
<:
    try:
        return $a / $b
    except ZeroDivisionError:
        return <:None~0~'error'~float('inf'):>
~
    try:
        $t = $a // $b
    except ZeroDivisionError as $err:
        $t = <:-1~str($err)~None:>
    else:
        $t += 1
    finally:
        $a = 0
    return <:$t~$t, $a~[$a, $b, $t]:>
~
    if $b == 0:
        raise ValueError('division by nothing')
    $v, $c = divmod($a, $b)
    return <:$v, $c~$v + $c~f'{$v} r {$c}':>
~
    $out = []
    try:
        $out.append('start')
        $out.append($a % $b)
    except ZeroDivisionError:
        $out.append('fail')
    finally:
        $out.append('end')
    return $out
:>
:call $f(#int, #int(0,5))
:call $f(#int(1,50), #int(-4,9))
---
:f parse_ints to_numbers safe_parse sum_valid
def $f($items):
<:
    $out = []
    for $item in $items:
        try:
            $out.append(int($item))
        except <:ValueError~(ValueError, TypeError):>:
            <:continue~$out.append(0)~pass~$out.append(None):>
    return <:$out~sum($v for $v in $out if $v)~len($out):>
~
    $t = 0
    $cnt = 0
    for $item in $items:
        if not $item.lstrip('-').isdigit():
            $cnt += 1
            continue
        $t += int($item)
    return <:$t, $cnt~{'sum': $t, 'bad': $cnt}:>
~
    return [int($item) if $item.isdigit() else <:$item~0~len($item)~None:> for $item in $items]
~
    $t = 0
    try:
        for $item in $items:
            $t += int($item)
    except ValueError as $err:
        return <:f'bad {$item}'~-$t~$item, $t:>
    return $t
:>
:call $f(['#int(0,99)', '<:x~3a~~-7~ 4 ~1.5~12:>', '#int(-9,99)'])
:call $f(['#int(0,9)', '#int(10,500)'])
:call $f(['<:a~7~~+3:>', '#int(0,99)', 'b', '#int(0,9)'])
---
:f validate check_input process_all run_checks
:let cls ValidationError ~ BadInput ~ LimitError ~ AppError
class $cls(<:Exception~ValueError:>):
<:
    pass
~
    def __init__(self, message, code=#int(1,9)):
        super().__init__(message)
        self.code = code
:>

def check($n):
    if $n < 0:
        raise $cls('negative')
    if $n > #int(10,40):
        raise <:$cls~ValueError~$cls:>(f'too big: {$n}')
    return #expr($n)

def $f($nums):
<:
    $out = []
    for $num in $nums:
        try:
            $out.append(check($num))
        except $cls as $err:
            $out.append(str($err))
        except ValueError:
            $out.append(None)
    return $out
~
    $t = 0
    try:
        for $num in $nums:
            $t += check($num)
    except ($cls, ValueError) as $err:
        return <:$t, str($err)~type($err).__name__~$err.args:>
    finally:
        $nums.clear()
    return $t
~
    $d = {'ok': 0, 'bad': 0}
    for $num in $nums:
        try:
            check($num)
        except Exception:
            $d['bad'] += 1
        else:
            $d['ok'] += 1
    return $d
:>
:call $f(#ints(1,4,-9,60))
---
:f all_positive any_match check_all has_duplicates same_length
def $f($nums):
<:
    return <:all~any:>(#cond($num) for $num in $nums)
~
    for $num in $nums:
        if #cond($num):
            return <:True~$num:>
    return <:False~None:>
~
    for $num in $nums:
        if not (#cond($num)):
            break
    else:
        return <:True~'all'~len($nums):>
    return <:False~'some'~$num:>
~
    return len($nums) != len(set($nums))
~
    for $i in range(len($nums)):
        for $j in range($i + 1, len($nums)):
            if $nums[$i] == $nums[$j]:
                return <:True~$nums[$i]~($i, $j):>
    return <:False~None~():>
~
    $flag = True
    for $num in $nums:
        $flag = $flag and <:#cond($num)~bool($num):>
        <:if not $flag:
            break~:>
    return <:$flag~not $flag:>
~
    return [<:all($nums)~any($nums)~bool($nums):>, <:any($num > #int for $num in $nums)~#int(0,9) in $nums~\
        $nums == $nums[::-1]:>]
:>
:call $f(#ints)
:call $f(#ints(2,6,0,5))
---
:f describe_type kind_of type_names classify_values
def $f($items):
<:
    $out = []
    for $item in $items:
        if isinstance($item, bool):
            $out.append('bool')
        elif isinstance($item, int):
            $out.append(<:'int'~$item + 1~$item * 2:>)
        elif isinstance($item, str):
            $out.append(<:'str'~$item.upper()~len($item):>)
        else:
            $out.append(<:'other'~$item~None:>)
    return $out
~
    return [type($item).__name__ for $item in $items]
~
    $d = {}
    for $item in $items:
        $key = type($item).__name__
        $d[$key] = $d.get($key, 0) + 1
    return $d
~
    $left = [$item for $item in $items if isinstance($item, <:int~str~(int, float):>)]
    return <:$left~len($left)~[$item for $item in $items if $item not in $left]:>
~
    return <:[$item for $item in $items if $item]~[bool($item) for $item in $items]~\
        list(filter(None, $items))~[str($item) for $item in $items]~\
        sum(1 for $item in $items if $item is None)~sorted($items, key=str):>
~
    $t = 0
    for $item in $items:
        if $item is None or isinstance($item, str):
            continue
        $t += $item
    return $t
:>
:call $f(#mixed)
---
:f logic decide choose access_level can_enter
def $f($a, $b, $c=<:True~False~None:>):
<:
    if $a and $b:
        return <:'both'~2:>
    if $a or $b:
        return <:'one'~1:>
    return <:'none'~0:>
~
    return <:($a and $b) or not $c~$a or $b or $c~not ($a or $b)~$a and not $b~bool($a) != bool($b)~\
        [$a and $b, $a or $b, not $a]:>
~
    if not $a:
        $a = $b or <:'default'~#int:>
    elif $c is None:
        $b = $a
    return <:$a, $b~[$a, $b, $c]~$a == $b:>
~
    $t = 0
    for $flag in ($a, $b, $c):
        $t = $t * 2 + bool($flag)
    return <:$t~$t, bin($t)~'abcdefgh'[$t]:>
~
    if $a == $b:
        $c = 'same'
    elif $a is None or $b is None:
        $c = 'missing'
    elif isinstance($a, str) or isinstance($b, str):
        $c = <:str($a) + str($b)~'text':>
    return $c
:>
:call $f(#bool, #bool)
:call $f(#scalar, #scalar)
:call $f(#int(0,1), #int(0,3), #bool)
---
:f sum_args mean_of total_of merge_kwargs collect_args
def $f(*args, <:scale=#int(1,4)~start=#int(0,9)~flag=False:>, **kwargs):
<:
    $t = 0
    for $num in args:
        $t += $num
    for $key, $v in kwargs.items():
        $t -= $v
    return $t
~
    $out = list(args)
    $out.extend(kwargs.values())
    return <:$out~sorted($out)~len($out), sum($out):>
~
    $d = {'n': len(args)}
    $d.update(kwargs)
    if args:
        $d['first'] = args[0]
    return $d
~
    if not args:
        return kwargs
    $a, *$b = args
    return <:$f(*$b, **kwargs, last=$a)~($a, $b, sorted(kwargs)):> if len($b) < <:1~2:> else ($a, $b)
:>
:call $f(#int, #int)
:call $f(#int(0,9), #int(0,9), x=#int(0,9))
:call $f(*#ints(1,4), a=#int, b=#int)
:call $f()
---
:f loop_until search_loop count_attempts spin
def $f($n, $k):
<:
    $cnt = 0
    while True:
        $n = #pair($n,$k)
        $cnt += 1
        if <:$n > #int(50,200)~#cond($n):> or $cnt >= #int(3,8):
            break
    return <:$n, $cnt~$cnt~$n:>
~
    for $i in range(1, #int(4,10)):
        if ($n * $i) % ($k or 1) == #int(0,3):
            break
    else:
        $i = -1
    return <:$i~$i, $n * $i:>
~
    $out = []
    while $n > 0 and len($out) < #int(3,7):
        if #cond($n):
            $n -= $k or 1
            $out.append($n)
            continue
        $n -= #int(1,3)
    return $out
~
    for $i in range($n % 5):
        for $j in range($k % 4):
            if $i == $j:
                continue
            if $i * $j > #int(1,6):
                return $i, $j
    return None
:>
:call $f(#int(1,30), #int(1,9))
:call $f(#int(1,15), #int(0,7))
---
:f shared_state update_global total_calls
$nD = {'calls': 0<:~, 'last': None:>}
$cnt = #int(0,9)

def bump($v):
    global $cnt
    $cnt += $v
    $nD['calls'] += 1
    return $cnt

def $f($nums):
    for $num in $nums:
        if #cond($num):
            bump($num)
    return <:$cnt, $nD~$cnt~$nD['calls']:>
:call $f(#ints(1,4,0,9))
---
:f mutual_even is_even_rec bounce_down alternate
def ping($n, $out):
    if $n <= 0:
        return $out
    $out.append(<:$n~'ping'~-$n:>)
    return pong($n - <:1~2:>, $out)

def pong($n, $out):
    if $n <= 0:
        return $out + <:['end']~[0]~[]:>
    <:if #cond($n):
        $out.append($n * 10)
    ~:>return ping($n - 1, $out)

def $f($n):
    return <:ping($n, [])~len(ping($n, []))~pong($n, [$n]):>
:call $f(#int(0,6))
---
:f hanoi move_disks ackermann count_moves
def $f($n, $a='A', $b='B', $c='C'):
<:
    if $n == 0:
        return []
    return $f($n - 1, $a, $c, $b) + [(<:$a, $b~$n, $a, $b:>)] + $f($n - 1, $c, $b, $a)
~
    if $n == 1:
        return <:1~$a + $b:>
    return $f($n - 1, $a, $c, $b) + <:$f(1, $a, $b)~$f(1, $b, $c):> + $f($n - 1, $c, $b, $a)
:>
:call $f(#int(1,3))
---
:f countdown climb ways recursive_sum power_sum
def $f($n, $k=<:1~2~3:>):
<:
    if $n <= 0:
        return <:0~1~$n:>
    return $n <:+~-~*:> $f($n - $k, $k)
~
    if $n < 10:
        return $n
    return $n % 10 + $f($n // 10)
~
    if $n == 0:
        return [<:0~'go'~'done':>]
    return [$n] + $f($n - 1, $k)
~
    if $n <= 1:
        return 1
    return sum($f($n - $i, $k) for $i in range(1, $k + 1) if $n >= $i)
~
    if $n <= $k:
        return $n
    return $k + $f($n // ($k + 1), $k) * 2
:>
:call $f(#int(1,5))
:call $f(#int(2,5), #int(2,3))
---
:f rec_sum rec_max rec_count pick_values fold_right
def $f($nums, $i=0):
<:
    if $i == len($nums):
        return <:0~1:>
    return <:$nums[$i] + $f($nums, $i + 1)~max($nums[$i], $f($nums, $i + 1))~\
        (1 if #cond($nums[$i]) else 0) + $f($nums, $i + 1):>
~
    if $i >= len($nums):
        return []
    $v = $nums[$i]
    if #cond($v):
        return [#expr($v)] + $f($nums, $i + 1)
    return $f($nums, $i + <:1~2:>)
~
    if not $nums:
        return $i
    *$a, $b = $nums
    return $f($a, $i + $b)
~
    if len($nums) < 2:
        return True
    return $nums[0] <:<=~!=~<~==:> $nums[-1] and $f($nums[1:-1])
:>
:call $f(#ints(0,5))
"""
