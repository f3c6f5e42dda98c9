"""Templates: dicts: counting, inverting, grouping, merging. Text only, read by `idioms_data_template`."""

from __future__ import annotations

DICTS = r"""
:f count_items frequencies histogram count_each tally
def $f($items):
<:
    $groups = {}
    for $item in $items:
        if $item in $groups:
            $groups[$item] += 1
        else:
            $groups[$item] = 1
    return $groups
~
    $groups = {}
    for $item in $items:
        $groups[$item] = $groups.get($item, 0) + 1
    return <:$groups~max($groups, key=$groups.get) if $groups else None~\
        sorted($groups.items(), key=lambda $p: -$p[1])~[$key for $key, $v in $groups.items() if $v > 1]~\
        {$key: $v for $key, $v in $groups.items() if $v == 1}:>
~
    return {$item: $items.count($item) for $item in $items}
~
    $groups = Counter($items)
    return <:dict($groups)~$groups.most_common(<:1~2~:>)~sum($v for $v in $groups.values() if $v > 1)~\
        max($groups.values(), default=0):>
~
    $groups = defaultdict(int)
    for $item in $items:
        $groups[$item] += 1
    return <:dict($groups)~sorted($groups)~len($groups):>
~
    $groups = {}
    for $item in $items:
        $groups.setdefault($item, 0)
        $groups[$item] += 1
    $best = 0
    $out = None
    for $key, $v in $groups.items():
        if $v > $best:
            $best, $out = $v, $key
    return <:$out~$out, $best:>
:>
:call $f(#ints(0,7,1,4))
:call $f(#words(1,5))
:call $f(#letters)
---
:f invert invert_dict swap_keys reverse_mapping
def $f($d):
<:
    return {$v: $key for $key, $v in $d.items()}
~
    $out = {}
    for $key in $d:
        $out[$d[$key]] = $key
    return $out
~
    $out = {}
    for $key, $v in $d.items():
        if $v not in $out:
            $out[$v] = []
        $out[$v].append($key)
    return $out
~
    $out = {}
    for $key, $v in $d.items():
        $out.setdefault($v, []).append($key)
    return <:$out~{$key: len($v) for $key, $v in $out.items()}~sorted($out):>
~
    return dict(zip($d.values(), $d.keys()))
~
    return <:dict(($v, $key) for $key, $v in $d.items())~[($v, $key) for $key, $v in $d.items()]:>
:>
:call $f(#dict(0,5,1,4))
:call $f(#dictw)
:call $f(#dicti)
---
:f group_by group_items bucket categorize
def $f($nums):
<:
    $groups = {}
    for $num in $nums:
        $key = <:$num % #int(2,4)~'even' if $num % 2 == 0 else 'odd'~len(str(abs($num)))~$num // 10~\
            $num > #int(0,9):>
        if $key not in $groups:
            $groups[$key] = []
        $groups[$key].append($num)
    return $groups
~
    $groups = defaultdict(list)
    for $num in $nums:
        $groups[<:$num % #int(2,4)~abs($num) % 10~$num < #int(1,20):>].append($num)
    return <:dict($groups)~{$key: sum($v) for $key, $v in $groups.items()}~sorted($groups.items()):>
~
    $groups = {'small': [], 'big': []}
    for $num in $nums:
        $groups['small' if $num < #int(2,30) else 'big'].append($num)
    return $groups
~
    $out = {}
    for $num in $nums:
        $out.setdefault($num % #int(2,5), <:[]).append($num)~set()).add($num)~[]).insert(0, $num):>
    return $out
:>
:call $f(#ints(0,7))
:call $f(#ints(2,6))
---
:f group_words words_by_length by_first_letter index_words
def $f($words):
    $groups = {}
    for $word in $words:
        $key = <:len($word)~$word[0]~$word[-1]~''.join(sorted($word))~$word.lower()~$word[:2]:>
<:
        if $key in $groups:
            $groups[$key].append($word)
        else:
            $groups[$key] = [$word]
    return <:$groups~list($groups.values())~max($groups.values(), key=len, default=[]):>
~
        $groups.setdefault($key, []).append(<:$word~#wexpr($word):>)
    return <:$groups~{$key: len($v) for $key, $v in $groups.items()}~sorted($groups):>
~
        $groups[$key] = $groups.get($key, '') + <:$word~$word[0]~#wexpr($word):>
    return $groups
:>
:call $f(#words(1,6))
---
:f merge_dicts combine merge add_dicts
def $f($a, $b):
<:
    $out = <:dict($a)~$a.copy()~{}
    $out.update($a):>
    for $key, $v in $b.items():
        if $key in $out:
            $out[$key] += $v
        else:
            $out[$key] = $v
    return $out
~
    return <:{**$a, **$b}~$a | $b~{**$b, **$a}~dict($a, **$b):>
~
    $a.update($b)
    return <:$a~len($a)~sorted($a.items())~sum($a.values()):>
~
    $out = {}
    for $key in <:sorted(set($a) | set($b))~list($a) + list($b)~$a.keys():>:
        $out[$key] = <:max($a.get($key, 0), $b.get($key, 0))~$a.get($key, 0) + $b.get($key, 0)~\
            ($a.get($key), $b.get($key)):>
    return $out
~
    return {$key: $a[$key] <:+~-~*:> $b[$key] for $key in $a if $key in $b}
~
    for $d in ($a, $b):
        for $key in list($d):
            if #cond($d[$key]):
                del $d[$key]
    return <:$a, $b~[$a, $b]~{**$a, **$b}:>
:>
:call $f(#dict(1,4), #dict(1,4))
:call $f({'a': #int, 'b': #int}, {'b': #int, 'c': #int})
:call $f({'x': #int(0,9), 'y': #int(0,9)}, {'x': #int(0,9)})
---
:f sort_by_value top_items rank_items best_keys
def $f($d, $k=<:2~1~3:>):
<:
    return sorted($d.items(), key=lambda $p: $p[1]<:~, reverse=True:>)<:~[:$k]:>
~
    return <:dict(sorted($d.items()))~dict(sorted($d.items(), key=lambda $p: ($p[1], $p[0])))~\
        sorted($d, key=$d.get)~sorted($d, key=lambda $key: -$d[$key])[:$k]:>
~
    $out = []
    while $d and len($out) < $k:
        $key = <:max~min:>($d, key=$d.get)
        $out.append(<:$key~($key, $d[$key])~$key:>)
        $d.pop($key)
    return $out
~
    $ps = [($v, $key) for $key, $v in $d.items()]
    $ps.sort(<:~reverse=True:>)
    return [$key for $v, $key in $ps<:~[:$k]:>]
:>
:call $f(#dict(0,5))
:call $f(#dict(2,5), #int(1,3))
---
:f filter_dict keep_values select_keys clean
def $f($d, $k=#int(1,40)):
<:
    return {$key: $v for $key, $v in $d.items() if #pcond($v,$k)}
~
    $out = {}
    for $key, $v in $d.items():
        if #cond($v):
            $out[$key] = #expr($v)
    return $out
~
    for $key in list($d<:~.keys():>):
        if #pcond($d[$key],$k):
            <:del $d[$key]~$d.pop($key):>
    return <:$d~len($d)~list($d):>
~
    $out = [$key for $key in $d if #pcond($d[$key],$k)]
    for $key in $out:
        del $d[$key]
    return <:$d~$out~$d, $out:>
~
    $t = 0
    for $key in $d:
        if #cond($d[$key]):
            $t += $d[$key]
        else:
            $d[$key] = <:0~$t~None~$k:>
    return <:$d~$t~$t, $d:>
~
    return <:any(#cond($v) for $v in $d.values())~all(#cond($v) for $v in $d.values())~\
        sum($v for $v in $d.values() if #cond($v))~list(filter(lambda $key: #cond($d[$key]), $d)):>
:>
:call $f(#dict)
:call $f(#dict(1,5), #int(0,50))
---
:f lookup get_or_default find_value fetch resolve
def $f($d, $key, $default=<:None~0~'none'~-1:>):
<:
    if $key in $d:
        return $d[$key]
    return $default
~
    return $d.get($key, $default)
~
    try:
        return $d[$key]
    except KeyError<:~ as $err:>:
        return <:$default~'missing ' + str($key)~$d.setdefault($key, $default):>
~
    $v = $d.get($key)
    if $v is None:
        $d[$key] = $default
        return <:$d~$default~len($d):>
    return $v
~
    for $a, $b in $d.items():
        if $a == $key:
            return $b
        <:if $b == $key:
            return $a~:>
    return $default
~
    $v = $d.pop($key, $default)
    return <:$v, $d~$d~[$v, len($d)]:>
~
    return next(($b for $a, $b in $d.items() if $a <:==~!=~>=:> $key), $default)
:>
:call $f(#dict(1,4), #in)
:call $f(#dictw, #in)
:call $f(#dict(1,4), #in, #scalar)
---
:f update_all adjust bump change_values rescale
def $f($d, $k):
<:
    for $key in $d:
        $d[$key] <:+=~*=~-=:> $k
    return $d
~
    for $key, $v in $d.items():
        if #pcond($v,$k):
            $d[$key] = #expr($v)
        <:else:
            $d[$key] = $k~:>
    return $d
~
    $out = $d
    $out[<:'total'~'new'~'a'~'z':>] = $k
    return <:$d~$out == $d, len($d)~$out is $d:>
~
    $out = $d.copy()
    for $key in $d:
        $out[$key] = #pair($d[$key],$k)
    $out.update(<:{'extra': $k}~extra=$k~[('k', $k)]:>)
    return <:$out~$out, $d:>
~
    return {<:$key~$key.upper()~$key * 2~$key[0]~\
        $key + '_' + str($k):>: #pair($v,$k) for $key, $v in $d.items()}
~
    $out = {}
    while $d:
        $key, $v = $d.popitem()
        $out[$key] = <:$v~$v + $k~$v if $v > $k else $k:>
    return $out<:~, $d:>
:>
:call $f(#dict(1,5), #int)
:call $f(#dict(0,4,0,20), #int(1,9))
---
:f total_by sum_by aggregate totals accumulate_by
def $f($ps):
<:
    $out = {}
    for $key, $v in $ps:
        if $key not in $out:
            $out[$key] = 0
        $out[$key] += $v
    return $out
~
    $out = {}
    for $p in $ps:
        $out[$p[0]] = <:$out.get($p[0], 0) + $p[1]~max($out.get($p[0], $p[1]), $p[1])~$p[1]~\
            $out.get($p[0], ()) + ($p[1],):>
    return $out
~
    $out = {}
    for $key, $v in $ps:
        $out.setdefault($key, []).append($v)
    return <:$out~{$key: sum($v) / len($v) for $key, $v in $out.items()}~\
        {$key: (min($v), max($v)) for $key, $v in $out.items()}~\
        {$key: sorted($v) for $key, $v in $out.items()}:>
~
    $a, $b = zip(*$ps)
    return <:list($a), sum($b)~dict(zip($a, $b))~sorted($b)~list(zip($b, $a)):>
~
    $t = 0
    for $i, ($key, $v) in enumerate($ps):
        if <:#cond($v)~$key in ('a', 'x', 'cat', 'red')~$i % 2 == 0:>:
            $t += $v
        else:
            $t -= $i
    return $t
~
    return <:sorted($ps, key=lambda $p: ($p[0], -$p[1]))~max($ps, key=lambda $p: $p[1])~\
        [$key for $key, $v in $ps if #cond($v)]~{$key: $v for $key, $v in reversed($ps)}:>
:>
:call $f(#pairs)
---
:f sum_tree count_leaves nested_total max_depth flatten_dict
def $f($d):
<:
    $t = 0
    for $v in $d.values():
        if isinstance($v, dict):
            $t += $f($v)
        else:
            $t += <:$v~1~$v % 10:>
    return $t
~
    $out = {}
    for $key, $v in $d.items():
        if isinstance($v, dict):
            for $a, $b in $f($v).items():
                $out[<:$key + '.' + $a~f'{$key}_{$a}':>] = $b
        else:
            $out[$key] = $v
    return $out
~
    if not isinstance($d, dict) or not $d:
        return 0
    return 1 + max($f($v) for $v in $d.values())
~
    $out = []
    for $key, $v in $d.items():
        $out.append($key)
        if type($v) is dict:
            $out.extend($f($v))
    return $out
~
    return {$key: $f($v) if isinstance($v, dict) else #expr($v) for $key, $v in $d.items()}
~
    $st = [$d]
    $t = 0
    while $st:
        $cur = $st.pop()
        for $key in $cur:
            if isinstance($cur[$key], dict):
                $st.append($cur[$key])
            else:
                $t += $cur[$key]
    return $t
:>
:call $f(#tree)
---
:f get_path dig set_path deep_get
def $f($d, $items<:~, $default=None~, $default=0:>):
<:
    $cur = $d
    for $key in $items:
        if not isinstance($cur, dict) or $key not in $cur:
            return <:None~-1~{}:>
        $cur = $cur[$key]
    return $cur
~
    try:
        for $key in $items:
            $d = $d[$key]
        return $d
    except (KeyError, TypeError) as $err:
        return <:None~type($err).__name__~'missing':>
~
    $cur = $d
    for $key in $items[:-1]:
        $cur = $cur.setdefault($key, {})
        if not isinstance($cur, dict):
            return None
    $cur[$items[-1]] = <:True~0~[]~len($items):>
    return $d
~
    if not $items:
        return $d
    if isinstance($d, dict) and $items[0] in $d:
        return $f($d[$items[0]], $items[1:])
    return <:None~'?'~0:>
:>
:call $f({'a': {'b': #int, 'c': {'d': #int}}}, ['a', '<:b~c~x:>'])
:call $f({'user': {'name': #word, 'tags': {'x': #int}}}, [<:'user', 'tags', 'x'~'user'~'user', 'age'~\
    'user', 'name':>])
:call $f(#tree, [#in, '<:a~x~id~red:>'])
"""
